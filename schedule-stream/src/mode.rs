//! Which way events are processed: one after the other on the thread that calls, or on several at once.
//!
//! What an event takes is measured by the stretch, each way. Several threads are tried when events take long enough for it,
//! and kept as long as more events are processed in the same time so, by many stretches: in one of them a thread may have been
//! interrupted, and in some events may have to wait for each other that do not later. Stretches go on from call to call:
//! if calls are so short that helpers are woken in each, that is part of what it costs. After a trial that did not pay, the next
//! one waits: twice as long if nothing was won, and the longer the more was lost. So a stream of which hardly two events can be processed
//! at once loses little by trying.
//!
//! Short events, which usually take less than 300 ns, are on one thread unless several are clearly faster by the clock. Little can
//! be won there, and on a busy machine a thread that is interrupted while others wait for it costs as much as thousands of
//! them. So the measurements that speak for several threads are taken at their worst, and those for one thread at their best:
//! nothing that several threads did is passed over, and of one thread the stretches in which it was interrupted do not count.
//! A trial that loses time is followed by a pause of 100 times as long, so that trials take about 1 % of the time at most.
//!
//! There are two ways to keep events in order then, [`Order`]. The other one is tried where the first does not pay, and now and
//! then, more and more seldom, where it does: the faster one is kept.

mod cost;
mod order;
mod pause;
mod piece;
#[cfg(test)]
mod tests;
mod trial;

use core::time::Duration;

use self::cost::Cost;
pub(super) use self::order::Order;
use self::pause::Pause;
use self::piece::Piece;
use self::trial::{N_PROVEN, Trial, Verdict, share};
use schedule::internal::Instant;

/// Of events that take less than this, in nanoseconds, two threads cannot process more than one: to put them in order takes
/// as long.
const LEAST_NS: f64 = 60.0;
/// Events that usually take less than this, in nanoseconds, are short.
const SHORT_NS: f64 = 300.0;
/// So many stretches on one thread before several are tried; and so many of short events.
const N_INLINE: u32 = 8;
const N_INLINE_SHORT: u32 = 64;
/// So many stretches of the other order are compared: more, if they differ, as some events take much longer than most.
const N_CHALLENGE: [u32; 2] = [3, 16];
/// It is kept if it is so many times as fast.
const BETTER: f64 = 1.02;
/// So many looks are between two challenges: at least, and at most.
const CHALLENGES: [u32; 2] = [1, 16];
/// As long as an order is not known to pay, so few events are in flight, or as many as one thread processes in this time:
/// all of them are processed by it, however long that takes. A challenger may have as many as the one that it is compared with
/// had.
const FEW: u64 = 256;
const FEW_TIME: Duration = Duration::from_millis(1);

/// Which way is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// On this thread, so many events.
    Inline(usize),
    /// On several.
    Parallel(Order),
}

/// See the module.
#[derive(Debug)]
pub(super) struct ModeSelector {
    /// What an event takes on one thread.
    cost: Cost,
    /// As long as several threads process events.
    trial: Option<Trial>,
    /// The order that was kept until now: it waits while the other one is tried.
    champion: Option<Trial>,
    /// Whether the other order was tried since events were last processed on one thread.
    has_tried_both: bool,
    /// So many looks until the next challenge, and between two of them.
    looks: u32,
    looks_between: u32,
    /// Whether this run ends: the next one is by another order, or more events may be in flight in it.
    must_end: bool,
    /// Between trials.
    pause: Pause,
    /// Of the stretch that is going on, as far as it was not noted.
    piece: Option<Piece>,
    /// Measures the time in which the remaining events are processed after a trial has ended.
    end_piece: Option<Piece>,
}

impl ModeSelector {
    pub(super) fn new() -> Self {
        Self {
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

    /// What to do next.
    pub(super) fn next_mode(&mut self) -> Mode {
        if self.cost.is_looking() {
            return Mode::Inline(self.cost.next());
        }
        self.must_end = false;
        if let Some(trial) = &self.trial {
            return Mode::Parallel(trial.order);
        }
        let n_wanted = match self.is_short() {
            true => N_INLINE_SHORT,
            false => N_INLINE,
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

    /// Whether events usually take so little that several threads have to show more: see the module.
    fn is_short(&self) -> bool {
        self.cost.steady_ns().is_some_and(|ns| ns < SHORT_NS)
    }

    /// Nanoseconds that an event takes on one thread, for several to be compared with.
    fn inline_ns(&self) -> Option<f64> {
        match self.is_short() {
            true => self.cost.steady_ns(),
            false => self.cost.ns(),
        }
    }

    fn is_pause_over(&self) -> bool {
        self.pause.is_over(self.inline_ns(), self.is_short())
    }

    /// How many events may be in flight, on several threads.
    pub(super) fn most(&self) -> u64 {
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

    /// So many events took this long on one thread.
    pub(super) fn note_inline(&mut self, n: usize, time: Duration) {
        self.cost.note(n, time);
        self.pause.waited += time;
    }

    /// Several threads begin to process events.
    pub(super) fn begin(&mut self) {
        // What panicked did not rest.
        (self.piece, self.end_piece) = (None, None);
    }

    /// Whether it goes on so on several threads, after the outcomes of so many events more were told, and `n_processed` were
    /// processed in all: outcomes are told in order, so many at once when the oldest comes. If not, what is in flight is
    /// processed yet.
    pub(super) fn goes_on(&mut self, n_reported: usize, n_processed: impl Fn() -> u64) -> bool {
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

    /// Nothing of that counts which comes until [`goes_on`](Self::goes_on) is called again: the call is over, or there is
    /// nothing to do. So many events were processed in all.
    pub(super) fn rest(&mut self, n_processed: u64) {
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

    /// So many events were processed in this time, on several threads: what that may have lost.
    fn note_loss(&mut self, n: usize, time: Duration) {
        let ns = time.as_nanos() as f64;
        // Of short events nothing is passed over.
        let share = if self.is_short() { 1.0 } else { share(ns) };
        self.pause.note_trial(share * n as f64, share * ns);
    }

    /// So many events were processed in this time, on several threads.
    fn note(&mut self, n: usize, time: Duration) {
        self.note_loss(n, time);
        let is_short = self.is_short();
        let (Some(inline_ns), Some(trial)) = (self.inline_ns(), &mut self.trial) else {
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
                self.cost.look();
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
        self.trial = order.map(Trial::new);
        self.must_end = true;
    }

    /// A stretch of the challenger had this verdict.
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
