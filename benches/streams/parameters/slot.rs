//! Guests of 10,000 rooms. A guest enters an empty room and leaves an occupied one.

use benches::random_graph::Dice;
use benches::work::take;
use schedule::prelude::*;
use schedule_stream::prelude::*;

use super::Parameters;

const N_ROOMS: usize = 10_000;

pub(super) struct Slot;

#[derive(Record)]
#[record(id = u32)]
struct Guest(i64);

#[derive(Clone)]
pub(super) struct Knock {
    room: u32,
    guest: i64,
    n_steps: u64,
}

impl Knock {
    /// The guest in the room leaves, or this guest enters.
    fn answer(&self, gone: Option<i64>) -> i64 {
        gone.unwrap_or(-self.guest)
    }
}

#[handler]
fn knock(event: &Knock, #[key(event.room)] mut room: schedule_stream::Slot<Guest>) -> i64 {
    take(event.n_steps);
    let gone = room.remove();
    if gone.is_none() {
        room.insert(Guest(event.guest));
    }
    event.answer(gone.map(|guest| guest.0))
}

#[derive(Clone, Event)]
#[event(answer = i64)]
pub(super) enum Entry {
    #[event(knock)]
    Knock(Knock),
}

impl Parameters for Slot {
    type Event = Entry;
    type State = Vec<Option<i64>>;

    fn name(&self) -> &'static str {
        "slot"
    }

    fn events(&self, n_events: usize, n_steps: u64, dice: &mut Dice) -> Vec<Entry> {
        let knock = |nth: usize| {
            Entry::Knock(Knock {
                room: dice.below(N_ROOMS) as u32,
                guest: nth as i64,
                n_steps,
            })
        };
        (0..n_events).map(knock).collect()
    }

    fn resources(&self) -> Resources {
        let mut resources = Resources::new();
        resources.insert(Records::<Guest>::new());
        resources
    }

    fn state(&self) -> Self::State {
        vec![None; N_ROOMS]
    }

    fn by_hand(rooms: &mut Self::State, events: Vec<Entry>, mut report: impl FnMut(i64)) {
        for Entry::Knock(event) in events {
            take(event.n_steps);
            let room = &mut rooms[event.room as usize];
            let gone = room.take();
            if gone.is_none() {
                *room = Some(event.guest);
            }
            report(event.answer(gone));
        }
    }
}
