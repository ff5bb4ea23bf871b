//! Which way events are processed: one after the other on the thread that calls, or on several at once.
//!
//! What an event takes is measured by the stretch, each way. Several threads are tried when events take long enough for it,
//! and kept as long as more events are processed in the same time so, by many stretches: in one of them a thread may have been
//! interrupted, and in some events may have to wait for each other that do not later. Stretches go on from call to call:
//! if calls are so short that helpers are woken in each, that is part of what it costs. After a trial that did not pay, the next
//! one waits: twice as long if nothing was won, and the longer the more was lost. So a stream of which hardly two events can be processed
//! at once loses little by trying.
//!
//! There are two ways to keep events in order then, [`Order`]. The other one is tried where the first does not pay, and now and
//! then, more and more seldom, where it does: the faster one is kept.

mod cost;
mod order;
mod trial;

use core::time::Duration;
use std::time::Instant;

use self::cost::Cost;
pub(super) use self::order::Order;
use self::trial::{N_PROVEN, Trial, Verdict, share};

/// Of events that take less than this, in nanoseconds, two threads cannot process more than one: to put them in order takes
/// as long.
const LEAST_NS: f64 = 60.0;
/// So many stretches on one thread before several are tried.
const N_INLINE: u32 = 8;

/// The clock is looked at after so many events, at most.
const MOST_UNSEEN: usize = 64;
/// So many stretches of the other order are compared: more, if they differ, as some events take much longer than most.
const N_CHALLENGE: [u32; 2] = [3, 16];
/// It is kept if it is so many times as fast.
const BETTER: f64 = 1.02;
/// So many looks are between two challenges: at least, and at most.
const CHALLENGES: [u32; 2] = [1, 16];
/// As long as an order is not known to pay, so few events are on their way, or as many as one thread processes in this time:
/// all of them are processed by it, however long that takes. A challenger may have as many as the one that it is compared with
/// had.
const FEW: u64 = 256;
const FEW_TIME: Duration = Duration::from_millis(1);
/// The shortest and the longest pause between two trials.
const PAUSES: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(500)];
/// Within these, a pause is at least so many times as long as what the trial before it has lost.
const OF_LOSS: f64 = 100.0;

/// Which way is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// On this thread, so many events.
    Inline(usize),
    /// On several.
    Parallel(Order),
}

/// See the module.
#[derive(Debug)]
pub(super) struct Pace {
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
    /// Whether this run ends: the next one is by another order, or more events may be on their way in it.
    must_end: bool,
    /// Before the next trial events are processed on one thread for so long at least, and how long they were: what passes between
    /// calls does not count.
    pause: Duration,
    waited: Duration,
    /// What was measured on several since the last trial began: so many events, and nanoseconds.
    tried: f64,
    tried_ns: f64,
    /// Of the stretch that is going on, as far as it was not noted.
    piece: Option<Piece>,
}

/// A part of a stretch.
#[derive(Clone, Copy, Debug)]
struct Piece {
    start: Instant,
    /// How many events were processed by then.
    n_before: u64,
    /// How many were told since, and at how many the clock is looked at.
    n_told: usize,
    next_look: usize,
}

impl Piece {
    fn new(start: Instant, n_before: u64) -> Self {
        Self {
            start,
            n_before,
            n_told: 0,
            next_look: 1,
        }
    }
}

impl Pace {
    pub(super) fn new() -> Self {
        Self {
            cost: Cost::new(),
            trial: None,
            champion: None,
            has_tried_both: false,
            looks: CHALLENGES[0],
            looks_between: CHALLENGES[0],
            must_end: false,
            pause: Duration::ZERO,
            waited: Duration::ZERO,
            tried: 0.0,
            tried_ns: 0.0,
            piece: None,
        }
    }

