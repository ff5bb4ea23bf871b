//! Measures what the executors cost in a controller: 17 systems in groups of five rates, compared with a function written by hand.
//!
//! `cargo run --release -p controller-bench -- [--json FILE] [--only LOAD] [--stretches N | --quick]`
//!
//! All contenders call the same functions, which compute the same numbers. The clock advances by 1 ms before each run. The rates have
//! periods of 1, 2, 10, 20 and 100 ms, so most runs execute few systems. A figure is the mean time of 1,000 runs: 10 times the longest
//! period. `--profile N` only makes this many runs with the serial executor, for a profiler. With `--contender driver`, a driver in
//! simulated time makes them, and with `--contender "by hand"` the function written by hand.

mod systems;

use core::fmt;
use std::hint::black_box;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use bench_report::{Bar, Choice, Filter, Results, Role};
use benches::options::{Options, value};
use benches::pinning::{Pinning, Seat};
use benches::quantile::{median, p90};
use benches::rounds::Rounds;
use benches::work::Calibration;
use rayon::ThreadPool;
use schedule::driver::SimulatedTimer;
use schedule::prelude::*;
use schedule::{Driver, Executor, Rate};

use crate::systems::{
    Attitudes, ByHand, Controller, Link, Load, Navigation, PERIODS_MS, Rates, STEP, Supply,
    resources, sum_of,
};

const USAGE: &str = "usage: controller-bench [--json FILE] [--only LOAD] [--stretches N | --quick] [--profile N [--contender NAME]]";

const N_RUNS: u32 = 1_000;

const BY_HAND: &str = "by hand";

/// The contenders after the function written by hand.
const EXECUTORS: [(&str, Executor); 3] = [
    ("serial", Executor::Serial),
    ("auto", Executor::Auto),
    ("parallel", Executor::Parallel),
];

/// Nanoseconds that each system takes in addition to its arithmetic.
const LOADS_NS: [u64; 3] = [0, 1_000, 20_000];

/// The pause before each run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pause {
    None,
    /// The rest of a millisecond.
    Step,
}

