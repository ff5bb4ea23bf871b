//! Which way a run goes: on the thread that calls, or on several.
//!
//! A model says how long either way takes: from what the nodes cost, which is measured now and then, and from what it
//! costs to hand them to threads. How far off it is, is learned from each run. The way that is expected to take less is
//! taken. What was learned of the other one gets old, and then that is tried again, if there may be something to gain; the
//! next time later, if there was not.

use core::time::Duration;
use std::time::Instant;

use super::knowledge::{Expected, Knowledge};
use crate::cost::{Costs, clock};
use crate::nodes::Nodes;
use crate::plan::Plan;

/// How a run may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Nodes by rank, on the thread that calls.
    Serial,
    /// By a timetable, on several threads.
    Timetabled,
    /// Nodes as they become ready, on several threads.
    Parallel,
}

impl Way {
    const ALL: [Self; 3] = [Self::Serial, Self::Timetabled, Self::Parallel];
}

/// How soon a run follows the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Temperature {
    /// So soon that helpers of the last one are still there.
    Hot,
    /// Helpers have to be woken.
    Cold,
}

/// Helpers stay for 20 µs.
const HOT: Duration = Duration::from_micros(25);

/// Nanoseconds: what a node of a serial run takes besides its system.
const SERIAL_NODE: f64 = 3.0;
/// Nanoseconds: what a node of a timetable takes besides its system.
pub(crate) const TIMETABLED_NODE: u32 = 15;
/// Nanoseconds: what a node that is ready takes besides its system.
const PARALLEL_NODE: f64 = 60.0;
/// Nanoseconds: how long it takes until another thread sees what one has done.
pub(crate) const LATENCY: u32 = 150;
/// Nanoseconds: what the caller needs to wake a thread.
const ASK: f64 = 7e3;
/// Nanoseconds: until it is there.
const WAKE: f64 = 35e3;
/// Nanoseconds: less work than this is never worth another thread.
const LEAST_WORK: u64 = 3_000;
/// How many runs go by between two looks at the clock where a run takes less than that.
const RUNS_UNSEEN: u32 = 16;

/// How many runs go as the last one before the next is thought about.
const HABIT: u32 = 3;

/// The other way has to take less than this part of what this one takes; after a pause, of which nobody knows how deep the
/// processors sleep, less than that.
const CLEARLY: [f64; 2] = [0.97, 0.85];
/// A serial run is tried if it may take so much of what the parallel one takes.
const BEARABLE: f64 = 1.25;
/// Runs until the other way is tried again: first, and at most.
const PATIENCE: u32 = 64;
const MOST_PATIENCE: u32 = 4096;
/// Runs of a trial: helpers are not there in the first one.
const TRIAL: u32 = 4;

/// A plan is outdated if costs differ from those that it was made for by this part of the work.
const DRIFT: f64 = 0.2;
/// It is not made again before so many times as long has gone by as that took.
const PLAN_SHARE: u32 = 100;

/// Timed runs take at most this part of the time longer, on the average.
const TIMING_SHARE: f64 = 0.005;
/// Runs between two that are timed, at least and at most.
const TIMED_EVERY: (u32, u32) = (4, 4096);
/// So many timed runs in a row tell what costs are.
const URGENT: u32 = 3;
/// Runs between such a row and the one before it.
const LEAST_HURRY: u32 = 16;

/// What is decided before a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    pub(crate) way: Way,
    pub(crate) is_timed: bool,
    /// Of a serial run: how long it may take before the rest is given to several threads.
    pub(crate) patience: Duration,
    /// Helpers that may be asked for.
    pub(crate) max_helpers: u32,
    pub(crate) temperature: Temperature,
    /// Nothing is as it would be in a row of such runs: helpers are not there, or plans are made first.
    pub(crate) is_first: bool,
}

/// How far off the model is, for one way.
#[derive(Clone, Copy, Debug)]
struct Estimate {
    /// What runs take, as a multiple of what the model says.
    ratio: f64,
    /// Runs since the last that told.
    age: u32,
    /// The age at which it is tried again.
    patience: u32,
    is_learned: bool,
}

impl Estimate {
    const NEW: Self = Self {
        ratio: 1.0,
        age: 0,
        patience: PATIENCE,
        is_learned: false,
    };

