//! The program of the tests: events, and handlers that pause and fail as the events say.

use std::error::Error;
use std::fmt;
use std::hint::spin_loop;
use std::panic::resume_unwind;

use schedule::prelude::*;
use schedule_stream::prelude::*;

use super::case::{Act, Fault, Kind, Pause};
use super::interpreter::mix;

#[derive(Clone, Debug, Record)]
#[record(id = u32)]
pub(super) struct Account(pub(super) u64);

#[derive(Clone, Debug, Record)]
#[record(key = String)]
pub(super) struct Item(pub(super) u64);

/// Every key has one, by default.
#[derive(Clone, Debug, Default, Record)]
#[record(key = u32)]
pub(super) struct Badge(pub(super) u64);

#[derive(Clone, Debug, Resource)]
pub(super) struct Rate(pub(super) u64);

#[derive(Debug, Resource)]
pub(super) struct Total(pub(super) u64);

/// Never inserted as a resource.
#[derive(Debug, Resource)]
struct Holiday(u64);

/// The error of handlers.
#[derive(Debug, PartialEq)]
pub(super) struct Failed(pub(super) u64);

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl Error for Failed {}

#[derive(Clone, Debug, PartialEq, Event)]
#[event(answer = u64, error = Failed)]
pub(super) enum Entry {
    #[event(transfer)]
    Transfer(Act),
    #[event(copy)]
    Copy(Act),
    #[event(merge)]
    Merge(Act),
    #[event(look)]
    Look(Act),
    #[event(open)]
    Open(Act),
    #[event(put)]
    Put(Act),
    #[event(bump)]
    Bump(Act),
    #[event(bonus)]
    Bonus(Act),
    #[event(survey)]
    Survey(Act),
    #[event(share)]
    Share(Act),
    #[event(set_rate)]
    Rate(Act),
    #[event(earn)]
    Earn(Act),
    #[event(show)]
    Show(Act),
    #[event(safe_merge)]
    SafeMerge(Act),
    #[event(safe_put)]
    SafePut(Act),
    #[event(safe_earn)]
    SafeEarn(Act),
    #[event(safe_share)]
    SafeShare(Act),
    #[event(safe_rate)]
    SafeRate(Act),
    #[event(count)]
    Count(Act),
    #[event(restock)]
    Restock(Act),
    #[event(spawn)]
    Spawn(Act),
    #[event(safe_spawn)]
    SafeSpawn(Act),
}

impl From<(Kind, Act)> for Entry {
    fn from((kind, act): (Kind, Act)) -> Self {
        match kind {
            Kind::Transfer => Entry::Transfer(act),
            Kind::Copy => Entry::Copy(act),
            Kind::Merge => Entry::Merge(act),
            Kind::Look => Entry::Look(act),
            Kind::Open => Entry::Open(act),
            Kind::Put => Entry::Put(act),
            Kind::Bump => Entry::Bump(act),
            Kind::Bonus => Entry::Bonus(act),
            Kind::Survey => Entry::Survey(act),
            Kind::Share => Entry::Share(act),
            Kind::Rate => Entry::Rate(act),
            Kind::Earn => Entry::Earn(act),
            Kind::Show => Entry::Show(act),
            Kind::SafeMerge => Entry::SafeMerge(act),
            Kind::SafePut => Entry::SafePut(act),
            Kind::SafeEarn => Entry::SafeEarn(act),
            Kind::SafeShare => Entry::SafeShare(act),
            Kind::SafeRate => Entry::SafeRate(act),
            Kind::Count => Entry::Count(act),
            Kind::Restock => Entry::Restock(act),
            Kind::Spawn => Entry::Spawn(act),
            Kind::SafeSpawn => Entry::SafeSpawn(act),
        }
    }
}

impl Entry {
    pub(super) fn into_parts(self) -> (Kind, Act) {
        match self {
            Entry::Transfer(act) => (Kind::Transfer, act),
            Entry::Copy(act) => (Kind::Copy, act),
            Entry::Merge(act) => (Kind::Merge, act),
            Entry::Look(act) => (Kind::Look, act),
            Entry::Open(act) => (Kind::Open, act),
            Entry::Put(act) => (Kind::Put, act),
            Entry::Bump(act) => (Kind::Bump, act),
            Entry::Bonus(act) => (Kind::Bonus, act),
            Entry::Survey(act) => (Kind::Survey, act),
            Entry::Share(act) => (Kind::Share, act),
            Entry::Rate(act) => (Kind::Rate, act),
            Entry::Earn(act) => (Kind::Earn, act),
            Entry::Show(act) => (Kind::Show, act),
            Entry::SafeMerge(act) => (Kind::SafeMerge, act),
            Entry::SafePut(act) => (Kind::SafePut, act),
            Entry::SafeEarn(act) => (Kind::SafeEarn, act),
            Entry::SafeShare(act) => (Kind::SafeShare, act),
            Entry::SafeRate(act) => (Kind::SafeRate, act),
            Entry::Count(act) => (Kind::Count, act),
            Entry::Restock(act) => (Kind::Restock, act),
            Entry::Spawn(act) => (Kind::Spawn, act),
            Entry::SafeSpawn(act) => (Kind::SafeSpawn, act),
        }
    }
}

