//! Predicts a frame on machines with more processors, from costs measured on one thread.

use std::collections::HashMap;
use std::process::ExitCode;
use std::time::Duration;

use schedule::report::Machine;

use crate::{Frame, N_FRAMES, play};

/// Time until another thread sees that a system is completed.
const HAND_OVER: Duration = Duration::from_nanos(150);

/// Plays on one thread, and prints the predicted time of a frame for several numbers of threads. Systems that run for each entity are
/// divided between threads.
pub(crate) fn predict() -> ExitCode {
    let mut frame = Frame::new();
    if let Err(error) = play(&mut frame, 1, N_FRAMES) {
        eprintln!("error: {error}");
        return ExitCode::FAILURE;
    }
    let profile = frame.profile().expect("the costs are measured");
    let costs = profile
        .costs
        .iter()
        .map(|cost| (&*cost.system, Duration::from_nanos(cost.ns.into())));
    let costs: HashMap<&str, Duration> = costs.collect();
    for n_threads in [1, 2, 4, 8, 16, 32, 64] {
        let machine = Machine::new(n_threads).hand_over(HAND_OVER);
        let cost_of = |system: &str| costs.get(system).copied().unwrap_or_default();
        println!("{}", frame.simulate(machine, cost_of));
    }
    ExitCode::SUCCESS
}