    /// One run never tells much: it may have been interrupted.
    fn learn(&mut self, actual: f64, expected: f64) {
        let off = actual / expected;
        if self.is_learned {
            self.ratio *= (off / self.ratio).clamp(0.64, 1.56).sqrt();
        } else {
            self.ratio = off.clamp(0.5, 2.0);
            self.is_learned = true;
        }
        self.age = 0;
    }
}

/// Some runs go another way, to learn of it.
#[derive(Clone, Copy, Debug)]
struct Trial {
    way: Way,
    temperature: Temperature,
    n_left: u32,
}

/// What is known of a plan that several threads can run.
#[derive(Clone, Debug, Default)]
struct Planned {
    /// The costs that it was made for, by rank.
    costs: Vec<u32>,
    /// Their sum.
    work: u64,
    n_threads: usize,
    /// Nanoseconds, by timetable; none if that has one lane, or there is none for such a schedule.
    makespan: Option<u64>,
    /// Whether anything can run at once.
    has_parallel: bool,
    /// When it was made, and how long that took.
    made: Option<(Instant, Duration)>,
    /// Costs have changed since.
    is_outdated: bool,
}

/// What is known of the runs of one schedule.
#[derive(Clone, Debug)]
pub(crate) struct Auto {
    costs: Costs,
    /// What the most costly path takes: nanoseconds.
    span: u64,
    planned: Planned,
    /// By temperature, then by way.
    estimates: [[Estimate; 3]; 2],
    /// By temperature: the way of the last run.
    last: [Way; 2],
    /// By temperature: the one that is taken, but for trials.
    ways: [Way; 2],
    trial: Option<Trial>,
    /// What the clock was read for in the last timed run: so often.
    n_timed: u32,
    end: Option<Instant>,
    n_until_timed: u32,
    /// Runs from one that is timed to the next, as things are.
    timed_every: u32,
    /// Runs that are timed one after the other.
    n_urgent: u32,
    /// Timed runs until the costs count as those of this way: what systems take depends on what runs beside them.
    n_until_settled: u32,
    /// Runs in a row that took much longer or shorter than expected.
    n_surprises: u32,
    n_unseen: u32,
    /// Runs that go as the last one, if they are of this temperature.
    n_habit: u32,
    habit: Temperature,
    n_runs: [u64; 3],
}

impl Default for Auto {
    fn default() -> Self {
        Self {
            costs: Costs::default(),
            span: 0,
            planned: Planned::default(),
            estimates: [[Estimate::NEW; 3]; 2],
            last: [Way::Serial; 2],
            ways: [Way::Serial; 2],
            trial: None,
            n_timed: 0,
            end: None,
            n_until_timed: 0,
            timed_every: 0,
            // The first ones.
            n_urgent: URGENT,
            n_until_settled: 0,
            n_surprises: 0,
            n_unseen: 0,
            n_habit: 0,
            habit: Temperature::Hot,
            n_runs: [0; 3],
        }
    }
}

impl Auto {
    /// With these costs, as if they had been measured.
    pub(crate) fn knowing(costs: Costs, plan: &Plan) -> Self {
        let mut auto = Self {
            costs,
            ..Self::default()
        };
        auto.find_span(plan);
        auto
    }

    /// There are other nodes, with these costs. How far off the model is does not depend on them.
    pub(crate) fn renew(&mut self, costs: Costs, plan: &Plan) {
        *self = Self {
            estimates: self.estimates,
            n_runs: self.n_runs,
            end: self.end,
            ..Self::knowing(costs, plan)
        };
    }

    /// What is known. How many threads there are is asked only where it matters.
    pub(crate) fn knowledge(&self, n_threads: impl Fn() -> usize) -> Knowledge {
        let nothing = Knowledge {
            n_runs: self.n_runs,
            ..Knowledge::default()
        };
        if !self.costs.is_known() {
            return nothing;
        }
        let n_threads = if self.may_pay() { n_threads() } else { 1 };
        let expected = |way, temperature| {
            let ns = self
                .expected(way, temperature, n_threads)
                .min(u64::MAX as f64);
            Duration::from_nanos(ns as u64)
        };
        let expected = [Temperature::Hot, Temperature::Cold].map(|temperature| Expected {
            is_hot: temperature == Temperature::Hot,
            serial: expected(Way::Serial, temperature),
            timetabled: expected(Way::Timetabled, temperature),
            parallel: expected(Way::Parallel, temperature),
        });
        Knowledge {
            work: Duration::from_nanos(self.costs.work()),
            span: Duration::from_nanos(self.span),
            expected: expected.into(),
            ..nothing
        }
    }

