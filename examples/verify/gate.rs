//! Proof that systems which conflict do not overlap.

use core::fmt;
use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::access::{Access, Touch};

/// Who is using each resource now.
///
/// Two more than there are resources: the rest, which nobody names, and the right to run alone, which an exclusive
/// system writes and every other one reads.
pub(crate) struct Gates(Vec<Gate>);

#[derive(Default)]
struct Gate {
    n_readers: AtomicUsize,
    n_writers: AtomicUsize,
}

/// A system that is in its gates, until this is dropped.
pub(crate) struct Inside<'a> {
    gates: &'a Gates,
    access: &'a Access,
}

/// Two systems that conflict were in one gate.
#[derive(Debug)]
pub(crate) struct Overlap {
    gate: usize,
}

impl Error for Overlap {}

impl fmt::Display for Overlap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "another system that conflicts was running, on resource {}",
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
    /// If a system that conflicts is inside.
    pub(crate) fn enter<'a>(&'a self, access: &'a Access) -> Result<Inside<'a>, Overlap> {
        self.for_each_gate(access, |counter, _, _| {
            counter.fetch_add(1, Ordering::SeqCst);
        });
        let inside = Inside {
            gates: self,
            access,
        };
        // SeqCst: whoever enters first adds and then looks, as this does. So of two that overlap, one sees the other.
        let mut overlap = None;
        self.for_each_gate(access, |_, gate, is_write| {
            let n_readers = self.0[gate].n_readers.load(Ordering::SeqCst);
            let n_writers = self.0[gate].n_writers.load(Ordering::SeqCst);
            let is_alone = n_readers == 0 && n_writers == 1;
            if !(if is_write { is_alone } else { n_writers == 0 }) {
                overlap = Some(Overlap { gate });
            }
        });
        overlap.map_or(Ok(inside), Err)
    }

    /// Calls `visit` with the counter in which the system counts, the gate, and whether it writes.
    fn for_each_gate(&self, access: &Access, mut visit: impl FnMut(&AtomicUsize, usize, bool)) {
        let (rest, alone) = (self.0.len() - 2, self.0.len() - 1);
        let reads = access.reads.iter().map(|&gate| (gate, false));
        let writes = access.writes.iter().map(|&gate| (gate, true));
        let rest = (access.rest != Touch::No).then_some((rest, access.rest == Touch::Write));
        let alone = [(alone, access.is_exclusive)];
        for (gate, is_write) in reads.chain(writes).chain(rest).chain(alone) {
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
            rest: Touch::No,
            is_exclusive,
        }
    }

    #[test]
    fn only_readers_are_in_a_gate_together() {
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
    fn an_exclusive_system_is_alone_with_none() {
        let gates = Gates::new(0);
        let (exclusive, idle) = (access(&[], &[], true), access(&[], &[], false));
        let _inside = gates.enter(&exclusive).unwrap();
        assert!(gates.enter(&idle).is_err());
    }
}
