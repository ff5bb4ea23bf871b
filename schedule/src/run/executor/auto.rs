//! Chooses the mode of each run: serial, by timetable or by readiness.
//!
//! A model computes the expected time of each mode from the costs of systems and from the costs of helpers. Costs are
//! measured in a few runs. Each run corrects an estimate of the model's error. Only the first of several runs without a
//! pause wakes helpers. So `ModeSelector` takes the mode with the least total time of this run and of the runs expected to
//! follow. Estimates of other modes age. A mode with an old estimate is tried again if it may be better by now, and
//! less often after each failed trial.

mod ahead;
mod awaited;
mod burst;
mod estimate;
mod model;
mod planned;
mod repetition;
#[cfg(test)]
mod tests;
mod timing;

use core::time::Duration;

use self::ahead::RemainingBurst;
use self::burst::Bursts;
use self::estimate::{Estimates, Start};
use self::model::Model;
pub(crate) use self::model::{LATENCY, TIMETABLED_NODE};
use self::repetition::{REPEATED_RUNS, Repetition};
use self::timing::Timing;
use super::knowledge::{Expected, ExpectedTimes};
use super::steady::SteadyRate;
use crate::base::cost::Costs;
use crate::base::time::Instant;
use crate::run::nodes::Nodes;
use crate::verify::plan::Plan;

/// The mode of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// By rank, on the caller.
    Serial,
    /// By timetable, on several threads.
    Timetabled,
    /// By readiness, on several threads.
    Parallel,
}

impl Mode {
    const ALL: [Self; 3] = [Self::Serial, Self::Timetabled, Self::Parallel];
}

/// Whether a run follows the previous run without a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Temperature {
    /// Without a pause: helpers of the previous run are still there.
    Hot,
    /// After a pause: helpers have left, and the caches are cold.
    Cold,
}

/// The longest distance from the previous run without a pause. Helpers stay for 20 µs.
const HOT: Duration = Duration::from_micros(25);

/// The number of very short runs between two that read the clock.
const UNCLOCKED_RUNS: u32 = 16;

/// A run of less than this time is very short, if it is serial in any case: several threads cannot be faster, or every run follows a
/// pause, and waking a helper takes longer than the run. Reading the clock with cold caches takes about a microsecond.
const SHORT: Duration = Duration::from_micros(20);

/// The maximum ratio of expected times at which another mode replaces the current one, hot and cold. After a pause,
/// wake-up times depend on the sleep states of the processors and are less certain.
const SWITCH_RATIO: [f64; 2] = [0.97, 0.85];
/// The maximum expected time of a serial run, relative to the best mode, at which it is tried. The larger limit applies
/// if no serial run was measured, and systems cost at most `UNRELIABLE_COST_NS` ns on average. Then reading the clock may
/// dominate their measured costs.
const TRIAL_RATIO: f64 = 1.25;
const FIRST_TRIAL_RATIO: f64 = 4.0;
const UNRELIABLE_COST_NS: u64 = 1_000;
/// The number of runs of a trial. The first one still has to wake helpers.
const TRIAL: u32 = 4;

/// The limit of a serial run while costs are unknown. Later it is added to 1.5 times the expected time.
const FIRST_LIMIT: Duration = Duration::from_micros(50);
/// After this number of runs in which waiting helpers were not expected to help, this is tried again.
const MOST_RUNS_WITHOUT_HELPERS: u32 = 512;
/// The number of timed runs after which costs count as measured in a new mode.
const SETTLED: u32 = 4;

/// The decisions before a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModeChoice {
    pub(crate) mode: Mode,
    pub(crate) is_timed: bool,
    /// For a serial run: after this time, several threads get the rest.
    pub(crate) limit: Duration,
    /// The maximum number of helpers.
    pub(crate) max_helpers: u32,
    pub(crate) temperature: Temperature,
    /// Whether this run is part of a trial.
    pub(crate) is_tried: bool,
    /// Whether the clock is read for each node: the run is timed or recorded.
    pub(crate) is_watched: bool,
    /// Whether the run includes planning, so that its time is not learned.
    pub(crate) has_planned: bool,
}

