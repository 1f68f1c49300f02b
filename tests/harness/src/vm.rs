//! A running module, and the callbacks that it exports.

use std::fmt;

use wasmtime::{Store, TypedFunc, WasmParams, WasmResults};

use crate::host::Host;
use crate::module::Module;

/// The root context of the plugin.
pub const ROOT: u32 = 1;

/// The limit of fuel for a callback. One that reaches it never ends: no callback here takes a hundredth of it.
const ENDLESS: u64 = 100_000_000_000;

/// The action of the host after a callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Go on.
    Continue,
    /// Pause the data of the callback.
    Pause,
}

/// A callback that did not return, which is the end of the VM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trap(pub String);

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A running module.
pub struct Vm {
    store: Store<Host>,
    create: TypedFunc<(u32, u32), ()>,
    configure: TypedFunc<(u32, u32), u32>,
    request_headers: TypedFunc<(u32, u32, u32), u32>,
    response_headers: TypedFunc<(u32, u32, u32), u32>,
    response_body: TypedFunc<(u32, u32, u32), u32>,
    response_trailers: TypedFunc<(u32, u32), u32>,
    tick: TypedFunc<u32, ()>,
    delete: TypedFunc<u32, ()>,
}

impl Vm {
    /// Starts a VM with a root context, without configuring it.
    pub fn start(module: &Module, host: Host) -> Result<Self, Trap> {
        let mut store = Store::new(&module.engine, host);
        store.limiter(|host| host);
        let mut vm = Self::link(module, store).map_err(|error| Trap(format!("{error:?}")))?;
        vm.create_context(ROOT, 0)?;
        Ok(vm)
    }

    /// Starts a VM, and configures it with the host's configuration. Returns `None` if the module refuses that.
    pub fn configured(module: &Module, host: Host) -> Result<Option<Self>, Trap> {
        let mut vm = Self::start(module, host)?;
        Ok(vm.configure()?.then_some(vm))
    }

    /// Returns the host.
    pub fn host(&mut self) -> &mut Host {
        self.store.data_mut()
    }

    /// Returns the size of the VM's memory in bytes.
    pub fn memory(&mut self) -> usize {
        self.store.data().memory.map_or(0, |memory| memory.data_size(&self.store))
    }

    /// Returns the fuel that some work takes, and its result.
    pub fn fuel<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> (u64, R) {
        let _ = self.store.set_fuel(ENDLESS);
        let result = work(self);
        (ENDLESS - self.store.get_fuel().unwrap_or(0), result)
    }

    /// Configures the module with the host's configuration. Returns `false` if the module refuses it.
    pub fn configure(&mut self) -> Result<bool, Trap> {
        self.configure_root(ROOT)
    }

    /// Does the same for another root context.
    pub fn configure_root(&mut self, root: u32) -> Result<bool, Trap> {
        let length = u32::try_from(self.host().configuration.len()).unwrap_or(u32::MAX);
        Ok(self.enter(|vm| vm.configure.clone(), (root, length))? != 0)
    }

    /// Makes a callback of the ABI, like all methods below.
    pub fn create_context(&mut self, id: u32, root: u32) -> Result<(), Trap> {
        self.enter(|vm| vm.create.clone(), (id, root))
    }

    /// The request's headers have come, and the request has nothing else.
    pub fn request_headers(&mut self, id: u32) -> Result<Action, Trap> {
        self.enter(|vm| vm.request_headers.clone(), (id, 0, 1)).map(action)
    }

    /// The response's headers have come.
    pub fn response_headers(&mut self, id: u32, ends: bool) -> Result<Action, Trap> {
        self.enter(|vm| vm.response_headers.clone(), (id, 0, u32::from(ends))).map(action)
    }

    /// The bytes in [`Host::body`] have come.
    pub fn response_body(&mut self, id: u32, ends: bool) -> Result<Action, Trap> {
        let size = self.host().body.as_ref().map_or(0, |body| u32::try_from(body.len()).unwrap_or(u32::MAX));
        self.enter(|vm| vm.response_body.clone(), (id, size, u32::from(ends))).map(action)
    }

    /// The response's trailers have come.
    pub fn response_trailers(&mut self, id: u32) -> Result<Action, Trap> {
        self.enter(|vm| vm.response_trailers.clone(), (id, 0)).map(action)
    }

    /// Time has passed.
    pub fn tick(&mut self) -> Result<(), Trap> {
        self.enter(|vm| vm.tick.clone(), ROOT)
    }

    /// A context is over.
    pub fn delete(&mut self, id: u32) -> Result<(), Trap> {
        self.enter(|vm| vm.delete.clone(), id)
    }

    fn link(module: &Module, mut store: Store<Host>) -> wasmtime::Result<Self> {
        store.set_fuel(ENDLESS)?;
        let instance = module.linked.instantiate(&mut store)?;
        let memory = instance.get_memory(&mut store, "memory");
        let allocate = instance.get_typed_func(&mut store, "proxy_on_memory_allocate")?;
        let delete = instance.get_typed_func(&mut store, "proxy_on_delete")?;
        store.data_mut().connect(memory, allocate, delete);
        instance.get_typed_func::<(), ()>(&mut store, "_initialize")?.call(&mut store, ())?;
        Ok(Vm {
            create: instance.get_typed_func(&mut store, "proxy_on_context_create")?,
            configure: instance.get_typed_func(&mut store, "proxy_on_configure")?,
            request_headers: instance.get_typed_func(&mut store, "proxy_on_request_headers")?,
            response_headers: instance.get_typed_func(&mut store, "proxy_on_response_headers")?,
            response_body: instance.get_typed_func(&mut store, "proxy_on_response_body")?,
            response_trailers: instance.get_typed_func(&mut store, "proxy_on_response_trailers")?,
            tick: instance.get_typed_func(&mut store, "proxy_on_tick")?,
            delete: instance.get_typed_func(&mut store, "proxy_on_delete")?,
            store,
        })
    }

    fn enter<P: WasmParams, R: WasmResults>(
        &mut self,
        export: impl FnOnce(&Self) -> TypedFunc<P, R>,
        arguments: P,
    ) -> Result<R, Trap> {
        let export = export(self);
        export.call(&mut self.store, arguments).map_err(|error| Trap(format!("{error:?}")))
    }
}

fn action(number: u32) -> Action {
    if number == 0 { Action::Continue } else { Action::Pause }
}
