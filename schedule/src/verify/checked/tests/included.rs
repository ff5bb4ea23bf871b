//! Random cases in which a range of adjacent entries moves to a plugin.

use core::ops::Range;
use core::panic::Location;

use super::case::Case;
use super::dice::{Dice, rng};
use super::pool::RESOURCES;
use crate::base::formula::Token;
use crate::base::identity::Name;
use crate::data::marks::Marks;
use crate::data::order::{Membership, Order, Reference, TypePath};
use crate::data::settings::Settings;
use crate::declare::listing::{About, Clause, Entry, Listed, ListedPolicy, Listing, Rule};
use crate::systems::system::{Answered, Guard};
use schedule_graph::Policy;

const PLUGIN: Reference = Reference {
    id: 4000,
    name: Name::new("plugin"),
    path: TypePath::NONE,
};

/// Returns a case with a plugin, which may be nested in another plugin and may have its own policies. Returns `None` if a name refers to an
/// entry on the other side.
pub(super) fn whole(case: &Case, seed: u64) -> Option<Listing> {
    let mut dice = Dice(rng(seed));
    let listing: &'static Listing = Box::leak(Box::new(case.listing()));
    let range = range(listing, &mut dice);
    let mut included = Included::new(listing, range.clone())?;
    for _ in 0..dice.below(3) {
        included.add_rule(&mut dice);
    }
    if dice.percent(30) {
        // A plugin that contains only the plugin.
        included.inner = vec![included.plugin(Reference {
            id: 4001,
            name: Name::new("inner"),
            path: TypePath::NONE,
        })];
        included.inner_rules.clear();
        included.inner_settings = Settings::NONE;
        if dice.percent(50) {
            included.add_rule(&mut dice);
        }
    }
    Some(included.whole())
}

/// Returns a case with a plugin, and the same case with a group of the plugin's direct entries.
pub(super) fn whole_and_grouped(case: &Case, seed: u64) -> Option<(Listing, Listing)> {
    let mut dice = Dice(rng(seed));
    let listing: &'static Listing = Box::leak(Box::new(case.listing()));
    let range = range(listing, &mut dice);
    let level = listing.entries[range.start].around;
    let included = Included::new(listing, range.clone())?;
    if !included.inner_rules.is_empty() {
        return None;
    }
    let behind = |number: u32| Some(number + u32::from(number as usize >= range.start));
    let mut entries = Vec::new();
    for (idx, entry) in listing.entries.iter().enumerate() {
        if idx == range.start {
            let group = Listed::Group(PLUGIN);
            entries.push(Entry {
                subject: group,
                ..included.outer[idx]
            });
        }
        let mut entry = renumbered(entry, &behind)?;
        let is_group = matches!(entry.subject, Listed::Group(_));
        if range.contains(&idx) && listing.entries[idx].around == level && !is_group {
            let location = Location::caller();
            let member = Clause::In(Membership {
                group: PLUGIN,
                location,
            });
            entry.clauses = [entry.clauses, &[member]].concat().leak();
        }
        entries.push(entry);
    }
    let rules = listing
        .rules
        .iter()
        .map(|one| renumbered_rule(one, &behind));
    let rules: Vec<Rule> = rules.collect::<Option<_>>()?;
    let grouped = Listing::new("grouped", entries.leak(), rules.leak(), listing.settings);
    Some((included.whole(), grouped))
}

/// Returns a range of adjacent entries in one loop, or outside of all loops.
fn range(listing: &Listing, dice: &mut Dice) -> Range<usize> {
    let start = dice.below(listing.entries.len());
    let level = listing.entries[start].around;
    let is_inside = |idx: usize| {
        let mut around = listing.entries[idx].around;
        loop {
            match around {
                same if same == level => return true,
                None => return false,
                Some(outer) => around = listing.entries[outer as usize].around,
            }
        }
    };
    let mut end = start + 1;
    // The body of the last loop must be inside, too.
    while end < listing.entries.len()
        && is_inside(end)
        && (listing.entries[end].around != level || dice.percent(70))
    {
        end += 1;
    }
    start..end
}

/// The entries and rules outside of the plugin, and those in it.
struct Included {
    outer: Vec<Entry>,
    outer_rules: Vec<Rule>,
    inner: Vec<Entry>,
    inner_rules: Vec<Rule>,
    settings: Settings,
    inner_settings: Settings,
    /// The index of the plugin in `outer`.
    idx: usize,
}

