//! A small game: a village of 100,000 villagers, for 1,200 frames.
//!
//! `cargo run --release -p village`
//!
//! `--svg FILE` draws the schedule of a frame instead. With the name of a system after it, it draws the surroundings of
//! that system. `--timeline FILE` draws which thread ran which system in one frame. `--alone` prints how long each
//! system runs while no other thread works. `README.md` has the reasons.
//!
//! The frames run in parallel. The first frames run again on one thread, and the program checks that the result is the same.
//!
//! [`Frame`] lists the systems, and the compiler verifies that no two of them race. Each system is a plain function, and
//! its signature declares its access. The files show:
//!
//! | file | subject |
//! |---|---|
//! | `villager.rs` | entities with a column for each component |
//! | `movement.rs` | systems that run for each villager, steps of a fixed length |
//! | `life.rs` | commands that add and remove villagers |
//! | `census.rs`, `digest.rs` | folds: statistics and a hash of all villagers |
//! | `food.rs`, `fever.rs` | systems with whole columns |
//! | `clock.rs` | a group with its own rate, a struct of parameters |
//! | `phase.rs` | states |
//! | `field.rs` | commands and optional resources |
//! | `chronicle.rs` | local state |
//! | `alone.rs` | recorded runs |
//! | `screen.rs` | a main-thread value, systems that run only if a resource exists |
//! | `check.rs` | systems that can fail, a generic system |

mod alone;
mod census;
mod check;
mod chronicle;
mod clock;
mod dice;
mod digest;
mod fatigue;
mod fever;
mod field;
mod food;
mod health;
mod life;
mod movement;
mod phase;
mod report;
mod screen;
mod villager;

use std::process::ExitCode;
use std::time::Instant;

use schedule::condition::{every, exists};
use schedule::prelude::*;
use schedule::rate::is_due;
use schedule::state::{current, transition};
use schedule::{Checkpoint, Clock, Executor, run_one};
use schedule_view::{graph_svg, timeline_svg};

use crate::alone::Alone;
use crate::census::{Census, HealthBar, Score};
use crate::check::{Founders, check_rate};
use crate::chronicle::Chronicle;
use crate::clock::{FRAMES_PER_DAY, Hour, hours};
use crate::dice::Dice;
use crate::digest::VillageDigest;
use crate::field::{Crop, Drought, SickPerCell, Toadstools};
use crate::life::{Births, Deaths};
use crate::movement::{Physics, steps};
use crate::phase::Phase;
use crate::report::{Timing, Timings};
use crate::screen::{FRAMES_PER_PICTURE, Picture, Screen, Viewer};
use crate::villager::{Villager, Villagers};

/// The systems that simulate an hour.
#[derive(Group)]
struct Simulation;

/// Applies commands: removes the dead, adds the newborns, and begins or ends a drought.
#[derive(Checkpoint)]
struct PopulationChanged;

/// The systems that describe and check the village.
#[derive(Group)]
struct Statistics;

