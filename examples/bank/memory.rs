//! The memory of this process.

/// Returns the resident memory of this process, in bytes. `None` on systems other than Linux.
pub(crate) fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    parse(&status)
}

/// Reads the line `VmRSS:   1234 kB`.
fn parse(status: &str) -> Option<u64> {
    let value = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = value.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resident_memory_is_read_in_bytes() {
        assert_eq!(parse("VmHWM:\t  9 kB\nVmRSS:\t  12 kB\n"), Some(12_288));
        assert_eq!(parse("VmHWM:\t  9 kB\n"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_has_resident_memory() {
        assert!(resident_bytes().unwrap() > 100_000);
    }
}