impl Included {
    fn new(listing: &Listing, range: Range<usize>) -> Option<Self> {
        let n_inside = range.len();
        let outside = |number: u32| match number as usize {
            idx if range.contains(&idx) => None,
            idx if idx < range.start => Some(number),
            idx => Some((idx + 1 - n_inside) as u32),
        };
        let inside = |number: u32| {
            let idx = number as usize;
            range.contains(&idx).then(|| (idx - range.start) as u32)
        };
        let level = listing.entries[range.start].around;
        let mut inner = Vec::new();
        for entry in &listing.entries[range.clone()] {
            let mut entry = *entry;
            entry.around = entry.around.filter(|_| entry.around != level);
            inner.push(renumbered(&entry, &inside)?);
        }
        let mut included = Self {
            outer: Vec::new(),
            outer_rules: Vec::new(),
            inner,
            inner_rules: Vec::new(),
            settings: listing.settings,
            inner_settings: Settings::NONE,
            idx: range.start,
        };
        for (idx, entry) in listing.entries.iter().enumerate() {
            if idx == range.start {
                included.outer.push(Entry {
                    around: level,
                    ..Entry::group_of(PLUGIN)
                });
            }
            if !range.contains(&idx) {
                included.outer.push(renumbered(entry, &outside)?);
            }
        }
        for rule in listing.rules {
            match (
                renumbered_rule(rule, &outside),
                renumbered_rule(rule, &inside),
            ) {
                (Some(rule), _) => included.outer_rules.push(rule),
                (None, Some(rule)) => included.inner_rules.push(rule),
                (None, None) => return None,
            }
        }
        Some(included)
    }

    /// Adds a policy to the plugin.
    fn add_rule(&mut self, dice: &mut Dice) {
        let policies = [
            Policy::Reject,
            Policy::WritersFirst,
            Policy::InsertionOrder,
            Policy::Optimize,
        ];
        let policy = policies[dice.below(policies.len())];
        let resource = RESOURCES[dice.below(RESOURCES.len())];
        if dice.percent(40) {
            self.inner_settings = self.inner_settings.policy(policy);
        } else {
            self.inner_rules.push(Rule {
                about: About::Resource(resource, ListedPolicy::of(policy)),
                plugin: 0,
                base: 0,
                location: Location::caller(),
            });
        }
    }

    /// Returns the plugin with this name.
    fn plugin(&self, reference: Reference) -> Entry {
        let (entries, rules) = (self.inner.clone(), self.inner_rules.clone());
        let own = Listing::new("plugin", entries.leak(), rules.leak(), self.inner_settings);
        let own: &'static Listing = Box::leak(Box::new(own));
        let whole: &'static Listing = Box::leak(Box::new(own.whole()));
        Entry {
            subject: Listed::Plugin(reference, whole),
            around: None,
            ..Entry::group_of(reference)
        }
    }

    fn whole(mut self) -> Listing {
        let around = self.outer[self.idx].around;
        self.outer[self.idx] = Entry {
            around,
            ..self.plugin(PLUGIN)
        };
        let own = Listing::new(
            "whole",
            self.outer.leak(),
            self.outer_rules.leak(),
            self.settings,
        );
        let own: &'static Listing = Box::leak(Box::new(own));
        own.whole()
    }
}

impl Entry {
    fn group_of(reference: Reference) -> Self {
        Self {
            subject: Listed::Group(reference),
            around: None,
            name: None,
            path: Some("as::written"),
            marks: Marks::NONE,
            clauses: &[],
            plugin: 0,
            base: 0,
            location: Location::caller(),
        }
    }
}

/// Returns the entry with other numbers, or `None` if a number has no replacement.
fn renumbered(entry: &Entry, number: &impl Fn(u32) -> Option<u32>) -> Option<Entry> {
    let clauses = entry.clauses.iter().map(|clause| {
        Some(match *clause {
            Clause::Order(order) => Clause::Order(Order {
                entry: kept(order.entry, number)?,
                ..order
            }),
            Clause::If(guard) => Clause::If(renumbered_guard(&guard, number)?),
            clause => clause,
        })
    });
    let clauses: Vec<Clause> = clauses.collect::<Option<_>>()?;
    Some(Entry {
        around: kept(entry.around, number)?,
        clauses: clauses.leak(),
        ..*entry
    })
}

fn renumbered_guard(guard: &Guard, number: &impl Fn(u32) -> Option<u32>) -> Option<Guard> {
    let tokens = guard.tokens().iter().map(|token| {
        Some(match *token {
            Token::Is(answered) => Token::Is(Answered {
                entry: kept(answered.entry, number)?,
                ..answered
            }),
            operator => operator,
        })
    });
    Some(Guard::new(tokens.collect::<Option<Vec<_>>>()?.leak()))
}

fn renumbered_rule(rule: &Rule, number: &impl Fn(u32) -> Option<u32>) -> Option<Rule> {
    let mut rule = *rule;
    if let About::Pair(one, other, _) = &mut rule.about {
        one.entry = kept(one.entry, number)?;
        other.entry = kept(other.entry, number)?;
    }
    Some(rule)
}

/// Returns the replacement of a number, or `None` if it has none.
fn kept(known: Option<u32>, number: &impl Fn(u32) -> Option<u32>) -> Option<Option<u32>> {
    match known {
        None => Some(None),
        Some(known) => number(known).map(Some),
    }
}
