//! Which way a run goes: on the thread that calls, or on several.
//!
//! A model says how long either way takes: from what the nodes cost, which is measured now and then, and from what it
//! costs to hand them to threads. How far off it is, is learned from each run. The way is taken with which this run and
//! those that follow without a pause are expected to take least: whoever wakes helpers pays for it once. What was learned
//! of another way gets old, and then that is tried again, if there may be something to gain; the next time later, if there
//! was not.

mod ahead;
mod burst;
mod estimate;
mod habit;
mod model;
mod planned;
#[cfg(test)]
mod tests;
mod timing;

use core::time::Duration;

use self::ahead::Ahead;
use self::burst::Bursts;
use self::estimate::{Estimates, Start};
use self::habit::{HABIT, Habit};
pub(crate) use self::model::{LATENCY, TIMETABLED_NODE};
use self::model::{LEAST_WORK, Model};
use self::timing::Timing;
use super::knowledge::{Expected, Knowledge};
use crate::cost::Costs;
use crate::nodes::Nodes;
use crate::plan::Plan;
use crate::time::Instant;

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
    /// Right after it: if threads helped in it, they are still there.
    Hot,
    /// After a pause: whoever helped has gone, and caches hold other things.
    Cold,
}

/// Helpers stay for 20 µs.
const HOT: Duration = Duration::from_micros(25);

/// How many runs go by between two looks at the clock where a run takes less than that.
const RUNS_UNSEEN: u32 = 16;

/// Another way has to take less than this part of what this one takes; after a pause, of which nobody knows how deep the
/// processors sleep, less than that.
const CLEARLY: [f64; 2] = [0.97, 0.85];
/// A serial run is tried if it may take so much of what the parallel one takes; or so much, if there was none yet, and systems
/// take so few nanoseconds that reading the clock may be most of what they seem to take.
const BEARABLE: f64 = 1.25;
const BEARABLE_ONCE: f64 = 4.0;
const HARDLY_KNOWN: u64 = 1_000;
/// Runs of a trial: helpers are not there in the first one.
const TRIAL: u32 = 4;

/// How long the first run may take on one thread.
const FIRST_LIMIT: Duration = Duration::from_micros(50);
/// Timed runs after which costs are those of a new way.
const SETTLED: u32 = 4;

/// What is decided before a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModeChoice {
    pub(crate) way: Way,
    pub(crate) is_timed: bool,
    /// Of a serial run: how long it may take before the rest is given to several threads.
    pub(crate) limit: Duration,
    /// Helpers that may be asked for.
    pub(crate) max_helpers: u32,
    pub(crate) temperature: Temperature,
    /// It goes this way to learn of it.
    pub(crate) is_tried: bool,
    /// The clock is read for each node: it is timed, or recorded.
    pub(crate) is_watched: bool,
    /// Plans are made first: how long it takes tells nothing.
    pub(crate) has_planned: bool,
}

/// Some runs go another way, to learn of it.
#[derive(Clone, Copy, Debug)]
struct ModeTrial {
    way: Way,
    temperature: Temperature,
    n_left: u32,
}

/// What is known of the runs of one schedule.
#[derive(Clone, Debug)]
pub(crate) struct Auto {
    model: Model,
    estimates: Estimates,
    bursts: Bursts,
    /// The way of the last run.
    last: Way,
    /// By temperature: the one that is taken, but for trials.
    ways: [Way; 2],
    trial: Option<ModeTrial>,
    /// When the last run was over.
    end: Option<Instant>,
    /// How long it took then to learn from it.
    learning: Duration,
    timing: Timing,
    /// By temperature: the way whose runs costs are measured in.
    settled: [Way; 2],
    /// Timed runs until the costs count as those of this way: what systems take depends on what runs beside them.
    n_until_settled: u32,
    n_unseen: u32,
    /// Nobody knows when the last run was over.
    was_unseen: bool,
    habit: Habit,
    n_runs: [u64; 3],
}

impl Default for Auto {
    fn default() -> Self {
        Self {
            model: Model::default(),
            estimates: Estimates::NEW,
            bursts: Bursts::NEW,
            last: Way::Serial,
            ways: [Way::Serial; 2],
            trial: None,
            end: None,
            learning: Duration::ZERO,
            timing: Timing::NOW,
            settled: [Way::Serial; 2],
            n_until_settled: 0,
            n_unseen: 0,
            was_unseen: false,
            habit: Habit::NONE,
            n_runs: [0; 3],
        }
    }
}

