//! Spanning systems compared with a small interpreter, for random starts and ends of the work.

use std::collections::VecDeque;

use proptest::prelude::*;
use schedule::spanning::SpanningCounts;

use super::*;

/// Changed in each run.
#[derive(Resource, Clone, Default)]
struct Input(u64);

#[derive(Resource, Clone, Debug, Default, PartialEq)]
struct Output(u64);

/// Whether the work starts in this run.
#[derive(Resource, Default)]
struct Due(bool);

#[derive(Resource, Debug, Default, PartialEq)]
struct Seen(Vec<(u64, Vec<u64>)>);

#[system]
fn advance(input: &mut Input, output: &mut Output) {
    input.0 += 1;
    if input.0.is_multiple_of(5) {
        output.0 += 1;
    }
}

#[system]
fn is_due(due: &Due) -> bool {
    due.0
}

fn compute(input: u64, output: u64, n: u64) -> u64 {
    output.wrapping_mul(31) ^ input << 8 ^ n
}

fn fails(input: u64) -> bool {
    input % 7 == 3
}

#[system(spanning, after = advance, if = is_due)]
fn work(
    gate: &Gate,
    input: &Input,
    mut n: Local<u64>,
    output: &mut Output,
    found: &mut Queue<u64>,
) -> Result<(), &'static str> {
    gate.pass();
    *n += 1;
    output.0 = compute(input.0, output.0, *n);
    found.push(input.0);
    if fails(input.0) { Err("no") } else { Ok(()) }
}

#[system(after = (results<work>, advance), before = work)]
fn observe(output: &Output, found: &mut Queue<u64>, seen: &mut Seen) {
    seen.0.push((output.0, found.drain().collect()));
}

#[derive(Clone, Debug)]
struct Start {
    input: u64,
    output: u64,
    visit: u64,
    is_replaced: bool,
    is_done: bool,
}

#[derive(Clone, Debug)]
struct Model {
    overrun: OverrunPolicy,
    n_visits: u64,
    input: u64,
    output: u64,
    found: Vec<u64>,
    visit: u64,
    /// Number of functions that have run.
    n: u64,
    current: Option<Start>,
    waiting: VecDeque<Start>,
    counts: SpanningCounts,
    seen: Vec<(u64, Vec<u64>)>,
    appeared: Vec<u64>,
}

impl Model {
    fn new(overrun: OverrunPolicy, n_visits: u64) -> Self {
        Self {
            overrun,
            n_visits,
            input: 0,
            output: 0,
            found: Vec::new(),
            visit: 0,
            n: 0,
            current: None,
            waiting: VecDeque::new(),
            counts: SpanningCounts::default(),
            seen: Vec::new(),
            appeared: Vec::new(),
        }
    }

    /// Runs the function whose work goes on. Returns whether there was one.
    fn finish(&mut self) -> bool {
        let Some(current) = self.current.as_mut().filter(|current| !current.is_done) else {
            return false;
        };
        self.n += 1;
        current.output = compute(current.input, current.output, self.n);
        current.is_done = true;
        true
    }

    /// Returns whether the run fails.
    fn run(&mut self, is_due: bool) -> bool {
        self.input += 1;
        if self.input.is_multiple_of(5) {
            self.output += 1;
        }
        let has_failed = self.visit();
        if has_failed {
            // The observer and the start depend on the results.
            return true;
        }
        self.seen
            .push((self.output, std::mem::take(&mut self.found)));
        if is_due {
            self.start();
        }
        false
    }

    fn visit(&mut self) -> bool {
        let visit = self.visit;
        self.visit += 1;
        let n_visits = self.n_visits;
        let appears = |start: &mut Start| {
            start.is_done && (start.is_replaced || visit + 1 >= start.visit + n_visits)
        };
        let Some(done) = self.current.take_if(appears) else {
            return false;
        };
        self.current = self.waiting.pop_front();
        self.appeared.push(visit);
        if done.is_replaced {
            self.counts.replaced += 1;
            return false;
        }
        if n_visits > 0 && visit + 1 > done.visit + n_visits {
            self.counts.late += 1;
        }
        if fails(done.input) {
            self.counts.failed += 1;
            return true;
        }
        self.counts.appeared += 1;
        self.output = done.output;
        self.found.push(done.input);
        false
    }

