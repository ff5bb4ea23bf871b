//! Loops into a vector and over it.

use crate::contender::Traffic;
use crate::workload::{Hit, N_READERS, N_WRITERS, Workload};

struct Plain {
    workload: Workload,
    /// The targets of all entities.
    targets: Vec<u64>,
    hits: Vec<Hit>,
    sums: [u64; N_READERS],
}

pub(crate) fn of(workload: Workload) -> Box<dyn Traffic> {
    let targets = match workload {
        Workload::Writers(_) => Vec::new(),
        Workload::Entities(n) => (0..n).collect(),
    };
    Box::new(Plain {
        workload,
        targets,
        hits: Vec::new(),
        sums: [0; N_READERS],
    })
}

impl Traffic for Plain {
    fn run(&mut self) {
        self.hits.clear();
        match self.workload {
            Workload::Writers(load) => {
                for writer in 0..N_WRITERS {
                    for hit in load.hits(writer) {
                        self.hits.push(hit);
                    }
                }
            }
            Workload::Entities(_) => {
                for &target in &self.targets {
                    self.hits.push(Hit::on(target));
                }
            }
        }
        for sum in &mut self.sums {
            for hit in &self.hits {
                *sum = sum.wrapping_add(hit.number());
            }
        }
    }

    fn sums(&self) -> [u64; N_READERS] {
        self.sums
    }
}
