//! A flight controller for a simulated vehicle with four rotors, compared with a loop that is written by hand.
//!
//! `cargo run --release -p examples --example controller -- [--seconds N] [--planner-ms N] [--log FILE] [--busy]`
//!
//! [`Controller`] lists the systems. Their rates are 1 kHz, 500 Hz, 100 Hz, 20 Hz and 10 Hz. A `Driver` runs them in real
//! time. The loop in `by_hand.rs` calls the same functions. Both fly in turns of one second, and the program prints a table of
//! their periods, late runs and missed deadlines. It checks that both vehicles reach their targets.
//!
//! In each flight, the sensors fail for 20 ms, the ground sends new parameters, and then a text with a mistake.
//!
//! `--log` writes a log of the flight with the driver, and replays it with one and with several threads.
//! `--planner-ms` sets how long the planner works; the default is 5.
//! `--busy` starts one busy thread for each processor, so the controllers share their processors. The tests fly in simulated time,
//! where both flights end in the same state.
//!
//! | file | subject |
//! |---|---|
//! | `rates.rs` | groups with rates, a generic system |
//! | `device.rs` | a main-thread value that cannot be sent |
//! | `attitude.rs` | systems that can fail |
//! | `altitude.rs` | systems of one mode |
//! | `motors.rs` | a watchdog that always runs and gets the failures |
//! | `mode.rs` | states, a struct of parameters |
//! | `parameters.rs` | a resource that is replaced in flight |
//! | `planner.rs` | slow work beside fast runs |
//! | `ground.rs` | an optional resource |
//! | `turn.rs` | a system that stops the driver |
//! | `flight.rs` | drivers in real and in simulated time |
//! | `log.rs` | a log of the inputs, and its replay |
//! | `by_hand.rs` | the loop by hand |

mod altitude;
mod attitude;
mod by_hand;
mod compare;
mod device;
mod flight;
mod ground;
mod log;
mod mode;
mod motors;
mod options;
mod parameters;
mod planner;
mod rates;
mod report;
mod script;
#[cfg(test)]
mod tests;
mod turn;
mod vehicle;

use std::process::ExitCode;

use lexopt::Parser;
use schedule::prelude::*;
use schedule::rate::is_due;
use schedule::spanning::results;
use schedule::state::{current, transition};

use crate::mode::Mode;
use crate::options::Options;
use crate::planner::plan;
use crate::rates::{AltitudeLoop, Link, Planning, RateLoop, TiltLoop, note};

schedule! {
    /// A run of the controller.
    ///
    /// The chain has the order of the systems, whatever their rates are. Systems of different modes never both run, so they need no order.
    pub(crate) Controller {
        executor serial,

        group RateLoop: if is_due<RateLoop>,
        group TiltLoop: if is_due<TiltLoop>,
        group AltitudeLoop: if is_due<AltitudeLoop>,
        group Link: if is_due<Link>,
        group Planning: if is_due<Planning>,

        note<RateLoop>: in RateLoop,
        note<TiltLoop>: in TiltLoop,
        note<AltitudeLoop>: in AltitudeLoop,
        note<Link>: in Link,
        note<Planning>: in Planning,

        // Estimate.
        results<plan>: on failure carry on
        -> attitude::read_sensors
        -> attitude::estimate_attitude
        -> altitude::estimate_altitude

        // Select the mode, and the altitude of the mode.
        -> mode::decide_mode
        -> transition<Mode>: always
        -> (
            mode::arm: on enter Mode::Climb,
            mode::disarm: on enter Mode::Landed,
            altitude::climb: if is(current<Mode>, Mode::Climb),
            altitude::follow_path: if is(current<Mode>, Mode::Cruise),
            altitude::descend: if is(current<Mode>, Mode::Land),
        )

        // Control.
        -> altitude::control_altitude
        -> attitude::control_tilt
        -> attitude::control_rotation
        -> motors::mix
        -> motors::watchdog
        -> motors::write_motors

        // All the rest, after the motors have their thrusts.
        -> (plan, ground::drain_battery, turn::end_turn)
        -> ground::send_telemetry
        -> parameters::reload_parameters,
    }
}

fn main() -> ExitCode {
    let options = match Options::parse(Parser::from_env()) {
        Ok(options) => options,
        Err(mistake) => {
            eprintln!("{mistake}\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    match compare::compare(&options) {
        Ok(report) => {
            print!("{report}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
