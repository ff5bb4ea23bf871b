//! A small game: 50,000 fighters of two teams in an arena.
//!
//! `cargo run --release -p examples --example arena`
//!
//! `--threads N` sets the number of threads. The result is the same for any number, and the program prints its digest. In the
//! middle the game is saved and loaded, and continues as if it had not been. At the end the program prints the arena as text,
//! and the components of one fighter. `--predict` runs the game on one thread, and prints how long a frame would take on more.
//!
//! [`Frame`] lists the systems, and the compiler verifies that no two of them race, also on the components of their queries.
//! The files show:
//!
//! | file | subject |
//! |---|---|
//! | `movement.rs`, `waves.rs` | systems that run for each entity |
//! | `grid.rs`, `score.rs`, `screen.rs` | queries that fill a resource, collisions |
//! | `damage.rs` | messages from several systems to one |
//! | `digest.rs` | a fold: a hash |
//! | `combat.rs` | systems that read a resource for each entity, commands on entities |
//! | `tick.rs` | ticks of a fixed length, and a pause |
//! | `inspect.rs` | the components of an entity as text |
//! | `predict.rs` | measured costs, and simulated runs |

mod combat;
mod damage;
mod digest;
mod fighter;
mod grid;
mod inspect;
mod movement;
mod predict;
mod score;
mod screen;
mod tick;
mod waves;

use std::process::ExitCode;
use std::sync::Arc;

use rayon::ThreadPoolBuilder;
use schedule::condition::every;
use schedule::prelude::*;
use schedule::rate::is_due;
use schedule::snapshot::SnapshotError;
use schedule::{Checkpoint, Clock, SavedResources};
use schedule_hecs::prelude::*;

use crate::damage::Damage;
use crate::digest::Digest;
use crate::grid::Grid;
use crate::score::{Census, Death, Score};
use crate::screen::Screen;
use crate::tick::{Keys, Pause, Tick, Ticks, is_running, is_wave, ticks};
use crate::waves::Roster;

/// Applies the commands of `bury` and `lie_down`.
#[derive(Checkpoint)]
struct Fought;

/// Applies the commands of `get_up` and `arrive`.
#[derive(Checkpoint)]
struct Prepared;

schedule! {
    /// One frame of the game.
    Frame {
        tick::read_keys: before is_running,
        repeat while is_due<Ticks>: if is_running {
            (tick::advance -> is_wave, waves::grow_older, grid::sort)
            -> combat::think -> movement::steer -> grid::collide -> movement::walk
            -> (combat::fight, damage::burn, damage::weaken) -> damage::take_damage
            -> (combat::bury -> score::award, combat::lie_down) -> combat::heal -> apply_commands Fought
            -> (combat::get_up, waves::arrive: if is_wave) -> apply_commands Prepared,
        } -> (score::count -> screen::draw: if every<60>, digest::hash_score -> digest::hash),
    }
}