    /// What to do next.
    pub(super) fn way(&mut self) -> Way {
        if self.cost.is_looking() {
            return Way::Inline(self.cost.next());
        }
        self.must_end = false;
        if let Some(trial) = &self.trial {
            return Way::Parallel(trial.order);
        }
        let is_long = self.cost.ns().is_some_and(|ns| ns >= LEAST_NS);
        if is_long && self.cost.n_stretches >= N_INLINE && self.waited >= self.wait() {
            self.trial = Some(Trial::new(Order::Lanes));
            self.has_tried_both = false;
            [self.tried, self.tried_ns] = [0.0; 2];
            [self.looks, self.looks_between] = [CHALLENGES[0]; 2];
            return Way::Parallel(Order::Lanes);
        }
        Way::Inline(self.cost.next())
    }

    /// How many nanoseconds more than one thread would have needed the last trial took, or takes: negative if fewer.
    fn lost_ns(&self) -> f64 {
        self.tried_ns - self.tried * self.cost.ns().unwrap_or(0.0)
    }

    /// How long it is from one trial to the next: what was lost is known better and better.
    fn wait(&self) -> Duration {
        let of_loss = Duration::from_nanos((OF_LOSS * self.lost_ns()) as u64);
        self.pause.max(of_loss).min(PAUSES[1])
    }

    /// How many events may be on their way, on several threads.
    pub(super) fn most(&self) -> u64 {
        let has_few = match (&self.champion, &self.trial) {
            (Some(champion), _) => champion.n_measured <= N_PROVEN,
            (None, Some(trial)) => trial.n_measured < N_PROVEN,
            (None, None) => false,
        };
        match (has_few, self.cost.ns()) {
            (true, Some(ns)) => FEW.max((FEW_TIME.as_nanos() as f64 / ns) as u64),
            _ => u64::MAX,
        }
    }

    /// So many events took this long on one thread.
    pub(super) fn note_inline(&mut self, n: usize, time: Duration) {
        self.cost.note(n, time);
        self.waited += time;
    }

    /// Several threads begin to process events.
    pub(super) fn begin(&mut self) {
        // What panicked did not rest.
        self.piece = None;
    }

    /// Whether it goes on so on several threads, after the outcomes of so many events more were told, and `n_processed` were
    /// processed in all: outcomes are told in order, so many at once when the oldest comes. If not, what is on its way is
    /// processed yet.
    pub(super) fn goes_on(&mut self, n_told: usize, n_processed: impl Fn() -> u64) -> bool {
        if !self.is_going_on() {
            return false;
        }
        let start = || Piece::new(Instant::now(), n_processed());
        let piece = self.piece.get_or_insert_with(start);
        piece.n_told += n_told;
        if piece.n_told < piece.next_look {
            return true;
        }
        piece.next_look = piece.n_told + (piece.n_told / 4).clamp(1, MOST_UNSEEN);
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
            // What is on its way yet is not measured.
            self.piece = None;
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
    }

