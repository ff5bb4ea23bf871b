//! Generates random graphs. Most of their orders follow a random order of the nodes, so that many graphs are accepted.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::Index;
use schedule::{FailurePolicy, Policy};

use super::case::{
    Answer, Asked, Case, Fault, Formula, Group, Guard, N_GROUPS, N_OWN, N_RESOURCES, N_TYPED, Node,
    Thing, Work, typed_reads,
};

const MAX_DEPTH: usize = 4;

/// A guard before its conditions are chosen: an index, a branch, and a random number for other choices.
type RawGuard = Formula<(Index, u32, u8)>;

fn raw_guards() -> impl Strategy<Value = RawGuard> {
    let leaf = (any::<Index>(), 0..3_u32, 0..=255_u8).prop_map(Formula::Is);
    leaf.prop_recursive(2, 4, 2, |inner| {
        let two = [inner.clone(), inner.clone()];
        prop_oneof![
            3 => inner.prop_map(|one| Formula::Not(Box::new(one))),
            1 => two.clone().prop_map(|two| Formula::All(Box::new(two))),
            1 => two.prop_map(|two| Formula::Any(Box::new(two))),
        ]
    })
}

#[derive(Clone, Debug)]
struct RawNode {
    die: u8,
    /// Number of loops that end before this node.
    n_closed: usize,
    uses: [Option<bool>; N_RESOURCES],
    key: u16,
    guards: Vec<RawGuard>,
    groups: Vec<(Index, u8)>,
    fault: Option<(u64, Fault)>,
    on_failure: u8,
    is_always: bool,
    limit: u64,
    at_most: Option<u64>,
}

fn raw_nodes() -> impl Strategy<Value = RawNode> {
    let fault = prop_oneof![Just(Fault::Error), Just(Fault::Panic)];
    (
        (0..100_u8, 0..8_usize, any::<u16>(), 0..20_u8),
        prop::array::uniform5(prop::option::weighted(0.22, any::<bool>())),
        prop::collection::vec(raw_guards(), 0..3),
        prop::collection::vec((any::<Index>(), 0..=255_u8), 0..2),
        prop::option::weighted(0.1, (0..5_u64, fault)),
        prop::bool::weighted(0.15),
        (0..4_u64, prop::option::weighted(0.2, 0..3_u64)),
    )
        .prop_map(
            |(dice, uses, guards, groups, fault, is_always, (limit, at_most))| {
                let (die, n_closed, key, on_failure) = dice;
                RawNode {
                    die,
                    n_closed: n_closed.saturating_sub(5),
                    uses,
                    key,
                    guards,
                    groups,
                    fault,
                    on_failure,
                    is_always,
                    limit,
                    at_most,
                }
            },
        )
}

#[derive(Clone, Debug)]
struct RawCase {
    nodes: Vec<RawNode>,
    groups: Vec<(Index, Vec<RawGuard>, bool)>,
    nested: Vec<(usize, usize)>,
    orders: Vec<(Index, Index, u8)>,
    policy: Policy,
    resources: [Option<Policy>; N_RESOURCES],
    pairs: Vec<(Index, Index, Policy)>,
    /// Whether the case may contain names that cause errors.
    is_wild: bool,
    has_faults: bool,
    refuses: bool,
}

fn policies() -> impl Strategy<Value = Policy> {
    prop_oneof![
        1 => Just(Policy::Reject),
        2 => Just(Policy::WritersFirst),
        6 => Just(Policy::InsertionOrder),
        2 => Just(Policy::Accepted),
        6 => Just(Policy::Optimize),
    ]
}

