//! Random orders of readers and writers of one message type. A reader between writers is found exactly if every path says so, and the
//! suggested order repairs it.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::Index;
use schedule::dynamic::DynamicSystem;
use schedule::error::Problem;
use schedule::{BuildError, Condition, Policy};
use schedule_tests::n_cases;

use super::*;

#[system]
fn first_answer() -> bool {
    true
}

#[system]
fn second_answer() -> bool {
    false
}

/// A system, or the condition of a loop.
#[derive(Clone, Debug)]
struct Node {
    reads: bool,
    writes: bool,
    /// The typed condition that guards it, and the needed answer.
    guard: Option<(bool, bool)>,
    /// The index of the loop around it. Loops are not nested.
    around: Option<usize>,
    is_loop: bool,
}

#[derive(Clone, Debug)]
struct Orders {
    nodes: Vec<Node>,
    /// Declared orders, all forward in some order of the nodes.
    declared: Vec<(usize, usize)>,
    policy: Policy,
}

fn orders() -> impl Strategy<Value = Orders> {
    let node = (
        prop_oneof![4 => Just((false, true)), 4 => Just((true, false)), 1 => Just((true, true)), 2 => Just((false, false))],
        prop::option::weighted(0.3, any::<(bool, bool)>()),
        0..6_u8,
        any::<u16>(),
    );
    let policy = prop_oneof![
        Just(Policy::Reject),
        Just(Policy::WritersFirst),
        Just(Policy::InsertionOrder)
    ];
    let nodes = prop::collection::vec(node, 2..9);
    let edges = prop::collection::vec((any::<Index>(), any::<Index>()), 0..24);
    (nodes, edges, policy).prop_map(|(raw, edges, policy)| {
        let mut nodes: Vec<Node> = Vec::new();
        for &((reads, writes), guard, place, _) in &raw {
            let is_loop = place == 0;
            let last_loop = nodes.iter().rposition(|node| node.is_loop);
            // The body of a loop follows its condition.
            let last = nodes.len().checked_sub(1);
            let is_open =
                last.is_some_and(|last| nodes[last].is_loop || nodes[last].around.is_some());
            nodes.push(Node {
                reads,
                writes,
                guard,
                around: last_loop.filter(|_| is_open && !is_loop && place < 4),
                is_loop,
            });
        }
        // The nodes of a body stay together in the order of the ranks, which makes the orders acyclic.
        let rank = |node: usize| {
            let outer = nodes[node].around.unwrap_or(node);
            (
                raw[outer].3,
                outer,
                nodes[node].around.is_some(),
                raw[node].3,
                node,
            )
        };
        let mut declared = Vec::new();
        for (a, b) in edges {
            let (a, b) = (a.index(nodes.len()), b.index(nodes.len()));
            let is_own = nodes[a].around == Some(b) || nodes[b].around == Some(a);
            if a != b && !is_own {
                declared.push(if rank(a) < rank(b) { (a, b) } else { (b, a) });
            }
        }
        Orders {
            nodes,
            declared,
            policy,
        }
    })
}

/// A reader, and the writers before and after it.
type Between = (usize, BTreeSet<usize>, BTreeSet<usize>);

/// The result of the direct implementation.
enum Law {
    /// A cycle of edges of writers first, or a race.
    Other,
    Found(Vec<Between>),
}

impl Orders {
    /// The nodes of a pair at their lowest common level, each itself or the loop around it. `None` for a loop and its own body.
    fn lifted(&self, a: usize, b: usize) -> Option<(usize, usize)> {
        let (outer_a, outer_b) = (self.nodes[a].around, self.nodes[b].around);
        if outer_a == outer_b {
            return Some((a, b));
        }
        let (a, b) = (outer_a.unwrap_or(a), outer_b.unwrap_or(b));
        (a != b).then_some((a, b))
    }

    /// Whether the two never both run.
    fn exclude(&self, a: usize, b: usize) -> bool {
        let needs = |node: usize| {
            let around = self.nodes[node].around;
            let guard = |node: usize| self.nodes[node].guard;
            [guard(node), around.and_then(guard)]
        };
        // A node inside a loop that needs the other answer never runs.
        let all: Vec<(bool, bool)> = needs(a).into_iter().chain(needs(b)).flatten().collect();
        let is_refused = |one: &(bool, bool)| all.contains(&(one.0, !one.1));
        all.iter().any(is_refused)
    }

