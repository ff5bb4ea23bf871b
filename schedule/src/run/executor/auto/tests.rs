//! Tests the choice of the mode on simulated machines, where tests set the time of each run.

mod pauses;
mod varying_work;

use core::time::Duration;
use std::time::Instant;

use super::estimate::{Estimate, MOST_PATIENCE, PATIENCE};
use super::model::LEAST_PARALLELISM;
use super::{Mode, ModeChoice, ModeSelector, TRIAL};
use crate::base::cost::{Cost, Costs};
use crate::base::place::SystemPlace;
use crate::run::node::RunNode;
use crate::run::nodes::Nodes;
use crate::verify::plan::Plan;
use schedule_graph::Edge;

const US: Duration = Duration::from_micros(1);

/// Systems without orders, and a simulated clock.
struct Machine {
    auto: ModeSelector,
    nodes: Nodes,
    plan: Plan,
    now: Instant,
}

impl Machine {
    /// Creates systems with unknown costs.
    #[track_caller]
    fn new(n_systems: usize) -> Self {
        let place = SystemPlace {
            name: "free".to_string(),
            location: core::panic::Location::caller(),
        };
        let node = |_| RunNode::checkpoint(place.clone());
        Self {
            auto: ModeSelector::default(),
            nodes: Nodes::new((0..n_systems).map(node).collect()),
            // A plan without edges fits any number of nodes.
            plan: Plan::of_one(),
            now: Instant::now(),
        }
    }

    /// Creates systems with this known cost each.
    #[track_caller]
    fn with_costs(n_systems: usize, each: Duration) -> Self {
        let mut machine = Self::new(n_systems);
        let cost = Cost::known(each.as_nanos() as u32, 1_000);
        let costs = Costs::of(std::iter::repeat_n(cost, n_systems));
        machine.auto = ModeSelector::with_costs(costs, &machine.plan);
        machine
    }

    /// One run right after the previous one, on two threads. `each`: the cost of each system. `took`: the time of the
    /// run by mode. Returns the mode.
    fn run(&mut self, each: Duration, took: impl Fn(Mode) -> Duration) -> Mode {
        let choice = self.auto.choose(self.now, 2);
        self.end(choice, each, took(choice.mode));
        choice.mode
    }

    fn end(&mut self, choice: ModeChoice, each: Duration, took: Duration) {
        if choice.is_timed {
            let nodes = self.nodes.by_rank.iter_mut();
            nodes.for_each(|node| (node.about.took, node.about.n_timed) = (each, 1));
        }
        let end = self.now + took;
        let (nodes, plan) = (&mut self.nodes, &self.plan);
        self.auto.learn(choice, end, Some(took), 2, nodes, plan);
        self.now = end + US;
    }

    /// Counts the modes in `n_runs` runs: serial, by timetable, by readiness.
    fn modes(&mut self, n_runs: u32, each: Duration, took: impl Fn(Mode) -> Duration) -> [u32; 3] {
        let mut modes = [0; 3];
        for _ in 0..n_runs {
            modes[self.run(each, &took) as usize] += 1;
        }
        modes
    }
}

/// The time of runs with 1 ms of work if two threads have two processors.
fn with_two(mode: Mode) -> Duration {
    match mode {
        Mode::Serial => 1000 * US,
        Mode::Timetabled => 520 * US,
        Mode::Parallel => 560 * US,
    }
}

/// The same if another program uses one of the processors.
fn with_one(mode: Mode) -> Duration {
    match mode {
        Mode::Serial => 1000 * US,
        Mode::Timetabled => 1500 * US,
        Mode::Parallel => 1600 * US,
    }
}

#[test]
fn fastest_mode_is_selected() {
    for (best_mode, took) in [
        (Mode::Timetabled, [1000, 520, 560]),
        (Mode::Parallel, [1000, 700, 540]),
        (Mode::Serial, [1000, 1400, 1500]),
    ] {
        let mut machine = Machine::with_costs(100, 10 * US);
        let took = |mode: Mode| took[mode as usize] * US;
        machine.modes(200, 10 * US, took);
        let modes = machine.modes(1000, 10 * US, took);
        assert!(modes[best_mode as usize] > 900, "{best_mode:?}: {modes:?}");
    }
}

