//! A village of 100,000: one frame of a small game, 1,200 times.
//!
//! `cargo run --release --example village`
//!
//! With `--svg FILE`, it draws a frame instead; with the name of a system behind that, what is near to it. With
//! `--timeline FILE`, it draws what the threads did in one.
//!
//! The frames are run in parallel, and the first of them once more on one thread: the village is the same.
//!
//! [`Frame`] lists the systems, and the compiler verifies that the list leaves nothing to chance. Each is a plain
//! function in the file of its subject, and its signature says what it touches. To read next: `food.rs` for plain
//! systems, `clock.rs` for what runs at a rate of its own, and `movement.rs` for steps of a fixed length and a struct of
//! parameters, `phase.rs` for states, `villager.rs` for generic systems, `field.rs` for commands and optional resources,
//! `chronicle.rs` for local state, `screen.rs` for what is done only when somebody looks, and for a main-thread value,
//! `check.rs` for systems that can fail.

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
use schedule::state::{changes, current, enters, leaves, transition};
use schedule::{Clock, Executor, run_one};
use schedule_view::{graph_svg, timeline_svg};

use crate::census::{Census, HealthBar, Score};
use crate::check::{Founders, add_up, keep_up};
use crate::chronicle::Chronicle;
use crate::clock::{FRAMES_PER_DAY, Hour, hours};
use crate::dice::Dice;
use crate::digest::{Digest, Digestion, VillageDigest, digest_column, digest_village};
use crate::fatigue::Fatigue;
use crate::fever::{Contagion, Fever};
use crate::field::{Cell, Crop, Drought, SickPerCell, Toadstools};
use crate::food::{Feeding, Hunger};
use crate::health::{Health, Poison, Vitality};
use crate::life::{Age, Births, Deaths};
use crate::movement::{Home, Movement, Physics, Position, Velocity, steps};
use crate::phase::Phase;
use crate::report::{Pace, Paces};
use crate::screen::{FRAMES_PER_PICTURE, Onlooker, Picture, Screen};
use crate::villager::{Arrivals, Burials, Column, Dead, Parents, bear, bury};

schedule! {
    /// One frame of the village.
    ///
    /// Two systems of which one writes what the other touches have an order, or this does not compile: an arrow, a
    /// clause behind the name, or one in the attribute of the system that waits wherever it is listed. The place of a
    /// line says nothing of when it runs. Branches of which one at most runs, as by day and by night, need no order.
    /// And no order is one too many: a test leaves out each, and none of that compiles.
    pub(crate) Frame {
        // Time passes. Droughts begin and end at daybreak.
        clock::advance -> (dice::shake, phase::turn),
        field::weather: after dice::shake before transition<Phase> if (changes<Phase>, is(leaves<Phase>, Phase::Night)),
        transition<Phase>,
        chronicle::close: if (changes<Phase>, is(enters<Phase>, Phase::Over)),

        // Most of what follows goes on by the hour, and only as long as somebody lives: it says so in its attributes.
        group Hour: if (is_due<Hour>, not(is(current<Phase>, Phase::Over))),

        // An hour of a life.
        field::grow: if not(exists<Drought>),
        group Movement: after field::grow {
            movement::roam,
            movement::go_home,
            repeat while is_due<Physics>: in Physics { movement::walk, fatigue::tire }
            movement::locate,
            fatigue::sleep: after Physics,
        }
        group Feeding: after Movement { food::hunger -> food::taste -> food::eat }
        group Contagion: after Movement { fever::count_sick -> fever::spread -> fever::ail }
        group Vitality: after (Feeding, Contagion) { health::poison -> health::starve -> health::heal }
        life::age,
        life::die: after (life::age, Vitality),

        // The dead leave every column, and at nightfall the newborn enter it.
        group Burials {
            bury<Position>, bury<Velocity>, bury<Home>, bury<Cell>, bury<Fatigue>,
            bury<Hunger>, bury<Health>, bury<Poison>, bury<Fever>, bury<Age>,
        }
        group Arrivals: if (changes<Phase>, is(enters<Phase>, Phase::Night)) {
            life::conceive,
            bear<Position>, bear<Velocity>, bear<Home>, bear<Cell>, bear<Fatigue>,
            bear<Hunger>, bear<Health>, bear<Poison>, bear<Fever>, bear<Age>,
        }

        // What is told of it, and shown to whoever looks.
        census::count,
        census::score: after census::count,
        chronicle::chronicle: after (census::count, chronicle::close),
        group Picture: after census::count if (exists<Onlooker>, every<FRAMES_PER_PICTURE>) {
            census::draw -> screen::show
        }

        // What must hold after every frame.
        check::stay_in_field, keep_up<Hour>: if not(is(current<Phase>, Phase::Over)), keep_up<Physics>,
        add_up<Position>, add_up<Velocity>, add_up<Home>, add_up<Cell>, add_up<Fatigue>,
        add_up<Hunger>, add_up<Health>, add_up<Poison>, add_up<Fever>, add_up<Age>,

        // The digest of everything, which is the same on every run.
        group Digestion {
            digest_column<Position>, digest_column<Velocity>, digest_column<Home>, digest_column<Cell>,
            digest_column<Fatigue>, digest_column<Hunger>, digest_column<Health>, digest_column<Poison>,
            digest_column<Fever>, digest_column<Age>,
        }
        digest_village: after (census::score, chronicle::chronicle),
    }
}

const N_FOUNDERS: usize = 100_000;

/// How long the village lives, and its digest then: the same on every platform, and however the systems are run.
///
/// Without optimisation so many frames would take half a minute.
const N_FRAMES: u32 = if cfg!(debug_assertions) { 240 } else { 1200 };
const DIGEST: VillageDigest = VillageDigest(if cfg!(debug_assertions) {
    0xc5ec_e99e_cda4_7829
} else {
    0x32fb_b5db_97dc_f908
});

