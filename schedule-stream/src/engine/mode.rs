//! Selects the mode: whether one thread or several process the events.
//!
//! The time per event is measured in stretches of each mode. Several threads are tried if events take long enough. They
//! are kept while they process more events in the same time than one thread, over many stretches: in one stretch a
//! thread may have been interrupted, or events may have waited for each other. Stretches continue across calls. If
//! calls are so short that helpers are woken in each, their wake-up counts as cost.
//!
//! After a trial that did not pay, the next trial is delayed: twice as long if it won nothing, and longer if it lost
//! more. So a stream whose events can hardly run in parallel loses little by trials.
//!
//! Short events usually take less than 300 ns. They stay on one thread unless several threads are clearly faster in
//! elapsed time. Little can be won for them, and on a busy machine an interrupted thread for which others wait costs as
//! much as thousands of events. So measurements of several threads count at their worst: no stretch is ignored.
//! Measurements of one thread count at their best: stretches with interruptions are ignored. A trial that loses time is
//! followed by a pause of 100 times that time, so trials take at most about 1 % of the time.
//!
//! Several threads keep events in order with lanes or queues: see [`Order`]. If one does not pay, the other one is
//! tried. If it pays, the other one is tried from time to time, at increasing intervals, and the faster one is kept.
//!
//! If the user requires several threads, one thread is neither tried nor measured. Only the two orders are compared.

mod cost;
mod order;
mod pause;
mod piece;
#[cfg(test)]
mod tests;
mod trial;

use core::time::Duration;

use self::cost::Cost;
pub(crate) use self::order::Order;
use self::pause::Pause;
use self::piece::Piece;
use self::trial::{N_PROVEN, Trial, Verdict, share};
use schedule::internal::Instant;

/// If events take less than this, in nanoseconds, two threads are not faster than one: ordering an event takes as long.
const LEAST_NS: f64 = 60.0;
/// Events that usually take less than this, in nanoseconds, are short.
const SHORT_NS: f64 = 300.0;
/// Number of stretches on one thread before several are tried, and the number for short events.
const N_INLINE: u32 = 8;
const N_INLINE_SHORT: u32 = 64;
/// Number of stretches of a challenger that are compared. The second number applies if the stretches differ, because
/// some events take much longer than most.
const N_CHALLENGE: [u32; 2] = [3, 16];
/// A challenger is kept if it is faster by this factor.
const BETTER: f64 = 1.02;
/// The minimum and maximum number of looks between two challenges.
const CHALLENGES: [u32; 2] = [1, 16];
/// The limit of events in flight while it is not known that an order pays: this number, or the number that one thread
/// processes in this time. In the worst case one thread has to process all of them. A challenger may have as many as
/// the champion had.
const FEW: u64 = 256;
const FEW_TIME: Duration = Duration::from_millis(1);

/// The time of an event on one thread, in nanoseconds, if it is not measured. The orders are then compared with each
/// other only, so any number has the same result.
const ANY_NS: f64 = 1.0;

/// How events are processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// On the calling thread, up to this number of events.
    Inline(usize),
    /// On several threads, with this order.
    Parallel(Order),
}

/// See the module.
#[derive(Debug)]
pub(crate) struct ModeSelector {
    /// Whether one thread is never selected. Then only the orders are compared.
    is_always_parallel: bool,
    /// The time of an event on one thread.
    cost: Cost,
    /// The trial of several threads, while they process events.
    trial: Option<Trial>,
    /// The trial of the order that was kept so far, while the other order is tried.
    champion: Option<Trial>,
    /// Whether the other order was tried since events were last processed on one thread.
    has_tried_both: bool,
    /// The number of looks until the next challenge, and between two challenges.
    looks: u32,
    looks_between: u32,
    /// Whether this run must end, because the next one has another order or another limit of events in flight.
    must_end: bool,
    /// The pause between trials.
    pause: Pause,
    /// The part of the current stretch that is not noted yet.
    piece: Option<Piece>,
    /// Measures the time in which the remaining events are processed after a trial has ended.
    end_piece: Option<Piece>,
}