impl Auto {
    /// With these costs, as if they had been measured.
    pub(crate) fn knowing(costs: Costs, plan: &Plan) -> Self {
        Self {
            model: Model::new(costs, plan),
            ..Self::default()
        }
    }

    /// There are other nodes, with these costs. How far off the model is does not depend on them.
    pub(crate) fn renew(&mut self, costs: Costs, plan: &Plan) {
        *self = Self {
            estimates: self.estimates.clone(),
            bursts: self.bursts,
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
        if !self.model.costs.is_known() {
            return nothing;
        }
        let n_threads = if self.may_pay() { n_threads() } else { 1 };
        let ns = |way, temperature| self.expected(Self::steady(temperature), way, n_threads);
        let on_several = |way, temperature| {
            let ns = ns(way, temperature);
            ns.is_finite().then(|| Duration::from_nanos(ns as u64))
        };
        let expected = [Temperature::Hot, Temperature::Cold].map(|temperature| Expected {
            is_hot: temperature == Temperature::Hot,
            serial: Duration::from_nanos(ns(Way::Serial, temperature) as u64),
            timetabled: on_several(Way::Timetabled, temperature),
            parallel: on_several(Way::Parallel, temperature),
        });
        Knowledge {
            expected: expected.into(),
            ..nothing
        }
    }

    pub(crate) fn costs(&self) -> &Costs {
        &self.model.costs
    }

    /// Whether the next run is so short that it goes on the caller, and the clock need not be read for it.
    pub(crate) fn is_unseen(&mut self) -> bool {
        let is_unseen = self.n_unseen > 0;
        if is_unseen {
            self.n_unseen -= 1;
            self.was_unseen = true;
            self.n_runs[Way::Serial as usize] += 1;
        }
        is_unseen
    }

    /// Whether it can make sense to ask for other threads.
    pub(crate) fn may_pay(&self) -> bool {
        self.model.may_pay()
    }

    /// The way of the run that begins now, if there is nothing to think about: most runs go as the one before, and all
    /// that is done for them is to look at the clock. After a pause, to think takes microseconds, since the caches hold
    /// other things.
    #[inline]
    pub(crate) fn habit(&mut self, now: Instant) -> Option<(Way, Temperature)> {
        let temperature = self.temperature(now);
        if !self.habit.goes_on(temperature) {
            return None;
        }
        self.note_begin(temperature, now);
        self.n_runs[self.last as usize] += 1;
        Some((self.last, temperature))
    }

    /// The run is over that [`habit`](Self::habit) was asked about. It is learned from when there is something to think
    /// about again.
    #[inline]
    pub(crate) fn end_habit(&mut self, start: Instant, end: Instant) {
        (self.end, self.learning) = (Some(end), Duration::ZERO);
        self.habit.note(end.saturating_duration_since(start));
    }

    fn learn_from_habit(&mut self, n_threads: usize) {
        let (temperature, took) = self.habit.end();
        for took in took {
            self.learn_time(Self::steady(temperature), self.last, took, n_threads);
        }
    }

    /// A run begins.
    #[inline]
    fn note_begin(&mut self, temperature: Temperature, now: Instant) {
        let is_pause = |end| now.saturating_duration_since(end) >= HOT + self.learning;
        let is_burst_over = temperature == Temperature::Cold
            && !core::mem::take(&mut self.was_unseen)
            && self.end.is_none_or(is_pause);
        if is_burst_over {
            self.bursts.begin();
        } else {
            self.bursts.go_on();
        }
    }

    #[inline]
    fn temperature(&self, now: Instant) -> Temperature {
        match self.end {
            Some(end) if now.saturating_duration_since(end) < HOT => Temperature::Hot,
            _ => Temperature::Cold,
        }
    }

    /// How the run goes that begins now, with so many threads.
    pub(crate) fn choose(&mut self, now: Instant, n_threads: usize) -> ModeChoice {
        self.learn_from_habit(n_threads);
        let temperature = self.temperature(now);
        self.note_begin(temperature, now);
        let (mut way, mut is_tried) = (Way::Serial, false);
        let mut limit = FIRST_LIMIT;
        if self.model.costs.is_known() {
            if n_threads > 1 && self.may_pay() {
                (way, is_tried) = self.shortest(temperature, n_threads);
            }
            let serial = self.expected(Self::steady(temperature), Way::Serial, n_threads);
            limit = Duration::from_nanos((1.5 * serial) as u64) + FIRST_LIMIT;
        }
        if way != self.settled[temperature as usize] {
            self.settled[temperature as usize] = way;
            self.n_until_settled = SETTLED;
        }
        let is_timed = self.timing.is_due();
        ModeChoice {
            way,
            is_timed,
            limit,
            max_helpers: self.n_workers(n_threads) as u32 - 1,
            temperature,
            is_tried,
            is_watched: is_timed,
            has_planned: false,
        }
    }

    /// The way that is expected to take least, or one that is tried, and whether it is that.
    fn shortest(&mut self, temperature: Temperature, n_threads: usize) -> (Way, bool) {
        if let Some(trial) = &mut self.trial
            && trial.temperature == temperature
        {
            let way = trial.way;
            trial.n_left -= 1;
            if trial.n_left == 0 {
                self.trial = None;
            }
            return (way, true);
        }
        let ahead = Ahead {
            auto: self,
            temperature,
            n_threads,
            left: self.bursts.left(),
        };
        let total = |way| ahead.total(way);
        let this = self.ways[temperature as usize];
        let least = |a: &Way, b: &Way| total(*a).total_cmp(&total(*b));
        let least = Way::ALL.into_iter().min_by(least).unwrap_or(this);
        let clearly = match this {
            Way::Serial => CLEARLY[temperature as usize],
            Way::Timetabled | Way::Parallel => CLEARLY[Temperature::Hot as usize],
        };
        let (now, later) = ahead.of(this);
        let is_better = total(least) < clearly * now + CLEARLY[Temperature::Hot as usize] * later;
        let best = if is_better { least } else { this };
        let of_best = total(best);
        let is_worth_it = |&way: &Way| {
            let estimate = self.estimates.of(Self::steady(temperature), way);
            let mut at_best = ahead.total_at_best(way);
            let bearable = match way {
                Way::Serial => {
                    // Whatever systems seem to cost: so many threads are no more than so many times as fast.
                    at_best = at_best.min(n_threads as f64 * of_best);
                    match estimate.is_known() || self.model.mean_cost() > HARDLY_KNOWN {
                        true => BEARABLE,
                        false => BEARABLE_ONCE,
                    }
                }
                Way::Timetabled | Way::Parallel => CLEARLY[temperature as usize],
            };
            way != best && estimate.age >= estimate.patience && at_best < bearable * of_best
        };
        let tried = Way::ALL.into_iter().find(is_worth_it);
        let steady = Self::steady(temperature);
        for way in Way::ALL {
            let estimate = self.estimates.of_mut(steady, way);
            estimate.grow_old(1 + HABIT, way == best);
        }
        self.ways[temperature as usize] = best;
        let Some(tried) = tried else {
            return (best, false);
        };
        self.estimates.of_mut(steady, tried).retry();
        self.estimates.of_mut(Start::Alone, tried).doubt();
        self.trial = Some(ModeTrial {
            way: tried,
            temperature,
            n_left: TRIAL - 1,
        });
        (tried, true)
    }

    /// What runs find that go the same way in a row.
    fn steady(temperature: Temperature) -> Start {
        match temperature {
            Temperature::Hot => Start::Helped,
            Temperature::Cold => Start::Cold,
        }
    }

    /// What the next run finds if it goes this way.
    fn start(&self, temperature: Temperature, way: Way) -> Start {
        match temperature {
            Temperature::Cold => Start::Cold,
            Temperature::Hot if way == self.last => Start::Helped,
            Temperature::Hot => Start::Alone,
        }
    }

    /// Nanoseconds: what a run takes, as far as is known.
    fn expected(&self, start: Start, way: Way, n_threads: usize) -> f64 {
        let ratio = self.estimates.of(start, way).ratio;
        ratio * self.model.ns(start, way, n_threads)
    }

    /// As many as could be busy at once, of so many, and two at least.
    pub(crate) fn n_workers(&self, n_threads: usize) -> usize {
        self.model.n_workers(n_threads)
    }

    /// Learns from a run that went this way in the end, and took so long; `None` if it did not go so all through.
    pub(crate) fn learn(
        &mut self,
        choice: ModeChoice,
        end: Instant,
        took: Option<Duration>,
        n_threads: usize,
        nodes: &mut Nodes,
        plan: &Plan,
    ) {
        let start = self.start(choice.temperature, choice.way);
        self.end = Some(end);
        self.last = choice.way;
        self.n_runs[choice.way as usize] += 1;
        if choice.is_timed {
            self.learn_costs(end, nodes, plan);
        }
        self.learning = if choice.is_timed {
            end.elapsed()
        } else {
            Duration::ZERO
        };
        let Some(took) = took else {
            self.trial = None;
            self.timing.hurry();
            return;
        };
        let timing = match choice.is_watched {
            true => self.timing.overhead().as_secs_f64(),
            false => 0.0,
        };
        if timing < 0.02 * took.as_secs_f64() && !choice.has_planned {
            self.learn_time(start, choice.way, took, n_threads);
        }
        // Costs may have been learned in this run that no longer allow for several threads.
        let may_stay = choice.way == Way::Serial || self.may_pay();
        if may_stay && !choice.is_tried && !choice.has_planned && self.timing.may_skip(HABIT) {
            self.habit.form(choice.temperature);
        }
        let is_short =
            choice.way == Way::Serial && !self.may_pay() && took < Duration::from_nanos(LEAST_WORK);
        if is_short && self.timing.may_skip(RUNS_UNSEEN) {
            self.n_unseen = RUNS_UNSEEN;
        }
    }

    /// A run that went this way from this start took so long.
    fn learn_time(&mut self, start: Start, way: Way, took: Duration, n_threads: usize) {
        let model = self.model.ns(start, way, n_threads);
        // Not finite: costs have changed since the choice.
        if !(model > 0.0 && model.is_finite()) {
            return;
        }
        let estimate = self.estimates.of_mut(start, way);
        if estimate.learn(took.as_nanos() as f64, model) {
            self.timing.hurry();
        }
    }

    fn learn_costs(&mut self, end: Instant, nodes: &mut Nodes, plan: &Plan) {
        let before = self.model.costs.work();
        let n_timed = self.model.learn(nodes, plan);
        self.timing.note_timed(n_timed);
        let after = self.model.costs.work();
        let change = after.max(1) as f64 / before.max(1) as f64;
        if self.n_until_settled > 0 && before > 0 {
            // Systems that run beside others take longer. Neither way takes longer for that than it did before.
            self.n_until_settled -= 1;
            for estimate in self.estimates.all_mut() {
                estimate.ratio /= change.clamp(0.5, 2.0);
            }
        } else if !(0.67..1.5).contains(&change) {
            // Runs were held against other costs.
            self.estimates = Estimates::NEW;
        }
        self.timing.plan(after, || end.elapsed());
    }

    /// Whether it is time to plan for several threads: for the first time, or because costs are not what they were.
    pub(crate) fn must_plan(&self, now: Instant, n_threads: usize) -> bool {
        self.model.planned.is_due(now, n_threads)
    }

    /// Plans were made for the costs that are known and so many threads, which took so long. `makespan`: by timetable, if there
    /// is one; `has_parallel`: whether anything can run at once.
    pub(crate) fn note_plan(
        &mut self,
        n_threads: usize,
        makespan: Option<u64>,
        has_parallel: bool,
        made: (Instant, Duration),
    ) {
        self.model
            .note_plan(n_threads, makespan, has_parallel, made);
    }

    /// Some nodes are off from now on, and the others on. `is_on`: by rank.
    pub(crate) fn switch(&mut self, is_on: impl Iterator<Item = bool>, plan: &Plan) {
        self.model.switch(is_on, plan);
        self.forget_habit();
    }

    /// What was thought of before no longer holds: the next runs are thought about, and timed.
    pub(crate) fn forget_habit(&mut self) {
        (self.habit, self.n_unseen, self.trial) = (Habit::NONE, 0, None);
        self.timing.restart();
    }
}
