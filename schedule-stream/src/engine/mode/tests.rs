//! Tests of the selection, with simulated times.

use core::cell::Cell;

use super::pause::PAUSES;
use super::*;

const STRETCH: Duration = Duration::from_micros(600);

fn pause_of(selector: &ModeSelector) -> Duration {
    selector
        .pause
        .wait(selector.inline_ns(), selector.is_short())
}

/// Returns the orders of `n` stretches that are always parallel. An order processes `events(order)` events per stretch.
fn parallel_orders(n: usize, events: impl Fn(Order) -> usize) -> Vec<Order> {
    let mut selector = ModeSelector::always_parallel();
    let mut stretch = |_| {
        let Mode::Parallel(order) = selector.next_mode() else {
            panic!("one thread was selected");
        };
        selector.begin();
        selector.note(events(order), STRETCH);
        order
    };
    (0..n).map(&mut stretch).collect()
}

#[test]
fn always_parallel_selector_keeps_the_faster_order() {
    for best in [Order::Lanes, Order::Queues] {
        for few in [0, 1, 1_000] {
            let events = |order| few + usize::from(order == best) * few.max(1);
            let orders = parallel_orders(2_000, events);
            assert_eq!(orders[0], Order::Queues);
            assert!(orders.contains(&Order::Lanes), "both orders are tried");
            let n_others = orders.iter().filter(|&&order| order != best).count();
            assert!(n_others < 200, "{best:?}, {few}: {n_others} of 2,000");
        }
    }
}

#[test]
fn trial_starts_after_the_time_of_events_is_known() {
    let mut selector = ModeSelector::new();
    for nth in 0..N_INLINE {
        assert!(matches!(selector.next_mode(), Mode::Inline(_)));
        let cold = if nth == 0 { 10 } else { 1 };
        selector.note_inline(100, Duration::from_micros(100 * cold));
    }
    assert_eq!(
        selector.cost.ns(),
        Some(1_000.0),
        "the first stretch does not count"
    );
    assert_eq!(selector.next_mode(), Mode::Parallel(Order::Lanes));
}

/// Returns the orders of `n` stretches on several threads. `inline_ns` returns the time of an event on one thread for
/// each stretch, and `speed` the relative speed of an order.
fn orders(n: usize, inline_ns: impl Fn(usize) -> f64, speed: impl Fn(Order) -> f64) -> Vec<Order> {
    let (mut selector, mut orders) = (ModeSelector::new(), Vec::new());
    while orders.len() < n {
        let inline_ns = inline_ns(orders.len());
        match selector.next_mode() {
            Mode::Inline(n) => {
                selector.note_inline(n, Duration::from_nanos((n as f64 * inline_ns) as u64));
                // Any pause is over.
                selector.pause.waited = PAUSES[1];
            }
            Mode::Parallel(order) => {
                orders.push(order);
                let n = speed(order) * STRETCH.as_nanos() as f64 / inline_ns;
                selector.note(n.round() as usize, STRETCH);
            }
        }
    }
    orders
}

#[test]
fn second_order_is_kept_if_only_it_pays() {
    let speed = |order| if order == Order::Lanes { 0.9 } else { 1.5 };
    let orders = orders(400, |_| 1_000.0, speed);
    // The warm-up, and three stretches.
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
        "lanes are tried from time to time: {n_lanes}"
    );
}

#[test]
fn pause_grows_with_the_loss_of_a_trial() {
    let pause = |speed: f64| {
        let mut selector = ModeSelector::new();
        while selector.pause.least.is_zero() {
            match selector.next_mode() {
                Mode::Inline(n) => selector.note_inline(n, Duration::from_micros(n as u64)),
                Mode::Parallel(_) => selector.note((600.0 * speed) as usize, STRETCH),
            }
        }
        pause_of(&selector)
    };
    // Four stretches of each order with the warm-up, or three of each.
    assert_eq!(pause(1.0), PAUSES[0]);
    assert_eq!(pause(0.8), Duration::from_micros(100 * 8 * 120));
    assert_eq!(pause(0.5), Duration::from_micros(100 * 6 * 300));
    assert_eq!(pause(0.0), Duration::from_micros(100 * 6 * 600));
}

