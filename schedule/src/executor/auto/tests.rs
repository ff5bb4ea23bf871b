//! What is chosen, on machines whose runs take as long as a test says.

use core::time::Duration;
use std::time::Instant;

use super::estimate::{Estimate, MOST_PATIENCE, PATIENCE};
use super::{Auto, Choice, RUNS_UNSEEN, TRIAL, Way};
use crate::cost::Costs;
use crate::node::Node;
use crate::nodes::Nodes;
use crate::place::SystemPlace;
use crate::plan::Plan;

const US: Duration = Duration::from_micros(1);

/// Free systems, and a clock that goes as it is told.
struct Machine {
    auto: Auto,
    nodes: Nodes,
    plan: Plan,
    now: Instant,
}

impl Machine {
    /// Nothing is known of them yet.
    #[track_caller]
    fn new(n_systems: usize) -> Self {
        let place = SystemPlace {
            name: "free".to_string(),
            location: core::panic::Location::caller(),
        };
        let node = |_| Node::checkpoint(place.clone());
        Self {
            auto: Auto::default(),
            nodes: Nodes::new((0..n_systems).map(node).collect()),
            // No order means no edges, for any number of nodes.
            plan: Plan::of_one(),
            now: Instant::now(),
        }
    }

    /// Each is known to take so long.
    #[track_caller]
    fn knowing(n_systems: usize, each: Duration) -> Self {
        let mut machine = Self::new(n_systems);
        let costs = std::iter::repeat_n(each.as_nanos() as u32, n_systems);
        machine.auto = Auto::knowing(Costs::known(costs), &machine.plan);
        machine
    }

    /// One run right after the one before, on two threads, in which each system takes so long; `took` by way. Returns
    /// how it went.
    fn run(&mut self, each: Duration, took: impl Fn(Way) -> Duration) -> Way {
        let choice = self.auto.choose(self.now, 2);
        self.end(choice, each, took(choice.way));
        choice.way
    }

    fn end(&mut self, choice: Choice, each: Duration, took: Duration) {
        if choice.is_timed {
            let nodes = self.nodes.by_rank.iter_mut();
            nodes.for_each(|node| (node.about.took, node.about.n_timed) = (each, 1));
        }
        let end = self.now + took;
        let (nodes, plan) = (&mut self.nodes, &self.plan);
        self.auto.learn(choice, end, Some(took), 2, nodes, plan);
        self.now = end + US;
    }

    /// How often each way is gone in so many runs: serial, by timetable, parallel.
    fn ways(&mut self, n_runs: u32, each: Duration, took: impl Fn(Way) -> Duration) -> [u32; 3] {
        let mut ways = [0; 3];
        for _ in 0..n_runs {
            ways[self.run(each, &took) as usize] += 1;
        }
        ways
    }
}

/// What runs of a millisecond take if two threads have two processors.
fn with_two(way: Way) -> Duration {
    match way {
        Way::Serial => 1000 * US,
        Way::Timetabled => 520 * US,
        Way::Parallel => 560 * US,
    }
}

/// The same if another program has one of them.
fn with_one(way: Way) -> Duration {
    match way {
        Way::Serial => 1000 * US,
        Way::Timetabled => 1500 * US,
        Way::Parallel => 1600 * US,
    }
}

#[test]
fn the_shortest_way_is_taken() {
    for (shortest, took) in [
        (Way::Timetabled, [1000, 520, 560]),
        (Way::Parallel, [1000, 700, 540]),
        (Way::Serial, [1000, 1400, 1500]),
    ] {
        let mut machine = Machine::knowing(100, 10 * US);
        let took = |way: Way| took[way as usize] * US;
        machine.ways(200, 10 * US, took);
        let ways = machine.ways(1000, 10 * US, took);
        assert!(ways[shortest as usize] > 900, "{shortest:?}: {ways:?}");
    }
}

/// To look at the clock takes longer than a short system, and what it touches may be with the other processor.
#[test]
fn costs_that_seem_high_do_not_hide_that_one_thread_is_better() {
    let mut machine = Machine::knowing(1000, US / 10);
    let took = |way: Way| [5, 25, 60][way as usize] * US;
    machine.ways(100, US / 10, took);
    let ways = machine.ways(1000, US / 10, took);
    assert!(ways[Way::Serial as usize] > 950, "{ways:?}");
}

/// Four frames of twice the length, for nothing.
#[test]
fn one_thread_is_not_tried_where_systems_take_long() {
    let mut machine = Machine::knowing(100, 10 * US);
    let ways = machine.ways(1000, 10 * US, with_two);
    assert_eq!(ways[Way::Serial as usize], 0, "{ways:?}");
}

