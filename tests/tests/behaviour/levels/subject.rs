//! Builds a random graph as a schedule. Its systems write the values of the interpreter, and panic if they overlap.

mod body;
mod conditions;
mod growing;
mod probe;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use schedule::order::NodeId;
use schedule::prelude::*;
use schedule::{BuildError, RunError};

use self::growing::Growing;
use self::probe::{Probe, Shared};
use super::case::{Case, Missing, N_RESOURCES, Thing, Values};
use super::interpreter::{Chosen, Outcome};
use crate::numbered::{Cell, group_target, with_number};
use schedule_tests::on::On;

#[derive(Checkpoint)]
struct Point;

/// A node that is added and later removed.
#[derive(Clone, Debug)]
pub(super) struct Junk {
    pub(super) uses: [Option<bool>; N_RESOURCES],
    /// Whether it is a loop with one system.
    pub(super) is_loop: bool,
    pub(super) is_guarded: bool,
    pub(super) group: Option<usize>,
    /// For each previously added node, whether this node runs before it. `None` if they have no order.
    pub(super) orders: Vec<Option<bool>>,
}

/// A schedule of a case, with resources that persist between runs.
pub(super) struct Subject {
    on: On,
    schedule: Schedule,
    resources: Resources,
    probe: Arc<Probe>,
    /// Indexed by node.
    ids: Vec<NodeId>,
}

impl Subject {
    pub(super) fn new(case: &Case, on: On) -> Result<Self, BuildError> {
        let all = 0..case.nodes.len();
        Self::in_chunks(case, &[all], on)
    }

    /// Declares several chunks of nodes one after the other, and builds them together.
    pub(super) fn in_chunks(
        case: &Case,
        chunks: &[Range<usize>],
        on: On,
    ) -> Result<Self, BuildError> {
        let mut growing = Growing::new(case);
        let mut builder = Schedule::builder();
        for chunk in chunks {
            growing.say(&mut builder, chunk.clone());
        }
        Ok(Self::of(growing, builder.build()?, on))
    }

    /// Builds the case as a plugin of an otherwise empty schedule.
    pub(super) fn as_part(case: &Case, on: On) -> Result<Self, BuildError> {
        let mut growing = Growing::new(case);
        let mut part = Schedule::builder();
        growing.say(&mut part, 0..case.nodes.len());
        let mut builder = Schedule::builder();
        // The choices of `optimize` depend on all nodes, even on nodes without work.
        if !case.has_optimize() {
            builder.checkpoint::<Point>().named("whole");
        }
        builder.include(part);
        let schedule = builder.build()?;
        // The ids in the combined schedule are different.
        growing.ids.iter_mut().for_each(|id| *id = None);
        Ok(Self::of(growing, schedule, on))
    }

    /// Adds the case to an empty schedule chunk by chunk. `junk[i]`: nodes that are added with chunk i and removed with the next one. A
    /// rejected chunk is declared again together with the next one.
    pub(super) fn by_changes(
        case: &Case,
        chunks: &[Range<usize>],
        junk: &[Vec<Junk>],
        on: On,
    ) -> Result<Self, BuildError> {
        let mut growing = Growing::new(case);
        let mut schedule = Schedule::builder()
            .build()
            .expect("nothing is wrong with nothing");
        let mut n_said = 0;
        let mut thrown: Vec<NodeId> = Vec::new();
        for step in 0..chunks.len() {
            let is_last = step + 1 == chunks.len();
            let before = (growing.clone(), format!("{schedule:?}"));
            let mut added = Vec::new();
            let result = schedule.change(|builder| {
                for &junk in &thrown {
                    builder.remove(junk);
                }
                for chunk in &chunks[n_said..=step] {
                    growing.say(builder, chunk.clone());
                }
                for junk in junk[step].iter().filter(|_| !is_last) {
                    added.extend(growing.throw_in(builder, junk));
                }
                builder
            });
            match result {
                Ok(()) => (n_said, thrown) = (step + 1, added),
                Err(error) if is_last => return Err(error),
                Err(_) => {
                    growing = before.0;
                    assert_eq!(format!("{schedule:?}"), before.1);
                }
            }
        }
        Ok(Self::of(growing, schedule, on))
    }

    fn of(growing: Growing<'_>, mut schedule: Schedule, on: On) -> Self {
        on.set(&mut schedule);
        let probe = growing.probe;
        let mut resources = Resources::new();
        resources.insert(Shared(Arc::clone(&probe)));
        for (resource, value) in first_values().into_iter().enumerate() {
            with_number!(resource, N => { resources.insert(Cell::<N>(value)); });
        }
        Self {
            on,
            schedule,
            resources,
            probe,
            ids: growing.ids.into_iter().flatten().collect(),
        }
    }

