//! Tests the outcomes of guarded systems, which a serial run sets for whole stretches, against a model. And that recorded runs count for
//! `Executor::Auto`.

use super::*;
use crate::base::identity::{Identity, Name};
use crate::builders::builder::Builder;
use crate::data::executor_choice::Executor;
use crate::data::order::{Anchor, Checkpoint};
use crate::data::resource::Resource;
use crate::run::outcome::Outcome;
use crate::systems::condition::Condition;

/// Whether the systems of each guard run, and which system fails.
#[derive(Default)]
struct Plans {
    is_on: [bool; 3],
    failing: Option<usize>,
    /// The systems that ran.
    ran: Vec<usize>,
}

impl Identity for Plans {
    const ID: u128 = 1;
    const NAME: Name = Name::new("Plans");
}

impl Resource for Plans {}

struct Point<const N: u128>;

impl<const N: u128> Identity for Point<N> {
    const ID: u128 = 2 + N;
    const NAME: Name = Name::new("Point");
}

impl<const N: u128> Anchor for Point<N> {}

impl<const N: u128> Checkpoint for Point<N> {}

/// The guards of the systems: stretches of several systems, and of one.
const GUARDS: [Option<usize>; 12] = [
    None,
    Some(0),
    Some(0),
    Some(0),
    Some(1),
    Some(0),
    Some(0),
    None,
    None,
    Some(2),
    Some(2),
    Some(1),
];

fn name(system: usize) -> &'static str {
    ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"][system]
}

fn schedule() -> Schedule {
    let mut builder = Schedule::builder();
    builder.policy(schedule_graph::Policy::InsertionOrder);
    for (guard, name) in ["is_0", "is_1", "is_2"].into_iter().enumerate() {
        builder.add_closure(name, move |plans: &Plans| plans.is_on[guard]);
    }
    for (system, guard) in GUARDS.into_iter().enumerate() {
        let run = move |plans: &mut Plans| {
            if plans.failing == Some(system) {
                Err("fails")
            } else {
                plans.ran.push(system);
                Ok(())
            }
        };
        builder.add_closure(name(system), run);
        if let Some(guard) = guard {
            builder.run_if(Condition::added(["is_0", "is_1", "is_2"][guard]));
        }
        if system % 4 == 2 {
            let checkpoints: [fn(&mut Builder) -> &mut Builder; 3] = [
                Builder::checkpoint::<Point<0>>,
                Builder::checkpoint::<Point<1>>,
                Builder::checkpoint::<Point<2>>,
            ];
            checkpoints[system / 4](&mut builder);
        }
    }
    builder.build().unwrap()
}

#[test]
fn outcomes_of_stretches_are_those_of_their_guards() {
    let mut schedule = schedule();
    let mut resources = Resources::new();
    resources.insert(Plans::default());
    let mut is_enabled = [true; 12];
    let mut random: u64 = 1;
    let mut next = move |n: u64| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % n
    };
    let n_runs = if cfg!(miri) { 15 } else { 2_000 };
    for _ in 0..n_runs {
        let executor = [Executor::Serial, Executor::Serial, Executor::Auto][next(3) as usize];
        schedule.set_executor(executor);
        // At most one system is disabled, so that most runs have stretches.
        let disabled = is_enabled.iter().position(|is_enabled| !is_enabled);
        let system = disabled.or((next(8) == 0).then(|| next(12) as usize));
        if let Some(system) = system.filter(|_| next(2) == 0) {
            is_enabled[system] = !is_enabled[system];
            schedule
                .set_enabled(name(system), is_enabled[system])
                .unwrap();
        }
        let plans = resources.get_mut::<Plans>().unwrap();
        plans.is_on = [next(2) == 0, next(4) == 0, next(10) > 0];
        plans.failing = Some(next(200) as usize);
        plans.ran.clear();
        let (is_on, failing) = (plans.is_on, plans.failing);

        let due =
            |system: usize| is_enabled[system] && GUARDS[system].is_none_or(|guard| is_on[guard]);
        let result = schedule.run(&mut resources);
        let has_failed = failing.is_some_and(|system| system < 12 && due(system));
        assert_eq!(result.is_err(), has_failed);
        let expected = |system: usize| match (is_enabled[system], due(system)) {
            (false, _) => Outcome::Disabled,
            (true, false) if !has_failed => Outcome::GuardFalse,
            _ => Outcome::Finished(1),
        };
        let nodes = schedule.nodes.by_rank.iter();
        let mut n_compared = 0;
        for (rank, node) in (0..).zip(nodes) {
            let Some(system) =
                (0..12).find(|&system| node.is_system() && node.about.place.name == name(system))
            else {
                continue;
            };
            assert_eq!(
                schedule.nodes.outcomes.get(rank),
                expected(system),
                "{system}"
            );
            n_compared += 1;
        }
        assert_eq!(n_compared, 12);
        if !has_failed {
            let ran = &resources.get::<Plans>().unwrap().ran;
            assert_eq!(
                *ran,
                (0..12).filter(|&system| due(system)).collect::<Vec<_>>()
            );
        }
    }
}

/// After a very short run, the next ones skip the choice of a mode, also if they are recorded.
#[test]
fn recorded_runs_skip_the_choice_of_a_mode_like_others() {
    let mut schedule = Schedule::builder().add_closure("a", || {}).build().unwrap();
    let mut resources = Resources::new();
    schedule.run(&mut resources).unwrap();
    *schedule.execution.n_unclocked() = 3;
    for n_left in [2, 1, 0] {
        schedule.record(&mut resources).0.unwrap();
        assert_eq!(*schedule.execution.n_unclocked(), n_left);
    }
}