    /// Whether one writes messages that the other reads.
    fn conflict(&self, a: usize, b: usize) -> bool {
        let (one, other) = (&self.nodes[a], &self.nodes[b]);
        (one.writes && other.reads || one.reads && other.writes) && !self.exclude(a, b)
    }

    /// Whether there is a path along edges between nodes of one level.
    fn has_path(edges: &BTreeSet<(usize, usize)>, from: usize, to: usize) -> bool {
        let (mut open, mut seen) = (vec![from], BTreeSet::new());
        while let Some(node) = open.pop() {
            for &(_, next) in edges.iter().filter(|edge| edge.0 == node) {
                if next == to {
                    return true;
                }
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        false
    }

    /// The place of each node in the order that takes the ready node with the smallest index, level by level.
    fn places(&self, edges: &BTreeSet<(usize, usize)>) -> BTreeMap<usize, usize> {
        let mut places = BTreeMap::new();
        let levels: BTreeSet<Option<usize>> = self.nodes.iter().map(|node| node.around).collect();
        for level in levels {
            let in_level = |&node: &usize| self.nodes[node].around == level;
            let mut left: Vec<usize> = (0..self.nodes.len()).filter(in_level).collect();
            while !left.is_empty() {
                let is_ready =
                    |&node: &usize| !left.iter().any(|&one| edges.contains(&(one, node)));
                let next = left.iter().copied().find(|node| is_ready(node)).unwrap();
                left.retain(|&one| one != next);
                places.insert(next, places.len());
            }
        }
        places
    }

    fn law(&self) -> Law {
        let mut edges: BTreeSet<(usize, usize)> = self
            .declared
            .iter()
            .filter_map(|&(a, b)| self.lifted(a, b))
            .collect();
        let pairs = || (0..self.nodes.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        let is_ordered = |edges: &BTreeSet<(usize, usize)>, a, b| {
            Self::has_path(edges, a, b) || Self::has_path(edges, b, a)
        };
        let races: Vec<(usize, usize)> = pairs()
            .filter(|&(a, b)| self.conflict(a, b))
            .filter(|&(a, b)| {
                self.lifted(a, b)
                    .is_some_and(|(a, b)| !is_ordered(&edges, a, b))
            })
            .collect();
        let places = self.places(&edges);
        for (a, b) in races {
            let (from, to) = self.lifted(a, b).unwrap();
            match self.policy {
                Policy::WritersFirst => {
                    // Two writers, of which one also reads, have no order of this policy.
                    if self.nodes[a].writes {
                        edges.insert((from, to));
                    }
                    if self.nodes[b].writes {
                        edges.insert((to, from));
                    }
                }
                Policy::InsertionOrder => {
                    _ = edges.insert(if places[&from] < places[&to] {
                        (from, to)
                    } else {
                        (to, from)
                    });
                }
                _ => return Law::Other,
            }
        }
        if (0..self.nodes.len()).any(|node| Self::has_path(&edges, node, node)) {
            return Law::Other;
        }
        let mut found = Vec::new();
        for reader in (0..self.nodes.len()).filter(|&node| self.nodes[node].reads) {
            let (mut before, mut after) = (BTreeSet::new(), BTreeSet::new());
            for writer in
                (0..self.nodes.len()).filter(|&node| self.nodes[node].writes && node != reader)
            {
                let Some((a, b)) = self
                    .lifted(reader, writer)
                    .filter(|_| !self.exclude(reader, writer))
                else {
                    continue;
                };
                if Self::has_path(&edges, a, b) {
                    after.insert(writer);
                } else {
                    before.insert(writer);
                }
            }
            if !before.is_empty() && !after.is_empty() {
                found.push((reader, before, after));
            }
        }
        Law::Found(found)
    }

    fn build(&self) -> Result<Schedule, BuildError> {
        let mut builder = Schedule::builder();
        builder.policy(self.policy);
        builder.add::<first_answer>().add::<second_answer>();
        let with_uses = |idx: usize, mut system: DynamicSystem| {
            if self.nodes[idx].reads {
                system = system.reads_messages::<Note>();
            }
            if self.nodes[idx].writes {
                system = system.writes_messages::<Note>();
            }
            system
        };
        let add = |builder: &mut Builder, idx: usize| {
            let run = DynamicSystem::new(idx.to_string(), |_| Ok::<(), BoxError>(()));
            builder.add_dynamic(with_uses(idx, run));
        };
        let guard = |builder: &mut Builder, idx: usize| {
            if let Some((is_first, answer)) = self.nodes[idx].guard {
                let condition = if is_first {
                    Condition::of::<first_answer>()
                } else {
                    Condition::of::<second_answer>()
                };
                builder.run_if(if answer { condition } else { !condition });
            }
        };
        for (idx, node) in self.nodes.iter().enumerate() {
            if node.is_loop {
                let condition = DynamicSystem::new(idx.to_string(), |_| Ok::<_, BoxError>(false));
                builder.repeat_while_dynamic(with_uses(idx, condition), |builder| {
                    for inner in 0..self.nodes.len() {
                        if self.nodes[inner].around == Some(idx) {
                            add(builder, inner);
                            guard(builder, inner);
                        }
                    }
                    builder
                });
                guard(&mut builder, idx);
            } else if node.around.is_none() {
                add(&mut builder, idx);
                guard(&mut builder, idx);
            }
        }
        for (first, then) in &self.declared {
            builder.order(first.to_string(), then.to_string());
        }
        builder.build()
    }

    /// Orders a reader after or before the smaller group, and removes the orders that contradict this.
    fn repair(&mut self, (reader, before, after): &Between) {
        let is_after = after.len() <= before.len();
        let moved = if is_after { after } else { before };
        for &writer in moved {
            let Some((a, b)) = self.lifted(*reader, writer) else {
                continue;
            };
            let edges: BTreeSet<(usize, usize)> = self
                .declared
                .iter()
                .filter_map(|&(a, b)| self.lifted(a, b))
                .collect();
            let reaches = |from: usize, to: usize| from == to || Self::has_path(&edges, from, to);
            let contradicts = |&(from, to): &(usize, usize)| {
                let Some((from, to)) = self.lifted(from, to) else {
                    return false;
                };
                if is_after {
                    from == a && reaches(to, b)
                } else {
                    to == a && reaches(b, from)
                }
            };
            let mut declared = self.declared.clone();
            declared.retain(|order| !contradicts(order));
            declared.push(if is_after {
                (writer, *reader)
            } else {
                (*reader, writer)
            });
            self.declared = declared;
        }
    }
}

fn between(error: &BuildError) -> Vec<Between> {
    let idx = |place: &schedule::error::SystemPlace| place.name.parse::<usize>().unwrap();
    let found = error.problems().iter().filter_map(|problem| match problem {
        Problem::ReaderBetweenWriters(one) => Some((
            idx(&one.reader),
            one.before.iter().map(idx).collect(),
            one.after.iter().map(idx).collect(),
        )),
        _ => None,
    });
    let mut found: Vec<Between> = found.collect();
    found.sort();
    found
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(n_cases(6000))
    })]

