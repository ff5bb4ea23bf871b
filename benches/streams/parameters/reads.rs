//! Four of 1,000 prices, which are read, and a basket, which is written. Every tenth event changes a price.

use benches::random_graph::Dice;
use benches::work::take;
use schedule::prelude::*;
use schedule_stream::prelude::*;

use super::Parameters;

const N_PRICES: usize = 1_000;

pub(super) struct Reads;

#[derive(Record)]
#[record(id = u32)]
struct Price(i64);

#[derive(Record)]
#[record(id = u32)]
struct Basket(i64);

#[derive(Clone)]
pub(super) struct Buy {
    prices: [u32; 4],
    basket: u32,
    n_steps: u64,
}

#[handler]
fn buy(
    event: &Buy,
    #[key(event.prices[0])] first: &Price,
    #[key(event.prices[1])] second: &Price,
    #[key(event.prices[2])] third: &Price,
    #[key(event.prices[3])] fourth: &Price,
    #[key(event.basket)] basket: &mut Basket,
) -> i64 {
    take(event.n_steps);
    basket.0 += first.0 + second.0 + third.0 + fourth.0;
    basket.0
}

#[derive(Clone)]
pub(super) struct Raise {
    price: u32,
    n_steps: u64,
}

#[handler]
fn raise(event: &Raise, #[key(event.price)] price: &mut Price) -> i64 {
    take(event.n_steps);
    price.0 += 1;
    price.0
}

#[derive(Clone, Event)]
#[event(answer = i64)]
pub(super) enum Entry {
    #[event(buy)]
    Buy(Buy),
    #[event(raise)]
    Raise(Raise),
}

/// All prices and all baskets.
pub(super) struct State {
    prices: Vec<i64>,
    baskets: Vec<i64>,
}

impl Parameters for Reads {
    type Event = Entry;
    type State = State;

    fn name(&self) -> &'static str {
        "reads"
    }

    fn events(&self, n_events: usize, n_steps: u64, dice: &mut Dice) -> Vec<Entry> {
        let event = |_| match dice.below(10) {
            0 => Entry::Raise(Raise {
                price: dice.below(N_PRICES) as u32,
                n_steps,
            }),
            _ => Entry::Buy(Buy {
                prices: [(); 4].map(|()| dice.below(N_PRICES) as u32),
                basket: dice.below(N_PRICES) as u32,
                n_steps,
            }),
        };
        (0..n_events).map(event).collect()
    }

    fn resources(&self) -> Resources {
        let mut resources = Resources::new();
        let ids = 0..N_PRICES as u32;
        resources.insert(Records::from_iter(ids.clone().map(|id| (id, Price(1)))));
        resources.insert(Records::from_iter(ids.map(|id| (id, Basket(0)))));
        resources
    }

    fn state(&self) -> State {
        State {
            prices: vec![1; N_PRICES],
            baskets: vec![0; N_PRICES],
        }
    }

    fn by_hand(state: &mut State, events: Vec<Entry>, mut report: impl FnMut(i64)) {
        for event in events {
            match event {
                Entry::Buy(event) => {
                    take(event.n_steps);
                    let prices = event.prices.map(|price| state.prices[price as usize]);
                    let basket = &mut state.baskets[event.basket as usize];
                    *basket += prices.iter().sum::<i64>();
                    report(*basket);
                }
                Entry::Raise(event) => {
                    take(event.n_steps);
                    let price = &mut state.prices[event.price as usize];
                    *price += 1;
                    report(*price);
                }
            }
        }
    }
}
