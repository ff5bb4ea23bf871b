//! The rates of a schedule.

use core::time::Duration;

use super::Schedule;
use crate::identity::Name;
use crate::observer::DueTimes;
use crate::resource::Resources;

impl Schedule {
    /// Returns the names of the rates that the conditions of this schedule evaluate, as resources: `Rate<Control>`.
    pub fn rates(&self) -> impl Iterator<Item = Name> {
        self.observers.names()
    }

    /// Returns the earliest [next due time](crate::Rate::next_due) of all rates of this schedule, as a time of the
    /// [`Clock`](crate::Clock). `None` if none of them is among the resources.
    ///
    /// For loops that run the schedule themselves. [`Driver`](crate::Driver) contains such a loop.
    pub fn next_due(&self, resources: &Resources) -> Option<Duration> {
        let rates = self.due_times(resources).flatten();
        rates.map(|rate| rate.next).min()
    }

    /// The due times of each rate. `None` for a rate that is not a resource.
    pub(crate) fn due_times<'a>(
        &'a self,
        resources: &'a Resources,
    ) -> impl Iterator<Item = Option<DueTimes>> + 'a {
        self.observers.due_times(resources)
    }
}