/// Reading the clock takes longer than a short system, and its data may be in the cache of the other processor.
#[test]
fn one_thread_is_selected_although_measured_costs_are_too_high() {
    let mut machine = Machine::with_costs(1000, US / 10);
    let took = |mode: Mode| [5, 25, 60][mode as usize] * US;
    machine.modes(100, US / 10, took);
    let modes = machine.modes(1000, US / 10, took);
    assert!(modes[Mode::Serial as usize] > 950, "{modes:?}");
}

/// A trial would be four runs of twice the time.
#[test]
fn one_thread_is_not_tried_for_long_systems() {
    let mut machine = Machine::with_costs(100, 10 * US);
    let modes = machine.modes(1000, 10 * US, with_two);
    assert_eq!(modes[Mode::Serial as usize], 0, "{modes:?}");
}

/// Each burst of four runs follows a pause. By the total of the burst, a first run on one thread would cost little.
#[test]
fn one_thread_is_not_tried_for_long_systems_after_pauses() {
    let mut machine = Machine::with_costs(100, 10 * US);
    for _ in 0..500 {
        machine.now += 10_000 * US;
        let modes = machine.modes(4, 10 * US, with_two);
        assert_eq!(modes[Mode::Serial as usize], 0, "{modes:?}");
    }
}

#[test]
fn first_run_uses_one_thread_and_measures_all_costs() {
    let mut machine = Machine::new(100);
    assert_eq!(machine.run(10 * US, with_two), Mode::Serial);
    assert!(machine.auto.costs().is_known());
    assert_ne!(machine.run(10 * US, with_two), Mode::Serial);
}

#[test]
fn one_interruption_does_not_select_one_thread() {
    let mut machine = Machine::with_costs(100, 10 * US);
    machine.modes(200, 10 * US, with_two);
    let work = machine.auto.costs().work();
    machine.run(10 * US, |_| 100_000 * US);
    let modes = machine.modes(PATIENCE / 2, 10 * US, with_two);
    assert_eq!(modes[Mode::Serial as usize], 0, "{modes:?}");
    assert_eq!(machine.auto.costs().work(), work);
}

#[test]
fn loss_and_return_of_a_processor_change_the_mode() {
    let mut machine = Machine::with_costs(100, 10 * US);
    for _ in 0..3 {
        machine.modes(100, 10 * US, with_two);
        machine.modes(32, 10 * US, with_one);
        let modes = machine.modes(100, 10 * US, with_one);
        // Except for two trials of each other mode.
        assert!(modes[0] >= 100 - 4 * TRIAL, "{modes:?}");
        // Failed trials delay the next one, so it comes later.
        machine.modes(4 * PATIENCE, 10 * US, with_two);
        let modes = machine.modes(100, 10 * US, with_two);
        assert!(modes[0] < 15, "{modes:?}");
    }
}

#[test]
fn mode_follows_a_change_of_costs_within_tens_of_runs() {
    let mut machine = Machine::with_costs(100, 10 * US);
    for _ in 0..3 {
        machine.modes(200, 10 * US, with_two);
        // Almost no work.
        let took = |mode| match mode {
            Mode::Serial => US,
            _ => 5 * US,
        };
        let each = Duration::from_nanos(10);
        machine.modes(64, each, took);
        assert!(machine.auto.costs().work() < 2_000);
        assert_eq!(machine.modes(100, each, took)[0], 100);
        // Much work again.
        machine.modes(64, 10 * US, with_two);
        assert!(machine.auto.costs().work() > 900_000);
        let modes = machine.modes(100, 10 * US, with_two);
        assert!(modes[0] < 10, "{modes:?}");
    }
}

