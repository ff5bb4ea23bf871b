//! A set of three to six of 10,000 counters.

use benches::random_graph::Dice;
use benches::work::take;
use schedule::prelude::*;
use schedule_stream::RecordSetMut;
use schedule_stream::prelude::*;

use super::Parameters;

const N_COUNTERS: usize = 10_000;
const MOST: usize = 6;

pub(super) struct Set;

#[derive(Record)]
#[record(id = u32)]
struct Counter(i64);

#[derive(Clone)]
pub(super) struct Visit {
    counters: [u32; MOST],
    n: usize,
    n_steps: u64,
}

impl Visit {
    /// The counters, each once.
    fn counters(&self) -> &[u32] {
        &self.counters[..self.n]
    }
}

#[handler]
fn visit(event: &Visit, #[keys(event.counters())] mut counters: RecordSetMut<Counter>) -> i64 {
    take(event.n_steps);
    let mut sum = 0;
    for (_, counter) in counters.iter_mut() {
        counter.0 += 1;
        sum += counter.0;
    }
    sum
}

#[derive(Clone, Event)]
#[event(answer = i64)]
pub(super) enum Entry {
    #[event(visit)]
    Visit(Visit),
}

impl Parameters for Set {
    type Event = Entry;
    type State = Vec<i64>;

    fn name(&self) -> &'static str {
        "set"
    }

    fn events(&self, n_events: usize, n_steps: u64, dice: &mut Dice) -> Vec<Entry> {
        let visit = |_| {
            let n = 3 + dice.below(MOST - 2);
            let mut counters = [0; MOST];
            for nth in 0..n {
                counters[nth] = loop {
                    let counter = dice.below(N_COUNTERS) as u32;
                    if !counters[..nth].contains(&counter) {
                        break counter;
                    }
                };
            }
            Entry::Visit(Visit {
                counters,
                n,
                n_steps,
            })
        };
        (0..n_events).map(visit).collect()
    }

    fn resources(&self) -> Resources {
        let mut resources = Resources::new();
        let counters = (0..N_COUNTERS as u32).map(|id| (id, Counter(0)));
        resources.insert(Records::from_iter(counters));
        resources
    }

    fn state(&self) -> Vec<i64> {
        vec![0; N_COUNTERS]
    }

    fn by_hand(counters: &mut Vec<i64>, events: Vec<Entry>, mut report: impl FnMut(i64)) {
        for Entry::Visit(event) in events {
            take(event.n_steps);
            let mut sum = 0;
            for counter in event.counters() {
                let counter = &mut counters[*counter as usize];
                *counter += 1;
                sum += *counter;
            }
            report(sum);
        }
    }
}
