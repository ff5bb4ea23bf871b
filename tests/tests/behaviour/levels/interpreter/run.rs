//! Interprets a run of a graph.

use std::collections::BTreeSet;

use schedule::FailurePolicy;

use super::super::case::{Asked, Fault, Formula, Level, Missing, N_RESOURCES, Thing, Values, Work};
use super::super::digest::{branch, counted, digest, is_again, is_true, past, written};
use super::{Law, Outcome, Wanted};
use crate::random::orders::Step;

impl Law {
    /// Runs with these values, without these resources, with these nodes switched off. `counts`: the state of conditions, which they keep between runs.
    pub(in crate::levels) fn run(
        &self,
        values: &mut Values,
        counts: &mut [u64],
        may_fail: bool,
        missing: &Missing,
        off: &BTreeSet<usize>,
    ) -> Outcome {
        let n_points = self.points.len();
        let mut run = Run {
            law: self,
            values,
            counts,
            may_fail,
            missing,
            off,
            n_runs: vec![0; self.n_nodes()],
            answers: vec![None; n_points],
            failed: BTreeSet::new(),
            failed_points: BTreeSet::new(),
            skipped: BTreeSet::new(),
            recorded: Vec::new(),
            is_refused: false,
            ran: BTreeSet::new(),
            outcome: Outcome::default(),
        };
        run.refuse();
        run.pass(None);
        run.carry_out();
        let Run {
            skipped,
            mut outcome,
            is_refused,
            ran,
            ..
        } = run;
        outcome.failures.sort_unstable();
        if is_refused {
            let mut ran: Vec<String> = ran.into_iter().map(|point| self.name(point)).collect();
            ran.sort_unstable();
            outcome.ran = Some(ran);
            return outcome;
        }
        let skipped = skipped
            .into_iter()
            .filter(|&point| self.is_listed(point))
            .filter(|&point| {
                let mut around = self.case.outwards(self.points[point].level).into_iter();
                !off.contains(&point)
                    && !around.any(|level| level.is_some_and(|one| off.contains(&one)))
            });
        outcome.skipped = skipped.map(|point| self.name(point)).collect();
        outcome.skipped.sort_unstable();
        outcome
    }
}

/// A run in progress.
struct Run<'a> {
    law: &'a Law,
    values: &'a mut Values,
    counts: &'a mut [u64],
    may_fail: bool,
    missing: &'a Missing,
    off: &'a BTreeSet<usize>,
    /// Indexed by node.
    n_runs: Vec<u64>,
    /// Indexed by point. The answers in the current iteration of the point's level.
    answers: Vec<Option<u32>>,
    /// The loops that failed.
    failed: BTreeSet<usize>,
    failed_points: BTreeSet<usize>,
    skipped: BTreeSet<usize>,
    /// Recorded commands.
    recorded: Vec<Recorded>,
    /// Whether only points run that always run.
    is_refused: bool,
    /// The points that ran.
    ran: BTreeSet<usize>,
    outcome: Outcome,
}

/// A recorded command: the resource to change, and the value to write.
struct Recorded {
    point: usize,
    resource: usize,
    written: u64,
}

