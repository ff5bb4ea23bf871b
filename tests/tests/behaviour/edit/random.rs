//! Random changes. After each change, the schedule must equal the one that a builder makes from the current declarations.

use std::collections::BTreeSet;

use proptest::prelude::*;
use schedule::dynamic::DynamicSystem;
use schedule::order::NodeId;
use schedule::prelude::*;
use schedule::{Builder, Condition};

const N: usize = 6;
const GROUPS: [&str; 2] = ["G", "H"];
const RESOURCES: [&str; 2] = ["R", "S"];

/// The declarations.
#[derive(Clone, Debug, Default)]
struct Model {
    orders: BTreeSet<(usize, usize)>,
    memberships: BTreeSet<(usize, usize)>,
    /// The node, the condition, and whether the condition must be false.
    guards: Vec<(usize, usize, bool)>,
    policies: BTreeSet<(usize, usize)>,
    /// Groups with a policy between their own members.
    group_policies: BTreeSet<usize>,
    is_renamed: BTreeSet<usize>,
}

#[derive(Clone, Debug)]
enum Edit {
    Order(usize, usize),
    Member(usize, usize),
    Guard(usize, usize, bool),
    Guards(usize),
    Policy(usize, usize),
    GroupPolicy(usize),
    Rename(usize),
}

fn edits() -> impl Strategy<Value = Edit> {
    let node = || 0..N;
    prop_oneof![
        4 => (node(), node()).prop_map(|(a, b)| Edit::Order(a, b)),
        2 => (node(), 0..GROUPS.len()).prop_map(|(node, group)| Edit::Member(node, group)),
        2 => (node(), 0..2_usize, any::<bool>()).prop_map(|(node, of, not)| Edit::Guard(node, of, not)),
        1 => node().prop_map(Edit::Guards),
        2 => (node(), node()).prop_map(|(a, b)| Edit::Policy(a, b)),
        1 => (0..GROUPS.len()).prop_map(Edit::GroupPolicy),
        1 => node().prop_map(Edit::Rename),
    ]
}

fn condition(of: usize, is_negated: bool) -> Condition {
    let condition = Condition::added(["c", "d"][of]);
    if is_negated { !condition } else { condition }
}

/// Adds an element to the set, or removes it if it is already present. Returns whether it was added.
fn toggle<T: Ord>(set: &mut BTreeSet<T>, item: T) -> bool {
    if set.remove(&item) {
        return false;
    }
    set.insert(item)
}

impl Model {
    fn name(&self, node: usize) -> String {
        if self.is_renamed.contains(&node) {
            format!("renamed {node}")
        } else {
            format!("n{node}")
        }
    }

    /// Returns the id of a node. Declarations of a node stay when it is renamed.
    fn node(&self, node: usize, builder: &mut Builder) -> NodeId {
        builder.at(self.name(node)).last().unwrap()
    }

    /// Applies the same change to the model and to a builder.
    fn edit(&mut self, edit: &Edit, builder: &mut Builder) {
        match *edit {
            Edit::Order(a, b) => {
                let (first, then) = (self.node(a, builder), self.node(b, builder));
                if toggle(&mut self.orders, (a, b)) {
                    builder.order(first, then)
                } else {
                    builder.remove_order(first, then)
                };
            }
            Edit::Member(node, group) => {
                builder.at(self.name(node));
                if toggle(&mut self.memberships, (node, group)) {
                    builder.in_group_named(GROUPS[group])
                } else {
                    builder.leave_group_named(GROUPS[group])
                };
            }
            Edit::Guard(node, of, is_negated) => {
                builder.at(self.name(node));
                let guard = (node, of, is_negated);
                if self.guards.contains(&guard) {
                    self.guards.retain(|one| *one != guard);
                    builder.remove_run_if(condition(of, is_negated));
                } else {
                    self.guards.push(guard);
                    builder.run_if(condition(of, is_negated));
                }
            }
            Edit::Guards(node) => {
                let n_guards = self.guards.len();
                self.guards.retain(|&(guarded, ..)| guarded != node);
                if self.guards.len() < n_guards {
                    builder.at(self.name(node)).clear_run_if();
                }
            }
            Edit::Policy(a, b) => {
                let (one, other) = (self.node(a, builder), self.node(b, builder));
                let pair = (a.min(b), a.max(b));
                if toggle(&mut self.policies, pair) {
                    builder.policy_between(one, other, Policy::InsertionOrder)
                } else {
                    builder.remove_policy_between(one, other)
                };
            }
            Edit::GroupPolicy(group) => {
                let name = GROUPS[group];
                if toggle(&mut self.group_policies, group) {
                    builder.accept(name, name, "why not")
                } else {
                    builder.remove_policy_between(name, name)
                };
            }
            Edit::Rename(node) => {
                builder.at(self.name(node));
                toggle(&mut self.is_renamed, node);
                builder.named(self.name(node));
            }
        }
    }