impl ModeSelector {
    pub(crate) fn new() -> Self {
        Self {
            is_always_parallel: false,
            cost: Cost::new(),
            trial: None,
            champion: None,
            has_tried_both: false,
            looks: CHALLENGES[0],
            looks_between: CHALLENGES[0],
            must_end: false,
            pause: Pause::default(),
            piece: None,
            end_piece: None,
        }
    }

    /// Creates a selector that never selects one thread. It starts with queues: lanes may give two long events to one thread.
    pub(crate) fn always_parallel() -> Self {
        Self {
            is_always_parallel: true,
            trial: Some(Trial::endless(Order::Queues)),
            ..Self::new()
        }
    }

    /// Returns the next mode.
    pub(crate) fn next_mode(&mut self) -> Mode {
        if self.cost.is_looking() {
            return Mode::Inline(self.cost.next());
        }
        self.must_end = false;
        if let Some(trial) = &self.trial {
            return Mode::Parallel(trial.order);
        }
        let n_wanted = if self.is_short() {
            N_INLINE_SHORT
        } else {
            N_INLINE
        };
        let is_long = self.inline_ns().is_some_and(|ns| ns >= LEAST_NS);
        if is_long && self.cost.n_stretches >= n_wanted && self.is_pause_over() {
            self.trial = Some(Trial::new(Order::Lanes));
            self.has_tried_both = false;
            self.pause.begin_trial();
            [self.looks, self.looks_between] = [CHALLENGES[0]; 2];
            return Mode::Parallel(Order::Lanes);
        }
        Mode::Inline(self.cost.next())
    }

    /// Returns whether events are short: see the module.
    fn is_short(&self) -> bool {
        self.cost.steady_ns().is_some_and(|ns| ns < SHORT_NS)
    }

    /// Returns the time of an event on one thread, in nanoseconds, to compare several threads with.
    fn inline_ns(&self) -> Option<f64> {
        if self.is_short() {
            self.cost.steady_ns()
        } else {
            self.cost.ns()
        }
    }

    fn is_pause_over(&self) -> bool {
        self.pause.is_over(self.inline_ns(), self.is_short())
    }

    /// Returns the maximum number of events in flight, on several threads.
    pub(crate) fn most(&self) -> u64 {
        let has_few = match (&self.champion, &self.trial) {
            (Some(champion), _) => champion.n_measured <= N_PROVEN,
            (None, Some(trial)) => trial.n_measured < N_PROVEN,
            (None, None) => false,
        };
        match (has_few, self.inline_ns()) {
            (true, Some(ns)) => FEW.max((FEW_TIME.as_nanos() as f64 / ns) as u64),
            _ => u64::MAX,
        }
    }

    /// Notes that `n` events took this time on one thread.
    pub(crate) fn note_inline(&mut self, n: usize, time: Duration) {
        if self.is_always_parallel {
            return;
        }
        self.cost.note(n, time);
        self.pause.waited += time;
    }

    /// Starts a run on several threads.
    pub(crate) fn begin(&mut self) {
        // A run that panicked has not called `rest`.
        (self.piece, self.end_piece) = (None, None);
    }

    /// Returns whether the run on several threads continues. `n_reported` outcomes were reported since the last call,
    /// and `n_processed` returns the number of processed events in all. Outcomes are reported in order, so many are
    /// reported together when the oldest event completes. If the run ends, events in flight are still processed.
    pub(crate) fn goes_on(&mut self, n_reported: usize, n_processed: impl Fn() -> u64) -> bool {
        if !self.is_going_on() {
            return false;
        }
        let start = || Piece::new(Instant::now(), n_processed());
        let piece = self.piece.get_or_insert_with(start);
        if !piece.wants_look(n_reported) {
            return true;
        }
        let (now, n_now) = (Instant::now(), n_processed());
        let (time, n) = (now - piece.start, n_now.saturating_sub(piece.n_before));
        let Some(trial) = &self.trial else {
            return false;
        };
        if trial.time + time < trial.wanted() {
            return true;
        }
        self.piece = Some(Piece::new(now, n_now));
        self.note(n as usize, time);
        if !self.is_going_on() {
            // Events still in flight do not count for the verdict, only for the loss.
            self.end_piece = self.piece.take();
        }
        self.is_going_on()
    }

