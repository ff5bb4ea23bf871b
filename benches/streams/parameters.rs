//! The cost of events by the parameters of their handlers, compared with a specialised loop.

mod default;
mod following;
mod hashed;
mod large;
mod reads;
mod set;
mod slot;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use benches::pinning::Pinning;
use benches::random_graph::Dice;
use benches::rounds::Rounds;
use benches::work::Calibration;
use rayon::ThreadPool;
use schedule::Resources;
use schedule_stream::internal::{ProcessingMode, set_mode};
use schedule_stream::{Event, Stream};

use self::default::Default;
use self::following::Following;
use self::hashed::Hashed;
use self::large::Large;
use self::reads::Reads;
use self::set::Set;
use self::slot::Slot;
use crate::contenders::AUTO;
use crate::options::Options;
use crate::pools::Pools;
use crate::serial;
use crate::table::{Row, Table};

const COSTS_NS: [u64; 4] = [0, 30, 100, 1_000];

/// Events whose handlers have certain parameters.
trait Parameters {
    type Event: Event<Answer = i64> + Clone;
    /// The data of the loop.
    type State;

    fn name(&self) -> &'static str;

    /// Generates events. `n_events`: their number, including the follow-up events that they cause.
    fn events(&self, n_events: usize, n_steps: u64, dice: &mut Dice) -> Vec<Self::Event>;

    fn resources(&self) -> Resources;

    fn state(&self) -> Self::State;

    /// Handles all events in a loop, and calls `report` with the result of each.
    fn by_hand(state: &mut Self::State, events: Vec<Self::Event>, report: impl FnMut(i64));
}

/// The requested measurements.
pub(crate) fn measure(options: &Options) -> Table {
    let pinning = Pinning::of_two();
    let mut bench = Bench {
        pools: Pools::new(&pinning),
        pinning,
        calibration: Calibration::measure(),
        options,
        table: Table::default(),
    };
    eprintln!("{}", bench.calibration);
    bench.measure(&Hashed::ONE_THOUSAND);
    bench.measure(&Hashed::ONE_MILLION);
    bench.measure(&Set);
    bench.measure(&Slot);
    bench.measure(&Default);
    bench.measure(&Following);
    bench.measure(&Reads);
    bench.measure(&Large);
    bench.table
}

struct Bench<'g> {
    pinning: Arc<Pinning>,
    pools: Pools,
    calibration: Calibration,
    options: &'g Options,
    table: Table,
}

impl Bench<'_> {
    fn measure<P: Parameters>(&mut self, parameters: &P) {
        let only = self.options.shared.only.as_deref();
        if !only.is_none_or(|only| parameters.name().starts_with(only)) {
            return;
        }
        let asked = self.options.cost_ns.map(|cost_ns| vec![cost_ns]);
        for cost_ns in asked.unwrap_or(COSTS_NS.to_vec()) {
            let n_events = if cost_ns < 1_000 { 100_000 } else { 40_000 };
            let n_steps = self.calibration.n_steps(cost_ns);
            let events = parameters.events(n_events, n_steps, &mut Dice::new(8));
            let sums = Rc::default();
            for &is_pinned in self.pinning.ways() {
                self.pinning.set(is_pinned);
                let ways = [
                    ("stream inline", ProcessingMode::Serial),
                    ("stream lanes", ProcessingMode::Lanes),
                ];
                let ours = |name, processing| {
                    Subject::new(
                        name,
                        stream(parameters, processing, &self.pools.ours),
                        &sums,
                    )
                };
                let mut subjects = vec![
                    Subject::new(serial::NAME, by_hand(parameters), &sums),
                    ours(AUTO, ProcessingMode::Auto),
                ];
                subjects.extend(ways.map(|(name, processing)| ours(name, processing)));
                let names = subjects.iter().map(|subject| subject.name).collect();
                let rounds = Rounds::measure(names, self.options.shared.effort(), |idx| {
                    vec![subjects[idx].sample(&events) / n_events as f64]
                });
                let row = Row::new(parameters.name(), n_events, cost_ns, is_pinned, &rounds);
                eprintln!("{row}");
                self.table.rows.push(row);
            }
        }
    }
}

/// Processes events, and adds their results.
type Process<'p, E> = Box<dyn FnMut(Vec<E>) -> i64 + 'p>;

fn by_hand<'p, P: Parameters + 'p>(parameters: &P) -> Process<'p, P::Event>
where
    P::State: 'p,
{
    let mut state = parameters.state();
    Box::new(move |events| {
        let mut sum = 0_i64;
        P::by_hand(&mut state, events, |one| sum = sum.wrapping_add(one));
        sum
    })
}

fn stream<'p, P: Parameters + 'p>(
    parameters: &P,
    processing: ProcessingMode,
    pool: &Arc<ThreadPool>,
) -> Process<'p, P::Event> {
    let mut stream = Stream::new();
    stream.set_pool(Arc::clone(pool));
    set_mode(&mut stream, processing);
    let mut resources = parameters.resources();
    Box::new(move |events| {
        let mut sum = 0_i64;
        let result = stream.process(&mut resources, events, |outcome| {
            sum = sum.wrapping_add(outcome.result.unwrap_or(-1));
        });
        result.expect("all stores are there");
        sum
    })
}

/// A contender that processes the same events repeatedly, on the records of the previous run.
struct Subject<'p, E> {
    name: &'static str,
    process: Process<'p, E>,
    n_samples: usize,
    /// The result of each sample, from the first contender that processed it.
    sums: Rc<RefCell<Vec<i64>>>,
}

impl<'p, E: Clone> Subject<'p, E> {
    fn new(name: &'static str, process: Process<'p, E>, sums: &Rc<RefCell<Vec<i64>>>) -> Self {
        Self {
            name,
            process,
            n_samples: 0,
            sums: Rc::clone(sums),
        }
    }

    /// The total time in nanoseconds.
    ///
    /// # Panics
    ///
    /// If the result differs from that of another contender.
    fn sample(&mut self, events: &[E]) -> f64 {
        let events = events.to_vec();
        let start = Instant::now();
        let sum = (self.process)(events);
        let elapsed = start.elapsed();
        let mut sums = self.sums.borrow_mut();
        if sums.len() == self.n_samples {
            sums.push(sum);
        }
        assert!(
            sums[self.n_samples] == sum,
            "`{}` comes to something else than others",
            self.name
        );
        self.n_samples += 1;
        elapsed.as_secs_f64() * 1e9
    }
}
