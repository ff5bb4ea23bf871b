//! The interpreter: a loop over plain maps.

use std::collections::BTreeMap;

use schedule_stream::Position;

use super::case::{Act, Fault, Kind, SmallLimits};
use super::subject::{ReportedOutcome, State};

/// Mixes two values. The order of calls matters.
pub(super) fn mix(value: u64, by: u64) -> u64 {
    (value.rotate_left(7) ^ by).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Maximum number of events of the input in a batch.
const MAX_OUTSIDE: usize = 2048;

pub(super) type Answered = Result<u64, Why>;

/// The reason why an event has no answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Why {
    Missing(&'static str),
    SetTooLarge(&'static str, u32),
    FollowUpsTooDeep(u32),
    TooManyFollowUps(u32),
    Alias(&'static str, &'static str),
    Skipped,
    Stopped,
    Failed(u64),
    Panicked(String),
    PanickedBeforeCall(String),
}

impl Why {
    fn is_failure(&self) -> bool {
        matches!(
            self,
            Why::Failed(_)
                | Why::FollowUpsTooDeep(_)
                | Why::TooManyFollowUps(_)
                | Why::Panicked(_)
                | Why::PanickedBeforeCall(_)
        )
    }
}

#[derive(Clone)]
pub(super) struct World {
    pub(super) accounts: BTreeMap<u32, u64>,
    pub(super) items: BTreeMap<String, u64>,
    pub(super) badges: BTreeMap<u32, u64>,
    pub(super) rate: u64,
    pub(super) total: u64,
    next_batch: u64,
    limits: SmallLimits,
    /// The follow-up events that have not arrived.
    pending: Vec<FollowUp>,
}

#[derive(Clone)]
struct FollowUp {
    cause: Position,
    depth: u32,
    event: (Kind, Act),
}

fn item(key: u32) -> String {
    format!("item {key}")
}

impl World {
    pub(super) fn new(n_keys: u32, limits: SmallLimits) -> Self {
        let value = |key: u32| u64::from(key) + 100;
        Self {
            accounts: (0..n_keys).map(|key| (key, value(key))).collect(),
            items: (0..n_keys / 2).map(|key| (item(key), value(key))).collect(),
            badges: BTreeMap::new(),
            rate: 1,
            total: 2,
            next_batch: 1,
            limits,
            pending: Vec::new(),
        }
    }

    /// Checks the outcomes of a call of `process`. Returns the first difference.
    pub(super) fn check(
        &mut self,
        events: &[(Kind, Act)],
        stops: bool,
        reported: &[ReportedOutcome],
    ) -> Result<(), String> {
        let mut rest = events;
        let next = move |world: &Self| {
            let n = if world.is_behind() {
                0
            } else {
                rest.len().min(MAX_OUTSIDE)
            };
            let (outside, others) = rest.split_at(n);
            rest = others;
            let is_over = outside.is_empty() && world.pending.is_empty();
            (!is_over).then(|| outside.to_vec())
        };
        self.check_batches(next, stops, reported)
    }

    /// The maximum number of follow-up events in a batch.
    fn budget(&self) -> usize {
        self.limits.max_follow_ups.max(1) as usize
    }

    /// Returns whether more than one budget of follow-up events waits.
    fn is_behind(&self) -> bool {
        self.pending.len() > self.budget()
    }

    /// Checks the outcomes of a call of `process_batch`.
    pub(super) fn check_batch(
        &mut self,
        events: &[(Kind, Act)],
        stops: bool,
        reported: &[ReportedOutcome],
    ) -> Result<(), String> {
        let mut outside = Some(events.to_vec());
        let next = move |world: &Self| {
            if world.is_behind() && outside.is_some() {
                Some(Vec::new())
            } else {
                outside
                    .take()
                    .filter(|outside| !outside.is_empty() || !world.pending.is_empty())
            }
        };
        self.check_batches(next, stops, reported)
    }

    /// Checks the outcomes of pushed events, by the positions that the producers got.
    pub(super) fn check_pushed(
        &mut self,
        pushed: &BTreeMap<Position, (Kind, Act)>,
        stops: bool,
        reported: &[ReportedOutcome],
    ) -> Result<(), String> {
        let last = reported.last().map(|last| last.position.batch);
        let mut batches: Vec<Vec<_>> = Vec::new();
        for batch in self.next_batch..last.map_or(0, |last| last + 1) {
            let of_batch = pushed.range(Position::new(batch, 0)..Position::new(batch + 1, 0));
            let (positions, events): (Vec<_>, Vec<_>) = of_batch.unzip();
            let indices = (0..).map(|index| Position::new(batch, index));
            if !positions
                .into_iter()
                .copied()
                .eq(indices.take(events.len()))
            {
                return Err(format!("the positions in batch {batch} have gaps"));
            }
            batches.push(events.into_iter().cloned().collect());
        }
        let n_events: usize = batches.iter().map(Vec::len).sum();
        if n_events < pushed.len() {
            return Err(format!("of {} events, {n_events} came", pushed.len()));
        }
        let mut batches = batches.into_iter();
        self.check_batches(|_| batches.next(), stops, reported)
    }

    /// Checks the outcomes of batches. `next` returns the events of the input of the next one.
    fn check_batches(
        &mut self,
        mut next: impl FnMut(&Self) -> Option<Vec<(Kind, Act)>>,
        stops: bool,
        reported: &[ReportedOutcome],
    ) -> Result<(), String> {
        let has_failure =
            |reported: &ReportedOutcome| reported.result.as_ref().is_err_and(Why::is_failure);
        let may_stop = stops && reported.iter().any(has_failure);
        let mut reported = reported.iter();
        // The number of events since a failure with the stop policy.
        let mut n_since_end = None;
        while let Some(outside) = next(self) {
            let outside = outside.into_iter().map(|event| (None, 0, event));
            let n_following = self.pending.len().min(self.budget());
            let following: Vec<FollowUp> = self.pending.drain(..n_following).collect();
            let following = following
                .into_iter()
                .map(|one| (Some(one.cause), one.depth, one.event));
            for (index, (cause, depth, event)) in (0..).zip(outside.chain(following)) {
                let position = Position::new(self.next_batch, index);
                let found = reported.next().ok_or(format!("{position} is missing"))?;
                let is_same = found.position == position && found.cause == cause;
                if !is_same || found.event != event || found.handler != event.0.handler() {
                    return Err(format!(
                        "expected {event:?} at {position} because of {cause:?}, found {found:?}"
                    ));
                }
                let (result, next) = match &found.result {
                    Err(Why::Stopped) if may_stop => (Err(Why::Stopped), Vec::new()),
                    Ok(_) if n_since_end > Some(MAX_OUTSIDE) => {
                        return Err(format!("{position} ran long after the end"));
                    }
                    _ => self.apply(&event, depth),
                };
                if result != found.result {
                    return Err(format!("{position}: expected {result:?}, found {found:?}"));
                }
                if stops && result.is_err_and(|why| why.is_failure()) {
                    n_since_end.get_or_insert(0);
                }
                n_since_end = n_since_end.map(|n| n + 1);
                let next = next.into_iter().map(|event| FollowUp {
                    cause: position,
                    depth: depth + 1,
                    event,
                });
                self.pending.extend(next);
            }
            self.next_batch += 1;
        }
        match reported.next() {
            None => Ok(()),
            Some(more) => Err(format!("never came: {more:?}")),
        }
    }

    /// Returns whether the stores have the same content, in any order.
    pub(super) fn is(&self, state: &State) -> bool {
        let (accounts, items, badges, others) = state.clone();
        self.accounts == accounts.into_iter().collect()
            && self.items == items.into_iter().collect()
            && self.badges == badges.into_iter().collect()
            && [self.rate, self.total] == others
    }

    /// Returns the reason why the handler of an event does not run: an alias, also of missing records, or else the
    /// first parameter whose record is missing.
    fn refused(&self, kind: Kind, act: &Act) -> Option<Why> {
        let is_same = act.a == act.b;
        let twice = match kind {
            Kind::Transfer | Kind::Earn => is_same.then_some(Why::Alias("a", "b")),
            Kind::Copy => is_same.then_some(Why::Skipped),
            Kind::Bonus => act.many.contains(&act.b).then_some(Why::Alias("many", "b")),
            _ => None,
        };
        let a = ("a", self.accounts.contains_key(&act.a));
        let b = ("b", self.accounts.contains_key(&act.b));
        let c = ("c", self.items.contains_key(&item(act.c)));
        let needs: &[_] = match kind {
            Kind::Transfer | Kind::Copy => &[a, b],
            Kind::Merge | Kind::Restock | Kind::Spawn | Kind::Survey => &[a],
            Kind::Look => &[a, c],
            Kind::Bump | Kind::Earn => &[c],
            Kind::Open | Kind::Put | Kind::Bonus | Kind::Share => &[],
            Kind::Rate | Kind::Show | Kind::Count => &[],
            _ => unreachable!("`plain` returns none of the others"),
        };
        let missing = needs.iter().find(|(_, is_there)| !is_there);
        twice.or_else(|| missing.map(|(name, _)| Why::Missing(name)))
    }

    /// Returns the first set that has too many keys.
    fn large_set(&self, kind: Kind, act: &Act) -> Option<Why> {
        let (from, to) = act.halves();
        let sets: &[_] = match kind {
            Kind::Bonus | Kind::Survey => &[("many", act.many.len())],
            Kind::Share => &[("from", from.len()), ("to", to.len())],
            _ => &[],
        };
        let max = self.limits.max_set_keys;
        let (name, _) = sets.iter().find(|(_, n)| *n > max as usize)?;
        Some(Why::SetTooLarge(name, max))
    }

    /// Returns why a handler fails if it returns `n` follow-up events at this depth. `None`: it does not fail.
    fn too_many(&self, depth: u32, n: usize) -> Option<Why> {
        let limits = self.limits;
        if n == 0 {
            None
        } else if depth >= limits.max_depth {
            Some(Why::FollowUpsTooDeep(limits.max_depth))
        } else if n > limits.max_per_event as usize {
            Some(Why::TooManyFollowUps(limits.max_per_event))
        } else {
            None
        }
    }

    /// Handles an event at this depth. Returns the outcome and the follow-up events.
    fn apply(&mut self, (kind, act): &(Kind, Act), depth: u32) -> (Answered, Vec<(Kind, Act)>) {
        // The key that may panic comes before the sets, except for `Bonus`.
        let (is_atomic, kind) = (*kind != kind.plain(), kind.plain());
        let large = self.large_set(kind, act);
        if let (Kind::Bonus, Some(why)) = (kind, &large) {
            return (Err(why.clone()), Vec::new());
        }
        if act.fault == Some(Fault::Key) && kind.has_key_that_panics() {
            return (
                Err(Why::PanickedBeforeCall("no key".to_string())),
                Vec::new(),
            );
        }
        if let Some(why) = large.or_else(|| self.refused(kind, act)) {
            return (Err(why), Vec::new());
        }
        let before = is_atomic.then(|| self.clone());
        let mut result = self.handle(kind, act);
        if let (Kind::Spawn, Ok(_)) = (kind, &result)
            && let Some(why) = self.too_many(depth, act.following.len())
        {
            result = Err(why);
        }
        if let (Some(before), Err(_)) = (before, &result) {
            *self = before;
        }
        let next = match (kind, &result) {
            (Kind::Spawn, Ok(_)) => act.following.clone(),
            _ => Vec::new(),
        };
        (result, next)
    }

    fn handle(&mut self, kind: Kind, act: &Act) -> Answered {
        let halfway = || match act.fault {
            Some(Fault::Error) => Err(Why::Failed(act.nonce)),
            Some(Fault::Panic) => Err(Why::Panicked("halfway".to_string())),
            _ => Ok(()),
        };
        let account = |world: &Self, key: u32| world.accounts.get(&key).copied();
        let mix_account = |world: &mut Self, key: u32, by: u64| {
            let account = world.accounts.get_mut(&key).expect("it was asked for");
            *account = mix(*account, by);
            *account
        };
        // The existing records, each once, in the order in which they are named.
        let each_once = |keys: &[u32]| {
            let mut each: Vec<u32> = Vec::new();
            for key in keys {
                if self.accounts.contains_key(key) && !each.contains(key) {
                    each.push(*key);
                }
            }
            each
        };
        let many = each_once(&act.many);
        let [mut from, mut to] = [act.halves().0, act.halves().1].map(each_once);
        let (a, b, c) = (act.a, act.b, item(act.c));
        Ok(match kind {
            Kind::Transfer => {
                let new = mix_account(self, a, act.nonce);
                halfway()?;
                mix_account(self, b, new)
            }
            Kind::Copy => {
                mix_account(self, b, act.nonce);
                halfway()?;
                let read = self.accounts[&a];
                mix_account(self, b, read)
            }
            Kind::Merge => {
                let new = mix_account(self, a, act.nonce);
                halfway()?;
                if a != b && self.accounts.contains_key(&b) {
                    mix_account(self, b, new)
                } else {
                    1
                }
            }
            Kind::Look => {
                halfway()?;
                let b = account(self, b).unwrap_or(1);
                mix(mix(self.accounts[&a], b), self.items[&c])
            }
            Kind::Open => {
                let before = match act.nonce % 4 {
                    0 => self.accounts.remove(&a),
                    _ => self.accounts.insert(a, act.nonce),
                };
                halfway()?;
                mix(
                    before.unwrap_or(1),
                    self.items.get(&c).copied().unwrap_or(1),
                )
            }
            Kind::Put => {
                let before = match act.nonce % 4 {
                    0 | 1 => self.items.remove(&c),
                    2 => self.items.insert(c, act.nonce),
                    _ => {
                        let item = self.items.entry(c).or_insert(7);
                        *item = mix(*item, act.nonce);
                        None
                    }
                };
                halfway()?;
                if account(self, a).is_some() {
                    mix_account(self, a, act.nonce);
                }
                before.unwrap_or(1)
            }
            Kind::Bump => {
                let new = mix(self.items[&c], self.rate);
                self.items.insert(c, new);
                halfway()?;
                if account(self, a).is_some() {
                    mix_account(self, a, new);
                }
                new
            }
            Kind::Bonus => {
                let more = self.items.get(&c).copied().unwrap_or(act.nonce);
                let more = more ^ account(self, b).unwrap_or(1);
                let (first, second) = many.split_at(many.len() / 2);
                for key in first {
                    mix_account(self, *key, more);
                }
                halfway()?;
                for key in second {
                    mix_account(self, *key, self.rate ^ u64::from(*key));
                }
                many.len() as u64
            }
            Kind::Survey => {
                self.total = mix(self.total, act.nonce);
                halfway()?;
                for key in many.iter().chain([&a]) {
                    self.total = mix(self.total, self.accounts[key]);
                }
                many.len() as u64
            }
            Kind::Share => {
                from.retain(|key| *key != a);
                to.retain(|key| *key != a && !from.contains(key));
                let mix_in = |sum, key: &u32| mix(sum, self.accounts[key]);
                let sum = from.iter().fold(act.nonce, mix_in);
                for key in &to {
                    mix_account(self, *key, sum);
                }
                halfway()?;
                if account(self, a).is_some() {
                    mix_account(self, a, to.len() as u64);
                }
                sum
            }
            Kind::Rate => {
                self.rate = mix(self.rate, act.nonce);
                halfway()?;
                self.rate = mix(self.rate, self.total);
                self.rate
            }
            Kind::Earn => {
                let badge = self.badges.entry(a).or_insert(0);
                *badge = mix(*badge, act.nonce);
                halfway()?;
                let read = self.badges.get(&b).copied().unwrap_or(0);
                let badge = mix(self.badges[&a], read);
                self.badges.insert(a, badge);
                let new = mix(self.items[&c], badge);
                self.items.insert(c, new);
                new
            }
            Kind::Show => {
                halfway()?;
                let read = |key: u32| self.badges.get(&key).copied();
                mix(read(a).unwrap_or(0), read(b).unwrap_or(1))
            }
            Kind::Count => {
                self.total = mix(self.total, self.items.len() as u64);
                halfway()?;
                let all = self
                    .items
                    .values()
                    .fold(0, |sum: u64, item| sum.wrapping_add(*item));
                self.total = mix(self.total, all);
                all
            }
            Kind::Restock => {
                let removed = self.items.remove(&c).unwrap_or(1);
                halfway()?;
                self.items.insert(item(b), removed);
                mix_account(self, a, self.items.len() as u64);
                removed
            }
            Kind::Spawn => {
                let new = mix_account(self, a, act.nonce);
                halfway()?;
                new
            }
            _ => unreachable!("`plain` returns none of the others"),
        })
    }
}

impl Kind {
    fn handler(self) -> &'static str {
        match self {
            Kind::Transfer => "transfer",
            Kind::Copy => "copy",
            Kind::Merge => "merge",
            Kind::Look => "look",
            Kind::Open => "open",
            Kind::Put => "put",
            Kind::Bump => "bump",
            Kind::Bonus => "bonus",
            Kind::Survey => "survey",
            Kind::Share => "share",
            Kind::Rate => "set_rate",
            Kind::Earn => "earn",
            Kind::Show => "show",
            Kind::SafeMerge => "safe_merge",
            Kind::SafePut => "safe_put",
            Kind::SafeEarn => "safe_earn",
            Kind::SafeShare => "safe_share",
            Kind::SafeRate => "safe_rate",
            Kind::Count => "count",
            Kind::Restock => "restock",
            Kind::Spawn => "spawn",
            Kind::SafeSpawn => "safe_spawn",
        }
    }

    fn has_key_that_panics(self) -> bool {
        !matches!(self, Kind::Rate | Kind::Count | Kind::Restock | Kind::Spawn)
    }
}
