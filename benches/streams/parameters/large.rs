//! An event of 256 bytes, and one of 10,000 records of 128 bytes.

use benches::random_graph::Dice;
use benches::work::take;
use schedule::prelude::*;
use schedule_stream::prelude::*;

use super::Parameters;

const N_SHEETS: usize = 10_000;

pub(super) struct Large;

#[derive(Record)]
#[record(id = u32)]
struct Sheet([i64; 16]);

#[derive(Clone)]
pub(super) struct Change {
    by: [i64; 30],
    sheet: u32,
    n_steps: u64,
}

impl Change {
    fn make(&self, sheet: &mut [i64; 16]) -> i64 {
        take(self.n_steps);
        for (nth, by) in self.by.iter().enumerate() {
            sheet[nth % 16] += by;
        }
        sheet[3]
    }
}

#[handler]
fn change(event: &Change, #[key(event.sheet)] sheet: &mut Sheet) -> i64 {
    event.make(&mut sheet.0)
}

#[derive(Clone, Event)]
#[event(answer = i64)]
pub(super) enum Entry {
    #[event(change)]
    Change(Change),
}

impl Parameters for Large {
    type Event = Entry;
    type State = Vec<[i64; 16]>;

    fn name(&self) -> &'static str {
        "large"
    }

    fn events(&self, n_events: usize, n_steps: u64, dice: &mut Dice) -> Vec<Entry> {
        let change = |_| {
            Entry::Change(Change {
                by: [dice.below(3) as i64; 30],
                sheet: dice.below(N_SHEETS) as u32,
                n_steps,
            })
        };
        (0..n_events).map(change).collect()
    }

    fn resources(&self) -> Resources {
        let mut resources = Resources::new();
        let sheets = (0..N_SHEETS as u32).map(|id| (id, Sheet([0; 16])));
        resources.insert(Records::from_iter(sheets));
        resources
    }

    fn state(&self) -> Self::State {
        vec![[0; 16]; N_SHEETS]
    }

    fn by_hand(sheets: &mut Self::State, events: Vec<Entry>, mut report: impl FnMut(i64)) {
        for Entry::Change(event) in events {
            report(event.make(&mut sheets[event.sheet as usize]));
        }
    }
}
