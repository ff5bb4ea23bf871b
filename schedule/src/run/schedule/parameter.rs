//! References to a schedule as parameters. They exist so that the compiler reports why they are not resources.
#![expect(unsafe_code, reason = "implements `Fetch` for what is never fetched")]

use super::Schedule;
use crate::data::access::{AccessSet, RefusedReference};
use crate::data::param::state::{ExclusiveRefState, SharedRefState};
use crate::data::param::{Fetch, FetchFrom, Lookup, Param, Seed};

/// The state of a schedule as a parameter. No system uses it.
#[derive(Debug)]
pub struct RefusedSchedule;

// SAFETY: `fetch` accesses nothing, and it is never called.
unsafe impl Fetch for RefusedSchedule {
    type Item<'r> = Schedule;

    fn access(&self, _: &mut AccessSet) {}

    fn prepare(&mut self, _: &mut Lookup<'_>) {}

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> Schedule {
        unreachable!("a system that takes this does not compile")
    }
}

#[diagnostic::do_not_recommend]
impl Param for &Schedule {
    type State = SharedRefState<RefusedSchedule>;
    const SEED: Seed<Self::State> = Self::State::refused(RefusedReference::Schedule);
}

#[diagnostic::do_not_recommend]
impl Param for &mut Schedule {
    type State = ExclusiveRefState<RefusedSchedule>;
    const SEED: Seed<Self::State> = Self::State::refused(RefusedReference::Schedule);
}