    pub(crate) fn costs(&self) -> &Costs {
        &self.costs
    }

    /// Whether the next run is so short that it goes on the caller, and the clock need not be read for it.
    pub(crate) fn is_unseen(&mut self) -> bool {
        let is_unseen = self.n_unseen > 0;
        if is_unseen {
            self.n_unseen -= 1;
            self.n_runs[Way::Serial as usize] += 1;
        }
        is_unseen
    }

    /// Whether it can make sense to ask for other threads.
    pub(crate) fn may_pay(&self) -> bool {
        !self.costs.is_known() || self.costs.work() >= LEAST_WORK
    }

    /// The way of the run that begins now, if there is nothing to think about: most runs go as the one before, and all
    /// that is done for them is to look at the clock. After a pause, to think takes microseconds, since the caches hold
    /// other things.
    #[inline]
    pub(crate) fn habit(&mut self, now: Instant) -> Option<(Way, Temperature)> {
        if self.n_habit == 0 {
            return None;
        }
        let temperature = self.temperature(now);
        if temperature != self.habit {
            self.n_habit = 0;
            return None;
        }
        self.n_habit -= 1;
        let way = self.last[temperature as usize];
        self.n_runs[way as usize] += 1;
        Some((way, temperature))
    }

    /// The run is over that [`habit`](Self::habit) was asked about.
    #[inline]
    pub(crate) fn end_habit(&mut self, end: Instant) {
        self.end = Some(end);
    }

    #[inline]
    fn temperature(&self, now: Instant) -> Temperature {
        match self.end {
            Some(end) if now.saturating_duration_since(end) < HOT => Temperature::Hot,
            _ => Temperature::Cold,
        }
    }

    /// How the run goes that begins now, with so many threads.
    pub(crate) fn choose(&mut self, now: Instant, n_threads: usize) -> Choice {
        let temperature = self.temperature(now);
        let mut way = Way::Serial;
        let mut patience = FIRST_PATIENCE;
        if self.costs.is_known() {
            if n_threads > 1 && self.may_pay() {
                way = self.shorter(temperature, n_threads);
            }
            let serial = self.expected(Way::Serial, temperature, n_threads);
            patience = Duration::from_nanos((1.5 * serial) as u64) + FIRST_PATIENCE;
        }
        let is_first = way != self.last[temperature as usize];
        if is_first {
            self.n_until_settled = SETTLED;
        }
        let is_timed = self.n_until_timed == 0;
        self.n_until_timed = self.n_until_timed.saturating_sub(1);
        Choice {
            way,
            is_timed,
            patience,
            max_helpers: self.max_helpers(n_threads),
            temperature,
            is_first,
        }
    }

    fn shorter(&mut self, temperature: Temperature, n_threads: usize) -> Way {
        if let Some(trial) = &mut self.trial
            && trial.temperature == temperature
        {
            let way = trial.way;
            trial.n_left -= 1;
            if trial.n_left == 0 {
                self.trial = None;
            }
            return way;
        }
        let expected = |way| self.expected(way, temperature, n_threads);
        let least = |a: &Way, b: &Way| expected(*a).total_cmp(&expected(*b));
        let this = self.ways[temperature as usize];
        let least = Way::ALL.into_iter().min_by(least).unwrap_or(this);
        let clearly = match this {
            Way::Serial => CLEARLY[temperature as usize],
            Way::Timetabled | Way::Parallel => CLEARLY[Temperature::Hot as usize],
        };
        let is_better = expected(least) < clearly * expected(this);
        let best = if is_better { least } else { this };
        let of_best = expected(best);
        let of_temperature = self.estimates[temperature as usize];
        let is_worth_it = |&way: &Way| {
            let estimate = of_temperature[way as usize];
            // What was learned long ago may be wrong by now: perhaps other programs had the processors.
            let at_best = expected(way) * estimate.ratio.min(1.0) / estimate.ratio;
            let bearable = match way {
                Way::Serial => BEARABLE,
                Way::Timetabled | Way::Parallel => CLEARLY[temperature as usize],
            };
            way != best && estimate.age >= estimate.patience && at_best < bearable * of_best
        };
        let tried = Way::ALL.into_iter().find(is_worth_it);
        let estimates = &mut self.estimates[temperature as usize];
        for estimate in &mut *estimates {
            estimate.age = estimate.age.saturating_add(1 + HABIT);
        }
        if best != this {
            estimates[best as usize].patience = PATIENCE;
        }
        self.ways[temperature as usize] = best;
        let Some(tried) = tried else {
            return best;
        };
        let estimate = &mut estimates[tried as usize];
        estimate.patience = (2 * estimate.patience).min(MOST_PATIENCE);
        estimate.age = 0;
        self.trial = Some(Trial {
            way: tried,
            temperature,
            n_left: TRIAL - 1,
        });
        tried
    }