pub(super) fn cases(max_nodes: usize) -> impl Strategy<Value = Case> {
    let of_group = prop::collection::vec(raw_guards(), 0..2);
    let pair = (any::<Index>(), any::<Index>(), policies());
    (
        prop::collection::vec(raw_nodes(), 1..=max_nodes),
        prop::collection::vec(
            (any::<Index>(), of_group, prop::bool::weighted(0.1)),
            N_GROUPS,
        ),
        prop::collection::vec((0..N_GROUPS, 0..N_GROUPS), 0..3),
        prop::collection::vec((any::<Index>(), any::<Index>(), 0..=255_u8), 0..10),
        policies(),
        prop::array::uniform5(prop::option::weighted(0.15, policies())),
        prop::collection::vec(pair, 0..3),
        [0.1, 0.7, 0.3].map(prop::bool::weighted),
    )
        .prop_map(
            |(nodes, groups, nested, orders, policy, resources, pairs, flags)| {
                let [is_wild, has_faults, refuses] = flags;
                let raw = RawCase {
                    nodes,
                    groups,
                    nested,
                    orders,
                    policy,
                    resources,
                    pairs,
                    is_wild,
                    has_faults,
                    refuses,
                };
                raw.grown()
            },
        )
}

impl RawCase {
    fn grown(&self) -> Case {
        let mut case = Case {
            nodes: self.bare_nodes(),
            groups: Vec::new(),
            orders: Vec::new(),
            policy: self.policy,
            resources: self.resources,
            pairs: Vec::new(),
            refuses: self.refuses,
        };
        let mut levels = vec![None];
        let loops = (0..case.nodes.len()).filter(|&idx| case.nodes[idx].is_loop());
        levels.extend(loops.map(Some));
        for &(at, _, is_always) in &self.groups {
            case.groups.push(Group {
                level: levels[at.index(levels.len())],
                holders: BTreeSet::new(),
                guards: Vec::new(),
                is_always,
            });
        }
        for &(inner, outer) in &self.nested {
            if inner > outer && case.groups[inner].level == case.groups[outer].level {
                case.groups[inner].holders.insert(outer);
            }
        }
        for (idx, raw) in self.nodes.iter().enumerate() {
            let level = case.nodes[idx].level;
            for &(group, die) in &raw.groups {
                let group = group.index(N_GROUPS);
                let is_wild = self.is_wild && die < 20;
                if is_wild || case.groups[group].level == level {
                    case.nodes[idx].groups.insert(group);
                }
            }
        }
        for group in 0..N_GROUPS {
            if self.members(&case, Thing::Group(group)).is_empty() {
                case.groups[group].holders.clear();
            }
        }
        for idx in 0..case.nodes.len() {
            let guards = &self.nodes[idx].guards;
            // Omits the first guard of every third node, or so.
            let guards = guards
                .iter()
                .skip(usize::from(self.nodes[idx].key.is_multiple_of(3)));
            let thing = Thing::Node(idx);
            let guards = guards.filter_map(|raw| self.guard(&case, thing, raw));
            case.nodes[idx].guards = guards.collect();
        }
        for group in 0..N_GROUPS {
            let thing = Thing::Group(group);
            if self.members(&case, thing).is_empty() {
                continue;
            }
            let guards = self.groups[group]
                .1
                .iter()
                .filter_map(|raw| self.guard(&case, thing, raw));
            case.groups[group].guards = guards.collect();
        }
        self.order(&mut case);
        case
    }

