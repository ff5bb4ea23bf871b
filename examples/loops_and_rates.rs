//! Loops and rates: steps of a fixed length in frames of any length, and systems with a frequency of their own.
//!
//! `cargo run -p examples --example loops_and_rates`
//!
//! A lander brakes above the moon. The length of the frames varies, but the flight is the same. Heights are in m, speeds in m/s.

use std::time::Duration;

use schedule::rate::is_due;
use schedule::{Clock, Rate, prelude::*};

#[derive(Group)]
struct Physics;

#[derive(Group)]
struct Telemetry;

#[derive(Resource)]
struct Height(f64);

#[derive(Resource)]
struct Speed(f64);

#[derive(Resource, Default)]
struct Radio(String);

/// The length of a step of the physics.
const STEP: f64 = 0.01;

#[system]
fn brake(height: &Height, speed: &mut Speed) {
    // The engine starts as late as possible.
    if speed.0 * speed.0 > 7.0 * height.0 {
        speed.0 -= 5.2 * STEP;
    }
}

#[system]
fn fall(height: &mut Height, speed: &mut Speed) {
    speed.0 += 1.62 * STEP;
    height.0 -= speed.0 * STEP;
}

#[system]
fn report(height: &Height, speed: &Speed, clock: &Clock, radio: &mut Radio) {
    let (time, height, speed) = (clock.now().as_secs(), height.0, speed.0);
    radio.0 += &format!("after {time:2} s: {height:5.2} m, {speed:5.2} m/s\n");
}

schedule! {
    Frame {
        // As many steps as the time of the frame contains: none, one, or several.
        repeat while is_due<Physics>: in Physics { brake -> fall }
        group Telemetry: after Physics if is_due<Telemetry> { report }
    }
}

/// Flies with frames of these lengths, in ms, and returns the reports.
fn fly(lengths: &[u64]) -> Result<String, BoxError> {
    let (mut frame, mut moon) = (Frame::new(), Resources::new());
    moon.insert(Clock::new());
    moon.insert(Rate::<Physics>::hertz(1.0 / STEP).catch_up(9)); // a long frame runs up to 9 missed steps
    moon.insert(Rate::<Telemetry>::hertz(1.0).tolerance(Duration::ZERO)); // by default, up to 0.5 s early
    moon.insert(Height(60.0));
    moon.insert(Speed(0.0));
    moon.insert_default::<Radio>();
    for ms in lengths.iter().copied().map(Duration::from_millis) {
        frame.run(&mut moon)?;
        moon.get_mut::<Clock>().unwrap().advance(ms);
    }
    Ok(moon.remove::<Radio>().unwrap().0)
}

fn main() -> Result<(), BoxError> {
    let reports = fly(&[20; 501])?;
    print!("{reports}");
    assert_eq!(fly(&[7, 83, 26, 34, 50].repeat(51))?, reports);
    Ok(())
}
