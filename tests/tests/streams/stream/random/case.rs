//! Random events: the records that they name, their actions and their failures.

use std::ops::Range;

use proptest::prelude::*;

/// The kinds of events on accounts, items and badges: see the handlers of the same names.
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
    SafeMerge,
    SafePut,
    SafeEarn,
    SafeShare,
    SafeRate,
    Spawn,
    SafeSpawn,
    Count,
    Restock,
}

const KINDS: [Kind; 22] = [
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
    Kind::SafeMerge,
    Kind::SafePut,
    Kind::SafeEarn,
    Kind::SafeShare,
    Kind::SafeRate,
    Kind::Spawn,
    Kind::SafeSpawn,
    Kind::Count,
    Kind::Restock,
];

impl Kind {
    /// Returns the kind of the same work, without the option `atomic`.
    pub(super) fn plain(self) -> Self {
        match self {
            Kind::SafeMerge => Kind::Merge,
            Kind::SafePut => Kind::Put,
            Kind::SafeEarn => Kind::Earn,
            Kind::SafeShare => Kind::Share,
            Kind::SafeRate => Kind::Rate,
            Kind::SafeSpawn => Kind::Spawn,
            kind => kind,
        }
    }
}

/// How an event fails.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fault {
    /// The handler returns an error when half of its work is done.
    Error,
    /// The handler panics when half of its work is done.
    Panic,
    /// The expression of its last key panics.
    Key,
}

/// The pause of a handler in the middle of its work, so that events overlap.
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
    /// The follow-up events, if its kind has any.
    pub(super) following: Vec<(Kind, Act)>,
}

impl Act {
    /// Returns the first and the second half of `many`.
    pub(super) fn halves(&self) -> (&[u32], &[u32]) {
        self.many.split_at(self.many.len() / 2)
    }
}

/// The limits of a stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct SmallLimits {
    pub(super) max_set_keys: u32,
    pub(super) max_depth: u32,
    pub(super) max_per_event: u32,
    pub(super) max_follow_ups: u32,
}

/// The calls of one stream, with the events of each.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) n_keys: u32,
    pub(super) stops: bool,
    pub(super) limits: SmallLimits,
    pub(super) calls: Vec<Vec<(Kind, Act)>>,
}

pub(super) fn cases(n_events: Range<usize>) -> impl Strategy<Value = Case> {
    // With two keys all events conflict, with a thousand hardly any.
    let n_keys = prop::sample::select(vec![2_u32, 3, 10, 1000]);
    (n_keys, prop::bool::weighted(0.3), limits()).prop_flat_map(move |(n_keys, stops, limits)| {
        let event = (kind(n_keys), act(n_keys, stops));
        let call = prop::collection::vec(event, n_events.clone());
        let calls = prop::collection::vec(call, 1..4);
        calls.prop_map(move |calls| Case {
            n_keys,
            stops,
            limits,
            calls,
        })
    })
}

fn limits() -> impl Strategy<Value = SmallLimits> {
    let max_set_keys = prop::sample::select(vec![0, 2, 6, 100, u32::MAX]);
    let max_depth = prop::sample::select(vec![0, 1, u32::MAX]);
    let max_per_event = prop::sample::select(vec![1, 2, 2, u32::MAX]);
    // So small that follow-up events often wait for later batches.
    let max_follow_ups = prop_oneof![3 => 0..20_u32, 1 => Just(u32::MAX)];
    (max_set_keys, max_depth, max_per_event, max_follow_ups).prop_map(
        |(max_set_keys, max_depth, max_per_event, max_follow_ups)| SmallLimits {
            max_set_keys,
            max_depth,
            max_per_event,
            max_follow_ups,
        },
    )
}

fn kind(n_keys: u32) -> impl Strategy<Value = Kind> {
    // Events with whole stores are frequent only with few keys, where most events conflict anyway.
    let n_kinds = if n_keys < 10 { KINDS.len() } else { 20 };
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
    // Some keys have no record.
    let key = move || 0..n_keys + 1 + n_keys / 8;
    let few = prop::collection::vec(key(), 0..8);
    // More keys than fit in a slot, and, with tickets, more than an event may name while others are in flight.
    let most = if cfg!(miri) { 20 } else { 700 };
    let many = prop_oneof![30 => few, 1 => prop::collection::vec(key(), 8..most)];
    let alone = (key(), key(), key(), many, any::<u64>(), fault, pause).prop_map(
        |(a, b, c, many, nonce, fault, pause)| Act {
            a,
            b,
            c,
            many,
            nonce,
            fault,
            pause,
            following: Vec::new(),
        },
    );
    alone.prop_recursive(2, 6, 3, move |act| {
        let following = prop::collection::vec((kind(n_keys), act.clone()), 0..3);
        (act, following).prop_map(|(act, following)| Act { following, ..act })
    })
}