    fn bare_nodes(&self) -> Vec<Node> {
        let mut nodes: Vec<Node> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        for (idx, raw) in self.nodes.iter().enumerate() {
            open.truncate(open.len().saturating_sub(raw.n_closed));
            let level = open.last().copied();
            let mut uses = raw.uses;
            let mut work = match raw.die {
                0..32 => Work::System,
                32..42 => Work::Recorder(usize::from(raw.key) % N_RESOURCES),
                42 => Work::ApplyCommands,
                43..50 => Work::Checkpoint,
                50..68 => Work::Condition,
                68..76 => Work::Selector,
                76..81 => Work::Typed(usize::from(raw.die) % N_TYPED),
                _ => Work::Loop(raw.limit, raw.at_most),
            };
            // Two nodes of one type at one level would be ambiguous.
            let is_twin = |other: &Node| other.level == level && other.work == work;
            if matches!(work, Work::Typed(_)) && nodes.iter().any(is_twin) {
                work = Work::Condition;
            }
            match work {
                Work::Loop(..) if open.len() == MAX_DEPTH => work = Work::System,
                Work::Loop(..) => open.push(idx),
                Work::Typed(typed) => {
                    uses = [None; N_RESOURCES];
                    uses[typed_reads(typed)] = Some(false);
                }
                Work::Recorder(_) | Work::ApplyCommands | Work::Checkpoint => {
                    uses = [None; N_RESOURCES]
                }
                // Most conditions and selectors only read.
                Work::Condition | Work::Selector if raw.key % 4 != 0 => {
                    uses = uses.map(|one| one.map(|_| false));
                }
                Work::System | Work::Condition | Work::Selector => {}
            }
            let may_fail = !matches!(
                work,
                Work::ApplyCommands | Work::Checkpoint | Work::Typed(_)
            );
            let may_fail = may_fail && self.has_faults;
            nodes.push(Node {
                work,
                level,
                uses,
                is_exclusive: work == Work::ApplyCommands
                    || work == Work::System && raw.key % 29 == 28,
                groups: BTreeSet::new(),
                guards: Vec::new(),
                // Mostly the first execution, which is often the only one.
                fault: raw
                    .fault
                    .filter(|_| may_fail)
                    .map(|(time, fault)| (time.saturating_sub(2), fault)),
                on_failure: match raw.on_failure {
                    0..5 => FailurePolicy::CarryOn,
                    5 => FailurePolicy::Stop,
                    _ => FailurePolicy::SkipDependents,
                },
                is_always: raw.is_always && !matches!(work, Work::ApplyCommands | Work::Checkpoint),
            });
        }
        nodes
    }

    /// Returns the nodes of an item.
    fn members(&self, case: &Case, thing: Thing) -> Vec<usize> {
        match thing {
            Thing::Node(idx) => vec![idx],
            Thing::Group(group) => {
                let nodes = (0..case.nodes.len()).filter(|&idx| {
                    let groups = &case.nodes[idx].groups;
                    groups.iter().any(|&one| is_within(case, one, group))
                });
                nodes.collect()
            }
            Thing::Implied(_) => Vec::new(),
        }
    }

    /// Returns whether an order between the two cannot be part of a cycle with other such orders.
    fn is_forward(&self, case: &Case, first: Thing, then: Thing) -> bool {
        let key = |node: usize, level| {
            let node = case.lifted(node, level);
            (self.nodes[node].key, node)
        };
        let level = |thing| match (self.members(case, thing).first(), thing) {
            (Some(&idx), _) => case.nodes[idx].level,
            (None, Thing::Group(group)) => case.groups[group].level,
            (None, _) => None,
        };
        let is_level = level(first) == level(then);
        let (first, then) = (self.members(case, first), self.members(case, then));
        // A group without members is ordered only with nodes at its own level, because the rule for other nodes is not determined.
        let is_known = match (first.is_empty(), then.is_empty()) {
            (true, true) => false,
            (false, false) => true,
            _ => is_level,
        };
        let mut pairs = first
            .iter()
            .flat_map(|&a| then.iter().map(move |&b| (a, b)));
        is_known
            && pairs.all(|(a, b)| {
                let around = case.outwards(case.nodes[b].level);
                let mut levels = case.outwards(case.nodes[a].level).into_iter();
                let common = levels.find(|level| around.contains(level)).unwrap();
                key(a, common) < key(b, common)
            })
    }

