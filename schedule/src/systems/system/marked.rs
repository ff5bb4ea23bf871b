//! A system with work that is added to each of its executions.
//!
//! A node gets it only if it writes a watched resource, if a condition about changes guards it, or if its system gets a shared reference
//! to a store of entities. All other nodes call their systems directly, so they cost nothing more.
//!
//! Invariant: the conditions of [`Fetch::fetch`](crate::param::Fetch::fetch) also apply here. The caller, an executor, guarantees them.
#![expect(unsafe_code, reason = "passes on the conditions of `Fetch::fetch`")]

use std::sync::Arc;

use super::Runnable;
use super::blocks::{Blocks, RunBlocks};
use crate::data::output::BoxError;
use crate::data::param::{FetchFrom, Lookup, Settle};
use crate::data::resource::loans::{Lending, LentStore};
use crate::data::resource::watched::{ConditionMemory, Watched};

/// A system whose executions are noted.
#[derive(Default)]
pub(crate) struct Marked {
    /// `None` while it is taken out.
    system: Option<Box<dyn Runnable>>,
    /// The watched resources that it writes whenever it runs.
    pub(crate) written: Vec<Arc<Watched>>,
    /// The memories of the conditions that guard it.
    pub(crate) guards: Vec<Arc<ConditionMemory>>,
    /// The stores that it gets, looked up in the resources for which the system is prepared.
    pub(crate) lent: Vec<LentStore>,
}

impl Marked {
    /// Lets `change` set what is noted in each execution of a system.
    pub(crate) fn set(run: &mut Box<dyn Runnable>, change: impl FnOnce(&mut Self)) {
        if let Some(marked) = run.marked() {
            change(marked);
            if marked.is_empty() {
                Self::remove(run);
            }
            return;
        }
        let mut marked = Self::default();
        change(&mut marked);
        if !marked.is_empty() {
            let system = core::mem::replace(run, Box::new(Self::default()));
            marked.system = Some(system);
            *run = Box::new(marked);
        }
    }

    /// Whether nothing is added to the executions.
    fn is_empty(&self) -> bool {
        self.written.is_empty() && self.guards.is_empty() && self.lent.is_empty()
    }

    /// Notes nothing any more.
    pub(crate) fn remove(run: &mut Box<dyn Runnable>) {
        if let Some(system) = run.marked().and_then(|marked| marked.system.take()) {
            *run = system;
        }
    }

    fn system(&mut self) -> &mut dyn Runnable {
        &mut **self.system.as_mut().expect("it is not taken out")
    }

    /// Notes that the system starts.
    #[inline]
    fn start(&self) {
        self.guards.iter().for_each(|memory| memory.start());
    }
}

impl Runnable for Marked {
    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.system().prepare(lookup);
    }

    unsafe fn run(&mut self, from: FetchFrom<'_>, answer: &mut u32) -> Result<(), BoxError> {
        self.start();
        // Before the call, because a system that fails counts as well.
        self.written.iter().for_each(|watched| watched.note_write());
        // SAFETY: `lent` was looked up when the system was prepared. The system reads the stores and does not write them, so until it
        // ends nothing writes or removes the resources themselves.
        let _lending = unsafe { Lending::begin(&self.lent) };
        let system = self.system.as_mut().expect("it is not taken out");
        // SAFETY: the conditions are the same.
        unsafe { system.run(from, answer) }
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        if let Settle::DropFolds = settle {
            // The system has failed, so it has started.
            self.start();
        }
        self.system().settle(settle);
    }

    fn blocks(&mut self) -> Option<&mut dyn RunBlocks> {
        // `with_blocks` asks again, because both borrows would be of this value.
        self.system().blocks()?;
        Some(self)
    }

    fn marked(&mut self) -> Option<&mut Marked> {
        Some(self)
    }
}

/// A per-entity system writes no resource. It has not started if it is skipped after its parameters were fetched.
impl RunBlocks for Marked {
    fn n_rows(&mut self) -> Option<usize> {
        self.system().blocks()?.n_rows()
    }

    unsafe fn with_blocks(
        &mut self,
        from: FetchFrom<'_>,
        run_all: &mut dyn FnMut(&dyn Blocks) -> bool,
    ) -> Result<(), BoxError> {
        // SAFETY: as in `run`.
        let _lending = unsafe { Lending::begin(&self.lent) };
        let guards = &self.guards;
        let mut run_all = |blocks: &dyn Blocks| {
            let is_kept = run_all(blocks);
            if is_kept {
                guards.iter().for_each(|memory| memory.start());
            }
            is_kept
        };
        let system = self.system.as_mut().and_then(|system| system.blocks());
        let system = system.expect("only such a system is asked for blocks");
        // SAFETY: the conditions are the same.
        unsafe { system.with_blocks(from, &mut run_all) }
    }
}