impl Act {
    /// Returns the key. Used for the last key of an event, which may panic.
    fn last(&self, key: u32) -> u32 {
        if self.fault == Some(Fault::Key) {
            resume_unwind(Box::new("no key"));
        }
        key
    }

    fn item(&self, key: u32) -> String {
        format!("item {}", self.last(key))
    }

    /// Pauses and fails in the middle of the work.
    fn halfway(&self) -> Result<(), Failed> {
        match self.pause {
            Pause::None => {}
            Pause::Spin(n) => (0..n).for_each(|_| spin_loop()),
            Pause::Yield => std::thread::yield_now(),
        }
        match self.fault {
            Some(Fault::Error) => Err(Failed(self.nonce)),
            // Without output on the terminal.
            Some(Fault::Panic) => resume_unwind(Box::new("halfway")),
            _ => Ok(()),
        }
    }
}

#[handler]
fn transfer(
    act: &Act,
    #[key(act.a)] a: &mut Account,
    #[key(act.last(act.b))] b: &mut Account,
) -> Result<u64, Failed> {
    a.0 = mix(a.0, act.nonce);
    act.halfway()?;
    b.0 = mix(b.0, a.0);
    Ok(b.0)
}

#[handler(alias = skip)]
fn copy(
    act: &Act,
    #[key(act.a)] a: &Account,
    #[key(act.last(act.b))] b: &mut Account,
) -> Result<u64, Failed> {
    b.0 = mix(b.0, act.nonce);
    act.halfway()?;
    b.0 = mix(b.0, a.0);
    Ok(b.0)
}

#[handler(alias = first)]
fn merge(
    act: &Act,
    #[key(act.a)] a: &mut Account,
    #[key(act.last(act.b))] b: Option<&mut Account>,
) -> Result<u64, Failed> {
    a.0 = mix(a.0, act.nonce);
    act.halfway()?;
    let b = b.map(|b| {
        b.0 = mix(b.0, a.0);
        b.0
    });
    Ok(b.unwrap_or(1))
}

#[handler]
fn look(
    act: &Act,
    holiday: Option<&Holiday>,
    #[key(act.a)] a: &Account,
    #[key(act.b)] b: Option<&Account>,
    #[key(act.item(act.c))] c: &Item,
) -> Result<u64, Failed> {
    act.halfway()?;
    let b = b.map_or(1, |b| b.0);
    Ok(mix(mix(a.0, b), c.0) + holiday.map_or(0, |holiday| holiday.0))
}

#[handler]
fn open(
    act: &Act,
    #[key(act.a)] mut a: Slot<Account>,
    #[key(act.item(act.c))] c: Option<&Item>,
) -> Result<u64, Failed> {
    let before = match act.nonce % 4 {
        0 => a.remove(),
        _ => a.insert(Account(act.nonce)),
    };
    act.halfway()?;
    Ok(mix(
        before.map_or(1, |before| before.0),
        c.map_or(1, |c| c.0),
    ))
}

#[handler]
fn put(
    act: &Act,
    #[key(act.item(act.c))] mut c: Slot<Item>,
    #[key(act.a)] a: Option<&mut Account>,
) -> Result<u64, Failed> {
    let before = match act.nonce % 4 {
        0 | 1 => c.remove(),
        2 => c.insert(Item(act.nonce)),
        _ => {
            let item = c.get_or_insert_with(|| Item(7));
            item.0 = mix(item.0, act.nonce);
            None
        }
    };
    act.halfway()?;
    if let Some(a) = a {
        a.0 = mix(a.0, act.nonce);
    }
    Ok(before.map_or(1, |before| before.0))
}

#[handler]
fn bump(
    act: &Act,
    rate: &Rate,
    #[key(act.item(act.c))] c: &mut Item,
    #[key(act.a)] a: Option<&mut Account>,
) -> Result<u64, Failed> {
    c.0 = mix(c.0, rate.0);
    act.halfway()?;
    if let Some(a) = a {
        a.0 = mix(a.0, c.0);
    }
    Ok(c.0)
}

#[handler]
fn bonus(
    act: &Act,
    rate: &Rate,
    #[keys(&act.many)] mut many: RecordSetMut<Account>,
    #[key(act.item(act.c))] c: Option<&Item>,
    #[key(act.b)] b: Option<&Account>,
) -> Result<u64, Failed> {
    let n = many.len() / 2;
    let more = c.map_or(act.nonce, |c| c.0) ^ b.map_or(1, |b| b.0);
    for (_, account) in many.iter_mut().take(n) {
        account.0 = mix(account.0, more);
    }
    act.halfway()?;
    for (key, account) in many.iter_mut().skip(n) {
        account.0 = mix(account.0, rate.0 ^ u64::from(*key));
    }
    Ok(many.len() as u64)
}