/// Tests have fewer fighters, because they have no optimisation.
const N_FIGHTERS: usize = if cfg!(test) { 2_000 } else { 50_000 };
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
        ["--predict"] => return predict::predict(),
        _ => Err(()),
    };
    let Ok(n_threads) = n_threads else {
        eprintln!("usage: arena [--threads N | --predict]");
        return ExitCode::from(2);
    };
    match play(&mut Frame::new(), n_threads, N_FRAMES) {
        Ok(mut arena) => {
            print!("{}", arena.get::<Screen>().expect("it was inserted").0);
            println!("{}", arena.get::<Score>().expect("it was inserted"));
            let world = arena.get_mut::<World>().expect("it was inserted");
            let first = world.entities().next().expect("fighters never stop coming");
            print!("{}", inspect::inspect(world, first));
            println!("digest {}", arena.get::<Digest>().expect("it was inserted"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Plays on this number of threads, saves and loads in the middle, and returns the arena.
fn play(frame: &mut Schedule, n_threads: usize, n_frames: u32) -> Result<Resources, BoxError> {
    let pool = ThreadPoolBuilder::new().num_threads(n_threads).build()?;
    frame.set_pool(Arc::new(pool));
    let mut arena = new_arena(N_FIGHTERS);
    for number in 0..n_frames {
        if number == n_frames / 2 {
            let saved = save(&arena)?;
            load(&saved, &mut arena)?;
        }
        arena.insert(Keys {
            pause: PAUSE.contains(&(number % PERIOD)),
        });
        arena
            .get_mut::<Clock>()
            .expect("it was inserted")
            .advance(tick::TICK);
        frame.run(&mut arena)?;
    }
    Ok(arena)
}

/// Saves all fighters.
fn save(arena: &Resources) -> Result<Vec<u8>, SnapshotError> {
    SavedResources::new().with::<World>().save(arena)
}

/// Replaces all fighters by saved ones.
fn load(saved: &[u8], arena: &mut Resources) -> Result<(), SnapshotError> {
    SavedResources::new().with::<World>().restore(saved, arena)
}

fn new_arena(capacity: usize) -> Resources {
    let mut arena = Resources::new();
    arena.insert(World::new());
    arena.insert(Roster {
        n_fighters: 0,
        capacity,
    });
    arena.insert(Clock::default());
    arena.insert(ticks());
    arena.insert_default::<Keys>();
    arena.insert_default::<Pause>();
    arena.insert_default::<Tick>();
    arena.insert_default::<Grid>();
    arena.insert_default::<Messages<Damage>>();
    arena.insert_default::<Messages<Death>>();
    arena.insert_default::<Score>();
    arena.insert_default::<Census>();
    arena.insert_default::<Screen>();
    arena.insert_default::<Digest>();
    arena
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The digest depends neither on threads nor on executors.
    #[test]
    fn the_result_does_not_depend_on_the_number_of_threads() {
        let result = |n_threads| {
            let arena = play(&mut Frame::new(), n_threads, 120).unwrap();
            let score = arena.get::<Score>().unwrap().points();
            assert!(score[0] > 0 && score[1] > 0, "each team scores");
            let entities: Vec<Entity> = arena.get::<World>().unwrap().entities().collect();
            (*arena.get::<Digest>().unwrap(), entities)
        };
        let one = result(1);
        assert_eq!(result(2), one);
        assert_eq!(result(4), one);
    }

    #[test]
    fn a_loaded_game_continues_as_the_saved_one() {
        let mut arenas = [new_arena(2_000), new_arena(2_000)];
        let mut frame = Frame::new();
        for number in 0..80 {
            for (idx, arena) in arenas.iter_mut().enumerate() {
                if number == 75 && idx == 1 {
                    let world = arena.get_mut::<World>().unwrap();
                    let n_free = world.hecs_mut().freelist().count();
                    assert!(n_free > 1, "the order of free ids has an effect");
                    let saved = save(arena).unwrap();
                    load(&saved, arena).unwrap();
                }
                arena.get_mut::<Clock>().unwrap().advance(tick::TICK);
                frame.run(arena).unwrap();
            }
        }
        let [saved, loaded] = arenas.map(|arena| {
            let entities: Vec<Entity> = arena.get::<World>().unwrap().entities().collect();
            (*arena.get::<Digest>().unwrap(), entities)
        });
        assert_eq!(loaded, saved);
    }

    #[test]
    fn a_damaged_save_is_an_error() {
        let mut arena = new_arena(10);
        let saved = save(&arena).unwrap();
        for damaged in [&[], &saved[1..], &saved[..saved.len() / 2]] {
            assert!(load(damaged, &mut arena).is_err());
        }
        load(&saved, &mut arena).unwrap();
    }

    #[test]
    fn a_pause_stops_the_ticks() {
        let mut arena = new_arena(10);
        let mut frame = Frame::new();
        let ticks = [false, true, false, true, false].map(|pause| {
            arena.insert(Keys { pause });
            arena.get_mut::<Clock>().unwrap().advance(tick::TICK);
            frame.run(&mut arena).unwrap();
            arena.get::<Tick>().unwrap().0
        });
        assert_eq!(ticks, [1, 1, 1, 2, 3]);
    }

    #[test]
    fn the_inspector_lists_all_components() {
        let mut world = World::new();
        let entity = world.spawn(fighter::fighter(3));
        let text = inspect::inspect(&mut world, entity);
        for name in [
            "Number(3)",
            "Position",
            "Velocity",
            "Health(100)",
            "Blue",
            "Roam",
            "Age(0)",
        ] {
            assert!(text.contains(name), "{text}");
        }
        world.despawn(entity).unwrap();
        assert!(inspect::inspect(&mut world, entity).contains("does not exist"));
    }
}