    /// Nanoseconds: what a run takes, as far as is known.
    fn expected(&self, way: Way, temperature: Temperature, n_threads: usize) -> f64 {
        let ratio = self.estimates[temperature as usize][way as usize].ratio;
        ratio * self.model(way, temperature, n_threads)
    }

    /// Nanoseconds: what a run takes, if the costs are right.
    fn model(&self, way: Way, temperature: Temperature, n_threads: usize) -> f64 {
        let work = self.costs.work() as f64;
        let n_nodes = self.n_nodes() as f64;
        let of_node = match way {
            Way::Serial => return work + SERIAL_NODE * n_nodes,
            Way::Timetabled => TIMETABLED_NODE.into(),
            Way::Parallel => PARALLEL_NODE,
        };
        let mut makespan = (work + of_node * n_nodes) / n_threads as f64;
        makespan = makespan.max(self.span as f64);
        if self.is_planned_for(n_threads) {
            match (way, self.planned.makespan) {
                (Way::Parallel, _) if !self.planned.has_parallel => return f64::INFINITY,
                (Way::Timetabled, None) => return f64::INFINITY,
                // Costs may have changed a little since.
                (Way::Timetabled, Some(planned)) => {
                    makespan = planned as f64 * work / self.planned.work.max(1) as f64;
                }
                _ => {}
            }
        }
        match temperature {
            Temperature::Hot => makespan,
            // Before help is there, the caller does what is there to do.
            Temperature::Cold => {
                let alone = WAKE.min(work);
                ASK + alone + makespan * (work - alone) / work.max(1.0)
            }
        }
    }

    fn n_nodes(&self) -> usize {
        self.costs.iter().len()
    }

    /// As many as could be busy at once.
    fn max_helpers(&self, n_threads: usize) -> u32 {
        self.n_workers(n_threads) as u32 - 1
    }

    /// As many as could be busy at once, of so many, and two at least.
    pub(crate) fn n_workers(&self, n_threads: usize) -> usize {
        let parallelism = self.costs.work().div_ceil(self.span.max(1)) + 1;
        let parallelism = usize::try_from(parallelism).unwrap_or(usize::MAX);
        parallelism.clamp(2, n_threads.max(2))
    }

    /// Learns from a run that went this way in the end, and took so long; `None` if it did not go so all through.
    pub(crate) fn learn(
        &mut self,
        choice: Choice,
        end: Instant,
        took: Option<Duration>,
        n_threads: usize,
        nodes: &mut Nodes,
        plan: &Plan,
    ) {
        self.end = Some(end);
        self.last[choice.temperature as usize] = choice.way;
        self.n_runs[choice.way as usize] += 1;
        if choice.is_timed {
            self.learn_costs(end, nodes, plan);
        }
        let Some(took) = took else {
            self.trial = None;
            self.hurry();
            return;
        };
        let took = took.as_nanos() as f64;
        let timing = if choice.is_timed {
            self.timing().as_nanos() as f64
        } else {
            0.0
        };
        let model = self.model(choice.way, choice.temperature, n_threads);
        // Not finite: costs have changed since the choice.
        if timing < 0.02 * took && !choice.is_first && model > 0.0 && model.is_finite() {
            let estimate = &mut self.estimates[choice.temperature as usize][choice.way as usize];
            let off = took / model / estimate.ratio;
            estimate.learn(took, model);
            let is_surprise = !(0.67..1.5).contains(&off);
            self.n_surprises = if is_surprise { self.n_surprises + 1 } else { 0 };
            if self.n_surprises >= 2 {
                self.hurry();
            }
        }
        if self.trial.is_none() && self.n_until_timed > HABIT && !choice.is_first {
            self.habit = choice.temperature;
            self.n_habit = HABIT;
            self.n_until_timed -= HABIT;
        }
        let is_short = choice.way == Way::Serial && !self.may_pay() && took < LEAST_WORK as f64;
        if is_short && self.n_until_timed > RUNS_UNSEEN {
            self.n_unseen = RUNS_UNSEEN;
            self.n_until_timed -= RUNS_UNSEEN;
        }
    }

