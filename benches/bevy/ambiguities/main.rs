//! An experiment on the order of systems: a game in `bevy_ecs`, whose author left some orders open.
//!
//! `cargo run --release -p bevy-comparison --bin ambiguities -- [--check] [--json FILE]`
//!
//! 1. The game runs with shuffled schedules, one for each seed, on one thread. All orders of the author hold in each of them.
//! 2. The accesses and orders of its systems are read from `bevy_ecs`, and `schedule` verifies them. It reports the races, and
//!    the orders that end them.
//! 3. These orders are added to the game, and it runs again with the same seeds.
//!
//! The program prints the number of different states at the end, before and after. `--check` fails unless there are several
//! before and one after.

mod accesses;
mod economy;
mod enemies;
mod game;
mod state;
mod towers;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;

use bench_report::{Results, Role, Row};
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::InternedSystemSet;

use crate::accesses::Systems;
use crate::state::State;

const N_SEEDS: u64 = 12;
const N_TICKS: u32 = 1_000;

/// The results.
struct Experiment {
    systems: Systems,
    /// The number of pairs of systems that conflict in their accesses, without an order.
    n_races: usize,
    /// The number of further pairs: systems with commands, which are applied in the order of the systems.
    n_command_races: usize,
    /// Pairs of indices of systems: the orders that `schedule` requires.
    added: Vec<(usize, usize)>,
    /// The state at the end of the game for each seed.
    before: Vec<State>,
    after: Vec<State>,
}

const USAGE: &str = "usage: ambiguities [--check] [--json FILE]";

fn main() -> ExitCode {
    let mut is_check = false;
    let mut json = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--check" => is_check = true,
            "--json" => json = arguments.next().map(PathBuf::from),
            _ => {
                eprintln!("argument `{argument}` is unknown\n{USAGE}");
                return ExitCode::from(2);
            }
        }
    }
    let experiment = match Experiment::run() {
        Ok(experiment) => experiment,
        Err(mistake) => {
            eprintln!("error: {mistake}");
            return ExitCode::FAILURE;
        }
    };
    experiment.print();
    if let Some(file) = json
        && let Err(error) = std::fs::write(&file, experiment.to_json())
    {
        eprintln!("{}: {error}", file.display());
        return ExitCode::FAILURE;
    }
    let [before, after] = [&experiment.before, &experiment.after].map(|states| distinct(states));
    if is_check && (before < 2 || after != 1) {
        eprintln!("error: {before} end states before, {after} after; expected several, and one");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

impl Experiment {
    /// # Errors
    ///
    /// If `schedule` and `bevy_ecs` find different conflicts.
    fn run() -> Result<Self, String> {
        let mut world = game::new_world();
        let mut tick = game::schedule(None);
        let built = tick.initialize(&mut world);
        built.map_err(|error| format!("`bevy_ecs` rejects the schedule: {error:?}"))?;
        let systems = Systems::of(&tick);

        let by_access = systems.verify(&world, false);
        if by_access.races != systems.ambiguous {
            let difference = by_access.races.symmetric_difference(&systems.ambiguous);
            let names = difference.map(|pair| (systems.name(pair.0), systems.name(pair.1)));
            return Err(format!(
                "only one of `schedule` and `bevy_ecs` finds {:?}",
                names.collect::<Vec<_>>()
            ));
        }
        let all = systems.verify(&world, true);
        let orders = all.orders.iter();
        let sets: Vec<_> = orders
            .map(|(first, then)| (systems.set(*first), systems.set(*then)))
            .collect();
        Ok(Self {
            n_races: by_access.races.len(),
            n_command_races: all.races.len() - by_access.races.len(),
            before: play_all(&[]),
            after: play_all(&sets),
            added: all.orders,
            systems,
        })
    }

    /// In the format of `benches/results`.
    fn to_json(&self) -> String {
        let mut results = Results::here(
            "Ambiguous orders of a game",
            &format!(
                "A tower defence of {} systems in `bevy_ecs`, with the orders of its author, played for {N_TICKS} ticks with \
                 shuffled schedules on one thread. The accesses of its systems are read from `bevy_ecs`, and `schedule` \
                 verifies them; without commands it finds the same pairs as the ambiguity detection of `bevy_ecs`. Then the \
                 orders that it requires are added to the game.",
                self.systems.n_shared()
            ),
            &format!("end states of {N_SEEDS} seeds"),
        );
        results.is_brief = true;
        results.command =
            Some("cargo run --release -p bevy-comparison --bin ambiguities".to_string());
        let row = |about: &str| Row::new("ambiguities", "bevy_ecs").with("about", about);
        let rows = vec![
            row("orders of the author").median_of(distinct(&self.before) as f64),
            row("with the orders that `schedule` requires").median_of(distinct(&self.after) as f64),
            row("conflicts in accesses")
                .unit("pairs of systems")
                .median_of(self.n_races as f64),
            row("further conflicts in commands")
                .unit("pairs of systems")
                .median_of(self.n_command_races as f64),
            row("added")
                .unit("orders")
                .median_of(self.added.len() as f64),
        ];
        results.with(rows, |_| Role::Peer).to_json()
    }

    fn print(&self) {
        let n_systems = self.systems.n_shared();
        let (n_races, n_commands, n_added) = (self.n_races, self.n_command_races, self.added.len());
        println!("{n_systems} systems, {N_SEEDS} seeds, {N_TICKS} ticks");
        println!("before: {} end states", distinct(&self.before));
        print_states(&self.before);
        println!("races: {n_races} by access, {n_commands} by commands");
        println!("orders added: {n_added}");
        for (first, then) in &self.added {
            println!(
                "  {} -> {}",
                self.systems.name(*first),
                self.systems.name(*then)
            );
        }
        println!("after: {} end states", distinct(&self.after));
        print_states(&self.after);
    }
}

fn print_states(states: &[State]) {
    let mut counts: BTreeMap<&State, usize> = BTreeMap::new();
    for state in states {
        *counts.entry(state).or_default() += 1;
    }
    for (state, n) in counts {
        println!("  {n} seeds: {}", state.summary());
    }
}

fn distinct(states: &[State]) -> usize {
    states.iter().collect::<BTreeSet<_>>().len()
}

/// An order that was added: an empty set between two systems. `bevy_ecs` replaces it by an order of the two.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Between(usize);

/// The state at the end of the game for each seed, with these orders in addition to those of the author.
fn play_all(orders: &[(InternedSystemSet, InternedSystemSet)]) -> Vec<State> {
    let states = (0..N_SEEDS).map(|seed| {
        let mut world = game::new_world();
        let mut tick = game::schedule(Some(seed));
        for (nth, (first, then)) in orders.iter().enumerate() {
            tick.configure_sets(Between(nth).after(*first).before(*then));
        }
        for _ in 0..N_TICKS {
            tick.run(&mut world);
        }
        State::of(&mut world)
    });
    states.collect()
}
