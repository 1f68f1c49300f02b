//! The functions of the ABI, version 0.2.1, that the module may import, and the functions of WASI that it needs.
//!
//! A module that imports any other function is not loaded, as in Envoy.

use wasmtime::{Caller, Error, Linker, Memory, Result};

use crate::host::{BAD_ARGUMENT, Headers, Host, INVALID_MEMORY_ACCESS};

type Call<'a> = Caller<'a, Host>;

/// The ABI's numbers for the buffers `HttpResponseBody` and `PluginConfiguration`.
const RESPONSE_BODY: u32 = 1;
const PLUGIN_CONFIGURATION: u32 = 7;

/// Defines all functions.
pub(crate) fn add(linker: &mut Linker<Host>) -> Result<()> {
    buffers(linker)?;
    headers(linker)?;
    properties(linker)?;
    metrics(linker)?;
    streams(linker)?;
    wasi(linker)
}

fn buffers(linker: &mut Linker<Host>) -> Result<()> {
    linker.func_wrap(
        "env",
        "proxy_get_buffer_bytes",
        |mut call: Call<'_>, buffer: u32, start: u32, length: u32, data: u32, data_length: u32| {
            answer(&mut call, "get_buffer_bytes", |call| {
                let bytes = buffer_bytes(call.data(), buffer)?;
                let end = start.saturating_add(length).min(size(bytes));
                let part = bytes[start.min(end) as usize..end as usize].to_vec();
                give(call, &part, data, data_length)
            })
        },
    )?;
    linker.func_wrap(
        "env",
        "proxy_set_buffer_bytes",
        |mut call: Call<'_>, buffer: u32, start: u32, length: u32, data: u32, data_length: u32| {
            answer(&mut call, "set_buffer_bytes", |call| {
                let bytes = take(call, data, data_length)?;
                let Some(body) = call.data_mut().body.as_mut().filter(|_| buffer == RESPONSE_BODY) else {
                    return Err(BAD_ARGUMENT);
                };
                match start as usize {
                    0 => _ = body.splice(..(length as usize).min(body.len()), bytes),
                    start if start >= body.len() => body.extend_from_slice(&bytes),
                    _ => return Err(BAD_ARGUMENT),
                }
                let length = body.len();
                end_if_over(call, length)
            })
        },
    )?;
    Ok(())
}

/// Ends the stream during the call if a body has become too long. The call itself succeeds.
fn end_if_over(call: &mut Call<'_>, length: usize) -> Result<(), u32> {
    let host = call.data_mut();
    let Some(stream) = host.stream.take_if(|_| host.body_limit.is_some_and(|limit| length > limit)) else {
        return Ok(());
    };
    delete(call, stream)
}

/// Ends a stream during a call.
fn delete(call: &mut Call<'_>, stream: u32) -> Result<(), u32> {
    let delete = call.data().delete.clone().ok_or(INVALID_MEMORY_ACCESS)?;
    delete.call(&mut *call, stream).map_err(|_| INVALID_MEMORY_ACCESS)
}

fn headers(linker: &mut Linker<Host>) -> Result<()> {
    linker.func_wrap("env", "proxy_get_header_map_pairs", |mut call: Call<'_>, map: u32, data: u32, length: u32| {
        answer(&mut call, "get_header_map_pairs", |call| {
            // To Envoy, a missing map is an empty one.
            let pairs = call.data_mut().map(map).map(|headers| serialise(headers)).unwrap_or_default();
            give(call, &pairs, data, length)
        })
    })?;
    linker.func_wrap(
        "env",
        "proxy_replace_header_map_value",
        |mut call: Call<'_>, map: u32, name: u32, name_length: u32, value: u32, value_length: u32| {
            answer(&mut call, "replace_header_map_value", |call| {
                let (name, value) = (take(call, name, name_length)?, take(call, value, value_length)?);
                let headers = call.data_mut().map(map)?;
                let at = headers.iter().position(|(known, _)| *known == name).unwrap_or(headers.len());
                headers.retain(|(known, _)| *known != name);
                headers.insert(at.min(headers.len()), (name, value));
                Ok(())
            })
        },
    )?;
    linker.func_wrap(
        "env",
        "proxy_remove_header_map_value",
        |mut call: Call<'_>, map: u32, name: u32, length: u32| {
            answer(&mut call, "remove_header_map_value", |call| {
                let name = take(call, name, length)?;
                call.data_mut().map(map)?.retain(|(known, _)| *known != name);
                Ok(())
            })
        },
    )?;
    Ok(())
}

