//! What is chosen, on machines whose runs take as long as a test says.

use core::time::Duration;
use std::time::Instant;

use super::{Auto, Choice, Estimate, PATIENCE, RUNS_UNSEEN, TRIAL, Way};
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
        assert!(ways[0] > 85, "{ways:?}");
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
    assert!(gaps.iter().all(|&gap| gap <= super::MOST_PATIENCE + TRIAL));
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
fn an_estimate_moves_a_quarter_at_a_time() {
    let mut estimate = Estimate::NEW;
    estimate.learn(900.0, 1.0);
    assert_eq!(estimate.ratio, 2.0, "the first counts, within bounds");
    estimate.learn(900.0, 1.0);
    assert!((2.4..2.6).contains(&estimate.ratio));
    estimate.learn(0.0, 1.0);
    assert!((1.9..2.1).contains(&estimate.ratio));
    for _ in 0..64 {
        estimate.learn(3.0, 2.0);
    }
    assert!((estimate.ratio - 1.5).abs() < 1e-6);
    assert_eq!(estimate.age, 0);
}