    fn learn_costs(&mut self, end: Instant, nodes: &mut Nodes, plan: &Plan) {
        let before = self.costs.work();
        let abouts = nodes.by_rank.iter_mut().map(|node| &mut node.about);
        let mut n_timed = 0;
        let took = abouts.map(|about| {
            n_timed += core::mem::take(&mut about.n_timed);
            core::mem::take(&mut about.took)
        });
        self.costs.learn(took);
        self.n_timed = n_timed;
        self.find_span(plan);
        let pairs = self.costs.iter().zip(&self.planned.costs);
        let drift: u64 = pairs
            .map(|(now, &then)| u64::from(now.abs_diff(then)))
            .sum();
        self.planned.is_outdated = drift as f64 > DRIFT * self.costs.work() as f64;
        let after = self.costs.work();
        let change = after.max(1) as f64 / before.max(1) as f64;
        if self.n_until_settled > 0 && before > 0 {
            // Systems that run beside others take longer. Neither way takes longer for that than it did before.
            self.n_until_settled -= 1;
            for estimate in self.estimates.as_flattened_mut() {
                estimate.ratio /= change.clamp(0.5, 2.0);
            }
        } else if !(0.67..1.5).contains(&change) {
            // Runs were held against other costs.
            self.estimates = [[Estimate::NEW; 3]; 2];
        }
        self.n_urgent = self.n_urgent.saturating_sub(1);
        if self.n_urgent == 0 {
            let overhead = self.timing().as_nanos() + end.elapsed().as_nanos();
            let every = overhead as f64 / (TIMING_SHARE * after.max(1) as f64);
            self.timed_every = (every as u32).clamp(TIMED_EVERY.0, TIMED_EVERY.1);
            self.n_until_timed = self.timed_every;
        }
    }

    /// What the clock takes of a timed run.
    fn timing(&self) -> Duration {
        2 * clock() * self.n_timed
    }

    /// Costs are not what they were: times the next runs, unless that was done just now.
    fn hurry(&mut self) {
        if self.n_urgent == 0 && self.n_until_timed + LEAST_HURRY < self.timed_every {
            self.n_urgent = URGENT;
            self.n_until_timed = 0;
        }
    }

    fn find_span(&mut self, plan: &Plan) {
        let costs: Vec<u32> = self.costs.iter().collect();
        self.span = plan.span(&costs);
    }

    /// Whether it is time to plan for several threads: for the first time, or because costs are not what they were.
    pub(crate) fn must_plan(&self, now: Instant, n_threads: usize) -> bool {
        match self.planned.made {
            Some(_) if self.is_planned_for(n_threads) => false,
            Some((made, took)) => now.saturating_duration_since(made) > PLAN_SHARE * took,
            None => true,
        }
    }

    /// Whether the plan that there is, if there is one, is for so many threads, and for the costs as they are.
    fn is_planned_for(&self, n_threads: usize) -> bool {
        let planned = &self.planned;
        planned.made.is_some() && planned.n_threads == n_threads && !planned.is_outdated
    }

    /// Plans were made for the costs that are known and so many threads, which took so long. `makespan`: by timetable, if there
    /// is one; `has_parallel`: whether anything can run at once.
    pub(crate) fn note_plan(
        &mut self,
        n_threads: usize,
        makespan: Option<u64>,
        has_parallel: bool,
        (now, took): (Instant, Duration),
    ) {
        self.planned = Planned {
            costs: self.costs.iter().collect(),
            work: self.costs.work(),
            n_threads,
            makespan,
            has_parallel,
            made: Some((now, took)),
            is_outdated: false,
        };
    }

    /// What was thought of before no longer holds: the next runs are thought about, and timed.
    pub(crate) fn forget_habit(&mut self) {
        (self.n_habit, self.n_unseen, self.trial) = (0, 0, None);
        (self.n_urgent, self.n_until_timed) = (URGENT, 0);
    }
}

/// How long the first run may take on one thread.
const FIRST_PATIENCE: Duration = Duration::from_micros(50);
/// Timed runs after which costs are those of a new way.
const SETTLED: u32 = 4;

#[cfg(test)]
mod tests;
