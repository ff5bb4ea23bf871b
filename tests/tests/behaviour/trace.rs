//! Systems that record their execution without accessing a resource, so that recording causes no conflicts.

use std::sync::{Arc, Mutex};

use schedule::dynamic::DynamicSystem;
use schedule::prelude::*;
use schedule::{Builder, Executor, RunError};

/// The names of executed systems, in order of execution.
#[derive(Clone, Default)]
pub(crate) struct Trace(Arc<Mutex<Vec<String>>>);

impl Trace {
    /// Returns a system that appends its name.
    #[track_caller]
    pub(crate) fn system(&self, name: &str) -> DynamicSystem {
        let (trace, text) = (self.clone(), name.to_string());
        DynamicSystem::new(name, move |_| trace.push(&text))
    }

    /// Returns a system that appends its name and then fails.
    #[track_caller]
    pub(crate) fn failing(&self, name: &str) -> DynamicSystem {
        let (trace, text) = (self.clone(), name.to_string());
        DynamicSystem::new(name, move |_| {
            trace.push(&text);
            Err::<(), _>("no")
        })
    }

    /// Returns a condition that appends its name and is true.
    #[track_caller]
    pub(crate) fn condition(&self, name: &str) -> DynamicSystem {
        let (trace, text) = (self.clone(), name.to_string());
        DynamicSystem::new(name, move |_| {
            trace.push(&text);
            true
        })
    }

    /// Returns a condition that appends its name and then fails.
    #[track_caller]
    pub(crate) fn failing_condition(&self, name: &str) -> DynamicSystem {
        let (trace, text) = (self.clone(), name.to_string());
        DynamicSystem::new(name, move |_| {
            trace.push(&text);
            Err::<bool, _>("no")
        })
    }

    pub(crate) fn push(&self, name: &str) {
        self.0.lock().unwrap().push(name.to_string());
    }

    /// Returns the names that were appended since the last call.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    /// Returns the names that a serial run appends. Checks that three runs append the same names.
    pub(crate) fn of(&self, schedule: &mut Schedule, resources: &mut Resources) -> Vec<String> {
        schedule.set_executor(Executor::Serial);
        self.of_runs(|| schedule.run(resources).unwrap())
    }

    /// Returns the names that a run appends, and the error. Checks that three runs append the same names.
    pub(crate) fn of_failure(
        &self,
        schedule: &mut Schedule,
        resources: &mut Resources,
    ) -> (Vec<String>, RunError) {
        schedule.set_executor(Executor::Serial);
        let mut error = None;
        let trace = self.of_runs(|| error = Some(schedule.run(resources).unwrap_err()));
        (trace, error.unwrap())
    }

    fn of_runs(&self, mut run: impl FnMut()) -> Vec<String> {
        run();
        let trace = self.take();
        for _ in 0..2 {
            run();
            assert_eq!(self.take(), trace);
        }
        trace
    }
}

/// Returns resources of these names. Each is an `i64` with the value 0.
pub(crate) fn named(names: &[&str]) -> Resources {
    let mut resources = Resources::new();
    for name in names {
        resources.insert_named(name, 0_i64);
    }
    resources
}

/// Returns the names of each pair that races. Empties the builder.
pub(crate) fn races(builder: &mut Builder) -> Vec<(String, String)> {
    let Err(error) = std::mem::take(builder).build() else {
        return Vec::new();
    };
    assert_eq!(error.races().count(), error.problems().len(), "{error}");
    let names = error
        .races()
        .map(|race| (race.first.name.clone(), race.second.name.clone()));
    names.collect()
}
