//! A village of 100,000: one frame of a small game, 1,200 times.
//!
//! `cargo run --release --example village`
//!
//! The frames are run in parallel, and the first of them once more on one thread: the village is the same.
//!
//! [`frame`] lists the systems in the order in which they run. Each is a plain function in the file of its subject,
//! and its signature says what it touches. To read next: `food.rs` for plain systems, `clock.rs` for what runs at a
//! rate of its own, and `movement.rs` for steps of a fixed length and a struct of parameters, `phase.rs` for states,
//! `villager.rs` for generic systems and for groups of them, `field.rs` for commands and optional resources,
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

use schedule::prelude::*;
use schedule::{BuildError, Clock, Condition, Executor, Rate, is_due, run_one, transition};

use crate::census::{Census, HealthBar, Score};
use crate::check::{Founders, add_up};
use crate::chronicle::Chronicle;
use crate::clock::{FRAMES_PER_DAY, HOUR, Hour};
use crate::dice::Dice;
use crate::digest::{Digest, VillageDigest, digest_column, digest_village};
use crate::fatigue::Fatigue;
use crate::fever::Fever;
use crate::field::{Cell, Crop, Drought, SickPerCell, Toadstools};
use crate::food::Hunger;
use crate::health::{Health, Poison};
use crate::life::{Age, Births, Deaths};
use crate::movement::{Home, MOST_STEPS, Physics, Position, STEP, Velocity};
use crate::phase::Phase;
use crate::report::{Pace, Paces};
use crate::screen::{Onlooker, Picture, Screen};
use crate::villager::{Arrivals, Column, Dead, Parents, bear, bury};

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
    match live() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn live() -> Result<(), BoxError> {
    let mut village = found(N_FOUNDERS);
    village.insert(Onlooker);
    let mut parallel = frame()?;
    let begin = live_through(N_SERIAL_FRAMES, &mut parallel, &mut village)?;
    let digest = village.get::<VillageDigest>().cloned();
    let rest = live_through(N_FRAMES - N_SERIAL_FRAMES, &mut parallel, &mut village)?;

    let mut twin = found(N_FOUNDERS);
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

/// The systems of a frame.
///
/// An order that the village would not make sense without is said: in a chain here, or in the attribute of the system
/// that has to wait. Where two systems conflict and either could be first, they run as they are listed. When a system
/// runs is said behind it, in its attribute, or of its group at the end.
fn frame() -> Result<Schedule, BuildError> {
    let mut frame = Schedule::builder();
    frame
        .name("frame")
        .policy(Policy::AsAdded)
        .add::<clock::advance>()
        .add::<dice::shake>()
        .add::<phase::turn>()
        .add::<field::weather>()
        .on_exit(Phase::Night)
        .add::<transition<Phase>>()
        .add::<chronicle::close>()
        .on_enter(Phase::Over)
        .add::<field::grow>()
        .guard(!Condition::exists::<Drought>())
        .add::<movement::roam>()
        .add::<movement::go_home>()
        .repeat_while::<is_due<Physics>>(|step| step.add::<movement::walk>().add::<fatigue::tire>())
        .in_group::<Physics>()
        .add::<movement::locate>()
        .add::<fatigue::sleep>()
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
        .add::<check::stay_in_field>()
        .add::<check::keep_up<Hour>>()
        .add::<check::keep_up<Physics>>();
    for_each_property!(T => frame.add::<add_up<T>>());
    for_each_property!(T => frame.add::<digest_column<T>>());
    frame.add::<digest_village>();
    frame
        .group::<Hour>()
        .only_if::<is_due<Hour>>()
        .guard(!Condition::state(Phase::Over))
        .group::<Arrivals>()
        .on_enter(Phase::Night)
        .group::<Picture>()
        .guard(Condition::exists::<Onlooker>() & Condition::every(u64::from(5 * FRAMES_PER_DAY)))
        .build()
}

/// The village before its first hour.
fn found(n_founders: usize) -> Resources {
    let mut village = Resources::new();
    for_each_property!(T => village.insert(Column::<T>::of_founders(n_founders)));
    for_each_property!(T => village.insert(Digest::<T>::default()));
    village.insert(Founders(n_founders));
    village.insert(Clock::new());
    village.insert(Rate::<Hour>::every(HOUR));
    village.insert(Rate::<Physics>::every(STEP).catch_up(MOST_STEPS));
    village.insert_state(Phase::Night);
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
    fn nothing_lives_on_when_it_is_over() {
        let (mut frame, mut village) = (frame().unwrap(), found(4));
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