#[test]
fn the_first_run_goes_on_one_thread_and_tells_what_the_next_ones_need() {
    let mut machine = Machine::new(100);
    assert_eq!(machine.run(10 * US, with_two), Way::Serial);
    assert!(machine.auto.costs().is_known());
    assert_ne!(machine.run(10 * US, with_two), Way::Serial);
}

#[test]
fn one_interruption_brings_nothing_back_to_one_thread() {
    let mut machine = Machine::knowing(100, 10 * US);
    machine.ways(200, 10 * US, with_two);
    let work = machine.auto.costs().work();
    machine.run(10 * US, |_| 100_000 * US);
    let ways = machine.ways(PATIENCE / 2, 10 * US, with_two);
    assert_eq!(ways[Way::Serial as usize], 0, "{ways:?}");
    assert_eq!(machine.auto.costs().work(), work);
}

#[test]
fn a_processor_that_is_gone_is_noticed_and_that_it_is_back() {
    let mut machine = Machine::knowing(100, 10 * US);
    for _ in 0..3 {
        machine.ways(100, 10 * US, with_two);
        machine.ways(32, 10 * US, with_one);
        let ways = machine.ways(100, 10 * US, with_one);
        // But for two trials of each of the others.
        assert!(ways[0] >= 100 - 4 * TRIAL, "{ways:?}");
        // By then it has been tried in vain, so it is tried again later.
        machine.ways(4 * PATIENCE, 10 * US, with_two);
        let ways = machine.ways(100, 10 * US, with_two);
        assert!(ways[0] < 15, "{ways:?}");
    }
}

#[test]
fn a_scene_change_is_followed_within_some_tens_of_runs() {
    let mut machine = Machine::knowing(100, 10 * US);
    for _ in 0..3 {
        machine.ways(200, 10 * US, with_two);
        // Next to nothing to do.
        let took = |way| match way {
            Way::Serial => US,
            _ => 5 * US,
        };
        let each = Duration::from_nanos(10);
        machine.ways(64, each, took);
        assert!(machine.auto.costs().work() < 2_000);
        assert_eq!(machine.ways(100, each, took)[0], 100);
        // And much again.
        machine.ways(64, 10 * US, with_two);
        assert!(machine.auto.costs().work() > 900_000);
        let ways = machine.ways(100, 10 * US, with_two);
        assert!(ways[0] < 10, "{ways:?}");
    }
}

/// Runs from one trial of another way to the next.
fn gaps_between_trials(machine: &mut Machine, n: usize) -> Vec<u32> {
    let mut gaps = Vec::new();
    let (mut gap, mut n_tried) = (0, 0);
    while gaps.len() < n {
        if machine.run(10 * US, with_one) == Way::Serial {
            gap += 1;
            if n_tried > 0 {
                assert!(n_tried <= 2 * TRIAL, "a trial takes {n_tried} runs");
                n_tried = 0;
            }
        } else {
            if n_tried == 0 {
                gaps.push(std::mem::take(&mut gap));
            }
            n_tried += 1;
        }
    }
    gaps
}

#[test]
fn after_a_trial_in_vain_the_next_one_comes_later() {
    let mut machine = Machine::knowing(100, 10 * US);
    machine.ways(100, 10 * US, with_one);
    let gaps = gaps_between_trials(&mut machine, 12);
    let (early, late) = (gaps[1] + gaps[2], gaps[10] + gaps[11]);
    assert!(late > 4 * early, "{gaps:?}");
    assert!(gaps.iter().all(|&gap| gap <= MOST_PATIENCE + TRIAL));
}

#[test]
fn one_thread_is_all_that_one_thread_can_be() {
    let mut machine = Machine::knowing(100, 10 * US);
    for _ in 0..1000 {
        let choice = machine.auto.choose(machine.now, 1);
        assert_eq!(choice.way, Way::Serial);
        machine.end(choice, 10 * US, 1000 * US);
    }
}

#[test]
fn a_run_that_does_next_to_nothing_reads_no_clock() {
    let mut machine = Machine::knowing(4, Duration::from_nanos(10));
    let each = Duration::from_nanos(10);
    let took = |_| Duration::from_nanos(100);
    // It is timed first.
    assert!(!machine.auto.is_unseen());
    let (mut n_seen, mut n_unseen, mut n_timed) = (0, 0, 0);
    for _ in 0..10_000 {
        if machine.auto.is_unseen() {
            n_unseen += 1;
            continue;
        }
        let choice = machine.auto.choose(machine.now, 2);
        assert_eq!(choice.way, Way::Serial);
        n_timed += u32::from(choice.is_timed);
        machine.end(choice, each, took(choice.way));
        n_seen += 1;
    }
    assert!(n_unseen > RUNS_UNSEEN / 2 * n_seen, "{n_seen} are seen");
    assert!((1..200).contains(&n_timed), "{n_timed} are timed");
}