/// A trial of another mode.
#[derive(Clone, Copy, Debug)]
struct ModeTrial {
    mode: Mode,
    temperature: Temperature,
    n_left: u32,
}

/// The state of `ModeSelector` for one schedule.
#[derive(Clone, Debug)]
pub(crate) struct ModeSelector {
    model: Model,
    estimates: Estimates,
    bursts: Bursts,
    /// The mode of the last run.
    last: Mode,
    /// By temperature: the chosen mode, without trials.
    modes: [Mode; 2],
    trial: Option<ModeTrial>,
    /// The end of the last run.
    end: Option<Instant>,
    /// The time spent after that on learning from the run.
    learning: Duration,
    timing: Timing,
    /// By temperature: the mode whose runs the costs are measured in.
    settled: [Mode; 2],
    /// Remaining timed runs until costs count as measured in this mode. Costs of systems depend on the systems that run
    /// at the same time.
    n_until_settled: u32,
    n_unclocked: u32,
    /// The temperature of the run before the unclocked ones.
    unclocked: Temperature,
    /// Whether the last run did not read the clock, and may have been right before this one.
    was_unclocked: bool,
    repetition: Repetition,
    /// The mode for which helpers wait, if they wait for the run that begins.
    awaited: Option<Mode>,
    /// The number of runs since a run was last expected to be faster with waiting helpers.
    n_without_helpers: u32,
    rate: SteadyRate,
    n_runs: [u64; 3],
}

impl Default for ModeSelector {
    fn default() -> Self {
        Self {
            model: Model::default(),
            estimates: Estimates::NEW,
            bursts: Bursts::NEW,
            last: Mode::Serial,
            modes: [Mode::Serial; 2],
            trial: None,
            end: None,
            learning: Duration::ZERO,
            timing: Timing::NOW,
            settled: [Mode::Serial; 2],
            n_until_settled: 0,
            n_unclocked: 0,
            unclocked: Temperature::Hot,
            was_unclocked: false,
            repetition: Repetition::NONE,
            awaited: None,
            n_without_helpers: 0,
            rate: SteadyRate::UNKNOWN,
            n_runs: [0; 3],
        }
    }
}

impl ModeSelector {
    /// Creates the state with these costs, as if they had been measured.
    pub(crate) fn with_costs(costs: Costs, plan: &Plan) -> Self {
        Self {
            model: Model::new(costs, plan),
            ..Self::default()
        }
    }

    /// Replaces the nodes and their costs. The estimates stay, since the error of the model does not depend on the
    /// nodes.
    pub(crate) fn renew(&mut self, costs: Costs, plan: &Plan) {
        *self = Self {
            estimates: self.estimates.clone(),
            bursts: self.bursts,
            rate: self.rate.clone(),
            n_runs: self.n_runs,
            end: self.end,
            ..Self::with_costs(costs, plan)
        };
    }

    /// Returns the expected times. Calls `n_threads` only if the number matters.
    pub(crate) fn knowledge(&self, n_threads: impl Fn() -> usize) -> ExpectedTimes {
        let nothing = ExpectedTimes {
            n_runs: self.n_runs,
            ..ExpectedTimes::default()
        };
        if !self.model.costs.is_known() {
            return nothing;
        }
        let n_threads = if self.can_be_faster() { n_threads() } else { 1 };
        let start = |temperature| match temperature {
            Temperature::Hot => Start::Helped,
            Temperature::Cold => Start::Cold,
        };
        let ns = |mode, temperature| self.expected(start(temperature), mode, n_threads);
        let on_several = |mode, temperature| {
            let ns = ns(mode, temperature);
            ns.is_finite().then(|| Duration::from_nanos(ns as u64))
        };
        let expected = [Temperature::Hot, Temperature::Cold].map(|temperature| Expected {
            is_hot: temperature == Temperature::Hot,
            serial: Duration::from_nanos(ns(Mode::Serial, temperature) as u64),
            timetabled: on_several(Mode::Timetabled, temperature),
            parallel: on_several(Mode::Parallel, temperature),
        });
        ExpectedTimes {
            expected: expected.into(),
            ..nothing
        }
    }

