//! Runs the const functions of the verifier on a listing at run time.

use super::super::fault::{ListingFault as Numbered, ListingFaultKind};
use super::super::lower::{Memories, verify_entries};
use super::super::memory::CheckMemory;
use super::super::node::{ClauseRef, DraftNode, Spot};
use super::super::size::Sizes;
use super::super::text::FaultWriter;
use crate::base::text::Text;
use crate::data::access::ResourceType;
use crate::declare::listing::{About, Listing, RuleTarget};
use schedule_graph::Edge;
use schedule_graph::Policy;
use schedule_graph::internal::{
    Arena, Condition, Everything, GroupRule, Item, Kind as NumberKind, Leaf, Member, Needed, Order,
    Pool, RunKind, Token, Use,
};

/// A fault for comparison in tests: its kind, and the affected names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ListingFault {
    pub(super) kind: ListingFaultKind,
    /// The names in the builder's problem of this kind, in the order of its fields. For a race, the two systems and then the resources,
    /// sorted. For a cycle, none.
    pub(super) names: Vec<String>,
}

/// The results of the const functions.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) faults: Vec<ListingFault>,
    /// The orders that resolve all races, as names of both systems, sorted.
    pub(super) orders: Vec<(String, String)>,
}

/// Verifies a listing with the const functions.
pub(super) fn found(listing: &Listing) -> Found {
    let sizes = Sizes::of(listing);
    let edge = Edge { from: 0, to: 0 };
    let (n_nodes, n_clauses) = (sizes.nodes, sizes.clauses);
    let mut words = vec![0; sizes.words];
    let mut blocks = vec![0; sizes.blocks];
    let mut edges = vec![edge; sizes.edges];
    let mut uses = vec![Use::NONE; sizes.uses];
    let mut needed = vec![Needed::NONE; sizes.needed];
    let mut nodes = vec![DraftNode::BLANK; n_nodes];
    let mut kinds = vec![NumberKind::Removed; n_nodes];
    let mut everything = vec![Everything::NONE; n_nodes];
    let mut runs = vec![RunKind::Nothing; n_nodes];
    let mut resources = vec![ResourceType::BLANK; n_nodes];
    let mut filters = vec![None; n_nodes];
    let mut is_bound = vec![false; n_nodes];
    let mut policies = vec![None; n_nodes];
    let mut clauses = vec![ClauseRef::BLANK; n_clauses];
    let mut members = vec![Member::NONE; n_clauses];
    let mut orders = vec![Order::NONE; n_clauses];
    let mut guards = vec![(Item::Node(0), 0); n_clauses];
    let mut leaves = vec![Leaf::NONE; n_clauses];
    let mut sources = vec![None; n_clauses];
    let mut conditions = vec![Condition::NONE; n_clauses];
    let mut tokens = vec![Token::Leaf; n_clauses];
    let mut pairs = vec![(0, 0, Policy::Reject); n_clauses];
    let mut group_rules = vec![GroupRule::BLANK; n_clauses];
    let mut memory = CheckMemory {
        arena: Arena::new(&mut words, &mut blocks, &mut edges, &mut uses, &mut needed),
        nodes: Pool::new(&mut nodes),
        kinds: Pool::new(&mut kinds),
        everything: Pool::new(&mut everything),
        runs: Pool::new(&mut runs),
        resources: Pool::new(&mut resources),
        filters: Pool::new(&mut filters),
        is_bound: Pool::new(&mut is_bound),
        policies: Pool::new(&mut policies),
        clauses: Pool::new(&mut clauses),
        members: Pool::new(&mut members),
        orders: Pool::new(&mut orders),
        guards: Pool::new(&mut guards),
        leaves: Pool::new(&mut leaves),
        sources: Pool::new(&mut sources),
        conditions: Pool::new(&mut conditions),
        tokens: Pool::new(&mut tokens),
        pairs: Pool::new(&mut pairs),
        group_rules: Pool::new(&mut group_rules),
    };
    let memories = Memories::take(&mut memory, listing, sizes.counts());
    let checked = verify_entries(listing, memories);
    let draft = &checked.draft;
    let name = |item: Item| {
        let node = draft.of(item);
        node.name
            .map_or_else(|| node.reference.name.to_string(), str::to_string)
    };
    let n_entries = listing.entries.len();
    let rule = |spot: Spot| &listing.rules[spot.entry as usize - n_entries].about;
    let listee = |fault: &Numbered| match rule(fault.spot) {
        About::Pair(one, other, _) => if fault.steps.0 == 0 { one } else { other }.reference,
        _ => unreachable!("only a pair names nodes"),
    };
    let named = |fault: &Numbered, listee: RuleTarget| {
        let base = listing.rules[fault.spot.entry as usize - n_entries].base;
        let found = match listee.entry {
            Some(number) => Some(draft.item(listing.number(base, number))),
            None => draft.first(listee.reference.id),
        };
        name(found.expect("a pair has a policy only if both are there"))
    };
    let is_rule = |fault: &Numbered| fault.spot.entry as usize >= n_entries;
    let names = |fault: &Numbered| match fault.kind {
        ListingFaultKind::Cycle
        | ListingFaultKind::WritersFirst
        | ListingFaultKind::GroupInItself => Vec::new(),
        ListingFaultKind::Race => {
            let (Item::Node(a), Item::Node(b)) = (fault.one, fault.other) else {
                unreachable!("groups touch nothing")
            };
            let (a, b) = (checked.node(a), checked.node(b));
            let mut names = vec![name(fault.one), name(fault.other)];
            names.sort();
            let mut shared = checked.resources.uses().shared(a, b);
            let mut on = Vec::new();
            while let Some(conflict) = shared.next() {
                on.push(match checked.resources.at(conflict.resource) {
                    Some(resource) => format!("`{}`", resource.name),
                    None if !on.is_empty() => continue,
                    None if checked.resources.is_exclusive_access(conflict.resource) => {
                        "exclusive access".to_string()
                    }
                    None => "everything".to_string(),
                });
            }
            on.sort();
            names.append(&mut on);
            names
        }
        ListingFaultKind::Dangling | ListingFaultKind::Ambiguous if is_rule(fault) => {
            vec![listee(fault).to_string()]
        }
        ListingFaultKind::Dangling => {
            let clause = draft.orders.at(fault.steps.0 as usize);
            vec![draft.order(clause).other.to_string()]
        }
        ListingFaultKind::Ambiguous => vec![draft.of(fault.one).reference.to_string()],
        ListingFaultKind::GroupAgainstMember
        | ListingFaultKind::LoopAgainstBody
        | ListingFaultKind::ConditionDeeper => {
            vec![name(fault.one), name(fault.other)]
        }
        ListingFaultKind::GroupOverLevels
        | ListingFaultKind::GuardsItself
        | ListingFaultKind::GuardIsLoop
        | ListingFaultKind::ReaderBetweenWriters => vec![name(fault.one)],
        ListingFaultKind::TwoPolicies if !is_rule(fault) => {
            vec![format!("the failure of `{}`", name(fault.one))]
        }
        ListingFaultKind::TwoPolicies => vec![match rule(fault.spot) {
            About::Resource(resource, _) => format!("resource `{}`", resource.name),
            About::Pair(one, other, _) => {
                format!(
                    "the pair of `{}` and `{}`",
                    named(fault, *one),
                    named(fault, *other)
                )
            }
        }],
    };
    let kept = draft.faults.kept();
    let faults = kept.iter().enumerate().map(|(number, fault)| {
        let writer = FaultWriter::new(&checked);
        let text = match checked.many(fault, number) {
            None => writer.write(Text::new(), fault),
            Some(many) => writer.races(Text::new(), many, kept),
        };
        assert!(!text.as_str().is_empty(), "{fault:?}");
        ListingFault {
            kind: fault.kind,
            names: names(fault),
        }
    });
    let orders = checked
        .races
        .orders()
        .iter()
        .map(|edge| (name(Item::Node(edge.from)), name(Item::Node(edge.to))));
    let mut orders: Vec<_> = orders.collect();
    orders.sort();
    Found {
        faults: faults.collect(),
        orders,
    }
}
