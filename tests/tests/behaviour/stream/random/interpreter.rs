//! The interpreter: a loop over plain maps.

use std::collections::{BTreeMap, VecDeque};

use super::case::{Act, Fault, Kind};
use super::subject::{ReportedOutcome, State};

/// Mixes two values. The order of calls matters.
pub(super) fn mix(value: u64, by: u64) -> u64 {
    (value.rotate_left(7) ^ by).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Follow-up events arrive after this number of events, or at the end of the input.
const DELAY: u64 = 2048;

pub(super) type Answered = Result<u64, Why>;

/// The reason why an event has no answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Why {
    Missing(&'static str),
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
            Why::Failed(_) | Why::Panicked(_) | Why::PanickedBeforeCall(_)
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
    n_arrived: u64,
}

fn item(key: u32) -> String {
    format!("item {key}")
}

impl World {
    pub(super) fn new(n_keys: u32) -> Self {
        let value = |key: u32| u64::from(key) + 100;
        Self {
            accounts: (0..n_keys).map(|key| (key, value(key))).collect(),
            items: (0..n_keys / 2).map(|key| (item(key), value(key))).collect(),
            badges: BTreeMap::new(),
            rate: 1,
            total: 2,
            n_arrived: 0,
        }
    }

    /// Checks the outcomes of a call. Returns the first difference.
    pub(super) fn check(
        &mut self,
        events: &[(Kind, Act)],
        stops: bool,
        reported: &[ReportedOutcome],
    ) -> Result<(), String> {
        let mut input = events.iter().cloned();
        let mut following: VecDeque<(u64, (Kind, Act))> = VecDeque::new();
        let mut reported = reported.iter();
        // No handler can have run from this position on.
        let mut end = u64::MAX;
        let has_failure =
            |reported: &ReportedOutcome| reported.result.as_ref().is_err_and(Why::is_failure);
        let may_stop = stops && reported.clone().any(has_failure);
        loop {
            let position = self.n_arrived;
            let is_due = following.front().is_some_and(|(due, _)| *due <= position);
            let next = if is_due { None } else { input.next() };
            let Some(event) = next.or_else(|| Some(following.pop_front()?.1)) else {
                break;
            };
            self.n_arrived += 1;
            let found = reported
                .next()
                .ok_or(format!("{position} is not reported"))?;
            if found.position != position || found.event != event {
                return Err(format!("expected {event:?} at {position}, found {found:?}"));
            }
            if found.handler != event.0.handler() {
                return Err(format!("{position} is not handled by {}", found.handler));
            }
            let (result, next) = match &found.result {
                Err(Why::Stopped) if may_stop => (Err(Why::Stopped), Vec::new()),
                _ if position >= end && found.result.is_ok() => {
                    return Err(format!("{position} ran long after the end"));
                }
                _ => self.apply(&event),
            };
            if result != found.result {
                return Err(format!(
                    "{position}: expected {result:?}, found {:?}",
                    found.result
                ));
            }
            if stops && result.is_err_and(|why| why.is_failure()) {
                end = end.min(position + DELAY);
            }
            let due = position + DELAY;
            following.extend(next.into_iter().map(|event| (due, event)));
        }
        match reported.next() {
            None => Ok(()),
            Some(more) => Err(format!("never came: {more:?}")),
        }
    }

    /// Checks the outcomes of pushed events, by the positions that the producers got. Follow-up events may arrive at
    /// any time.
    pub(super) fn check_pushed(
        &mut self,
        pushed: &BTreeMap<u64, (Kind, Act)>,
        stops: bool,
        reported: &[ReportedOutcome],
    ) -> Result<(), String> {
        let has_failure =
            |reported: &ReportedOutcome| reported.result.as_ref().is_err_and(Why::is_failure);
        let may_stop = stops && reported.iter().any(has_failure);
        let mut following: Vec<(Kind, Act)> = Vec::new();
        for (found, position) in reported.iter().zip(0..) {
            let is_pushed = pushed.get(&position) == Some(&found.event);
            if !is_pushed {
                let one = following.iter().position(|event| *event == found.event);
                let one = one.filter(|_| !pushed.contains_key(&position));
                following.swap_remove(one.ok_or(format!("no event gave {found:?}"))?);
            }
            if found.position != position || found.handler != found.event.0.handler() {
                return Err(format!("{position}: found {found:?}"));
            }
            let (result, next) = match &found.result {
                Err(Why::Stopped) if may_stop => (Err(Why::Stopped), Vec::new()),
                _ => self.apply(&found.event),
            };
            if result != found.result {
                return Err(format!("{position}: expected {result:?}, found {found:?}"));
            }
            following.extend(next);
        }
        let n_reported = reported.len() as u64;
        match following.is_empty() && pushed.keys().all(|position| *position < n_reported) {
            true => Ok(()),
            false => Err(format!("of {n_reported} none is one of {following:?}")),
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
        };
        let missing = needs.iter().find(|(_, is_there)| !is_there);
        twice.or_else(|| missing.map(|(name, _)| Why::Missing(name)))
    }

    /// Handles an event. Returns the outcome and the follow-up events.
    fn apply(&mut self, (kind, act): &(Kind, Act)) -> (Answered, Vec<(Kind, Act)>) {
        if act.fault == Some(Fault::Key) && kind.has_key_that_panics() {
            return (
                Err(Why::PanickedBeforeCall("no key".to_string())),
                Vec::new(),
            );
        }
        if let Some(why) = self.refused(*kind, act) {
            return (Err(why), Vec::new());
        }
        let result = self.handle(*kind, act);
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
                match a != b && self.accounts.contains_key(&b) {
                    true => mix_account(self, b, new),
                    false => 1,
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
            Kind::Count => "count",
            Kind::Restock => "restock",
            Kind::Spawn => "spawn",
        }
    }

    fn has_key_that_panics(self) -> bool {
        !matches!(self, Kind::Rate | Kind::Count | Kind::Restock | Kind::Spawn)
    }
}
