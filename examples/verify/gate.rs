//! Checks at run time that conflicting systems do not overlap.

use core::fmt;
use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::access::{Access, Kind};

/// Counts the systems that use each resource now.
///
/// There is one gate for each resource, and two more. The first is for the resources that no system names. The second is
/// written by exclusive systems and read by all others.
pub(crate) struct Gates(Vec<Gate>);

#[derive(Default)]
struct Gate {
    n_readers: AtomicUsize,
    n_writers: AtomicUsize,
}

/// A system that entered its gates. Dropping this value leaves the gates.
pub(crate) struct Inside<'a> {
    gates: &'a Gates,
    access: &'a Access,
}

/// Two conflicting systems were in one gate at the same time.
#[derive(Debug)]
pub(crate) struct Overlap {
    gate: usize,
}

impl Error for Overlap {}

impl fmt::Display for Overlap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a conflicting system was running at the same time, on resource {}",
            self.gate
        )
    }
}

impl Gates {
    pub(crate) fn new(n_resources: usize) -> Self {
        Self((0..n_resources + 2).map(|_| Gate::default()).collect())
    }

    /// # Errors
    ///
    /// Fails if a conflicting system is in one of the gates.
    pub(crate) fn enter<'a>(&'a self, access: &'a Access) -> Result<Inside<'a>, Overlap> {
        self.for_each_gate(access, |counter, _, _| {
            counter.fetch_add(1, Ordering::SeqCst);
        });
        let inside = Inside {
            gates: self,
            access,
        };
        // SeqCst: each system increments its counters before it reads the others. So of two that overlap, at least one sees the
        // other.
        let mut overlap = None;
        self.for_each_gate(access, |_, gate, is_write| {
            let n_readers = self.0[gate].n_readers.load(Ordering::SeqCst);
            let n_writers = self.0[gate].n_writers.load(Ordering::SeqCst);
            let is_only_user = n_readers == 0 && n_writers == 1;
            if !(if is_write {
                is_only_user
            } else {
                n_writers == 0
            }) {
                overlap = Some(Overlap { gate });
            }
        });
        overlap.map_or(Ok(inside), Err)
    }

    /// Calls `visit` for each gate of the system, with its counter, the number of the gate, and whether the system writes.
    fn for_each_gate(&self, access: &Access, mut visit: impl FnMut(&AtomicUsize, usize, bool)) {
        let (rest, exclusive) = (self.0.len() - 2, self.0.len() - 1);
        let reads = access.reads.iter().map(|&gate| (gate, false));
        let writes = access.writes.iter().map(|&gate| (gate, true));
        let rest = (access.rest != Kind::No).then_some((rest, access.rest == Kind::Write));
        let exclusive = [(exclusive, access.is_exclusive)];
        for (gate, is_write) in reads.chain(writes).chain(rest).chain(exclusive) {
            let Gate {
                n_readers,
                n_writers,
            } = &self.0[gate];
            visit(if is_write { n_writers } else { n_readers }, gate, is_write);
        }
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.gates.for_each_gate(self.access, |counter, _, _| {
            counter.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(reads: &[usize], writes: &[usize], is_exclusive: bool) -> Access {
        Access {
            reads: reads.to_vec(),
            writes: writes.to_vec(),
            rest: Kind::No,
            is_exclusive,
        }
    }

    #[test]
    fn readers_share_a_gate_and_writers_do_not() {
        let gates = Gates::new(1);
        let (reader, writer) = (access(&[0], &[], false), access(&[], &[0], false));
        let inside = gates.enter(&reader).unwrap();
        assert!(gates.enter(&reader).is_ok());
        assert!(gates.enter(&writer).is_err());
        drop(inside);
        let _inside = gates.enter(&writer).unwrap();
        assert!(gates.enter(&reader).is_err());
    }

    #[test]
    fn exclusive_system_shares_no_gate() {
        let gates = Gates::new(0);
        let (exclusive, idle) = (access(&[], &[], true), access(&[], &[], false));
        let _inside = gates.enter(&exclusive).unwrap();
        assert!(gates.enter(&idle).is_err());
    }
}
