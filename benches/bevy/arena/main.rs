//! The example `arena` in `bevy_ecs`: the same rules, the same output and the same digest, except for the ids of entities.
//!
//! `cargo run --release -p bevy-comparison --bin arena-in-bevy`
//!
//! At the end the program counts the lines of both programs that have code, without tests. It fails if the example needs more.

mod combat;
mod damage;
mod digest;
mod fighter;
mod grid;
mod inspect;
mod lines;
mod movement;
mod save;
mod score;
mod screen;
mod tick;
mod waves;

use std::process::ExitCode;

use bevy_ecs::error::BevyError;
use bevy_ecs::message::{MessageRegistry, message_update_system};
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::ScheduleLabel;
use bevy_tasks::{ComputeTaskPool, TaskPoolBuilder};

use crate::combat::{bury, fight, get_up, heal, lie_down, think};
use crate::damage::{Damage, burn, take_damage, weaken};
use crate::digest::{Digest, hash};
use crate::fighter::Number;
use crate::grid::{Grid, collide, sort};
use crate::movement::{steer, walk};
use crate::score::{Census, Death, Score, award, count};
use crate::screen::{Screen, draw};
use crate::tick::{
    Clock, Keys, Pause, TICK, Tick, Ticks, advance, is_running, is_wave, read_keys, run_ticks,
};
use crate::waves::{Roster, arrive, grow_older};

/// One frame of the game.
#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
struct Frame;

fn frame() -> Schedule {
    let mut frame = Schedule::new(Frame);
    frame.add_systems((read_keys, run_ticks.run_if(is_running)).chain());
    let draw = draw.run_if(every_60th);
    frame.add_systems(((count, draw).chain(), hash).after(run_ticks));
    frame
}

fn ticks() -> Schedule {
    let mut ticks = Schedule::new(Ticks);
    let begin = (message_update_system, advance, grow_older, sort);
    let fight = (
        (think, steer, collide, walk).chain(),
        (fight, burn, weaken, take_damage).chain(),
        // Commands are applied after `heal`.
        (bury, award, lie_down, heal).chain_ignore_deferred(),
    );
    let prepare = (get_up, arrive.run_if(is_wave)).chain_ignore_deferred();
    ticks.add_systems((begin, fight.chain(), prepare).chain());
    ticks
}

fn every_60th(mut n_frames: Local<u32>) -> bool {
    *n_frames += 1;
    n_frames.is_multiple_of(60)
}

const N_FIGHTERS: usize = 50_000;
/// Frames of the game. Builds without optimisation run fewer, because they are slow.
const N_FRAMES: u32 = if cfg!(debug_assertions) { 20 } else { 600 };
/// The frames of a period in which the player begins a pause and ends it.
const PAUSE: [u32; 2] = [93, 99];
/// Frames of a period.
const PERIOD: u32 = 100;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let n_threads = match arguments[..] {
        [] => Ok(2),
        ["--threads", number] => number.parse().map_err(|_| ()),
        _ => Err(()),
    };
    let Ok(n_threads) = n_threads else {
        eprintln!("usage: arena-in-bevy [--threads N]");
        return ExitCode::from(2);
    };
    match play(n_threads, N_FIGHTERS, N_FRAMES) {
        Ok(mut arena) => {
            print!("{}", arena.resource::<Screen>().0);
            println!("{}", arena.resource::<Score>());
            let mut all = arena.query_filtered::<Entity, With<Number>>();
            let first = all.iter(&arena).next();
            let first = first.expect("fighters never stop coming");
            print!("{}", inspect::inspect(&arena, first));
            println!("digest {}", arena.resource::<Digest>());
            lines::compare()
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Plays on this number of threads, saves and loads in the middle, and returns the arena.
fn play(n_threads: usize, n_fighters: usize, n_frames: u32) -> Result<World, BevyError> {
    ComputeTaskPool::get_or_init(|| TaskPoolBuilder::new().num_threads(n_threads).build());
    let mut arena = new_arena(n_fighters);
    for number in 0..n_frames {
        if number == n_frames / 2 {
            let saved = save::save(&mut arena)?;
            save::load(&mut arena, &saved)?;
        }
        arena.insert_resource(Keys {
            pause: PAUSE.contains(&(number % PERIOD)),
        });
        arena.resource_mut::<Clock>().frame = TICK;
        arena.run_schedule(Frame);
    }
    Ok(arena)
}

fn new_arena(capacity: usize) -> World {
    let mut arena = World::new();
    arena.add_schedule(frame());
    arena.add_schedule(ticks());
    MessageRegistry::register_message::<Damage>(&mut arena);
    MessageRegistry::register_message::<Death>(&mut arena);
    arena.insert_resource(Roster {
        n_fighters: 0,
        capacity,
    });
    arena.init_resource::<Clock>();
    arena.init_resource::<Keys>();
    arena.init_resource::<Pause>();
    arena.init_resource::<Tick>();
    arena.init_resource::<Grid>();
    arena.init_resource::<Score>();
    arena.init_resource::<Census>();
    arena.init_resource::<Screen>();
    arena.init_resource::<Digest>();
    arena
}