#[test]
fn runs_that_take_long_are_all_seen() {
    let mut machine = Machine::knowing(100, 10 * US);
    for _ in 0..1000 {
        assert!(!machine.auto.is_unseen());
        machine.run(10 * US, with_two);
    }
}

#[test]
fn what_is_switched_on_again_is_not_taken_for_free() {
    let mut machine = Machine::knowing(100, 10 * US);
    machine.ways(200, 10 * US, with_two);
    let work = machine.auto.costs().work();
    let first_alone = (0..100).map(|rank| rank == 0);
    machine.auto.switch(first_alone, &machine.plan);
    assert_eq!(machine.run(10 * US, |_| 10 * US), Way::Serial);
    for _ in 0..200 {
        machine.run(Duration::ZERO, |_| 10 * US);
    }
    machine
        .auto
        .switch(std::iter::repeat_n(true, 100), &machine.plan);
    assert!(machine.auto.costs().work() > work / 2);
    assert_ne!(machine.run(10 * US, with_two), Way::Serial);
}

#[test]
fn most_runs_go_by_habit_on_one_thread_too() {
    let mut machine = Machine::knowing(100, 10 * US);
    machine.ways(200, 10 * US, with_two);
    let mut n_habits = 0;
    for _ in 0..1000 {
        let start = machine.now;
        if machine.auto.habit(start).is_some() {
            n_habits += 1;
            machine.now += 1000 * US;
            machine.auto.end_habit(start, machine.now);
            continue;
        }
        let choice = machine.auto.choose(start, 1);
        machine.end(choice, 10 * US, 1000 * US);
    }
    assert!(n_habits > 500, "{n_habits}");
}

/// Runs that follow each other in bursts of so many, with a pause in between. Those on several threads wake helpers
/// first, if the one before was not as they are. Returns the ways of the last bursts.
fn bursts(n_runs: u32, waking: Duration) -> Vec<Vec<Way>> {
    let mut machine = Machine::knowing(100, US);
    let took = |way, is_helped| match way {
        Way::Serial => 100 * US,
        _ if is_helped => 60 * US,
        _ => 60 * US + waking,
    };
    let mut before = None;
    let burst = |_| {
        machine.now += 2000 * US;
        before = None;
        let run = |_| {
            let start = machine.now;
            let way = match machine.auto.habit(start) {
                Some((way, _)) => {
                    let end = start + took(way, before == Some(way));
                    machine.auto.end_habit(start, end);
                    machine.now = end + US;
                    way
                }
                None => machine.run(US, |way| took(way, before == Some(way))),
            };
            before = Some(way);
            way
        };
        (0..n_runs).map(run).collect()
    };
    let all: Vec<Vec<Way>> = (0..300).map(burst).collect();
    all[200..].to_vec()
}

#[test]
fn helpers_are_woken_where_enough_runs_follow() {
    // A run takes 40 us less with helpers: that has to come to more than waking them.
    for (n_runs, waking, is_worth_it) in [
        (1, 60, false),
        (1, 10, true),
        (2, 90, false),
        (4, 60, true),
        (4, 110, true),
        (4, 200, false),
        (100, 2000, true),
        (20, 1000, false),
    ] {
        let all = bursts(n_runs, waking * US);
        let several = all.iter().flatten().filter(|&&way| way != Way::Serial);
        let share = several.count() as f64 / f64::from(100 * n_runs);
        let is_most = if is_worth_it {
            share > 0.8
        } else {
            share < 0.2
        };
        assert!(is_most, "{n_runs} runs, {waking} us: {share}");
    }
}

#[test]
fn an_estimate_is_the_mean_of_the_last_runs() {
    let mut estimate = Estimate::NEW;
    assert!(!estimate.learn(900.0, 1.0));
    assert_eq!(estimate.ratio, 4.0, "the first counts, within bounds");
    estimate.learn(1.0, 1.0);
    assert!((estimate.ratio - 2.0).abs() < 1e-6, "as much as the next");
    for _ in 0..200 {
        estimate.learn(3.0, 2.0);
    }
    assert!((estimate.ratio - 1.5).abs() < 1e-3);
    assert!(!estimate.learn(900.0, 1.0));
    assert!(estimate.ratio < 1.56, "one among many");
    assert!(!estimate.learn(6.0, 1.0));
    assert!(estimate.learn(6.0, 1.0), "three surprises in a row");
    assert!(estimate.ratio > 2.9, "one of two");
    assert_eq!(estimate.age, 0);
}
