//! Letters that are forwarded four times between 1,000 recipients, by follow-up events.

use std::collections::VecDeque;

use benches::random_graph::Dice;
use benches::work::take;
use schedule::prelude::*;
use schedule_stream::FollowUps;
use schedule_stream::prelude::*;

use super::Parameters;

const N_PEOPLE: usize = 1_000;
const N_TIMES: u32 = 4;

pub(super) struct Following;

#[derive(Record)]
#[record(id = u32)]
pub(super) struct Person(i64);

#[derive(Clone)]
pub(super) struct Letter {
    to: u32,
    n_times: u32,
    n_steps: u64,
}

#[handler]
fn receive(event: &Letter, #[key(event.to)] person: &mut Person) -> FollowUps<Letter, i64> {
    take(event.n_steps);
    person.0 += 1;
    let next = event.n_times.checked_sub(1).map(|n_times| Letter {
        to: event.to * 7 % N_PEOPLE as u32,
        n_times,
        ..*event
    });
    FollowUps::events(next).answering(i64::from(event.n_times))
}

#[derive(Clone, Event)]
#[event(answer = i64)]
pub(super) enum Entry {
    #[event(receive)]
    Letter(Letter),
}

impl Parameters for Following {
    type Event = Entry;
    type State = Vec<Person>;

    fn name(&self) -> &'static str {
        "following"
    }

    fn events(&self, n_events: usize, n_steps: u64, dice: &mut Dice) -> Vec<Entry> {
        let letter = |_| {
            Entry::Letter(Letter {
                to: dice.below(N_PEOPLE) as u32,
                n_times: N_TIMES,
                n_steps,
            })
        };
        let n_letters = n_events / (1 + N_TIMES as usize);
        (0..n_letters).map(letter).collect()
    }

    fn resources(&self) -> Resources {
        let mut resources = Resources::new();
        let people = (0..N_PEOPLE as u32).map(|id| (id, Person(0)));
        resources.insert(Records::from_iter(people));
        resources
    }

    fn state(&self) -> Vec<Person> {
        (0..N_PEOPLE).map(|_| Person(0)).collect()
    }

    /// Forwards by a queue, as a loop without streams would.
    fn by_hand(people: &mut Vec<Person>, events: Vec<Entry>, mut report: impl FnMut(i64)) {
        let mut letters: VecDeque<Letter> =
            events.into_iter().map(|Entry::Letter(it)| it).collect();
        while let Some(letter) = letters.pop_front() {
            let then = receive(&letter, &mut people[letter.to as usize]);
            letters.extend(then.events);
            report(then.answer);
        }
    }
}