#[test]
fn pause_changes_as_the_loss_is_known_better() {
    let mut selector = ModeSelector::new();
    let mut process = |inline_ns: u64, events_in_a_stretch: usize| {
        while selector.pause.waited < pause_of(&selector) || selector.cost.n_stretches < N_INLINE {
            let n = selector.cost.next();
            selector.note_inline(n, Duration::from_nanos(n as u64 * inline_ns));
        }
        assert!(matches!(selector.next_mode(), Mode::Parallel(_)));
        while selector.trial.is_some() {
            selector.note(events_in_a_stretch, STRETCH);
        }
        pause_of(&selector)
    };
    let wait = process(1_000, 300);
    assert_eq!(wait, Duration::from_micros(100 * 6 * 300));
    // Later measurements show that events take longer on one thread, and that nothing was lost.
    while selector.pause.waited < pause_of(&selector) {
        let n = selector.cost.next();
        selector.note_inline(n, Duration::from_micros(2 * n as u64));
    }
    assert!(
        selector.pause.waited < wait / 10,
        "{:?}",
        selector.pause.waited
    );
}

#[test]
fn rare_long_events_run_on_several_threads() {
    // One of a thousand events takes a millisecond, all others a microsecond.
    let mut selector = ModeSelector::new();
    let [mut n_all, mut n_inline, mut nth] = [0_usize; 3];
    let mut micros = |n: usize| {
        let n_long = (nth + n) / 1_000 - nth / 1_000;
        nth += n;
        (n + 999 * n_long) as u64
    };
    while n_all < 1_000_000 {
        n_all += match selector.next_mode() {
            Mode::Inline(n) => {
                selector.note_inline(n, Duration::from_micros(micros(n)));
                n_inline += n;
                n
            }
            Mode::Parallel(_) => {
                selector.note(250, Duration::from_micros(10 * micros(250) / 17));
                250
            }
        }
    }
    assert!(n_inline < n_all / 10, "{n_inline}");
}