impl Run<'_> {
    /// Refuses the run if a point requires a missing resource. Skips all such points, the points whose guards they answer, and the
    /// loops around these.
    fn refuse(&mut self) {
        let law = self.law;
        if !law.case.refuses {
            return;
        }
        let around = |point: usize| law.case.outwards(law.points[point].level);
        let in_use = (0..law.points.len()).filter(|point| {
            let mut loops = around(*point).into_iter().flatten();
            !self.off.contains(point) && !loops.any(|one| self.off.contains(&one))
        });
        let in_use: Vec<usize> = in_use.collect();
        let mut lost: BTreeSet<usize> = in_use
            .iter()
            .copied()
            .filter(|&point| law.asked(point).is_some())
            .filter(|&point| {
                let access = law.access(point);
                (0..N_RESOURCES).any(|one| self.missing[one] && access[one].is_some())
            })
            .collect();
        self.is_refused = !lost.is_empty();
        loop {
            let n_lost = lost.len();
            for &point in &in_use {
                let mut leaves = law.guards[point].iter().flat_map(Formula::leaves);
                if lost.contains(&point) || leaves.any(|&(leaf, _)| lost.contains(&leaf)) {
                    lost.insert(point);
                    lost.extend(around(point).into_iter().flatten());
                }
            }
            if lost.len() == n_lost {
                break;
            }
        }
        lost.into_iter().for_each(|point| self.skip(point));
    }

    fn pass(&mut self, level: Level) {
        let law = self.law;
        let order = &law.order[&level];
        order.iter().for_each(|&point| self.answers[point] = None);
        for step in &law.steps[&level] {
            let point = match step {
                Step::Node(point) => *point,
                Step::Apply(writers) => {
                    let is_served = |one: &Recorded| {
                        let around = law.case.outwards(law.points[one.point].level);
                        let mut nodes = around.into_iter().flatten().chain([one.point]);
                        nodes.any(|node| writers.contains(&node))
                    };
                    if self.recorded.iter().any(is_served) {
                        self.carry_out();
                    }
                    continue;
                }
            };
            let is_off = self.off.contains(&point);
            let is_stopped = self.is_refused || self.outcome.is_stopped;
            let is_stopped = is_stopped && !law.always.contains(&point);
            if is_stopped && !is_off {
                self.skip(point);
            }
            if is_off || self.skipped.contains(&point) {
                continue;
            }
            let is_so = |formula| self.value(formula) == Some(true);
            if !law.guards[point].iter().all(is_so) {
                let mut asked = law.guards[point].iter().flat_map(Formula::leaves);
                let is_lost = asked.any(|&(leaf, _)| {
                    let is_skipped = self.skipped.contains(&leaf) && !self.off.contains(&leaf);
                    is_skipped || self.failed_points.contains(&leaf)
                });
                if is_lost {
                    self.skip(point);
                }
                continue;
            }
            match law.points[point].thing {
                Thing::Node(idx) => match law.case.nodes[idx].work {
                    Work::Loop(_, at_most) => self.repeat(idx, at_most),
                    Work::Checkpoint => {}
                    Work::ApplyCommands => self.carry_out(),
                    _ => self.answers[point] = self.ask(point),
                },
                Thing::Implied(_) => self.answers[point] = self.ask(point),
                Thing::Group(_) => {}
            }
        }
    }

    /// Returns `None` if a condition in the formula was not evaluated, or failed.
    fn value(&self, formula: &Formula<Wanted>) -> Option<bool> {
        Some(match formula {
            &Formula::Is((point, answer)) => self.answers[point]? == answer,
            Formula::Not(one) => !self.value(one)?,
            Formula::All(two) => self.value(&two[0])? & self.value(&two[1])?,
            Formula::Any(two) => self.value(&two[0])? | self.value(&two[1])?,
        })
    }

    fn repeat(&mut self, idx: usize, at_most: Option<u64>) {
        let mut n_iterations = 0;
        let is_always = self.law.always.contains(&idx);
        while !self.failed.contains(&idx) && (is_always || !self.outcome.is_stopped) {
            match self.ask(idx) {
                Some(1) if at_most == Some(n_iterations) => self.fail(idx),
                Some(1) => self.pass(Some(idx)),
                _ => break,
            }
            n_iterations += 1;
        }
    }

    /// Runs the function of a point. Returns `None` if it fails, after half of its work.
    fn ask(&mut self, point: usize) -> Option<u32> {
        let law = self.law;
        let asked = law.asked(point).expect("a function");
        let access = law.access(point);
        let touched = (0..N_RESOURCES).filter(|&one| access[one].is_some());
        if touched.clone().any(|one| self.missing[one]) {
            self.fail(point);
            return None;
        }
        if let Some(Work::Recorder(_)) = law.work(point) {
            self.note_past(point);
        }
        self.ran.insert(point);
        let digest = digest(asked.seed(), touched.map(|one| self.values[one]));
        self.outcome.log.push((asked.label(), digest));
        let mut to_write = (0..N_RESOURCES).filter(|&one| access[one] == Some(true));
        let mut write = |one: usize| self.values[one] = written(digest, self.values[one]);
        to_write.next().map(&mut write);
        if let Asked::Node(idx) = asked {
            let fault: Option<(u64, Fault)> = law.case.nodes[idx].fault;
            let is_due = fault.is_some_and(|fault| fault.0 == self.n_runs[idx]);
            self.n_runs[idx] += 1;
            if is_due && self.may_fail {
                self.fail(point);
                return None;
            }
        }
        to_write.for_each(write);
        if let Some(Work::Recorder(resource)) = law.work(point) {
            let written = counted(&mut self.counts[point], digest);
            self.recorded.push(Recorded {
                point,
                resource,
                written,
            });
        }
        let of_bool = |digest| u32::from(is_true(digest));
        Some(match (law.work(point), law.is_selector(point)) {
            (Some(Work::Loop(limit, _)), _) => {
                is_again(&mut self.counts[point], limit, digest).into()
            }
            (Some(Work::Condition), _) => of_bool(counted(&mut self.counts[point], digest)),
            (Some(Work::Selector), _) => branch(counted(&mut self.counts[point], digest)),
            (_, true) => branch(digest),
            (_, false) => of_bool(digest),
        })
    }

    /// Logs the failed and the skipped points that this one depends on, if there are any.
    fn note_past(&mut self, point: usize) {
        let law = self.law;
        let around = |point: usize| {
            law.case
                .outwards(law.points[point].level)
                .into_iter()
                .flatten()
        };
        let loops: Vec<usize> = around(point).collect();
        let is_before = |other: usize| {
            let dependents = &law.dependents[other];
            dependents.contains(&point) || loops.iter().any(|one| dependents.contains(one))
        };
        let is_seen = |&other: &usize| is_before(other) || around(other).any(is_before);
        let name = |point: &usize| law.name(*point);
        let failed: Vec<String> = self
            .failed_points
            .iter()
            .filter(|one| is_seen(one))
            .map(name)
            .collect();
        let skipped = self
            .skipped
            .iter()
            .filter(|one| is_seen(one))
            .filter(|&&point| {
                let is_on = |idx: &usize| !self.off.contains(idx);
                law.is_listed(point) && is_on(&point) && around(point).all(|one| is_on(&one))
            });
        let skipped: Vec<String> = skipped.map(name).collect();
        if !failed.is_empty() || !skipped.is_empty() {
            let label = past(point, failed, skipped);
            self.outcome.log.push((label, 0));
        }
    }

    fn carry_out(&mut self) {
        for Recorded {
            resource,
            written: digest,
            ..
        } in self.recorded.drain(..)
        {
            if !self.missing[resource] {
                self.values[resource] = written(digest, self.values[resource]);
            }
        }
    }

    /// Skips the dependents of a failed point. The loops around it fail, too, so their dependents are also skipped.
    fn fail(&mut self, point: usize) {
        let law = self.law;
        self.outcome.failures.push(law.name(point));
        self.failed_points.insert(point);
        let on_failure = match law.points[point].thing {
            Thing::Node(idx) => law.case.nodes[idx].on_failure,
            _ => FailurePolicy::SkipDependents,
        };
        self.outcome.is_stopped |= on_failure == FailurePolicy::Stop;
        let around = law.case.outwards(law.points[point].level);
        let loops: Vec<usize> = around.into_iter().flatten().collect();
        let is_itself =
            law.points[point].thing != Thing::Node(point) || !law.case.nodes[point].is_loop();
        self.failed.extend((!is_itself).then_some(point));
        self.failed.extend(&loops);
        if on_failure == FailurePolicy::SkipDependents {
            for one in loops.into_iter().chain([point]) {
                for &dependent in &law.dependents[one] {
                    if !law.always.contains(&dependent) {
                        self.skip(dependent);
                    }
                }
            }
        }
    }

    fn skip(&mut self, point: usize) {
        let law = self.law;
        self.skipped.insert(point);
        if matches!(law.points[point].thing, Thing::Node(idx) if law.case.nodes[idx].is_loop()) {
            for &part in &law.order[&Some(point)] {
                self.skip(part);
            }
        }
    }
}