    pub(crate) fn costs(&self) -> &Costs {
        &self.model.costs
    }

    /// Returns the assumed temperature of the next run, if it is so short that it is serial without a look at the clock.
    pub(crate) fn skips_clock(&mut self) -> Option<Temperature> {
        if self.awaited.is_some() {
            self.n_unclocked = 0;
        }
        if self.n_unclocked == 0 {
            return None;
        }
        self.n_unclocked -= 1;
        self.was_unclocked = self.unclocked == Temperature::Hot;
        if self.was_unclocked {
            self.rate.note_hot();
        }
        self.n_runs[Mode::Serial as usize] += 1;
        Some(self.unclocked)
    }

    /// The number of next runs that do not read the clock.
    #[cfg(test)]
    pub(crate) fn n_unclocked(&mut self) -> &mut u32 {
        &mut self.n_unclocked
    }

    /// Whether several threads can be faster.
    pub(crate) fn can_be_faster(&self) -> bool {
        self.model.can_be_faster()
    }

    /// Returns the mode of the run that starts now, if it repeats the last choice. Most runs do, so they only read the
    /// clock. A choice after a pause takes microseconds, since the caches are cold.
    #[inline]
    pub(crate) fn repetition(&mut self, now: Instant) -> Option<(Mode, Temperature)> {
        let temperature = self.temperature(now);
        let start = self.steady(temperature, self.last);
        if !self.repetition.repeats(start) {
            return None;
        }
        self.note_begin(temperature, now);
        self.n_runs[self.last as usize] += 1;
        Some((self.last, temperature))
    }

    /// Records the time of a run that repeated the last choice. The next [`choose`](Self::choose) learns from it.
    #[inline]
    pub(crate) fn end_repetition(&mut self, start: Instant, end: Instant) {
        (self.end, self.learning) = (Some(end), Duration::ZERO);
        self.repetition.note(end.saturating_duration_since(start));
    }

    /// Ends a recorded run that repeated the last choice. Its time is not learned, because recording has added to it.
    pub(crate) fn end_recorded_repetition(&mut self, end: Instant) {
        (self.end, self.learning) = (Some(end), Duration::ZERO);
    }

    fn learn_from_habit(&mut self, n_threads: usize) {
        let (start, took) = self.repetition.end();
        for took in took {
            self.learn_time(start, self.last, took, n_threads);
        }
    }