fn properties(linker: &mut Linker<Host>) -> Result<()> {
    linker.func_wrap(
        "env",
        "proxy_get_property",
        |mut call: Call<'_>, path: u32, path_length: u32, data: u32, length: u32| {
            answer(&mut call, "get_property", |call| {
                let path = take(call, path, path_length)?;
                if path == b"response\0backend_latency" && call.data().upstream_ended {
                    give(call, &CLOCK_READING, data, length)
                } else {
                    Err(1)
                }
            })
        },
    )?;
    linker.func_wrap(
        "env",
        "proxy_set_property",
        |mut call: Call<'_>, path: u32, path_length: u32, value: u32, value_length: u32| {
            answer(&mut call, "set_property", |call| {
                let (path, value) = (take(call, path, path_length)?, take(call, value, value_length)?);
                if path == b"nomos" {
                    call.data_mut().filter_state = value;
                }
                Ok(())
            })
        },
    )?;
    Ok(())
}

/// Any duration.
const CLOCK_READING: [u8; 8] = [1, 0, 0, 0, 0, 0, 0, 0];

fn metrics(linker: &mut Linker<Host>) -> Result<()> {
    linker.func_wrap(
        "env",
        "proxy_define_metric",
        |mut call: Call<'_>, _kind: u32, name: u32, length: u32, id: u32| {
            answer(&mut call, "define_metric", |call| {
                let name = String::from_utf8_lossy(&take(call, name, length)?).into_owned();
                let defined = call.data_mut().define(name);
                put(call, id, &defined.to_le_bytes())
            })
        },
    )?;
    linker.func_wrap("env", "proxy_increment_metric", |mut call: Call<'_>, id: u32, offset: i64| {
        answer(&mut call, "increment_metric", |call| call.data_mut().add(id, offset))
    })?;
    linker.func_wrap("env", "proxy_record_metric", |mut call: Call<'_>, id: u32, _value: u64| {
        answer(&mut call, "record_metric", |call| call.data_mut().add(id, 0))
    })?;
    Ok(())
}

fn streams(linker: &mut Linker<Host>) -> Result<()> {
    linker.func_wrap("env", "proxy_log", |mut call: Call<'_>, _level: u32, text: u32, length: u32| {
        answer(&mut call, "log", |call| {
            let text = String::from_utf8_lossy(&take(call, text, length)?).into_owned();
            call.data_mut().log.push(text);
            Ok(())
        })
    })?;
    linker.func_wrap("env", "proxy_get_current_time_nanoseconds", |mut call: Call<'_>, time: u32| {
        answer(&mut call, "get_current_time_nanoseconds", |call| {
            let now = call.data_mut().now();
            put(call, time, &now.to_le_bytes())
        })
    })?;
    linker.func_wrap("env", "proxy_set_tick_period_milliseconds", |mut call: Call<'_>, _period: u32| {
        answer(&mut call, "set_tick_period_milliseconds", |_| Ok(()))
    })?;
    linker.func_wrap("env", "proxy_set_effective_context", |mut call: Call<'_>, context: u32| {
        answer(&mut call, "set_effective_context", |call| {
            call.data_mut().acting = context;
            Ok(())
        })
    })?;
    linker.func_wrap("env", "proxy_continue_stream", |mut call: Call<'_>, _stream: u32| {
        answer(&mut call, "continue_stream", |call| {
            let host = call.data_mut();
            host.resumed = true;
            let acting = host.acting;
            let ended = host.ends_when_resumed.take_if(|stream| *stream == acting);
            ended.map_or(Ok(()), |stream| delete(call, stream))
        })
    })?;
    linker.func_wrap("env", "proxy_close_stream", |mut call: Call<'_>, _stream: u32| {
        answer(&mut call, "close_stream", |call| {
            call.data_mut().reset = true;
            Ok(())
        })
    })?;
    Ok(())
}

