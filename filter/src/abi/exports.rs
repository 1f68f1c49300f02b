//! The exported callbacks.
//!
//! Envoy does not call callbacks that a module does not export, so only the needed ones are here. In particular,
//! request bodies pass without entering the VM.

use std::cell::{Cell, RefCell};
use std::mem::ManuallyDrop;

use crate::host::Action;
use crate::vm::Vm;

#[cfg(feature = "trap")]
use super::trap::{self, Place};
use super::{Proxy, window};

thread_local! {
    /// The VM of this thread. It is never dropped, so that an access need not check whether it has been dropped.
    static VM: ManuallyDrop<RefCell<Vm<Proxy>>> = ManuallyDrop::new(RefCell::new(Vm::new(Proxy)));

    /// Contexts that ended while a callback was running. Envoy ends a stream when a filter writes more into a buffered
    /// body than the buffer takes. A body is buffered when another filter has paused it, and the buffer's limit is
    /// unknown.
    static ENDED: ManuallyDrop<RefCell<Vec<u32>>> = const { ManuallyDrop::new(RefCell::new(Vec::new())) };

    /// The context that host calls refer to: that of the running callback, or the one that the callback chose.
    static ACTING: Cell<u32> = const { Cell::new(0) };
}

unsafe extern "C" {
    /// Runs static constructors. The linker defines it.
    fn __wasm_call_ctors();
}

/// States the version of the ABI by its name.
#[unsafe(no_mangle)]
pub extern "C" fn proxy_abi_version_0_2_1() {}

/// Initialises the module. The host calls it before anything else.
#[unsafe(no_mangle)]
pub extern "C" fn _initialize() {
    // SAFETY: called once, before anything else. An explicit call also keeps the linker from adding one to
    // each export.
    unsafe { __wasm_call_ctors() }
}

/// Returns memory for the result of a host call.
#[unsafe(no_mangle)]
pub extern "C" fn proxy_on_memory_allocate(size: usize) -> *mut u8 {
    window::allocate(size)
}

/// See [`Vm::on_context_create`].
#[unsafe(no_mangle)]
pub extern "C" fn proxy_on_context_create(id: u32, root: u32) {
    enter(id, (), |vm| vm.on_context_create(id, root));
}

/// See [`Vm::on_configure`].
#[unsafe(no_mangle)]
pub extern "C" fn proxy_on_configure(id: u32, length: usize) -> u32 {
    enter(id, 0, |vm| u32::from(vm.on_configure(id, length)))
}

/// See [`Vm::on_request_headers`].
#[unsafe(no_mangle)]
pub extern "C" fn proxy_on_request_headers(id: u32, _count: u32, ends: u32) -> u32 {
    #[cfg(feature = "trap")]
    trap::on_request_headers(id);
    enter(id, Action::Continue, |vm| vm.on_request_headers(id, ends != 0)) as u32
}

/// See [`Vm::on_response_headers`].
#[unsafe(no_mangle)]
pub extern "C" fn proxy_on_response_headers(id: u32, _count: u32, ends: u32) -> u32 {
    #[cfg(feature = "trap")]
    trap::reach(Place::ResponseHeaders, id);
    enter(id, Action::Continue, |vm| vm.on_response_headers(id, ends != 0)) as u32
}

/// See [`Vm::on_response_body`].
#[unsafe(no_mangle)]
pub extern "C" fn proxy_on_response_body(id: u32, size: usize, ends: u32) -> u32 {
    #[cfg(feature = "trap")]
    trap::on_response_body(id, size);
    enter(id, Action::Continue, |vm| vm.on_response_body(id, size, ends != 0)) as u32
}

/// See [`Vm::on_response_trailers`].
#[unsafe(no_mangle)]
pub extern "C" fn proxy_on_response_trailers(id: u32, _count: u32) -> u32 {
    enter(id, Action::Continue, |vm| vm.on_response_trailers(id)) as u32
}

/// See [`Vm::on_tick`].
#[unsafe(no_mangle)]
pub extern "C" fn proxy_on_tick(root: u32) {
    #[cfg(feature = "trap")]
    trap::reach(Place::Tick, 0);
    enter(root, (), |vm| vm.on_tick(root));
}

/// See [`Vm::on_delete`].
#[unsafe(no_mangle)]
pub extern "C" fn proxy_on_delete(id: u32) {
    let deleted = enter(id, false, |vm| {
        vm.on_delete(id);
        true
    });
    if !deleted {
        ENDED.with(|ended| ended.try_borrow_mut().map(|mut ended| ended.push(id)).unwrap_or_default());
    }
}

/// Returns whether the stream that host calls refer to has ended during the running callback.
pub(super) fn has_ended() -> bool {
    ENDED.with(|ended| ended.try_borrow().is_ok_and(|ended| ended.contains(&ACTING.get())))
}

/// Makes the following host calls refer to this context.
pub(super) fn act_for(id: u32) {
    ACTING.set(id);
}

/// Runs a callback about a context. Returns `otherwise` if a callback is running already.
fn enter<R>(id: u32, otherwise: R, callback: impl FnOnce(&mut Vm<Proxy>) -> R) -> R {
    VM.with(|vm| {
        let Ok(mut vm) = vm.try_borrow_mut() else { return otherwise };
        act_for(id);
        let result = callback(&mut vm);
        ENDED.with(|ended| {
            let Ok(mut ended) = ended.try_borrow_mut() else { return };
            while let Some(id) = ended.pop() {
                vm.on_delete(id);
            }
        });
        result
    })
}