    /// Counts a run, and detects the end of a burst.
    #[inline]
    fn note_begin(&mut self, temperature: Temperature, now: Instant) {
        let is_pause = |end| now.saturating_duration_since(end) >= HOT + self.learning;
        let is_burst_over = temperature == Temperature::Cold
            && !core::mem::take(&mut self.was_unclocked)
            && self.end.is_none_or(is_pause);
        if is_burst_over {
            self.rate.note_begin(now);
            self.bursts.begin();
        } else {
            self.rate.note_hot();
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

    /// Chooses the mode of the run that starts now.
    pub(crate) fn choose(&mut self, now: Instant, n_threads: usize) -> ModeChoice {
        self.learn_from_habit(n_threads);
        let temperature = self.temperature(now);
        self.note_begin(temperature, now);
        let (mut mode, mut is_tried) = (Mode::Serial, false);
        let mut limit = FIRST_LIMIT;
        if self.model.costs.is_known() {
            if n_threads > 1 && self.can_be_faster() {
                (mode, is_tried) = self.best_mode(temperature, n_threads);
            }
            let serial = self.steady(temperature, Mode::Serial);
            let serial = self.expected(serial, Mode::Serial, n_threads);
            limit = Duration::from_nanos((1.5 * serial) as u64) + FIRST_LIMIT;
        }
        if mode != self.settled[temperature as usize] {
            self.settled[temperature as usize] = mode;
            self.n_until_settled = SETTLED;
        }
        let is_timed = self.timing.is_due();
        ModeChoice {
            mode,
            is_timed,
            limit,
            max_helpers: self.n_workers(n_threads) as u32 - 1,
            temperature,
            is_tried,
            is_watched: is_timed,
            has_planned: false,
        }
    }

    /// Returns the mode with the least expected time, or a mode to try, and whether it is a trial.
    fn best_mode(&mut self, temperature: Temperature, n_threads: usize) -> (Mode, bool) {
        if let Some(trial) = &mut self.trial
            && trial.temperature == temperature
        {
            let mode = trial.mode;
            trial.n_left -= 1;
            if trial.n_left == 0 {
                self.trial = None;
            }
            return (mode, true);
        }
        let ahead = RemainingBurst {
            auto: self,
            temperature,
            n_threads,
            left: self.bursts.left(),
        };
        let total = |mode| ahead.total(mode);
        let this = self.modes[temperature as usize];
        let least = |a: &Mode, b: &Mode| total(*a).total_cmp(&total(*b));
        let least = Mode::ALL.into_iter().min_by(least).unwrap_or(this);
        let clearly = match this {
            Mode::Serial => SWITCH_RATIO[temperature as usize],
            Mode::Timetabled | Mode::Parallel => SWITCH_RATIO[Temperature::Hot as usize],
        };
        let (now, later) = ahead.of(this);
        let is_better =
            total(least) < clearly * now + SWITCH_RATIO[Temperature::Hot as usize] * later;
        let best = if is_better { least } else { this };
        let of_best = total(best);
        let (now_of_best, _) = ahead.of(best);
        let is_worth_it = |&mode: &Mode| {
            let estimate = self.estimates.of(self.steady(temperature, mode), mode);
            let (now, later) = ahead.at_best(mode);
            let mut at_best = now + later;
            let bearable = match mode {
                Mode::Serial => {
                    // Later runs may use the best mode, so the total can hide that this one is slow.
                    at_best = at_best.max(of_best * now / now_of_best);
                    // `n` threads are at most `n` times as fast, even if measured costs suggest more.
                    at_best = at_best.min(n_threads as f64 * of_best);
                    if estimate.is_known() || self.model.mean_cost() > UNRELIABLE_COST_NS {
                        TRIAL_RATIO
                    } else {
                        FIRST_TRIAL_RATIO
                    }
                }
                Mode::Timetabled | Mode::Parallel => SWITCH_RATIO[temperature as usize],
            };
            mode != best && estimate.age >= estimate.patience && at_best < bearable * of_best
        };
        let tried = Mode::ALL.into_iter().find(is_worth_it);
        for mode in Mode::ALL {
            let steady = self.steady(temperature, mode);
            let estimate = self.estimates.of_mut(steady, mode);
            estimate.age_by(1 + REPEATED_RUNS, mode == best);
        }
        self.modes[temperature as usize] = best;
        let Some(tried) = tried else {
            return (best, false);
        };
        let steady = self.steady(temperature, best);
        let deviation = self.estimates.of(steady, best).deviation;
        let steady = self.steady(temperature, tried);
        if self.estimates.of_mut(steady, tried).retry(deviation) {
            self.estimates.of_mut(Start::Alone, tried).reduce_weight();
        }
        self.trial = Some(ModeTrial {
            mode: tried,
            temperature,
            n_left: TRIAL - 1,
        });
        (tried, true)
    }

    /// The start of a run that follows a run of the same mode.
    fn steady(&self, temperature: Temperature, mode: Mode) -> Start {
        match temperature {
            Temperature::Hot => Start::Helped,
            Temperature::Cold if self.awaited == Some(mode) => Start::Awaited,
            Temperature::Cold => Start::Cold,
        }
    }

    /// The start of the next run, if it has this mode.
    fn start(&self, temperature: Temperature, mode: Mode) -> Start {
        match temperature {
            Temperature::Hot if mode != self.last => Start::Alone,
            _ => self.steady(temperature, mode),
        }
    }

    /// Nanoseconds: the expected time of a run.
    fn expected(&self, start: Start, mode: Mode, n_threads: usize) -> f64 {
        let ratio = self.estimates.of(start, mode).ratio;
        ratio * self.model.ns(start, mode, n_threads)
    }

    /// The maximum number of threads that can be busy at once: at least two, at most `n_threads`.
    pub(crate) fn n_workers(&self, n_threads: usize) -> usize {
        self.model.n_workers(n_threads)
    }

    /// Learns from a run. `took`: its time, or `None` if the mode changed during the run.
    pub(crate) fn learn(
        &mut self,
        choice: ModeChoice,
        end: Instant,
        took: Option<Duration>,
        n_threads: usize,
        nodes: &mut Nodes,
        plan: &Plan,
    ) {
        let start = self.start(choice.temperature, choice.mode);
        self.end = Some(end);
        self.last = choice.mode;
        self.n_runs[choice.mode as usize] += 1;
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
            self.timing.time_soon();
            return;
        };
        let timing = if choice.is_watched {
            self.timing.overhead().as_secs_f64()
        } else {
            0.0
        };
        if timing < 0.02 * took.as_secs_f64() && !choice.has_planned {
            self.learn_time(start, choice.mode, took, n_threads);
        }
        // This run may have shown costs with too little parallelism for several threads.
        let may_stay = choice.mode == Mode::Serial || self.can_be_faster();
        if may_stay
            && !choice.is_tried
            && !choice.has_planned
            && self.timing.may_skip(REPEATED_RUNS)
        {
            let start = self.steady(choice.temperature, choice.mode);
            self.repetition.form(start);
        }
        // If every run follows a pause, the expected rest of a burst is this run.
        let is_alone = choice.temperature == Temperature::Cold && self.bursts.left() < 1.5;
        let is_serial = choice.mode == Mode::Serial
            && !choice.is_tried
            && self.awaited.is_none()
            && (is_alone || !self.can_be_faster());
        if took < SHORT && is_serial && self.timing.may_skip(UNCLOCKED_RUNS) {
            (self.n_unclocked, self.unclocked) = (UNCLOCKED_RUNS, choice.temperature);
        }
    }

    /// Corrects the estimate of a mode by the time of one run.
    fn learn_time(&mut self, start: Start, mode: Mode, took: Duration, n_threads: usize) {
        let model = self.model.ns(start, mode, n_threads);
        // Not finite if costs have changed since the choice, so that the mode is no longer possible.
        if !(model > 0.0 && model.is_finite()) {
            return;
        }
        let estimate = self.estimates.of_mut(start, mode);
        if estimate.learn(took.as_nanos() as f64, model) {
            self.timing.time_soon();
        }
    }

    fn learn_costs(&mut self, end: Instant, nodes: &mut Nodes, plan: &Plan) {
        let before = self.model.costs.work();
        let (n_timed, slowdown) = self.model.learn(nodes, plan);
        self.timing.note_timed(n_timed);
        let after = self.model.costs.work();
        let mut change = after.max(1) as f64 / before.max(1) as f64;
        if self.n_until_settled > 0 && before > 0 {
            // Systems take longer while others run at the same time. The ratios are scaled so that no expected time
            // changes, up to a factor of two.
            self.n_until_settled -= 1;
            for estimate in self.estimates.all_mut() {
                estimate.ratio /= slowdown.clamp(0.5, 2.0);
            }
            change /= slowdown;
        }
        if !(0.67..1.5).contains(&change) {
            // The estimates relate to costs that are no longer valid.
            self.estimates = Estimates::NEW;
        }
        self.timing.plan(after, || end.elapsed());
    }

    /// Whether plans for several threads have to be made: there are none, or the costs have changed.
    pub(crate) fn must_plan(&self, now: Instant, n_threads: usize) -> bool {
        self.model.planned.is_due(now, n_threads)
    }

    /// Records new plans for the known costs and `n_threads`. `makespan`: that of the timetable, if there is one.
    /// `has_parallel`: whether two nodes can run at the same time. `made`: the start and the duration of planning.
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

    /// Enables and disables nodes. `is_on`: by rank.
    pub(crate) fn switch(&mut self, is_on: impl Iterator<Item = bool>, plan: &Plan) {
        self.model.switch(is_on, plan);
        self.discard_choice();
    }

    /// Discards the last choice and any trial. The next runs are chosen anew, and timed.
    pub(crate) fn discard_choice(&mut self) {
        (self.repetition, self.n_unclocked, self.trial) = (Repetition::NONE, 0, None);
        self.timing.restart();
    }
}