/// The number of runs between two trials of another mode.
fn gaps_between_trials(machine: &mut Machine, n: usize) -> Vec<u32> {
    let mut gaps = Vec::new();
    let (mut gap, mut n_tried) = (0, 0);
    while gaps.len() < n {
        if machine.run(10 * US, with_one) == Mode::Serial {
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
fn failed_trial_delays_the_next_trial() {
    let mut machine = Machine::with_costs(100, 10 * US);
    machine.modes(100, 10 * US, with_one);
    let gaps = gaps_between_trials(&mut machine, 12);
    let (early, late) = (gaps[1] + gaps[2], gaps[10] + gaps[11]);
    assert!(late > 4 * early, "{gaps:?}");
    assert!(gaps.iter().all(|&gap| gap <= MOST_PATIENCE + TRIAL));
}

#[test]
fn pool_of_one_thread_always_runs_serially() {
    let mut machine = Machine::with_costs(100, 10 * US);
    for _ in 0..1000 {
        let choice = machine.auto.choose(machine.now, 1);
        assert_eq!(choice.mode, Mode::Serial);
        machine.end(choice, 10 * US, 1000 * US);
    }
}

#[test]
fn every_long_run_is_measured() {
    let mut machine = Machine::with_costs(100, 10 * US);
    for _ in 0..1000 {
        assert_eq!(machine.auto.skips_clock(), None);
        machine.run(10 * US, with_two);
    }
}

#[test]
fn node_enabled_again_keeps_its_measured_cost() {
    let mut machine = Machine::with_costs(100, 10 * US);
    machine.modes(200, 10 * US, with_two);
    let work = machine.auto.costs().work();
    let first_alone = (0..100).map(|rank| rank == 0);
    machine.auto.switch(first_alone, &machine.plan);
    assert_eq!(machine.run(10 * US, |_| 10 * US), Mode::Serial);
    for _ in 0..200 {
        machine.run(Duration::ZERO, |_| 10 * US);
    }
    machine
        .auto
        .switch(std::iter::repeat_n(true, 100), &machine.plan);
    assert!(machine.auto.costs().work() > work / 2);
    assert_ne!(machine.run(10 * US, with_two), Mode::Serial);
}

#[test]
fn most_runs_on_one_thread_skip_the_mode_selection() {
    let mut machine = Machine::with_costs(100, 10 * US);
    machine.modes(200, 10 * US, with_two);
    let mut n_habits = 0;
    for _ in 0..1000 {
        let start = machine.now;
        if machine.auto.repetition(start).is_some() {
            n_habits += 1;
            machine.now += 1000 * US;
            machine.auto.end_repetition(start, machine.now);
            continue;
        }
        let choice = machine.auto.choose(start, 1);
        machine.end(choice, 10 * US, 1000 * US);
    }
    assert!(n_habits > 500, "{n_habits}");
}

/// Simulates bursts of `n_runs` runs with pauses in between. A run on several threads wakes helpers if the previous run
/// had another mode or was before the pause. Returns the modes of the last bursts.
fn bursts(n_runs: u32, waking: Duration) -> Vec<Vec<Mode>> {
    let mut machine = Machine::with_costs(100, US);
    let took = |mode, is_helped| match mode {
        Mode::Serial => 100 * US,
        _ if is_helped => 60 * US,
        _ => 60 * US + waking,
    };
    let mut before = None;
    let burst = |_| {
        machine.now += 2000 * US;
        before = None;
        let run = |_| {
            let start = machine.now;
            let mode = match machine.auto.repetition(start) {
                Some((mode, _)) => {
                    let end = start + took(mode, before == Some(mode));
                    machine.auto.end_repetition(start, end);
                    machine.now = end + US;
                    mode
                }
                None => machine.run(US, |mode| took(mode, before == Some(mode))),
            };
            before = Some(mode);
            mode
        };
        (0..n_runs).map(run).collect()
    };
    let all: Vec<Vec<Mode>> = (0..300).map(burst).collect();
    all[200..].to_vec()
}

#[test]
fn helpers_are_woken_if_enough_runs_follow() {
    // Helpers save 40 µs per run. In total this has to exceed the time to wake them.
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
        let several = all.iter().flatten().filter(|&&mode| mode != Mode::Serial);
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

/// SplitMix64 (Steele, Lea and Flood 2014).
struct Dice(u64);

impl Dice {
    /// At least `from`, and less than `to`.
    fn between(&mut self, from: f64, to: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        from + (to - from) * ((x ^ (x >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, n: u32) -> u32 {
        self.between(0.0, n.into()) as u32
    }
}

/// A random schedule that consists mostly of one chain, with the given parallelism. Returns its machine, and the cost
/// of each system in nanoseconds.
fn chain_and_some(dice: &mut Dice, parallelism: f64) -> (Machine, Vec<f64>) {
    let n_nodes = 2 + dice.below(40);
    let (mut edges, mut last) = (Vec::new(), None);
    let is_in_chain: Vec<bool> = (0..n_nodes)
        .map(|rank| {
            let is_in_chain = rank == 0 || dice.below(3) > 0;
            // A system outside of the chain has one predecessor or none.
            let before = if is_in_chain {
                last.replace(rank)
            } else {
                last.filter(|_| dice.below(2) == 0)
            };
            edges.extend(before.map(|before| Edge {
                from: before,
                to: rank,
            }));
            is_in_chain
        })
        .collect();
    let mut costs: Vec<f64> = (0..n_nodes).map(|_| dice.between(1e3, 1e5)).collect();
    let sum = |costs: &[f64], of_chain| -> f64 {
        let all = costs.iter().zip(&is_in_chain);
        all.filter(|one| *one.1 == of_chain).map(|one| one.0).sum()
    };
    let scale = (parallelism - 1.0) * sum(&costs, true) / sum(&costs, false);
    for (cost, _) in costs.iter_mut().zip(&is_in_chain).filter(|one| !one.1) {
        *cost *= scale;
    }
    let mut machine = Machine::new(n_nodes as usize);
    machine.plan = Plan::of_edges(n_nodes, edges);
    (machine, costs)
}

impl Machine {
    /// One run right after the previous one, which may repeat the last choice. `cost`: the measured cost of a system,
    /// by rank.
    fn run_costing(
        &mut self,
        n_threads: usize,
        mut cost: impl FnMut(usize) -> f64,
        took: impl FnOnce(Mode) -> Duration,
    ) -> Mode {
        let start = self.now;
        if let Some((mode, _)) = self.auto.repetition(start) {
            let end = start + took(mode);
            self.auto.end_repetition(start, end);
            self.now = end + US;
            return mode;
        }
        let choice = self.auto.choose(start, n_threads);
        if choice.is_timed {
            for (rank, node) in self.nodes.by_rank.iter_mut().enumerate() {
                let took = Duration::from_nanos(cost(rank) as u64);
                (node.about.took, node.about.n_timed) = (took, 1);
            }
        }
        let took = took(choice.mode);
        let end = start + took;
        let (nodes, plan) = (&mut self.nodes, &self.plan);
        self.auto
            .learn(choice, end, Some(took), n_threads, nodes, plan);
        self.now = end + US;
        choice.mode
    }
}

/// On a busy machine, measured times are unreliable, and several threads may seem several times as fast for many runs.
#[test]
fn one_thread_is_kept_without_parallelism_at_any_measured_time() {
    for seed in 0..200 {
        let mut dice = Dice(seed);
        // Measured costs are wrong by one factor for all systems of a run, or by one factor for each system. The
        // measured parallelism does not exceed the threshold.
        let is_each = seed % 2 == 0;
        let most = if is_each {
            1.0 + (LEAST_PARALLELISM - 1.0) / 2.0
        } else {
            LEAST_PARALLELISM - 1e-3
        };
        let parallelism = dice.between(1.0, most);
        let (mut machine, costs) = chain_and_some(&mut dice, parallelism);
        let n_threads = 2 + dice.below(7) as usize;
        let work = costs.iter().sum::<f64>();
        let mut slow = [1.0; 2];
        for nth in 0..1_200 {
            if nth % 40 == 0 {
                slow = [(); 2].map(|()| dice.between(0.3, 4.0));
            }
            let of_all = dice.between(0.8, 3.0);
            let noise = dice.between(0.8, 1.2);
            let mut of_each = Dice(dice.below(1 << 30).into());
            let cost = |rank: usize| {
                if is_each {
                    costs[rank] * of_each.between(0.8, 1.2)
                } else {
                    costs[rank] * of_all
                }
            };
            let took = |mode| {
                let slow = slow[usize::from(mode != Mode::Serial)];
                Duration::from_nanos((work * slow * noise) as u64)
            };
            let mode = machine.run_costing(n_threads, cost, took);
            assert_eq!(mode, Mode::Serial, "seed {seed}, run {nth}");
        }
    }
}

/// A trial or a repetition must end when the schedule loses its parallelism.
#[test]
fn trial_of_several_threads_ends_with_the_parallelism() {
    let edges = || (1..20).map(|to| Edge { from: to - 1, to }).collect();
    let wide = |rank: usize| if rank < 20 { 100.0 } else { 50e3 };
    let chain = |rank: usize| if rank < 20 { 50e3 } else { 100.0 };
    let mut n_in_trial = 0;
    for n_wide in 4..64 {
        let mut machine = Machine::new(40);
        machine.plan = Plan::of_edges(40, edges());
        for _ in 0..n_wide {
            // One thread and several take the same time, so each is tried sometimes.
            machine.run_costing(2, wide, |_| 1000 * US);
        }
        n_in_trial += u32::from(machine.auto.trial.is_some());
        // Several threads would be faster if there were parallelism.
        let took = |mode| {
            if mode == Mode::Serial {
                1000 * US
            } else {
                500 * US
            }
        };
        for _ in 0..64 {
            machine.run_costing(2, chain, took);
        }
        for nth in 0..400 {
            let mode = machine.run_costing(2, chain, took);
            assert_eq!(mode, Mode::Serial, "{n_wide} runs before, {nth} after");
        }
        // Several threads are used again when there is parallelism.
        for _ in 0..100 {
            machine.run_costing(2, wide, took);
        }
        let n_several = (0..100)
            .filter(|_| machine.run_costing(2, wide, took) != Mode::Serial)
            .count();
        assert!(n_several > 90, "{n_wide} runs before: {n_several}");
    }
    assert!(n_in_trial > 0, "some are in a trial when it ends");
}

#[test]
fn average_covers_all_runs_regardless_of_their_period() {
    for period in [2, 3, 4, 5, 8, 12] {
        let mut machine = Machine::new(2);
        // The second system costs 1 ms in one of `period` runs, with two executions.
        for nth in 0..6_000 {
            let is_due = nth % period == period - 1;
            for (rank, node) in machine.nodes.by_rank.iter_mut().enumerate() {
                let (took, n_timed) = match (rank, is_due) {
                    (0, _) => (20 * US, 1),
                    (_, true) => (1_000 * US, 2),
                    (_, false) => (Duration::ZERO, 0),
                };
                (node.about.took, node.about.n_timed) = (took, n_timed);
            }
            let took = if is_due { 1_020 * US } else { 20 * US };
            let start = machine.now;
            if machine.auto.repetition(start).is_some() {
                machine.auto.end_repetition(start, start + took);
            } else {
                let choice = machine.auto.choose(start, 1);
                let (nodes, plan) = (&mut machine.nodes, &machine.plan);
                let end = start + took;
                machine.auto.learn(choice, end, Some(took), 1, nodes, plan);
            }
            machine.now = start + took + US;
        }
        let averages: Vec<_> = machine.auto.costs().of_all().collect();
        let [each, rare] = [0, 1].map(|rank: usize| averages[rank].average());
        assert_eq!((each.ns(), each.runs_per_1000()), (20_000, 1_000));
        let wanted = f64::from(1_000_000 / period);
        let off = f64::from(rare.ns()) / wanted;
        assert!((0.7..1.4).contains(&off), "one run of {period}: {off}");
        let off = f64::from(rare.runs_per_1000()) / (2_000.0 / f64::from(period));
        assert!((0.7..1.4).contains(&off), "one run of {period}: {off}");
    }
}
