//! Items that run when a state is entered or left.

use super::Builder;
use crate::base::identity::Identity;
use crate::data::output::Branch;
use crate::systems::condition::Condition;
use crate::systems::state::{does_change, enters, leaves, transition};

impl Builder {
    /// Runs the last item only when this state is left, before the [`transition`](crate::state::transition). The transition must be in the
    /// schedule.
    ///
    /// A request for the current state does not leave it. See [`NextState`](crate::NextState).
    #[track_caller]
    pub fn on_exit<B: Branch + Identity>(&mut self, state: B) -> &mut Self {
        let is_left = Condition::chosen::<leaves<B>, B>(state);
        self.before::<transition<B>>()
            .run_if(does_change::<B>() & is_left.at_level_of::<transition<B>>())
    }

    /// Runs the last item only when this state is entered, after the [`transition`](crate::state::transition). The transition must be in the
    /// schedule.
    ///
    /// The first transition of a program enters its first state. A request for the current state does not enter it
    /// again. See [`NextState`](crate::NextState).
    #[track_caller]
    pub fn on_enter<B: Branch + Identity>(&mut self, state: B) -> &mut Self {
        let is_entered = Condition::chosen::<enters<B>, B>(state);
        self.after::<transition<B>>()
            .run_if(does_change::<B>() & is_entered.at_level_of::<transition<B>>())
    }
}