    fn guard(&self, case: &Case, guarded: Thing, raw: &RawGuard) -> Option<Guard> {
        let both = |two: &[RawGuard; 2]| {
            let [one, other] = two.each_ref().map(|raw| self.guard(case, guarded, raw));
            Some(Box::new([one?, other?]))
        };
        Some(match raw {
            Formula::Not(one) => Formula::Not(Box::new(self.guard(case, guarded, one)?)),
            Formula::All(two) => Formula::All(both(two)?),
            Formula::Any(two) => Formula::Any(both(two)?),
            &Formula::Is((pick, branch, die)) => {
                let is_wild = self.is_wild && die < 12;
                let mut asked: Vec<Asked> = (0..case.nodes.len())
                    .filter(|&idx| is_wild || self.may_guard(case, idx, guarded))
                    .map(Asked::Node)
                    .collect();
                // Prefers conditions at the same level, because these are evaluated in every iteration.
                let level = self.members(case, guarded).first().copied();
                let level = level.and_then(|idx| case.nodes[idx].level);
                let is_near = |one: &&Asked| matches!(one, Asked::Node(idx) if case.nodes[*idx].level == level);
                let near: Vec<Asked> = asked.iter().filter(is_near).copied().collect();
                if level.is_some() && die % 2 == 0 && !near.is_empty() {
                    asked = near;
                }
                // Prefers added conditions.
                if asked.is_empty() || die % 3 == 0 {
                    // A condition that was added is not implied as well, so an added one must be allowed as a guard.
                    let is_there = |&typed: &usize| {
                        let is_it = |idx: &usize| case.nodes[*idx].work == Work::Typed(typed);
                        let mut added = (0..case.nodes.len()).filter(is_it).peekable();
                        let is_implied = added.peek().is_none();
                        is_wild || is_implied || added.any(|idx| self.may_guard(case, idx, guarded))
                    };
                    asked.extend((0..N_TYPED).filter(is_there).map(Asked::Typed));
                    asked.extend((0..N_OWN).map(Asked::Own));
                }
                let asked = asked[pick.index(asked.len())];
                let is_selector = match asked {
                    Asked::Node(idx) => case.nodes[idx].answers() == Some(true),
                    asked => asked.is_selector(),
                };
                let is_other = is_wild && die < 3 && matches!(asked, Asked::Node(_));
                let answer = if is_selector != is_other {
                    Answer::Branch(branch)
                } else {
                    let is_false = branch == 2 && matches!(asked, Asked::Node(_));
                    Answer::Bool(!is_false)
                };
                Formula::Is((asked, answer))
            }
        })
    }

    fn may_guard(&self, case: &Case, condition: usize, guarded: Thing) -> bool {
        let node = &case.nodes[condition];
        let mut members = self.members(case, guarded).into_iter();
        node.answers().is_some()
            && !node.is_loop()
            && guarded != Thing::Node(condition)
            && members.all(|idx| {
                case.outwards(case.nodes[idx].level).contains(&node.level) && idx != condition
            })
            && self.is_forward(case, Thing::Node(condition), guarded)
    }

    fn order(&self, case: &mut Case) {
        let n_nodes = case.nodes.len();
        let thing = |pick: Index| match pick.index(n_nodes + N_GROUPS).checked_sub(n_nodes) {
            None => Thing::Node(pick.index(n_nodes + N_GROUPS)),
            Some(group) => Thing::Group(group),
        };
        for &(first, then, die) in &self.orders {
            let (first, then) = (thing(first), thing(then));
            let is_weak = die % 3 == 0;
            // The effect of an order on a group without members is not always determined.
            let is_clear = [first, then]
                .iter()
                .all(|&one| !self.members(case, one).is_empty());
            if self.is_wild && die < 30 && is_clear || self.is_forward(case, first, then) {
                case.orders.push((first, then, is_weak));
            } else if self.is_forward(case, then, first) {
                case.orders.push((then, first, is_weak));
            }
        }
        for &(one, other, policy) in &self.pairs {
            let (one, other) = (one.index(n_nodes), other.index(n_nodes));
            let pair = (one.min(other), one.max(other));
            let is_known = case.pairs.iter().any(|known| (known.0, known.1) == pair);
            if one != other && !is_known {
                case.pairs.push((pair.0, pair.1, policy));
            }
        }
    }
}

/// Returns whether `outer` is the group itself, or contains it.
fn is_within(case: &Case, group: usize, outer: usize) -> bool {
    let mut holders = case.groups[group].holders.iter();
    group == outer || holders.any(|&holder| is_within(case, holder, outer))
}