schedule! {
    /// One frame of the village.
    ///
    /// If two systems conflict, they need an order, or this does not compile. An order is an arrow, a clause after the
    /// name of a system, or an option in the attribute of a system. The order of the lines does not matter. Systems that
    /// never both run, such as those of day and night, need no order. Every order is needed: a test removes each of them,
    /// and checks that the rest does not compile.
    ///
    /// Systems that run for each villager share sweeps. A thread runs all systems of a sweep for some villagers, then for
    /// others. [`Schedule::report`] lists the sweeps.
    pub(crate) Frame {
        // Advance the time. Droughts begin and end when the night ends.
        clock::advance -> (dice::reseed, phase::request_phase),
        field::change_weather: after dice::reseed on exit Phase::Night,
        transition<Phase>,
        chronicle::note_end: before PopulationChanged on enter Phase::Over,

        // Most systems below are in this group by their attributes. They run once per hour, until the village is empty.
        group Hour: if (is_due<Hour>, not(is(current<Phase>, Phase::Over))),

        // Simulate an hour. Most systems run for each villager.
        group Simulation {
            exists<Drought>: after_without_commands field::change_weather,
            field::grow: before movement::roam if not(exists<Drought>),
            movement::roam,
            movement::go_home,
            repeat while is_due<Physics>: in Physics { movement::walk, fatigue::tire }
            movement::locate,
            fatigue::sleep,
            food::hunger -> food::eat_toadstools -> food::eat,
            fever::count_sick -> fever::spread -> fever::progress
            -> health::poison -> health::starve -> health::heal -> life::die,
            life::conceive: after health::heal on enter Phase::Night,
            life::age: before (life::die, life::conceive),
            census::reset,
        }

        // Remove the dead, and add the newborns.
        -> apply_commands PopulationChanged

        // Update the statistics and the chronicle, and draw if there is a viewer. Check the state. Hash everything.
        -> group Statistics {
            census::count -> (census::score, chronicle::note_changes),
            group Picture: after census::count if (exists<Viewer>, every<FRAMES_PER_PICTURE>) {
                census::draw -> screen::show
            }
            check::check_position,
            check::check_count,
            check_rate<Hour>: if not(is(current<Phase>, Phase::Over)),
            check_rate<Physics>,
            digest::digest_villager,
            digest::digest_crop,
            digest::digest_results: after (census::score, chronicle::note_changes),
        }
    }
}

const N_FOUNDERS: usize = 100_000;

/// Number of frames. Builds without optimisation run fewer, because they are slow.
const N_FRAMES: u32 = if cfg!(debug_assertions) { 240 } else { 1200 };
/// The digest after all frames. It is the same on every platform, and for every executor.
const DIGEST: VillageDigest = VillageDigest(if cfg!(debug_assertions) {
    0xd70c_2164_a910_b106
} else {
    0xc5f2_9c02_b613_abb7
});

/// Number of frames that also run on one thread, to compare the results.
const N_SERIAL_FRAMES: u32 = N_FRAMES / 5;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        [] => run_village(),
        ["--svg", file] => draw(file, None),
        ["--svg", file, system] => draw(file, Some(system)),
        ["--timeline", file] => draw_timeline(file),
        ["--alone"] => print_alone(),
        _ => Err(
            "usage: village [--svg FILE [SYSTEM]] draws a frame or the surroundings of a system, \
             village --timeline FILE draws which thread ran which system in a frame, \
             village --alone prints the systems that run while no other thread works"
                .into(),
        ),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Draws the schedule of a frame, or the surroundings of a system, to a file.
fn draw(file: &str, system: Option<&str>) -> Result<(), BoxError> {
    Ok(std::fs::write(file, picture(system))?)
}

/// Draws which thread ran which system in a frame at noon, to a file.
fn draw_timeline(file: &str) -> Result<(), BoxError> {
    let (mut frame, mut village) = (Frame::new(), new_village(N_FOUNDERS));
    frame.set_executor(Executor::Parallel);
    run_frames(FRAMES_PER_DAY * 3 / 2 - 1, &mut frame, &mut village)?;
    let (result, recording) = frame.record(&mut village);
    let timeline = recording.timeline();
    result?;
    Ok(std::fs::write(file, timeline_svg(&timeline))?)
}

/// Prints the systems that run while no other thread works, in the frames that [`run_village`] compares.
fn print_alone() -> Result<(), BoxError> {
    let (mut frame, mut village) = (Frame::new(), new_village(N_FOUNDERS));
    frame.set_executor(Executor::Parallel);
    let mut alone = Alone::default();
    for _ in 0..N_SERIAL_FRAMES {
        let (result, recording) = frame.record(&mut village);
        alone.add(&recording.timeline());
        result?;
    }
    print!("{alone}");
    Ok(())
}

/// Returns a picture of the schedule of a frame, or of the surroundings of a system.
fn picture(system: Option<&str>) -> String {
    const RADIUS: usize = 1;
    let graph = Frame::new().graph();
    let picture = graph.picture().without_places();
    match system {
        None => graph_svg(picture),
        Some(system) => graph_svg(picture.around(graph.named(system), RADIUS)),
    }
}

