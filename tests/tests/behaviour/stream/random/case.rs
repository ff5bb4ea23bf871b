//! Random events: what they name and do, and how they fail.

use std::ops::Range;

use proptest::prelude::*;

/// What happens to accounts, items and badges; see the handlers of the same names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Transfer,
    Copy,
    Merge,
    Look,
    Open,
    Put,
    Bump,
    Bonus,
    Survey,
    Share,
    Rate,
    Earn,
    Show,
    Count,
    Restock,
    Spawn,
}

const KINDS: [Kind; 16] = [
    Kind::Transfer,
    Kind::Copy,
    Kind::Merge,
    Kind::Look,
    Kind::Open,
    Kind::Put,
    Kind::Bump,
    Kind::Bonus,
    Kind::Survey,
    Kind::Share,
    Kind::Rate,
    Kind::Earn,
    Kind::Show,
    Kind::Count,
    Kind::Restock,
    Kind::Spawn,
];

/// How an event fails.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fault {
    /// Its handler, when half of its work is done.
    Error,
    /// The same, by a panic.
    Panic,
    /// What names its last key panics.
    Key,
}

/// What a handler does in the middle of its work, so that others meet it there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pause {
    None,
    Spin(u16),
    Yield,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Act {
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) c: u32,
    pub(super) many: Vec<u32>,
    pub(super) nonce: u64,
    pub(super) fault: Option<Fault>,
    pub(super) pause: Pause,
    /// What follows from it, if something does.
    pub(super) following: Vec<(Kind, Act)>,
}

impl Act {
    /// The first half of many, and the second one.
    pub(super) fn halves(&self) -> (&[u32], &[u32]) {
        self.many.split_at(self.many.len() / 2)
    }
}

/// Calls of one stream, with the events of each.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) n_keys: u32,
    pub(super) stops: bool,
    pub(super) calls: Vec<Vec<(Kind, Act)>>,
}

pub(super) fn cases(n_events: Range<usize>) -> impl Strategy<Value = Case> {
    // Of two keys each event meets each; of a thousand, hardly any.
    let n_keys = prop::sample::select(vec![2_u32, 3, 10, 1000]);
    (n_keys, prop::bool::weighted(0.3)).prop_flat_map(move |(n_keys, stops)| {
        let event = (kind(n_keys), act(n_keys, stops));
        let call = prop::collection::vec(event, n_events.clone());
        let calls = prop::collection::vec(call, 1..4);
        calls.prop_map(move |calls| Case {
            n_keys,
            stops,
            calls,
        })
    })
}

fn kind(n_keys: u32) -> impl Strategy<Value = Kind> {
    // Where there is nothing but a few keys, what takes all of them does not make it much worse.
    let n_kinds = if n_keys < 10 { KINDS.len() } else { 13 };
    let seldom = prop::sample::select(&KINDS[..]);
    prop_oneof![20 => prop::sample::select(&KINDS[..n_kinds]), 1 => seldom]
}

fn act(n_keys: u32, stops: bool) -> impl Strategy<Value = Act> {
    let faults = if stops { 200 } else { 10 };
    let fault = prop_oneof![
        2 * faults => Just(None),
        2 => Just(Some(Fault::Error)),
        2 => Just(Some(Fault::Panic)),
        1 => Just(Some(Fault::Key)),
    ];
    let pause = prop_oneof![
        6 => Just(Pause::None),
        3 => (0..300_u16).prop_map(Pause::Spin),
        1 => Just(Pause::Yield),
    ];
    // Some keys more than there are.
    let key = move || 0..n_keys + 1 + n_keys / 8;
    let few = prop::collection::vec(key(), 0..8);
    // More than there is memory for without asking; by tickets, more than may have others beside them.
    let most = if cfg!(miri) { 20 } else { 700 };
    let many = prop_oneof![30 => few, 1 => prop::collection::vec(key(), 8..most)];
    let alone = (key(), key(), key(), many, any::<u64>(), fault, pause);
    let alone = alone.prop_map(|(a, b, c, many, nonce, fault, pause)| Act {
        a,
        b,
        c,
        many,
        nonce,
        fault,
        pause,
        following: Vec::new(),
    });
    alone.prop_recursive(2, 6, 3, move |act| {
        let following = prop::collection::vec((kind(n_keys), act.clone()), 0..3);
        (act, following).prop_map(|(act, following)| Act { following, ..act })
    })
}