#[test]
fn next_trial_starts_after_the_pause() {
    let mut selector = ModeSelector::new();
    let mut trial = || {
        let mut time = Duration::ZERO;
        while let Mode::Inline(n) = selector.next_mode() {
            let took = Duration::from_micros(n as u64);
            selector.note_inline(n, took);
            time += took;
        }
        while selector.trial.is_some() {
            selector.note(600, STRETCH);
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
fn order_that_has_won_has_no_limit_of_events_in_flight() {
    let mut selector = ModeSelector::new();
    for nth in 0.. {
        match selector.next_mode() {
            Mode::Inline(n) => selector.note_inline(n, Duration::from_micros(n as u64)),
            Mode::Parallel(Order::Lanes) => selector.note(800, STRETCH),
            // With varying speed.
            Mode::Parallel(Order::Queues) => {
                assert_ne!(selector.most(), u64::MAX, "it is not known whether it pays");
                selector.note(if nth % 2 == 0 { 2_000 } else { 800 }, STRETCH);
                if selector.champion.is_none() {
                    break;
                }
            }
        }
    }
    assert!(!selector.is_going_on(), "a run keeps its limit");
    assert_eq!(selector.next_mode(), Mode::Parallel(Order::Queues));
    assert_eq!(selector.most(), u64::MAX);
}

#[test]
fn faster_order_is_kept_if_both_pay() {
    let speed = |order| if order == Order::Lanes { 1.3 } else { 1.5 };
    let orders = orders(400, |_| 1_000.0, speed);
    assert_eq!(orders[..5], [Order::Lanes; 5]);
    assert_eq!(orders[5], Order::Queues, "lanes are challenged");
    let n_lanes = orders
        .iter()
        .filter(|order| **order == Order::Lanes)
        .count();
    assert!((6..30).contains(&n_lanes), "{n_lanes}");
}

#[test]
fn challenger_with_varying_speed_is_measured_longer() {
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
    assert!(n_queues.count() > 300, "queues are kept: {orders:?}");
}

#[test]
fn orders_are_compared_by_their_rates() {
    // Looks measure 1 µs at first, and 1.3 µs later.
    let inline_ns = |nth| if nth < 4 { 1_000.0 } else { 1_300.0 };
    let events_in_a_microsecond = |order| if order == Order::Lanes { 1.5 } else { 1.4 };
    let (mut selector, mut orders) = (ModeSelector::new(), Vec::new());
    while orders.len() < 60 {
        match selector.next_mode() {
            Mode::Inline(n) => {
                let ns = n as f64 * inline_ns(orders.len());
                selector.note_inline(n, Duration::from_nanos(ns as u64));
            }
            Mode::Parallel(order) => {
                orders.push(order);
                let n = events_in_a_microsecond(order) * STRETCH.as_micros() as f64;
                selector.note(n as usize, STRETCH);
            }
        }
    }
    let of_queues = orders.iter().filter(|order| **order == Order::Queues);
    assert_eq!(of_queues.count(), 4, "queues were tried once: {orders:?}");
}

#[test]
fn events_shorter_than_their_ordering_stay_on_one_thread() {
    for (inline_ns, is_tried) in [(LEAST_NS - 1.0, false), (LEAST_NS, true)] {
        let mut selector = ModeSelector::new();
        let mut modes = (0..2 * N_INLINE_SHORT).map(|_| {
            let mode = selector.next_mode();
            if let Mode::Inline(n) = mode {
                selector.note_inline(n, Duration::from_nanos((n as f64 * inline_ns) as u64));
            }
            mode
        });
        assert_eq!(
            modes.any(|mode| matches!(mode, Mode::Parallel(_))),
            is_tried
        );
    }
}

#[test]
fn order_that_becomes_faster_is_found_later() {
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
fn one_look_updates_the_time_of_events() {
    let mut selector = ModeSelector::new();
    while let Mode::Inline(n) = selector.next_mode() {
        selector.note_inline(n, Duration::from_micros(n as u64));
    }
    while !selector.cost.is_looking() {
        selector.note(1_000, STRETCH);
    }
    while let Mode::Inline(n) = selector.next_mode() {
        selector.note_inline(n, Duration::from_nanos(300 * n as u64));
    }
    assert_eq!(selector.cost.ns(), Some(300.0));
}

#[test]
fn processed_events_count_before_they_are_reported() {
    let mut selector = ModeSelector::new();
    while let Mode::Inline(n) = selector.next_mode() {
        selector.note_inline(n, Duration::from_micros(n as u64));
    }
    let n_noted = |selector: &ModeSelector| selector.trial.as_ref().map(|trial| trial.n);
    selector.begin();
    assert!(selector.goes_on(0, || 5_000));
    // A call panics, and the next call has another order, which has processed fewer events.
    selector.begin();
    assert!(selector.goes_on(0, || 100));
    selector.rest(1_100);
    assert_eq!(n_noted(&selector), Some(1_000));
    // A decreasing number counts as 0 events.
    assert!(selector.goes_on(3, || 1_100));
    selector.rest(1_050);
    assert_eq!(n_noted(&selector), Some(1_000));
}

#[test]
fn few_events_are_in_flight_until_an_order_pays() {
    for (micros, n_few) in [(1, 1_000), (4, FEW), (100, FEW)] {
        let mut selector = ModeSelector::new();
        while let Mode::Inline(n) = selector.next_mode() {
            selector.note_inline(n, micros * Duration::from_micros(n as u64));
        }
        let mut mosts = Vec::new();
        for _ in 0..14 {
            mosts.push(selector.most());
            selector.note(1_000 / micros as usize, STRETCH);
            while let Mode::Inline(n) = selector.next_mode() {
                selector.note_inline(n, micros * Duration::from_micros(n as u64));
            }
        }
        // Lanes, then queues, which are not faster, and lanes again.
        let (few, all) = mosts.split_at(9);
        assert_eq!(few, [n_few; 9], "{micros} us");
        assert_eq!(all, [u64::MAX; 5], "{micros} us");
    }
}

/// A processor that is shared with other programs, in turns of some milliseconds.
struct Processor {
    dice: u64,
    /// The remaining nanoseconds of the current turn, and the maximum lengths of a turn and of a wait.
    left: f64,
    turn_ns: f64,
    off_ns: f64,
}

impl Processor {
    fn new(seed: u64, turn_ns: f64, off_ns: f64) -> Self {
        Self {
            dice: seed,
            left: 0.0,
            turn_ns,
            off_ns,
        }
    }

    /// Returns a random number between 0 and 1: SplitMix64 (Steele, Lea and Flood 2014).
    fn chance(&mut self) -> f64 {
        self.dice = self.dice.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.dice ^ (self.dice >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns how long the thread waits while it works for `ns`.
    fn off(&mut self, ns: f64) -> f64 {
        let mut off = 0.0;
        self.left -= ns;
        while self.left < 0.0 {
            off += (0.25 + 0.75 * self.chance()) * self.off_ns;
            self.left += (0.25 + 0.75 * self.chance()) * self.turn_ns;
        }
        off
    }
}

/// Processes short events for `seconds`. Without interruptions, several threads are `speed` times as fast as one, and
/// an interrupted one delays the others. Returns the total time relative to one thread, and the fraction of events that
/// several threads processed.
fn against_one_thread(inline_ns: f64, speed: f64, seconds: f64, busy: (f64, f64)) -> (f64, f64) {
    let (turn_ns, off_ns) = busy;
    let [mut caller, mut helper, mut only_event] =
        [1, 2, 3].map(|seed| Processor::new(seed, turn_ns, off_ns));
    let mut selector = ModeSelector::new();
    let [mut all_ns, mut alone_ns, mut n_all, mut n_several] = [0.0; 4];
    while all_ns < seconds * 1e9 {
        let n = match selector.next_mode() {
            Mode::Inline(n) => {
                let worked = n as f64 * inline_ns;
                let ns = worked + caller.off(worked);
                selector.note_inline(n, Duration::from_nanos(ns as u64));
                all_ns += ns;
                n as f64
            }
            Mode::Parallel(_) => {
                let worked = STRETCH.as_nanos() as f64;
                let n = (worked / inline_ns * speed).round();
                let ns = worked + caller.off(worked) + helper.off(worked);
                selector.note(n as usize, Duration::from_nanos(ns as u64));
                all_ns += ns;
                n_several += n;
                n
            }
        };
        n_all += n;
        alone_ns += n * inline_ns + only_event.off(n * inline_ns);
    }
    (all_ns / alone_ns, n_several / n_all)
}

/// Three programs per processor, or two, or rare interruptions.
const BUSY: [(f64, f64); 3] = [(4e6, 12e6), (4e6, 4e6), (40e6, 20e6)];

#[test]
fn short_events_on_a_busy_machine_are_as_fast_as_on_one_thread() {
    for inline_ns in [70.0, 290.0] {
        for speed in [0.4, 0.9, 1.05, 1.3] {
            for busy in BUSY {
                let (slowdown, share) = against_one_thread(inline_ns, speed, 2.0, busy);
                let case = format!("{inline_ns} ns, {speed} times as fast, {busy:?}");
                assert!(slowdown < 1.05, "{case}: {slowdown}, {share} on several");
            }
        }
    }
}

#[test]
fn short_events_run_on_several_threads_if_that_is_faster() {
    for inline_ns in [70.0, 290.0] {
        // No other program uses the processors.
        let (slowdown, share) = against_one_thread(inline_ns, 1.4, 1.0, (1e15, 0.0));
        assert!(share > 0.9, "{inline_ns} ns: {share}, {slowdown}");
        assert!(slowdown < 0.8, "{inline_ns} ns: {slowdown}");
    }
}

#[test]
fn trials_of_short_events_take_a_limited_fraction_of_the_time() {
    // Each trial of several threads takes 30 ms and processes 10 events.
    let mut selector = ModeSelector::new();
    let [mut inline, mut lost] = [Duration::ZERO; 2];
    while inline < Duration::from_secs(60) {
        match selector.next_mode() {
            Mode::Inline(n) => {
                let took = Duration::from_nanos(150 * n as u64);
                selector.note_inline(n, took);
                inline += took;
            }
            Mode::Parallel(_) => {
                let took = Duration::from_millis(30);
                selector.note(10, took);
                lost += took;
            }
        }
    }
    assert!(!lost.is_zero(), "several threads are tried");
    assert!(lost < inline / 50, "{lost:?} of {inline:?}");
}

#[test]
fn events_in_flight_at_the_end_of_a_trial_count_for_the_loss() {
    let mut selector = ModeSelector::new();
    while let Mode::Inline(n) = selector.next_mode() {
        selector.note_inline(n, Duration::from_nanos(150 * n as u64));
    }
    selector.begin();
    let long_ago = Instant::now() - Duration::from_millis(50);
    selector.end_piece = Some(Piece::new(long_ago, 1_000));
    selector.rest(1_010);
    assert!(
        pause_of(&selector) >= Duration::from_millis(4_900),
        "{:?}",
        pause_of(&selector)
    );
}