fn run_village() -> Result<(), BoxError> {
    let mut village = new_village(N_FOUNDERS);
    village.insert(Viewer);
    let mut parallel = Frame::new();
    let first_timing = run_frames(N_SERIAL_FRAMES, &mut parallel, &mut village)?;
    let digest = village.get::<VillageDigest>().cloned();
    let rest_timing = run_frames(N_FRAMES - N_SERIAL_FRAMES, &mut parallel, &mut village)?;

    let mut reference = new_village(N_FOUNDERS);
    let mut serial = Frame::new();
    serial.set_executor(Executor::Serial);
    let serial_timing = run_frames(N_SERIAL_FRAMES, &mut serial, &mut reference)?;

    village.insert(Timings::from(vec![
        ("on one thread", serial_timing),
        ("in parallel  ", first_timing),
        ("in parallel  ", first_timing + rest_timing),
    ]));
    run_one::<report::report>(&mut village)?;
    assert_eq!(village.get(), Some(&DIGEST));
    assert_eq!(reference.get(), digest.as_ref());
    Ok(())
}

/// Runs frames and measures them.
fn run_frames(
    n_frames: u32,
    frame: &mut Schedule,
    village: &mut Resources,
) -> Result<Timing, BoxError> {
    let start = Instant::now();
    for _ in 0..n_frames {
        frame.run(village)?;
    }
    Ok(Timing {
        n_frames,
        elapsed: start.elapsed(),
    })
}

/// Returns the resources of a new village.
fn new_village(n_founders: usize) -> Resources {
    let mut village = Resources::new();
    village.insert(Villagers::from_iter((0..n_founders).map(Villager::founder)));
    village.insert(Founders(n_founders));
    village.insert(Clock::new());
    village.insert(hours());
    village.insert(steps());
    // The village starts in the middle of a night. The night counts as entered, so no system for its beginning runs.
    village.insert_entered_state(Phase::Night);
    village.insert(Dice::default());
    village.insert(Crop::default());
    village.insert(Toadstools::default());
    village.insert(SickPerCell::default());
    village.insert(Births::default());
    village.insert(Deaths::default());
    village.insert(Census::default());
    village.insert(HealthBar::default());
    village.insert(Score::default());
    village.insert(Chronicle::default());
    village.insert(VillageDigest::default());
    village.main_thread().insert(Screen::lock());
    village
}

#[cfg(test)]
mod tests {
    use schedule::State;

    use super::*;
    use crate::health::{Harm, Health};

    fn run_day(
        frame: &mut Schedule,
        village: &mut Resources,
    ) -> (Option<Phase>, VillageDigest, usize) {
        run_frames(FRAMES_PER_DAY, frame, village).unwrap();
        (
            village.get::<State<Phase>>().map(State::get),
            village.get::<VillageDigest>().unwrap().clone(),
            village.get::<Chronicle>().unwrap().len(),
        )
    }

    #[test]
    fn committed_pictures_are_up_to_date() {
        for (file, system) in [("frame.svg", None), ("go_home.svg", Some("go_home"))] {
            let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
            let kept = std::fs::read_to_string(folder.join(file)).unwrap_or_default();
            assert!(
                kept == picture(system),
                "draw it again: cargo run -p village -- --svg examples/village/{file} {}",
                system.unwrap_or_default()
            );
        }
    }

    #[test]
    fn an_empty_village_does_not_change() {
        let (mut frame, mut village) = (Frame::new(), new_village(4));
        let (phase, ..) = run_day(&mut frame, &mut village);
        assert_eq!(phase, Some(Phase::Night));
        let villagers = village.get_mut::<Villagers>().unwrap();
        for health in &mut villagers.column_mut::<Health>() {
            health.hurt(Health::FULL, Harm::Poison);
        }
        let end = run_day(&mut frame, &mut village);
        assert_eq!(end.0, Some(Phase::Over));
        let chronicle = village.get::<Chronicle>().unwrap();
        assert_eq!(chronicle.last().unwrap(), "day  1  the village is empty");
        assert_eq!(run_day(&mut frame, &mut village), end);
    }
}