    /// So many events were processed in this time, on several threads.
    fn note(&mut self, n: usize, time: Duration) {
        let (Some(trial), Some(inline_ns)) = (&mut self.trial, self.cost.ns()) else {
            return;
        };
        let ns = time.as_nanos() as f64;
        self.tried += share(ns) * n as f64;
        self.tried_ns += share(ns) * ns;
        let verdict = trial.note(n, time, inline_ns);
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
                let [least, most] = PAUSES;
                self.pause = match self.lost_ns() < 0.0 {
                    true => least,
                    false => (2 * self.pause).clamp(least, most),
                };
                self.waited = Duration::ZERO;
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

#[cfg(test)]
mod tests {
    use core::cell::Cell;

    use super::*;

    const STRETCH: Duration = Duration::from_micros(600);

    #[test]
    fn nothing_is_tried_before_it_is_known_what_events_take() {
        let mut pace = Pace::new();
        for nth in 0..N_INLINE {
            assert!(matches!(pace.way(), Way::Inline(_)));
            let cold = if nth == 0 { 10 } else { 1 };
            pace.note_inline(100, Duration::from_micros(100 * cold));
        }
        assert_eq!(
            pace.cost.ns(),
            Some(1_000.0),
            "not what the first ones took"
        );
        assert_eq!(pace.way(), Way::Parallel(Order::Lanes));
    }

    /// What so many stretches on several threads are by, if events of the nth take so long on one, and each order is so many
    /// times as fast.
    fn orders(
        n: usize,
        inline_ns: impl Fn(usize) -> f64,
        speed: impl Fn(Order) -> f64,
    ) -> Vec<Order> {
        let (mut pace, mut orders) = (Pace::new(), Vec::new());
        while orders.len() < n {
            let inline_ns = inline_ns(orders.len());
            match pace.way() {
                Way::Inline(n) => {
                    pace.note_inline(n, Duration::from_nanos((n as f64 * inline_ns) as u64));
                    // Any pause is over.
                    pace.waited = PAUSES[1];
                }
                Way::Parallel(order) => {
                    orders.push(order);
                    let n = speed(order) * STRETCH.as_nanos() as f64 / inline_ns;
                    pace.note(n.round() as usize, STRETCH);
                }
            }
        }
        orders
    }

    #[test]
    fn where_one_order_does_not_pay_the_other_one_does() {
        let speed = |order| if order == Order::Lanes { 0.9 } else { 1.5 };
        let orders = orders(400, |_| 1_000.0, speed);
        // The time in which helpers come, and three stretches.
        assert_eq!(
            orders[..5],
            [[Order::Lanes; 4].as_slice(), &[Order::Queues]].concat()
        );
        let n_lanes = orders
            .iter()
            .filter(|order| **order == Order::Lanes)
            .count();
        assert!(
            (5..24).contains(&n_lanes),
            "it is looked now and then: {n_lanes}"
        );
    }

    #[test]
    fn the_more_a_trial_has_lost_the_longer_is_the_pause() {
        let pause = |speed: f64| {
            let mut pace = Pace::new();
            while pace.pause.is_zero() {
                match pace.way() {
                    Way::Inline(n) => pace.note_inline(n, Duration::from_micros(n as u64)),
                    Way::Parallel(_) => pace.note((600.0 * speed) as usize, STRETCH),
                }
            }
            pace.wait()
        };
        // Four stretches of each order, in the first of which helpers come; and three of each.
        assert_eq!(pause(1.0), PAUSES[0]);
        assert_eq!(pause(0.8), Duration::from_micros(100 * 8 * 120));
        assert_eq!(pause(0.5), Duration::from_micros(100 * 6 * 300));
        assert_eq!(pause(0.0), Duration::from_micros(100 * 6 * 600));
    }

    #[test]
    fn what_was_lost_is_known_better_later() {
        let mut pace = Pace::new();
        let mut process = |inline_ns: u64, events_in_a_stretch: usize| {
            while pace.waited < pace.wait() || pace.cost.n_stretches < N_INLINE {
                let n = pace.cost.next();
                pace.note_inline(n, Duration::from_nanos(n as u64 * inline_ns));
            }
            assert!(matches!(pace.way(), Way::Parallel(_)));
            while pace.trial.is_some() {
                pace.note(events_in_a_stretch, STRETCH);
            }
            pace.wait()
        };
        let wait = process(1_000, 300);
        assert_eq!(wait, Duration::from_micros(100 * 6 * 300));
        // Meanwhile it shows that they take longer, by and by, and that nothing was lost.
        while pace.waited < pace.wait() {
            let n = pace.cost.next();
            pace.note_inline(n, Duration::from_micros(2 * n as u64));
        }
        assert!(pace.waited < wait / 10, "{:?}", pace.waited);
    }

    #[test]
    fn events_that_take_long_now_and_then_are_on_several_threads() {
        // One of a thousand takes a millisecond, all others a microsecond. How many are processed each way, all in all.
        let mut pace = Pace::new();
        let [mut n_all, mut n_inline, mut nth] = [0_usize; 3];
        let mut micros = |n: usize| {
            let n_long = (nth + n) / 1_000 - nth / 1_000;
            nth += n;
            (n + 999 * n_long) as u64
        };
        while n_all < 1_000_000 {
            n_all += match pace.way() {
                Way::Inline(n) => {
                    pace.note_inline(n, Duration::from_micros(micros(n)));
                    n_inline += n;
                    n
                }
                Way::Parallel(_) => {
                    pace.note(250, Duration::from_micros(10 * micros(250) / 17));
                    250
                }
            }
        }
        assert!(n_inline < n_all / 10, "{n_inline}");
    }

    #[test]
    fn the_next_trial_comes_when_so_much_was_processed() {
        let mut pace = Pace::new();
        let mut trial = || {
            let mut time = Duration::ZERO;
            while let Way::Inline(n) = pace.way() {
                let took = Duration::from_micros(n as u64);
                pace.note_inline(n, took);
                time += took;
            }
            while pace.trial.is_some() {
                pace.note(600, STRETCH);
            }
            time
        };
        trial();
        for millis in [5, 10, 20, 40, 80, 160, 320, 500, 500] {
            let (time, wanted) = (trial(), Duration::from_millis(millis));
            assert!((wanted..wanted + STRETCH).contains(&time), "{time:?}");
        }
    }

    #[test]
    fn an_order_that_has_won_may_have_all_events_on_their_way() {
        let mut pace = Pace::new();
        for nth in 0.. {
            match pace.way() {
                Way::Inline(n) => pace.note_inline(n, Duration::from_micros(n as u64)),
                Way::Parallel(Order::Lanes) => pace.note(800, STRETCH),
                // By fits and starts.
                Way::Parallel(Order::Queues) => {
                    assert_ne!(pace.most(), u64::MAX, "it is not known to pay");
                    pace.note(if nth % 2 == 0 { 2_000 } else { 800 }, STRETCH);
                    if pace.champion.is_none() {
                        break;
                    }
                }
            }
        }
        assert!(!pace.is_going_on(), "a run keeps what it began with");
        assert_eq!(pace.way(), Way::Parallel(Order::Queues));
        assert_eq!(pace.most(), u64::MAX);
    }

    #[test]
    fn the_faster_order_is_kept_though_both_pay() {
        let speed = |order| if order == Order::Lanes { 1.3 } else { 1.5 };
        let orders = orders(400, |_| 1_000.0, speed);
        assert_eq!(orders[..5], [Order::Lanes; 5]);
        assert_eq!(orders[5], Order::Queues, "it is challenged");
        let n_lanes = orders
            .iter()
            .filter(|order| **order == Order::Lanes)
            .count();
        assert!((6..30).contains(&n_lanes), "{n_lanes}");
    }

    #[test]
    fn what_is_faster_by_fits_and_starts_is_given_time() {
        let n = Cell::new(0);
        let speed = |order| match order {
            Order::Lanes => 1.3,
            Order::Queues => {
                n.set(n.get() + 1);
                if n.get() % 3 == 1 { 3.1 } else { 1.1 }
            }
        };
        let orders = orders(400, |_| 1_000.0, speed);
        let first = orders.iter().position(|order| *order == Order::Queues);
        let n_queues = orders.iter().filter(|order| **order == Order::Queues);
        assert_eq!(first, Some(5));
        assert!(n_queues.count() > 300, "they are kept: {orders:?}");
    }

    #[test]
    fn orders_are_compared_by_what_they_did_whatever_one_thread_seems_to_take() {
        // Looks come to 1 µs at first, and to 1.3 µs later.
        let inline_ns = |nth| if nth < 4 { 1_000.0 } else { 1_300.0 };
        let events_in_a_microsecond = |order| if order == Order::Lanes { 1.5 } else { 1.4 };
        let (mut pace, mut orders) = (Pace::new(), Vec::new());
        while orders.len() < 60 {
            match pace.way() {
                Way::Inline(n) => {
                    let ns = n as f64 * inline_ns(orders.len());
                    pace.note_inline(n, Duration::from_nanos(ns as u64));
                }
                Way::Parallel(order) => {
                    orders.push(order);
                    let n = events_in_a_microsecond(order) * STRETCH.as_micros() as f64;
                    pace.note(n as usize, STRETCH);
                }
            }
        }
        let of_queues = orders.iter().filter(|order| **order == Order::Queues);
        assert_eq!(of_queues.count(), 4, "they were tried once: {orders:?}");
    }

    #[test]
    fn what_takes_no_longer_than_to_put_it_in_order_stays_on_one_thread() {
        for (inline_ns, is_tried) in [(LEAST_NS - 1.0, false), (LEAST_NS, true)] {
            let mut pace = Pace::new();
            let mut ways = (0..2 * N_INLINE).map(|_| {
                let way = pace.way();
                if let Way::Inline(n) = way {
                    pace.note_inline(n, Duration::from_nanos((n as f64 * inline_ns) as u64));
                }
                way
            });
            assert_eq!(ways.any(|way| matches!(way, Way::Parallel(_))), is_tried);
        }
    }

    #[test]
    fn an_order_that_has_become_faster_is_found_later() {
        let n = Cell::new(0);
        let speed = |order| {
            n.set(n.get() + 1);
            match order {
                Order::Lanes => 1.3,
                Order::Queues if n.get() < 6_000 => 1.2,
                Order::Queues => 1.7,
            }
        };
        let orders = orders(16_000, |_| 1_000.0, speed);
        assert_eq!(
            [orders[5_999], orders[15_999]],
            [Order::Lanes, Order::Queues]
        );
    }

    #[test]
    fn after_one_look_it_is_known_what_events_take_now() {
        let mut pace = Pace::new();
        while let Way::Inline(n) = pace.way() {
            pace.note_inline(n, Duration::from_micros(n as u64));
        }
        while !pace.cost.is_looking() {
            pace.note(1_000, STRETCH);
        }
        while let Way::Inline(n) = pace.way() {
            pace.note_inline(n, Duration::from_nanos(300 * n as u64));
        }
        assert_eq!(pace.cost.ns(), Some(300.0));
    }

    #[test]
    fn what_was_processed_counts_whatever_was_told() {
        let mut pace = Pace::new();
        while let Way::Inline(n) = pace.way() {
            pace.note_inline(n, Duration::from_micros(n as u64));
        }
        let n_noted = |pace: &Pace| pace.trial.as_ref().map(|trial| trial.n);
        pace.begin();
        assert!(pace.goes_on(0, || 5_000));
        // Somebody panics, and another call has another order, which has processed less.
        pace.begin();
        assert!(pace.goes_on(0, || 100));
        pace.rest(1_100);
        assert_eq!(n_noted(&pace), Some(1_000));
        // What seems to go back counts for nothing.
        assert!(pace.goes_on(3, || 1_100));
        pace.rest(1_050);
        assert_eq!(n_noted(&pace), Some(1_000));
    }

    #[test]
    fn few_events_are_on_their_way_until_it_pays() {
        for (micros, n_few) in [(1, 1_000), (4, FEW), (100, FEW)] {
            let mut pace = Pace::new();
            while let Way::Inline(n) = pace.way() {
                pace.note_inline(n, micros * Duration::from_micros(n as u64));
            }
            let mut mosts = Vec::new();
            for _ in 0..14 {
                mosts.push(pace.most());
                pace.note(1_000 / micros as usize, STRETCH);
                while let Way::Inline(n) = pace.way() {
                    pace.note_inline(n, micros * Duration::from_micros(n as u64));
                }
            }
            // Lanes, then queues, which are no faster, and lanes again.
            let (few, all) = mosts.split_at(9);
            assert_eq!(few, [n_few; 9], "{micros} us");
            assert_eq!(all, [u64::MAX; 5], "{micros} us");
        }
    }
}
