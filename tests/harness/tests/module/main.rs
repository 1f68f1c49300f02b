//! The built module on a host that does what no real one can be made to do.

mod budget;
mod calls;
mod chunks;
mod failures;
mod memory;
mod plain;

use std::sync::OnceLock;

use nomos_harness::{Host, Module, Vm};

/// The module, compiled once for all tests.
fn module() -> &'static Module {
    static MODULE: OnceLock<Module> = OnceLock::new();
    MODULE.get_or_init(|| Module::load().unwrap_or_else(|error| panic!("{error}")))
}

const DRIFTED: &str = r#"{"mail":"a@b.c","n":1.50}"#;
const HEALED: &str = r#"{"email_address":"a@b.c","n":1.50}"#;

const EARLY: &str = "";
const HELD: &str = r#""response_headers":"held","#;
const OBSERVE: &str = r#""mode":"observe","#;
const OBSERVE_HELD: &str = r#""mode":"observe","response_headers":"held","#;

fn configuration(settings: &str) -> String {
    let routes = r#""routes":[{"name":"user","match":{"path":"/u"},"rename":{"mail":"email_address"}}]"#;
    format!("{{{settings}{routes}}}")
}

fn vm(settings: &str) -> Vm {
    vm_with(&configuration(settings))
}

fn vm_with(configuration: &str) -> Vm {
    let vm = Vm::configured(module(), Host::new(configuration)).expect("no trap");
    vm.expect("a configuration that is accepted")
}