    /// Returns the order of the systems, and the accepted races.
    pub(super) fn text(&self) -> String {
        let accepted = self.schedule.accepted().iter();
        let accepted =
            accepted.map(|one| (&one.race.first.name, &one.race.second.name, &one.reason));
        let accepted: Vec<_> = accepted.collect();
        let n_orders = self.schedule.n_policy_orders();
        format!("{:?}\n{n_orders} orders\n{accepted:?}", self.schedule)
    }

    /// Switches these items off, and all others on.
    pub(super) fn switch_off(&mut self, things: &[Thing]) {
        for &id in &self.ids {
            self.schedule.set_enabled(id, true).unwrap();
        }
        for &thing in things {
            let target = match thing {
                Thing::Node(idx) => self.ids[idx].into(),
                Thing::Group(group) => group_target(group),
                Thing::Implied(_) => unreachable!("nothing names it"),
            };
            self.schedule.set_enabled(target.clone(), false).unwrap();
            assert!(!self.schedule.is_enabled(target).unwrap() || matches!(thing, Thing::Group(_)));
        }
    }

    /// Runs without these resources.
    pub(super) fn run_without(&mut self, missing: &Missing, may_fail: bool) -> Outcome {
        let mut values = [None; N_RESOURCES];
        for (resource, _) in missing.iter().enumerate().filter(|one| *one.1) {
            values[resource] = with_number!(resource, N => {
                self.resources.remove::<Cell<N>>().map(|cell| cell.0)
            });
        }
        let outcome = self.run(may_fail);
        for (resource, value) in values.into_iter().enumerate() {
            if let Some(value) = value {
                with_number!(resource, N => { self.resources.insert(Cell::<N>(value)); });
            }
        }
        outcome
    }

    pub(super) fn run(&mut self, may_fail: bool) -> Outcome {
        let start = if may_fail { 0 } else { u64::MAX / 2 };
        let n_runs = self.probe.n_runs.iter();
        n_runs.for_each(|one| one.store(start, Ordering::SeqCst));
        let result = self.on.run(&mut self.schedule, &mut self.resources);
        let error = result.err();
        let failures = error.iter().flat_map(RunError::failures);
        let mut failures: Vec<_> = failures
            .map(|failure| failure.system.name.clone())
            .collect();
        let mut skipped: Vec<_> = error
            .iter()
            .flat_map(RunError::skipped)
            .map(|system| system.name.clone())
            .collect();
        failures.sort_unstable();
        skipped.sort_unstable();
        Outcome {
            log: std::mem::take(&mut *self.probe.log.lock().unwrap()),
            failures,
            skipped,
            is_stopped: false,
            ran: match &error {
                Some(RunError::Missing(missing)) => {
                    let mut ran: Vec<_> = missing
                        .ran
                        .iter()
                        .map(|system| system.name.clone())
                        .collect();
                    ran.sort_unstable();
                    Some(ran)
                }
                _ => None,
            },
        }
    }

    /// Returns the position of each node in a serial run, by name and level.
    pub(super) fn chosen(&self) -> Chosen {
        let text = format!("{:?}", self.schedule);
        let mut around: Vec<usize> = Vec::new();
        let mut chosen = Chosen::new();
        for (place, line) in text.lines().skip(1).enumerate() {
            let name = line.trim_start();
            around.truncate((line.len() - name.len()) / 2 - 1);
            let level = around.last().copied();
            let name = name.split(", if ").next().expect("a name");
            let is_loop = name.starts_with("repeat while");
            let name = name
                .trim_start_matches("repeat while")
                .trim_start_matches("apply_commands")
                .trim_matches([' ', '`'])
                .to_string();
            if is_loop {
                around.push(name.parse().expect("a loop is a node"));
            }
            let before = chosen.insert((name, level), place);
            assert_eq!(before, None, "one of a name at each level:\n{text}");
        }
        chosen
    }

    pub(super) fn values(&self) -> Values {
        std::array::from_fn(|resource| {
            let get = |cell: Option<u64>| cell.expect("no system removes it");
            with_number!(resource, N => get(self.resources.get::<Cell<N>>().map(|cell| cell.0)))
        })
    }
}

pub(super) fn first_values() -> Values {
    std::array::from_fn(|resource| 1000 + resource as u64)
}