    fn is_going_on(&self) -> bool {
        self.trial.is_some() && !self.cost.is_looking() && !self.must_end
    }

    /// Stops the measurement until the next call of [`goes_on`](Self::goes_on), because the call has ended or no event
    /// is available. `n_processed` is the number of processed events in all.
    pub(crate) fn rest(&mut self, n_processed: u64) {
        if let Some(Piece {
            start, n_before, ..
        }) = self.piece.take()
        {
            let n = n_processed.saturating_sub(n_before);
            self.note(n as usize, start.elapsed());
        }
        if let Some(Piece {
            start, n_before, ..
        }) = self.end_piece.take()
        {
            let n = n_processed.saturating_sub(n_before);
            self.note_loss(n as usize, start.elapsed());
        }
    }

    /// Notes `n` events that several threads processed in this time, for the loss of the trial.
    fn note_loss(&mut self, n: usize, time: Duration) {
        let ns = time.as_nanos() as f64;
        // For short events, each stretch counts in full.
        let share = if self.is_short() { 1.0 } else { share(ns) };
        self.pause.note_trial(share * n as f64, share * ns);
    }

    /// Notes `n` events that several threads processed in this time.
    fn note(&mut self, n: usize, time: Duration) {
        self.note_loss(n, time);
        let is_short = self.is_short();
        let inline_ns = if self.is_always_parallel {
            Some(ANY_NS)
        } else {
            self.inline_ns()
        };
        let (Some(inline_ns), Some(trial)) = (inline_ns, &mut self.trial) else {
            return;
        };
        let verdict = trial.note(n, time, inline_ns, is_short);
        if self.champion.is_some() {
            self.note_challenge(verdict);
            return;
        }
        match verdict {
            Verdict::GoOn => {}
            Verdict::Look => {
                if !self.is_always_parallel {
                    self.cost.look();
                }
                self.looks = self.looks.saturating_sub(1);
                if self.looks == 0 {
                    self.challenge();
                }
            }
            Verdict::Leave if !self.has_tried_both => {
                self.has_tried_both = true;
                self.must_end = true;
                *trial = Trial::new(trial.order.other());
            }
            Verdict::Leave => {
                self.trial = None;
                self.pause.end_trial(inline_ns);
            }
        }
    }

    /// Tries the other order.
    fn challenge(&mut self) {
        self.has_tried_both = true;
        self.champion = self.trial.take();
        let order = self
            .champion
            .as_ref()
            .map(|champion| champion.order.other());
        self.trial = order.map(if self.is_always_parallel {
            Trial::endless
        } else {
            Trial::new
        });
        self.must_end = true;
    }

    /// Notes a stretch of the challenger, which had this verdict.
    fn note_challenge(&mut self, verdict: Verdict) {
        let (Some(challenger), Some(champion)) = (&self.trial, &self.champion) else {
            return;
        };
        let is_left = verdict == Verdict::Leave;
        let [few, many] = N_CHALLENGE;
        let wanted = if challenger.is_steady() { few } else { many };
        if !is_left && challenger.n_measured < wanted {
            return;
        }
        let is_better = !is_left && challenger.rate() > BETTER * champion.rate();
        let champion = self.champion.take();
        self.must_end = true;
        if is_better {
            self.looks_between = CHALLENGES[0];
        } else {
            self.looks_between = (2 * self.looks_between).min(CHALLENGES[1]);
            self.trial = champion.map(Trial::taken_up);
        }
        self.looks = self.looks_between;
    }
}