    #[test]
    fn a_reader_between_writers_is_found_exactly_if_every_path_says_so(mut orders in orders()) {
        // A repair moves one reader, so each needs at most one.
        for _ in 0..=orders.nodes.len() {
            let built = orders.build();
            let expected = match orders.law() {
                Law::Other => {
                    prop_assert!(built.is_err());
                    return Ok(());
                }
                Law::Found(expected) => expected,
            };
            let found = match built {
                Ok(_) => {
                    prop_assert_eq!(expected, vec![]);
                    return Ok(());
                }
                Err(error) => {
                    prop_assert_eq!(error.problems().len(), expected.len(), "{}", error);
                    between(&error)
                }
            };
            prop_assert_eq!(&found, &expected);
            orders.repair(&found[0]);
        }
        // A repair moves a whole loop, with other readers and writers in it.
        if orders.nodes.iter().any(|node| node.is_loop) {
            return Ok(());
        }
        // The repair of one system or loop that reads and writes may move it between another one and a writer.
        let both = (0..orders.nodes.len()).filter(|&idx| {
            let own = orders.nodes.iter().enumerate();
            let mut own = own.filter(|(node, one)| *node == idx || one.around == Some(idx));
            own.clone().any(|(_, node)| node.reads) && own.any(|(_, node)| node.writes)
        });
        let n_both = both.count();
        prop_assert!(n_both > 1, "repairs have no end: {orders:?}");
    }
}