#[handler]
fn survey(
    act: &Act,
    total: &mut Total,
    #[key(act.last(act.a))] a: &Account,
    #[keys(&act.many)] many: RecordSet<Account>,
) -> Result<u64, Failed> {
    total.0 = mix(total.0, act.nonce);
    act.halfway()?;
    for (_, account) in many.iter() {
        total.0 = mix(total.0, account.0);
    }
    total.0 = mix(total.0, a.0);
    Ok(many.len() as u64)
}

#[handler(alias = first)]
fn share(
    act: &Act,
    #[key(act.last(act.a))] a: Option<&mut Account>,
    #[keys(act.halves().0)] from: RecordSet<Account>,
    #[keys(act.halves().1)] mut to: RecordSetMut<Account>,
) -> Result<u64, Failed> {
    let sum = from
        .iter()
        .fold(act.nonce, |sum, (_, account)| mix(sum, account.0));
    for (_, account) in to.iter_mut() {
        account.0 = mix(account.0, sum);
    }
    act.halfway()?;
    if let Some(a) = a {
        a.0 = mix(a.0, to.len() as u64);
    }
    Ok(sum)
}

#[handler]
fn set_rate(act: &Act, rate: &mut Rate, total: Option<&Total>) -> Result<u64, Failed> {
    rate.0 = mix(rate.0, act.nonce);
    act.halfway()?;
    rate.0 = mix(rate.0, total.map_or(1, |total| total.0));
    Ok(rate.0)
}

#[handler]
fn earn(
    act: &Act,
    #[key(act.a)] a: &mut Badge,
    #[key(act.b)] b: &Badge,
    #[key(act.item(act.c))] c: &mut Item,
) -> Result<u64, Failed> {
    a.0 = mix(a.0, act.nonce);
    act.halfway()?;
    a.0 = mix(a.0, b.0);
    c.0 = mix(c.0, a.0);
    Ok(c.0)
}

#[handler]
fn show(
    act: &Act,
    #[key(act.a)] a: &Badge,
    #[key(act.last(act.b))] b: Option<&Badge>,
) -> Result<u64, Failed> {
    act.halfway()?;
    Ok(mix(a.0, b.map_or(1, |b| b.0)))
}

#[handler(atomic, alias = first)]
fn safe_merge(
    act: &Act,
    #[key(act.a)] a: &mut Account,
    #[key(act.last(act.b))] b: Option<&mut Account>,
) -> Result<u64, Failed> {
    merge(act, a, b)
}

#[handler(atomic)]
fn safe_put(
    act: &Act,
    #[key(act.item(act.c))] c: Slot<Item>,
    #[key(act.a)] a: Option<&mut Account>,
) -> Result<u64, Failed> {
    put(act, c, a)
}

#[handler(atomic)]
fn safe_earn(
    act: &Act,
    #[key(act.a)] a: &mut Badge,
    #[key(act.b)] b: &Badge,
    #[key(act.item(act.c))] c: &mut Item,
) -> Result<u64, Failed> {
    earn(act, a, b, c)
}

#[handler(alias = first, atomic)]
fn safe_share(
    act: &Act,
    #[key(act.last(act.a))] a: Option<&mut Account>,
    #[keys(act.halves().0)] from: RecordSet<Account>,
    #[keys(act.halves().1)] to: RecordSetMut<Account>,
) -> Result<u64, Failed> {
    share(act, a, from, to)
}

#[handler(atomic)]
fn safe_rate(act: &Act, rate: &mut Rate, total: Option<&Total>) -> Result<u64, Failed> {
    set_rate(act, rate, total)
}

#[handler]
fn count(act: &Act, items: &Records<Item>, total: &mut Total) -> Result<u64, Failed> {
    total.0 = mix(total.0, items.len() as u64);
    act.halfway()?;
    let all = items
        .iter()
        .fold(0, |sum: u64, (_, item)| sum.wrapping_add(item.0));
    total.0 = mix(total.0, all);
    Ok(all)
}

#[handler]
fn restock(
    act: &Act,
    items: &mut Records<Item>,
    #[key(act.a)] a: &mut Account,
) -> Result<u64, Failed> {
    let key = |key: u32| format!("item {key}");
    let removed = items.remove(key(act.c)).map_or(1, |item| item.0);
    act.halfway()?;
    items.insert(key(act.b), Item(removed));
    a.0 = mix(a.0, items.len() as u64);
    Ok(removed)
}

#[handler]
fn spawn(act: &Act, #[key(act.a)] a: &mut Account) -> Result<FollowUps<Entry, u64>, Failed> {
    a.0 = mix(a.0, act.nonce);
    act.halfway()?;
    let following = act.following.iter().cloned().map(Entry::from);
    Ok(FollowUps::events(following).answering(a.0))
}

#[handler(atomic)]
fn safe_spawn(act: &Act, #[key(act.a)] a: &mut Account) -> Result<FollowUps<Entry, u64>, Failed> {
    spawn(act, a)
}
