//! A system that uses its declared accesses.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use schedule::dynamic::{DynamicSystem, View};
use schedule::param::Failures;
use schedule::system::Output;

use super::super::case::{Asked, Fault, N_RESOURCES, Node};
use super::super::digest::{past, written};
use super::probe::Probe;
use crate::numbered::{Cell, with_cells, with_number};

/// A system that uses its declared accesses.
pub(super) struct Body {
    pub(super) idx: usize,
    pub(super) accesses: Vec<(usize, bool)>,
    pub(super) fault: Option<(u64, Fault)>,
    pub(super) probe: Arc<Probe>,
}

impl Body {
    /// Does half of the work, then fails if required, and then does the other half.
    fn run(&self, view: &mut View<'_>) -> Result<u64, String> {
        let _inside = self.probe.gates.enter(&self.accesses);
        let cells = || self.accesses.iter().filter(|one| one.0 < N_RESOURCES);
        let get = |one: &(usize, bool)| with_number!(one.0, N => view.get::<Cell<N>>().expect("declared").0);
        let found: Vec<u64> = cells().map(get).collect();
        let digest = self.probe.log(Asked::Node(self.idx), found);
        let mut write = |one: &(usize, bool)| {
            with_number!(one.0, N => {
                let cell = view.get_mut::<Cell<N>>().expect("declared");
                cell.0 = written(digest, cell.0);
            });
        };
        let mut to_write = cells().filter(|one| one.1);
        to_write.next().map(&mut write);
        self.may_fail()?;
        to_write.for_each(write);
        Ok(digest)
    }

    /// Like [`Body::run`], for a system without accesses.
    pub(super) fn run_untouching(&self) -> Result<u64, String> {
        let _inside = self.probe.gates.enter(&self.accesses);
        let digest = self.probe.log(Asked::Node(self.idx), None);
        self.may_fail()?;
        Ok(digest)
    }

    /// Logs the failures before this system, if there are any.
    pub(super) fn note(&self, failures: Failures<'_>) {
        if !failures.is_empty() {
            let failed = failures.iter().map(|one| one.system.name.clone());
            let skipped = failures.skipped().iter().map(|one| one.name.clone());
            let label = past(self.idx, failed.collect(), skipped.collect());
            self.probe.log.lock().unwrap().push((label, 0));
        }
    }

    /// Fails if this execution is supposed to fail.
    fn may_fail(&self) -> Result<(), String> {
        let n_runs = self.probe.n_runs[self.idx].fetch_add(1, Ordering::SeqCst);
        match self.fault.filter(|fault| fault.0 == n_runs) {
            // Without the panic hook, which would print thousands of messages.
            Some((_, Fault::Panic)) => resume_unwind(Box::new(format!("panic of {}", self.idx))),
            Some((_, Fault::Error)) => Err(format!("error of {}", self.idx)),
            None => Ok(()),
        }
    }

    pub(super) fn into_system<O: Output>(
        self,
        node: &Node,
        mut answer: impl FnMut(Result<u64, String>) -> O + Send + 'static,
    ) -> DynamicSystem {
        let name = self.idx.to_string();
        let system = DynamicSystem::new(name, move |view| answer(self.run(view)));
        let system = with_cells(system, &node.uses);
        if node.is_exclusive {
            system.exclusive()
        } else {
            system
        }
    }
}
