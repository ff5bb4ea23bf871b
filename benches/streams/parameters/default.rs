//! One of 10,000 counters, which exist by default.

use benches::random_graph::Dice;
use benches::work::take;
use schedule::prelude::*;
use schedule_stream::prelude::*;

use super::Parameters;

const N_COUNTERS: usize = 10_000;

pub(super) struct Default;

#[derive(Default, Record)]
#[record(id = u32)]
struct Counter(i64);

#[derive(Clone)]
pub(super) struct Visit {
    counter: u32,
    n_steps: u64,
}

#[handler]
fn visit(event: &Visit, #[key(event.counter)] counter: &mut Counter) -> i64 {
    take(event.n_steps);
    counter.0 += 1;
    counter.0
}

#[derive(Clone, Event)]
#[event(answer = i64)]
pub(super) enum Entry {
    #[event(visit)]
    Visit(Visit),
}

impl Parameters for Default {
    type Event = Entry;
    type State = Vec<i64>;

    fn name(&self) -> &'static str {
        "default"
    }

    fn events(&self, n_events: usize, n_steps: u64, dice: &mut Dice) -> Vec<Entry> {
        let visit = |_| {
            Entry::Visit(Visit {
                counter: dice.below(N_COUNTERS) as u32,
                n_steps,
            })
        };
        (0..n_events).map(visit).collect()
    }

    fn resources(&self) -> Resources {
        let mut resources = Resources::new();
        resources.insert(Records::<Counter>::or_default());
        resources
    }

    fn state(&self) -> Vec<i64> {
        vec![0; N_COUNTERS]
    }

    fn by_hand(counters: &mut Vec<i64>, events: Vec<Entry>, mut report: impl FnMut(i64)) {
        for Entry::Visit(event) in events {
            take(event.n_steps);
            let counter = &mut counters[event.counter as usize];
            *counter += 1;
            report(*counter);
        }
    }
}
