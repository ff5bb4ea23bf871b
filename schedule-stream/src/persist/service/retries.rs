//! The waits between the snapshots that a service takes by itself. After each failure in a row, the wait is twice as long.

/// Number of times that the wait doubles.
const MAX_DOUBLINGS: u32 = 6;

/// The wait between two snapshots, which depends on the failures in a row. It is a number of batches, not a time, so an idle
/// service does not try again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SnapshotRetries {
    /// The number of batches without failures. `None` if the service takes no snapshots by itself.
    every: Option<u64>,
    /// Failed snapshots since the last one that was written, except those that clients have requested.
    n_failed: u32,
}

impl SnapshotRetries {
    pub(super) fn new(every: Option<u64>) -> Self {
        Self { every, n_failed: 0 }
    }

    pub(super) fn n_failed(self) -> u32 {
        self.n_failed
    }

    /// The state after a snapshot. A failure of one that a client has requested changes nothing, because the client gets the error.
    pub(super) fn after(self, is_written: bool, is_requested: bool) -> Self {
        let n_failed = match (is_written, is_requested) {
            (true, _) => 0,
            (false, true) => self.n_failed,
            (false, false) => self.n_failed.saturating_add(1),
        };
        Self { n_failed, ..self }
    }

    /// The number of batches from one attempt to the next one.
    pub(super) fn wait(self) -> Option<u64> {
        let factor = 1 << self.n_failed.min(MAX_DOUBLINGS);
        self.every.map(|every| every.saturating_mul(factor))
    }

    /// Whether the last failure has made the wait longer. Only such failures are reported.
    pub(super) fn is_longer(self) -> bool {
        (1..=MAX_DOUBLINGS).contains(&self.n_failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wait_doubles_up_to_a_limit_and_each_change_is_reported() {
        let mut retries = SnapshotRetries::new(Some(3));
        assert_eq!((retries.wait(), retries.is_longer()), (Some(3), false));
        let mut found = Vec::new();
        for n_failed in 1..=9 {
            retries = retries.after(false, false);
            assert_eq!(retries.n_failed(), n_failed);
            assert_eq!(retries.after(false, true), retries, "a client gets it");
            found.push((retries.wait().unwrap(), retries.is_longer()));
        }
        let growing = [6, 12, 24, 48, 96, 192].map(|n| (n, true));
        assert_eq!(found, [&growing[..], &[(192, false); 3]].concat());
        for is_requested in [true, false] {
            let written = retries.after(true, is_requested);
            assert_eq!(written, SnapshotRetries::new(Some(3)));
        }
    }

    #[test]
    fn wait_never_overflows() {
        let retries = SnapshotRetries {
            every: Some(u64::MAX),
            n_failed: u32::MAX,
        };
        assert_eq!(retries.after(false, false), retries);
        assert_eq!(retries.wait(), Some(u64::MAX));
    }

    #[test]
    fn service_without_automatic_snapshots_waits_for_none() {
        let retries = SnapshotRetries::new(None);
        assert_eq!(retries.after(false, false).wait(), None);
    }
}
