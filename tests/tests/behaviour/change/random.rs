//! Many consecutive random changes. After each change, the schedule must equal one that is built from the remaining declarations, and must
//! store no other declarations.

mod model;

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use schedule::error::Problem;
use schedule::order::NodeId;
use schedule::prelude::*;
use schedule::{BuildError, Executor};

use self::model::{Change, Key, Model, changes};
use crate::levels::for_each_case;

#[test]
fn schedule_after_many_changes_equals_a_new_schedule() {
    for_each_case(&changes(), |changes| check(&changes));
}

fn check(changes: &[Change]) -> TestCaseResult {
    let mut changed = Changed::new();
    for change in changes {
        changed.apply(change)?;
        changed.compare()?;
    }
    Ok(())
}

/// A changed schedule, and the model of its declarations.
struct Changed {
    model: Model,
    schedule: Schedule,
    /// The ids of existing nodes.
    ids: HashMap<Key, NodeId>,
    removed: Vec<NodeId>,
    /// The number of executions of each existing node.
    n_runs: HashMap<Key, u64>,
}

impl Changed {
    fn new() -> Self {
        let model = Model::default();
        let (schedule, ids) = built(&model).expect("nothing is wrong with nothing");
        Self {
            schedule,
            model,
            ids,
            removed: Vec::new(),
            n_runs: HashMap::new(),
        }
    }

    /// Applies the change to the schedule. If it is accepted, applies it to the model, too.
    fn apply(&mut self, change: &Change) -> TestCaseResult {
        let before = format!("{:?}", self.schedule);
        let (mut model, mut ids) = (self.model.clone(), self.ids.clone());
        let result = self.schedule.change(|builder| {
            model.change(change, builder, &mut ids);
            builder
        });
        let fresh = built(&model).map(drop);
        let n_problems =
            |result: &Result<(), BuildError>| result.as_ref().err().map(|one| one.problems().len());
        prop_assert_eq!(
            n_problems(&result),
            n_problems(&fresh),
            "{:?}\n{:?}",
            result,
            fresh
        );
        if result.is_err() {
            prop_assert_eq!(format!("{:?}", self.schedule), before);
            return Ok(());
        }
        let removed: HashMap<Key, NodeId>;
        (self.ids, removed) = ids.into_iter().partition(|(key, _)| model.has(*key));
        self.removed.extend(removed.into_values());
        self.model = model;
        self.model.switch(change, &mut self.schedule, &self.ids);
        Ok(())
    }

    /// Compares the schedule with one that is built from the remaining declarations.
    fn compare(&mut self) -> TestCaseResult {
        let (mut fresh, ids) = built(&self.model).expect("it was built before");
        for key in self.model.off() {
            fresh.set_enabled(ids[key], false).unwrap();
        }
        prop_assert_eq!(format!("{:?}", self.schedule), format!("{fresh:?}"));
        prop_assert_eq!(self.schedule.graph(), fresh.graph());
        prop_assert_eq!(
            format!("{:?}", self.schedule.report().warnings),
            format!("{:?}", fresh.report().warnings)
        );
        prop_assert_eq!(kept(&mut self.schedule), kept(&mut fresh));
        self.compare_ids(&ids)?;
        self.compare_runs(&mut fresh)
    }

    /// Ids of existing nodes must be valid, and ids of removed nodes must not be.
    fn compare_ids(&self, fresh: &HashMap<Key, NodeId>) -> TestCaseResult {
        prop_assert_eq!(self.ids.len(), fresh.len());
        let distinct: HashSet<&NodeId> = self.ids.values().chain(&self.removed).collect();
        prop_assert_eq!(distinct.len(), self.ids.len() + self.removed.len());
        for (key, &id) in &self.ids {
            let is_on = !self.model.off().contains(key);
            prop_assert_eq!(self.schedule.is_enabled(id).ok(), Some(is_on));
        }
        for &id in &self.removed {
            let error = self.schedule.is_enabled(id).unwrap_err();
            let is_clear = matches!(error.problem(), Problem::RemovedEarlier { .. });
            prop_assert!(is_clear, "{}", error);
        }
        Ok(())
    }

    /// Both schedules must run the same nodes, and existing nodes must keep their state.
    fn compare_runs(&mut self, fresh: &mut Schedule) -> TestCaseResult {
        let mut resources = self.model.resources();
        fresh.run(&mut resources).unwrap();
        let wanted = self.model.take_log();
        self.schedule.run(&mut resources).unwrap();
        let log = self.model.take_log();
        let keys = |log: &[(Key, u64)]| log.iter().map(|(key, _)| *key).collect::<Vec<Key>>();
        prop_assert_eq!(keys(&log), keys(&wanted));
        self.n_runs.retain(|key, _| self.ids.contains_key(key));
        for (key, n) in log {
            let n_runs = self.n_runs.entry(key).or_default();
            *n_runs += 1;
            prop_assert_eq!(n, *n_runs, "run of {}", key);
        }
        Ok(())
    }
}

/// Builds a schedule of the declarations. Also returns the ids of its nodes.
fn built(model: &Model) -> Result<(Schedule, HashMap<Key, NodeId>), BuildError> {
    let mut ids = HashMap::new();
    let mut builder = Schedule::builder();
    model.declare(&mut builder, &mut ids);
    let mut schedule = builder.build()?;
    schedule.set_executor(Executor::Serial);
    Ok((schedule, ids))
}

/// Returns the declarations that a schedule stores, as text.
fn kept(schedule: &mut Schedule) -> String {
    let mut text = String::new();
    let same = schedule.change(|builder| {
        text = format!("{builder:?}");
        builder
    });
    same.expect("nothing has changed");
    text
}