fn main() -> ExitCode {
    let mut n_profiled: Option<u32> = None;
    let mut contender = "serial".to_string();
    let options = Options::parse(std::env::args().skip(1), |option, arguments| {
        match option {
            "--profile" => n_profiled = Some(value(option, "a number of runs", arguments)?),
            "--contender" => contender = value(option, "a name", arguments)?,
            _ => return Ok(false),
        }
        Ok(true)
    });
    let options = match options {
        Ok(options) => options,
        Err(mistake) => {
            eprintln!("{mistake}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    if let Some(n) = n_profiled {
        return profile(n, &contender);
    }
    check();
    let pinning = Pinning::of_two();
    pinning.enrol(Seat::First);
    // At most one thread of the pool helps the measuring thread.
    let pool = pinning.pool([Seat::Second, Seat::Second]);
    pinning.set(pinning.is_possible());
    let calibration = Calibration::measure();
    let mut rows = Vec::new();
    for load_ns in LOADS_NS {
        if options
            .only
            .as_ref()
            .is_some_and(|only| *only != load_ns.to_string())
        {
            continue;
        }
        let n_steps = calibration.n_steps(load_ns);
        for pause in [Pause::None, Pause::Step] {
            let mut by_hand = ByHand::default();
            by_hand.all.load.0 = n_steps;
            let executors = EXECUTORS.map(|(_, one)| Ours::new(one, n_steps, Some(&pool)));
            let mut executors = executors;
            let names = [BY_HAND].into_iter().chain(EXECUTORS.map(|(name, _)| name));
            let rounds = Rounds::measure(names.collect(), options.effort(), |idx| {
                let ns = match idx.checked_sub(1) {
                    None => sample(pause, || by_hand.run()),
                    Some(idx) => sample(pause, || executors[idx].run()),
                };
                vec![ns]
            });
            let row = Row::new(load_ns, pause, &rounds);
            println!("{row}");
            rows.push(row);
        }
    }
    // Otherwise only one processor would be counted.
    pinning.set(false);
    options.write_json(|| to_json(&rows))
}

/// Only runs a contender, without load.
fn profile(n_runs: u32, contender: &str) -> ExitCode {
    let executor = EXECUTORS.iter().find(|(name, _)| *name == contender);
    if contender == BY_HAND {
        let mut by_hand = ByHand::default();
        (0..n_runs).for_each(|_| by_hand.run());
        black_box(by_hand.all.sum());
    } else if contender == "driver" {
        let Ours {
            schedule,
            mut resources,
        } = Ours::new(Executor::Serial, 0, None);
        let timer = SimulatedTimer::new().until(n_runs * STEP);
        let mut driver = Driver::with_timer(schedule, timer);
        driver.run(&mut resources).expect("no system fails");
        assert_eq!(driver.stats().n_runs, u64::from(n_runs));
    } else if let Some((_, executor)) = executor {
        let mut ours = Ours::new(*executor, 0, None);
        (0..n_runs).for_each(|_| ours.run());
    } else {
        eprintln!("`{contender}` is not a contender\n{USAGE}");
        return ExitCode::from(2);
    }
    ExitCode::SUCCESS
}

/// A schedule with its resources.
struct Ours {
    schedule: Schedule,
    resources: Resources,
}

impl Ours {
    fn new(executor: Executor, n_steps: u64, pool: Option<&Arc<ThreadPool>>) -> Self {
        let mut schedule = Controller::new();
        schedule.set_executor(executor);
        if let Some(pool) = pool {
            schedule.set_pool(Arc::clone(pool));
        }
        let mut resources = resources();
        resources.insert(Load(n_steps));
        resources.insert(Clock::new());
        let every = PERIODS_MS.map(Duration::from_millis);
        resources.insert(Rate::<Rates>::every(every[0]).tolerance(Duration::ZERO));
        resources.insert(Rate::<Attitudes>::every(every[1]).tolerance(Duration::ZERO));
        resources.insert(Rate::<Navigation>::every(every[2]).tolerance(Duration::ZERO));
        resources.insert(Rate::<Supply>::every(every[3]).tolerance(Duration::ZERO));
        resources.insert(Rate::<Link>::every(every[4]).tolerance(Duration::ZERO));
        Self {
            schedule,
            resources,
        }
    }

    fn run(&mut self) {
        let result = self.schedule.run(&mut self.resources);
        result.expect("no system fails");
        let clock = self.resources.get_mut::<Clock>();
        clock.expect("it was inserted").advance(STEP);
    }
}

/// Checks that all contenders compute the same.
fn check() {
    let mut by_hand = ByHand::default();
    (0..N_RUNS).for_each(|_| by_hand.run());
    for (name, executor) in EXECUTORS {
        let mut ours = Ours::new(executor, 0, None);
        (0..N_RUNS).for_each(|_| ours.run());
        let (sum, wanted) = (sum_of(&ours.resources), by_hand.all.sum());
        assert_eq!(sum, wanted, "{name} computes something else");
    }
}

/// Returns nanoseconds per run.
fn sample(pause: Pause, mut run: impl FnMut()) -> f64 {
    match pause {
        Pause::None => {
            let start = Instant::now();
            (0..N_RUNS).for_each(|_| run());
            start.elapsed().as_secs_f64() * 1e9 / f64::from(N_RUNS)
        }
        Pause::Step => {
            // One longest period, so that each figure has the same runs.
            let n_runs = N_RUNS / 10;
            let mut took = Duration::ZERO;
            for _ in 0..n_runs {
                thread::sleep(STEP);
                let start = Instant::now();
                run();
                took += start.elapsed();
            }
            took.as_secs_f64() * 1e9 / f64::from(n_runs)
        }
    }
}

/// The figures of all contenders under the same conditions.
struct Row {
    load_ns: u64,
    pause: Pause,
    figures: Vec<(&'static str, f64, f64, f64)>,
}

impl Row {
    fn new(load_ns: u64, pause: Pause, rounds: &Rounds) -> Self {
        let all = rounds.names.iter().zip(&rounds.samples);
        let figures = all.map(|(&name, samples)| {
            let mean = samples.iter().sum::<f64>() / samples.len() as f64;
            let samples = || samples.iter().copied();
            (name, median(samples()), p90(samples()), mean)
        });
        Self {
            load_ns,
            pause,
            figures: figures.collect(),
        }
    }

    /// In the format of `benches/results`.
    fn results(&self) -> impl Iterator<Item = bench_report::Row> {
        self.figures.iter().map(|&(name, median, p90, mean)| {
            bench_report::Row::new("controller", name)
                .with("systems", load(self.load_ns))
                .with("runs", runs(self.pause))
                .median_of(median)
                .p90_and_mean(p90, mean)
        })
    }
}

fn load(load_ns: u64) -> String {
    match load_ns {
        0 => "arithmetic".to_string(),
        _ => format!("{} µs each", load_ns / 1_000),
    }
}

fn runs(pause: Pause) -> &'static str {
    match pause {
        Pause::None => "one after the other",
        Pause::Step => "each 1 ms after a sleep",
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}:", load(self.load_ns), runs(self.pause))?;
        for (name, median, ..) in &self.figures {
            write!(f, " {name} {median:.0} ns,")?;
        }
        let ratio = self.figures[1].1 / self.figures[0].1;
        write!(f, " serial / by hand {ratio:.2}")
    }
}

fn to_json(rows: &[Row]) -> String {
    let rows = rows.iter().flat_map(Row::results).collect();
    let mut results = Results::here(
        "Executors of a controller",
        "Mean time of a run of a flight controller: 17 systems in groups of five rates, with periods of 1, 2, 10, 20 and 100 ms. The clock \
         advances by 1 ms in each run, so an average run executes 8.0 systems. `arithmetic`: each system computes a few numbers. The others \
         also do calibrated work. `by hand` is a function that compares times and calls the same functions. All contenders compute the same \
         numbers. There are two pinned threads.",
        "ns per run",
    )
    .with(rows, |name| match name {
        BY_HAND => Role::Baseline,
        "auto" => Role::Ours,
        _ => Role::Variant,
    });
    results.is_brief = true;
    results.command =
        Some("cargo run --release -p controller-bench -- --stretches 2 --json FILE".to_string());
    let choices = [
        ("bench", Choice::from("controller")),
        ("systems", Choice::from("arithmetic")),
        ("runs", Choice::from(runs(Pause::None))),
        ("contender", Choice::from("serial")),
    ]
    .map(|(key, choice)| (key.to_string(), choice));
    results.bars = vec![Bar {
        name: "17 systems, serial".to_string(),
        filter: Filter(choices.into_iter().collect()),
        at_least: None,
        at_most: Some(1.5),
        part_of: Some(BY_HAND.to_string()),
        kept: Default::default(),
    }];
    let choices = [("bench".to_string(), Choice::from("controller"))];
    results.tables = vec![bench_report::Table {
        caption: "Controller".to_string(),
        filter: Filter(choices.into_iter().collect()),
        lines: ["systems", "runs"].map(str::to_string).into(),
        columns: "contender".to_string(),
    }];
    results.to_json()
}
