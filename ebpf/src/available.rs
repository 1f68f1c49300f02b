//! Checks whether this process may attach XDP programs on this kernel, and says what to do if not.

use std::fs;

/// Links of XDP programs exist since Linux 5.9. The older way of attaching outlives a crash.
const KERNEL: (u32, u32) = (5, 9);

/// The numbers of capabilities: `capabilities(7)`.
const NET_ADMIN: u32 = 12;
const SYS_ADMIN: u32 = 21;
const BPF: u32 = 39;

/// Returns the obstacle in one sentence, or `None` if there is none.
pub fn obstacle() -> Option<String> {
    let release = rustix::system::uname().release().to_string_lossy().into_owned();
    kernel(&release).or_else(|| capabilities(effective()?))
}

/// Returns a sentence for a kernel error at loading or attaching the program.
pub fn refused(doing: &str, error: &str) -> String {
    let btf = if fs::exists("/sys/kernel/btf/vmlinux").unwrap_or(false) {
        ""
    } else {
        "; it has no BTF, so it may be built without CONFIG_DEBUG_INFO_BTF or even CONFIG_BPF_SYSCALL, which \
         distribution kernels have"
    };
    let hint = if error.contains("Operation not permitted") || error.contains("os error 1)") {
        "; in a container it takes CAP_BPF, CAP_NET_ADMIN and a seccomp profile that lets bpf(2) through, and no user \
         namespace of its own"
    } else {
        btf
    };
    format!("the kernel does not let this process {doing}: {error}{hint}")
}

/// Lets the kernel lock memory for maps: before Linux 5.11 maps counted against this limit, which is 64 KiB.
pub fn lift_memory_limit() {
    let unlimited = rustix::process::Rlimit { current: None, maximum: None };
    // If this is not permitted, the limit may still suffice. If not, creating the maps reports it.
    let _ = rustix::process::setrlimit(rustix::process::Resource::Memlock, unlimited);
}

fn kernel(release: &str) -> Option<String> {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(|number| number.parse().unwrap_or(0));
    let found: (u32, u32) = (numbers.next()?, numbers.next()?);
    (found < KERNEL).then(|| {
        format!(
            "this is Linux {release}, and links of XDP programs came with {}.{}: use a newer kernel",
            KERNEL.0, KERNEL.1
        )
    })
}

/// Returns the effective capabilities of this process, or `None` if `/proc` does not contain them. Then the kernel will
/// decide.
fn effective() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"))?;
    u64::from_str_radix(line.trim(), 16).ok()
}

fn capabilities(effective: u64) -> Option<String> {
    let has = |capability: u32| effective & (1 << capability) != 0;
    let missing = match (has(BPF) || has(SYS_ADMIN), has(NET_ADMIN)) {
        (true, true) => return None,
        (false, true) => "CAP_BPF",
        (true, false) => "CAP_NET_ADMIN",
        (false, false) => "CAP_BPF and CAP_NET_ADMIN",
    };
    Some(format!(
        "attaching an XDP program takes {missing}, which this process does not have: run it as root, or once \
         `sudo setcap cap_bpf,cap_net_admin+ep` on the program"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_kernels_are_told_from_new_ones() {
        for (release, old) in
            [("5.8.0-43-generic", true), ("5.9.0", false), ("4.19.0-27-amd64", true), ("6.18.44", false)]
        {
            assert_eq!(kernel(release).is_some(), old, "{release}");
        }
        let said = kernel("5.4.0").expect("too old");
        assert!(said.contains("5.4.0") && said.contains("5.9"), "{said}");
    }

    #[test]
    fn the_missing_capabilities_are_named() {
        let bit = |capability: u32| 1_u64 << capability;
        let rows = [
            (0, Some("CAP_BPF and CAP_NET_ADMIN")),
            (bit(NET_ADMIN), Some("CAP_BPF,")),
            (bit(BPF), Some("CAP_NET_ADMIN,")),
            (bit(BPF) | bit(NET_ADMIN), None),
            (bit(SYS_ADMIN) | bit(NET_ADMIN), None),
        ];
        for (effective, expected) in rows {
            let said = capabilities(effective);
            assert_eq!(said.is_some(), expected.is_some(), "{effective:x}");
            assert!(said.unwrap_or_default().contains(expected.unwrap_or_default()), "{effective:x}");
        }
    }
}