/// How many of them are lived through on one thread, too, which comes to the same.
const N_SERIAL_FRAMES: u32 = N_FRAMES / 5;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        [] => live(),
        ["--svg", file] => draw(file, None),
        ["--svg", file, system] => draw(file, Some(system)),
        ["--timeline", file] => draw_timeline(file),
        _ => Err(
            "usage: village [--svg FILE [SYSTEM]], for a picture of a frame, or around a system, or \
             village --timeline FILE, for one of what the threads did in a frame"
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

/// Writes a picture of a frame to this file.
fn draw(file: &str, system: Option<&str>) -> Result<(), BoxError> {
    Ok(std::fs::write(file, picture(system))?)
}

/// Writes to this file what the threads did in a frame, at the end of a day.
fn draw_timeline(file: &str) -> Result<(), BoxError> {
    let (mut frame, mut village) = (Frame::new(), found(N_FOUNDERS));
    live_through(FRAMES_PER_DAY - 1, &mut frame, &mut village)?;
    let (result, recording) = frame.record(&mut village);
    let timeline = recording.timeline();
    result?;
    Ok(std::fs::write(file, timeline_svg(&timeline))?)
}

/// A picture of a frame, or of what is so near to a system.
fn picture(system: Option<&str>) -> String {
    const RADIUS: usize = 1;
    let graph = Frame::new().graph();
    let picture = graph.picture().without_places();
    match system {
        None => graph_svg(picture),
        Some(system) => graph_svg(picture.around(graph.named(system), RADIUS)),
    }
}

fn live() -> Result<(), BoxError> {
    let mut village = found(N_FOUNDERS);
    village.insert(Onlooker);
    let mut parallel = Frame::new();
    let begin = live_through(N_SERIAL_FRAMES, &mut parallel, &mut village)?;
    let digest = village.get::<VillageDigest>().cloned();
    let rest = live_through(N_FRAMES - N_SERIAL_FRAMES, &mut parallel, &mut village)?;

    let mut twin = found(N_FOUNDERS);
    let mut serial = Frame::new();
    serial.set_executor(Executor::Serial);
    let alone = live_through(N_SERIAL_FRAMES, &mut serial, &mut twin)?;

    village.insert(Paces::from(vec![
        ("on one thread", alone),
        ("in parallel  ", begin),
        ("in parallel  ", begin + rest),
    ]));
    run_one::<report::report>(&mut village)?;
    assert_eq!(village.get(), Some(&DIGEST));
    assert_eq!(twin.get(), digest.as_ref());
    Ok(())
}

/// Runs so many frames.
fn live_through(
    n_frames: u32,
    frame: &mut Schedule,
    village: &mut Resources,
) -> Result<Pace, BoxError> {
    let start = Instant::now();
    for _ in 0..n_frames {
        frame.run(village)?;
    }
    Ok(Pace {
        n_frames,
        elapsed: start.elapsed(),
    })
}

/// Does something with every property that has a column, under the name `$property`.
macro_rules! for_each_property {
    ($property:ident => $action:expr) => {{
        for_each_property!($property => $action; Position Velocity Home Cell Fatigue Hunger Health Poison Fever Age);
    }};
    ($property:ident => $action:expr; $($one:ident)*) => {$({
        type $property = $one;
        $action;
    })*};
}

/// The village before its first hour.
fn found(n_founders: usize) -> Resources {
    let mut village = Resources::new();
    for_each_property!(T => village.insert(Column::<T>::of_founders(n_founders)));
    for_each_property!(T => village.insert(Digest::<T>::default()));
    village.insert(Founders(n_founders));
    village.insert(Clock::new());
    village.insert(hours());
    village.insert(steps());
    // The village is founded in the middle of a night, so no system runs for its beginning.
    village.insert_entered_state(Phase::Night);
    village.insert(Dice::default());
    village.insert(Crop::default());
    village.insert(Toadstools::default());
    village.insert(SickPerCell::default());
    village.insert(Dead::default());
    village.insert(Parents::default());
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
    use crate::health::Harm;

    fn live(
        frame: &mut Schedule,
        village: &mut Resources,
    ) -> (Option<Phase>, VillageDigest, usize) {
        live_through(FRAMES_PER_DAY, frame, village).unwrap();
        (
            village.get::<State<Phase>>().map(State::get),
            village.get::<VillageDigest>().unwrap().clone(),
            village.get::<Chronicle>().unwrap().len(),
        )
    }

    #[test]
    fn the_kept_pictures_are_true() {
        for (file, system) in [("frame.svg", None), ("go_home.svg", Some("go_home"))] {
            let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("village");
            let kept = std::fs::read_to_string(folder.join(file)).unwrap_or_default();
            assert!(
                kept == picture(system),
                "draw it again: cargo run --example village -- --svg examples/village/{file} {}",
                system.unwrap_or_default()
            );
        }
    }

    #[test]
    fn nothing_lives_on_when_it_is_over() {
        let (mut frame, mut village) = (Frame::new(), found(4));
        let (phase, ..) = live(&mut frame, &mut village);
        assert_eq!(phase, Some(Phase::Night));
        for health in village.get_mut::<Column<Health>>().unwrap().iter_mut() {
            health.hurt(Health::FULL, Harm::Poison);
        }
        let end = live(&mut frame, &mut village);
        assert_eq!(end.0, Some(Phase::Over));
        let chronicle = village.get::<Chronicle>().unwrap();
        assert_eq!(chronicle.last().unwrap(), "day  1  nobody is left");
        assert_eq!(live(&mut frame, &mut village), end);
    }
}
