//! States: values that persist between runs, and change at one place, the system `transition`.
//!
//! `cargo run -p examples --example states`
//!
//! A kiln heats clay to 1,000 °C and lets it cool. One run is one hour.

use schedule::prelude::*;
use schedule::state::{Transition, current, transition};
use schedule::{NextState, State};

#[derive(Branch, Identity, Clone, Copy, PartialEq, Debug)]
enum Phase {
    Heating,
    Cooling,
    Open,
}

#[derive(Resource)]
struct Celsius(u32);

#[derive(Resource, Default)]
struct Log(String);

/// Requests a phase. The phase changes when `transition` runs.
#[system(before = Transition<Phase>)]
fn request_phase(phase: &State<Phase>, celsius: &Celsius, next: &mut NextState<Phase>) {
    match phase.get() {
        Phase::Heating if celsius.0 >= 1000 => next.set(Phase::Cooling),
        Phase::Cooling if celsius.0 < 60 => next.set(Phase::Open),
        _ => {}
    }
}

#[system]
fn light_burner(log: &mut Log) {
    log.0 += ", the burner starts";
}

#[system]
fn stop_burner(log: &mut Log) {
    log.0 += ", the burner stops";
}

#[system]
fn open_door(log: &mut Log) {
    log.0 += ", the door opens";
}

schedule! {
    Hour {
        // Requests and `on exit` come before the transition, `on enter` and `if` after it.
        request_phase,
        on exit Phase::Heating { stop_burner }
        transition<Phase>,
        on enter Phase::Heating { light_burner }
        on enter Phase::Open { open_door }
        // These two need no order, because the kiln is in one phase. They are closures, which are systems, too.
        |celsius: &mut Celsius| { celsius.0 += 245; } as heat: if is(current<Phase>, Phase::Heating),
        |celsius: &mut Celsius| { celsius.0 /= 2; } as cool: if is(current<Phase>, Phase::Cooling),
    }
}

fn main() -> Result<(), BoxError> {
    let (mut hour, mut kiln) = (Hour::new(), Resources::new());
    kiln.insert(Celsius(20));
    kiln.insert_default::<Log>();
    kiln.insert_state(Phase::Heating);
    for n_hours in 1..=10 {
        hour.run(&mut kiln)?;
        let phase = kiln.get::<State<Phase>>().unwrap().get();
        let celsius = kiln.get::<Celsius>().unwrap().0;
        let log = kiln.insert(Log::default()).unwrap();
        println!("hour {n_hours:2}: {celsius:4} °C, {phase:?}{}", log.0);
    }
    Ok(())
}