    /// Declares everything to a new builder.
    fn declare(&self, uses: &[[u8; 2]]) -> Builder {
        let mut builder = Schedule::builder();
        for name in ["c", "d"] {
            builder.add_dynamic(DynamicSystem::new(name, |_| true));
        }
        for group in GROUPS {
            builder.group_named(group);
        }
        for (node, uses) in uses.iter().enumerate() {
            let mut system = DynamicSystem::new(self.name(node), |_| ());
            for (name, access) in RESOURCES.iter().zip(uses) {
                system = match access {
                    0 => system,
                    1 => system.reads(*name),
                    _ => system.writes(*name),
                };
            }
            builder.add_dynamic(system);
        }
        for &(first, then) in &self.orders {
            let (first, then) = (
                self.node(first, &mut builder),
                self.node(then, &mut builder),
            );
            builder.order(first, then);
        }
        for &(node, group) in &self.memberships {
            builder.at(self.name(node)).in_group_named(GROUPS[group]);
        }
        for &(node, of, is_negated) in &self.guards {
            builder
                .at(self.name(node))
                .run_if(condition(of, is_negated));
        }
        for &(one, other) in &self.policies {
            let (one, other) = (self.node(one, &mut builder), self.node(other, &mut builder));
            builder.policy_between(one, other, Policy::InsertionOrder);
        }
        for &group in &self.group_policies {
            builder.accept(GROUPS[group], GROUPS[group], "why not");
        }
        builder
    }
}

/// Returns the kind of each problem.
fn kinds(error: &schedule::BuildError) -> Vec<String> {
    let problems = error.problems().iter();
    let mut kinds: Vec<String> = problems
        .map(|problem| {
            let text = problem.to_string();
            let words = text.split(' ');
            words.filter(|word| !word.contains(':')).take(3).collect()
        })
        .collect();
    kinds.sort();
    kinds
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 1 } else { 128 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn changed_schedule_equals_the_one_built_of_the_final_declarations(
        uses in prop::collection::vec(prop::array::uniform2(0..3_u8), N),
        edits in prop::collection::vec(prop::collection::vec(edits(), 1..4), 1..12),
    ) {
        let mut model = Model {
            // So that there are no races at first.
            orders: (1..N).map(|then| (then - 1, then)).collect(),
            ..Model::default()
        };
        let mut schedule = model.declare(&uses).build().unwrap();
        for change in &edits {
            let mut next = model.clone();
            let changed = schedule.change(|builder| {
                for edit in change {
                    next.edit(edit, builder);
                }
                builder
            });
            match (changed, next.declare(&uses).build()) {
                (Ok(()), Ok(built)) => {
                    prop_assert_eq!(schedule.lock().to_string(), built.lock().to_string());
                    model = next;
                }
                (Err(one), Err(other)) => {
                    prop_assert_eq!(kinds(&one), kinds(&other), "{}\n{}", one, other);
                }
                (one, other) => prop_assert!(false, "{:?}\n{:?}", one.err(), other.err()),
            }
        }
    }
}