/// Defines the functions of WASI: there is no environment, no output, and no exit.
fn wasi(linker: &mut Linker<Host>) -> Result<()> {
    let module = "wasi_snapshot_preview1";
    linker.func_wrap(module, "environ_sizes_get", |mut call: Call<'_>, count: u32, bytes: u32| {
        u32::from(put(&mut call, count, &[0; 4]).and(put(&mut call, bytes, &[0; 4])).is_err())
    })?;
    linker.func_wrap(module, "environ_get", |_: Call<'_>, _: u32, _: u32| 0_u32)?;
    linker.func_wrap(module, "fd_write", |_: Call<'_>, _: u32, _: u32, _: u32, _: u32| BAD_FILE_DESCRIPTOR)?;
    linker.func_wrap(module, "proc_exit", |_: Call<'_>, code: u32| -> Result<()> {
        Err(Error::msg(format!("the module exits with {code}")))
    })?;
    Ok(())
}

const BAD_FILE_DESCRIPTOR: u32 = 8;

/// Records a call, makes it fail if a fault says so, and returns its status.
fn answer(call: &mut Call<'_>, name: &'static str, act: impl FnOnce(&mut Call<'_>) -> Result<(), u32>) -> u32 {
    match call.data_mut().call(name).and_then(|()| act(call)) {
        Ok(()) => 0,
        Err(status) => status,
    }
}

fn buffer_bytes(host: &Host, buffer: u32) -> Result<&[u8], u32> {
    match buffer {
        RESPONSE_BODY => host.body.as_deref().ok_or(BAD_ARGUMENT),
        PLUGIN_CONFIGURATION => Ok(&host.configuration),
        _ => Err(BAD_ARGUMENT),
    }
}

/// Writes bytes to the place that the module allocates for them, and tells the module where they are.
fn give(call: &mut Call<'_>, bytes: &[u8], data: u32, length: u32) -> Result<(), u32> {
    let allocate = call.data().allocate.clone().ok_or(INVALID_MEMORY_ACCESS)?;
    let address = match bytes {
        [] => 0,
        _ => allocate.call(&mut *call, size(bytes)).ok().filter(|at| *at != 0).ok_or(INVALID_MEMORY_ACCESS)?,
    };
    put(call, address, bytes)?;
    put(call, data, &address.to_le_bytes())?;
    put(call, length, &size(bytes).to_le_bytes())
}

fn put(call: &mut Call<'_>, address: u32, bytes: &[u8]) -> Result<(), u32> {
    memory(call)?.write(call, address as usize, bytes).map_err(|_| INVALID_MEMORY_ACCESS)
}

fn take(call: &mut Call<'_>, address: u32, length: u32) -> Result<Vec<u8>, u32> {
    let start = address as usize;
    let end = start.checked_add(length as usize).ok_or(INVALID_MEMORY_ACCESS)?;
    memory(call)?.data(call).get(start..end).map(<[u8]>::to_vec).ok_or(INVALID_MEMORY_ACCESS)
}

fn memory(call: &Call<'_>) -> Result<Memory, u32> {
    call.data().memory.ok_or(INVALID_MEMORY_ACCESS)
}

fn size(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).unwrap_or(u32::MAX)
}

/// Returns headers in the ABI's layout: the number of pairs, all lengths, then each name and value followed by a NUL.
fn serialise(headers: &Headers) -> Vec<u8> {
    let mut out = u32::try_from(headers.len()).unwrap_or(u32::MAX).to_le_bytes().to_vec();
    for (name, value) in headers {
        out.extend(size(name).to_le_bytes());
        out.extend(size(value).to_le_bytes());
    }
    for text in headers.iter().flat_map(|(name, value)| [name, value]) {
        out.extend(text);
        out.push(0);
    }
    out
}