    fn start(&mut self) {
        let start = Start {
            input: self.input,
            output: self.output,
            visit: self.visit,
            is_replaced: false,
            is_done: false,
        };
        let Some(current) = &mut self.current else {
            self.current = Some(start);
            return;
        };
        match self.overrun {
            OverrunPolicy::Queue(n) if self.waiting.len() < n => self.waiting.push_back(start),
            OverrunPolicy::Restart => {
                current.is_replaced = true;
                self.counts.replaced += self.waiting.len() as u64;
                self.waiting = [start].into();
            }
            _ => self.counts.skipped += 1,
        }
    }
}

fn schedule(on: On) -> Schedule {
    let mut builder = Schedule::builder();
    builder
        .add::<advance>()
        .add::<is_due>()
        .add::<work>()
        .add::<results<work>>()
        .after::<advance>()
        .add::<observe>();
    let mut schedule = builder.build().unwrap();
    on.set(&mut schedule);
    schedule
}

fn resources(spanning: Spanning<work>) -> (Resources, Gate) {
    let (mut resources, gate) = (Resources::new(), Gate::default());
    resources.insert(gate.clone());
    resources.insert_default::<Input>();
    resources.insert_default::<Output>();
    resources.insert_default::<Due>();
    resources.insert_default::<Seen>();
    resources.insert_default::<Queue<u64>>();
    resources.insert(spanning);
    (resources, gate)
}

fn overruns() -> impl Strategy<Value = OverrunPolicy> {
    prop_oneof![
        Just(OverrunPolicy::Skip),
        (0..4_usize).prop_map(OverrunPolicy::Queue),
        Just(OverrunPolicy::Restart),
    ]
}

/// `steps`: whether the work ends before each run, and whether it starts in it.
fn check(
    on: On,
    overrun: OverrunPolicy,
    n_visits: u64,
    steps: &[(bool, bool)],
) -> Result<(), TestCaseError> {
    let new = || Spanning::new().overrun(overrun).appear_after(n_visits);
    let (mut frame, mut model) = (schedule(on), Model::new(overrun, n_visits));
    let (mut resources, gate) = resources(new());
    resources.get_mut::<Spanning<work>>().unwrap().record();
    let mut failed = Vec::new();
    for &(finishes, is_due) in steps {
        if finishes && model.finish() {
            gate.open(1);
            resources.get_mut::<Spanning<work>>().unwrap().wait();
        }
        resources.get_mut::<Due>().unwrap().0 = is_due;
        let result = frame.run(&mut resources);
        failed.push(model.run(is_due));
        prop_assert_eq!(result.is_err(), failed.last() == Some(&true));
        let spanning = resources.get::<Spanning<work>>().unwrap();
        prop_assert_eq!(spanning.counts(), model.counts);
        prop_assert_eq!(spanning.is_running(), model.current.is_some());
        prop_assert_eq!(&resources.get::<Seen>().unwrap().0, &model.seen);
    }
    let recorded = resources
        .get_mut::<Spanning<work>>()
        .unwrap()
        .take_recorded();
    prop_assert_eq!(&recorded, &model.appeared);
    gate.open(u64::MAX / 2);

    // The same, with functions that end at any time.
    let mut frame = schedule(on);
    let (mut resources, gate) = self::resources(new());
    gate.open(u64::MAX / 2);
    resources
        .get_mut::<Spanning<work>>()
        .unwrap()
        .replay(recorded);
    for (&(_, is_due), failed) in steps.iter().zip(failed) {
        resources.get_mut::<Due>().unwrap().0 = is_due;
        prop_assert_eq!(frame.run(&mut resources).is_err(), failed);
    }
    prop_assert_eq!(&resources.get::<Seen>().unwrap().0, &model.seen);
    let spanning = resources.get::<Spanning<work>>().unwrap();
    prop_assert_eq!(spanning.counts(), model.counts);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 1 } else { 64 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn spanning_systems_equal_the_interpreter(
        overrun in overruns(),
        n_visits in 0..5_u64,
        steps in prop::collection::vec((any::<bool>(), any::<bool>()), 0..if cfg!(miri) { 6 } else { 40 }),
    ) {
        for &on in On::EACH {
            check(on, overrun, n_visits, &steps)?;
        }
    }
}
