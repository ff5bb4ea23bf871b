//! A village of 100,000: one frame of a small game, a thousand times.
//!
//! `cargo run --release --example village`
//!
//! The frames are run in parallel, and the first of them once more on one thread: the village is the same.
//!
//! [`frame`] lists the systems in the order in which they run. Each is a plain function in the file of its subject,
//! and its signature says what it touches. To read next: `food.rs` for plain systems, `villager.rs` for generic ones
//! and for groups of them, `field.rs` for commands and optional resources, `movement.rs` for a struct of parameters,
//! `chronicle.rs` for local state, `screen.rs` for a main-thread value, `check.rs` for systems that can fail.

mod census;
mod check;
mod chronicle;
mod clock;
mod dice;
mod digest;
mod fever;
mod field;
mod food;
mod health;
mod life;
mod movement;
mod report;
mod screen;
mod villager;

use std::process::ExitCode;
use std::time::Instant;

use schedule::prelude::*;
use schedule::{BoxError, BuildError, Executor, run_one};

use crate::census::{Census, HealthBar, Score};
use crate::check::{Founders, add_up};
use crate::chronicle::Chronicle;
use crate::clock::Clock;
use crate::dice::Dice;
use crate::digest::{Digest, VillageDigest, digest_column, digest_village};
use crate::fever::Fever;
use crate::field::{Cell, Crop, SickPerCell, Toadstools};
use crate::food::Hunger;
use crate::health::{Health, Poison};
use crate::life::{Age, Births, Deaths};
use crate::movement::{Home, Position, Velocity};
use crate::report::{Pace, Paces};
use crate::screen::Screen;
use crate::villager::{Column, Dead, Parents, bear, bury};

const N_FOUNDERS: usize = 100_000;

/// How long the village lives, and its digest then: the same on every platform, and however the systems are run.
///
/// Without optimisation a thousand frames would take half a minute.
const N_FRAMES: u32 = if cfg!(debug_assertions) { 150 } else { 1000 };
const DIGEST: VillageDigest = VillageDigest(if cfg!(debug_assertions) {
    0xd15d_a5db_b5a6_36b6
} else {
    0xe76e_0faa_0cb6_3721
});

/// How many of them are lived through on one thread, too, which comes to the same.
const N_SERIAL_FRAMES: u32 = N_FRAMES / 5;

fn main() -> ExitCode {
    match live() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn live() -> Result<(), BoxError> {
    let mut village = found(Screen::lock());
    let mut parallel = frame()?;
    let begin = live_through(N_SERIAL_FRAMES, &mut parallel, &mut village)?;
    let digest = village.get::<VillageDigest>().cloned();
    let rest = live_through(N_FRAMES - N_SERIAL_FRAMES, &mut parallel, &mut village)?;

    let mut twin = found(Screen::dark());
    let mut serial = frame()?;
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

/// Runs so many frames, or until nobody is left.
fn live_through(
    n_frames: u32,
    frame: &mut Schedule,
    village: &mut Resources,
) -> Result<Pace, BoxError> {
    let start = Instant::now();
    let mut pace = Pace::default();
    while pace.n_frames < n_frames {
        frame.run(village)?;
        pace.n_frames += 1;
        if run_one::<census::is_over>(village)? {
            break;
        }
    }
    pace.elapsed = start.elapsed();
    Ok(pace)
}

/// Does something with every property that has a column, under the name `$property`.
macro_rules! for_each_property {
    ($property:ident => $action:expr) => {{
        for_each_property!($property => $action; Position Velocity Home Cell Hunger Health Poison Fever Age);
    }};
    ($property:ident => $action:expr; $($one:ident)*) => {$({
        type $property = $one;
        $action;
    })*};
}

/// The systems of a frame.
///
/// An order that the village would not make sense without is said: in a chain here, or in the attribute of the system
/// that has to wait. Where two systems conflict and either could be first, they run as they are listed.
fn frame() -> Result<Schedule, BuildError> {
    let mut frame = Schedule::builder();
    frame
        .name("frame")
        .policy(Policy::AsAdded)
        .add::<clock::tick>()
        .add::<dice::shake>()
        .add::<field::weather>()
        .add::<field::grow>()
        .chain::<(movement::steer, movement::walk, movement::locate)>()
        .chain::<(food::hunger, food::taste, food::eat)>()
        .chain::<(fever::count_sick, fever::spread, fever::ail)>()
        .add::<health::poison>()
        .add::<health::starve>()
        .add::<health::heal>()
        .add::<life::age>()
        .add::<life::die>();
    for_each_property!(T => frame.add::<bury<T>>());
    frame.add::<life::conceive>();
    for_each_property!(T => frame.add::<bear<T>>());
    frame
        .add::<census::count>()
        .add::<census::draw>()
        .add::<census::score>()
        .add::<chronicle::chronicle>()
        .add::<screen::show>()
        .add::<check::stay_in_field>();
    for_each_property!(T => frame.add::<add_up<T>>());
    for_each_property!(T => frame.add::<digest_column<T>>());
    frame.add::<digest_village>().build()
}

/// The village before its first hour.
fn found(screen: Screen) -> Resources {
    let mut village = Resources::new();
    for_each_property!(T => village.insert(Column::<T>::of_founders(N_FOUNDERS)));
    for_each_property!(T => village.insert(Digest::<T>::default()));
    village.insert(Founders(N_FOUNDERS));
    village.insert(Clock::default());
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
    village.main_thread().insert(screen);
    village
}
