//! Builds the builder of a `schedule!` listing.

use super::Builder;
use crate::base::place::SystemPlace;
use crate::data::access::ResourceId;
use crate::data::marks::Marks;
use crate::data::order::{Direction, Membership, Order};
use crate::data::target::{Named, Target};
use crate::declare::declarations::{
    DeclaredGroup, DeclaredGuard, DeclaredMembership, DeclaredOrder, DeclaredPlugin, DeclaredRules,
    DeclaredWork, FailurePolicyChoice, PolicyChoice,
};
use crate::declare::listing::{
    About, Clause, Entry, IncludedPlugin, Listed, ListedPolicy, Listing, Rule, RuleTarget,
};
use crate::run::schedule::Schedule;
use crate::systems::condition::Condition;

impl Builder {
    /// Returns a builder with the declarations of a listing.
    #[doc(hidden)]
    pub fn listed(listing: &Listing) -> Self {
        let mut builder = Self::default();
        builder.name(listing.name);
        builder.declarations.rules.settings = listing.settings;
        builder.declarations.plugins = listing.plugins.iter().map(declared_plugin).collect();
        let mut targets: Vec<Target> = Vec::with_capacity(listing.entries.len());
        for entry in listing.entries {
            let around = entry.around.map(|around| &targets[around as usize]);
            builder.plugin = plugin_of(entry.plugin);
            builder.level = around.map(|around| match around.0 {
                Named::Node(id) => builder.declarations.index_of(id).expect("it was added"),
                Named::Type(_) | Named::Name(_) => unreachable!("a loop is a node"),
            });
            targets.push(builder.push_listed(entry));
        }
        builder.level = None;
        for (idx, (entry, target)) in listing.entries.iter().zip(&targets).enumerate() {
            let named = |number: u32| targets[listing.number(entry.base, number) as usize].clone();
            for clause in entry.clauses {
                builder.declare_clause(target, clause, entry, &named);
            }
            let in_plugin = listing.membership(idx);
            builder
                .declarations
                .memberships
                .extend(in_plugin.map(|membership| declared_membership(target, membership)));
        }
        for rule in listing.rules {
            let named = |number: u32| targets[listing.number(rule.base, number) as usize].clone();
            builder.plugin = plugin_of(rule.plugin);
            builder.declare_rule(rule, &named);
        }
        builder.plugin = None;
        builder
    }

    /// Builds the schedule of a listing that the compiler has verified.
    ///
    /// # Panics
    ///
    /// Panics if the builder finds a problem that the compiler did not find. Both apply the same rules to the same
    /// listing. But only the builder detects two types with the same [`Identity::ID`](crate::Identity::ID), or a manual
    /// implementation of [`System`](crate::System) whose declaration is wrong.
    #[doc(hidden)]
    pub fn verified(listing: &Listing) -> Schedule {
        Self::listed(listing).build().unwrap_or_else(|error| {
            panic!("the builder rejected a schedule that the compiler verified; this is a bug in `schedule`: {error}")
        })
    }

    /// Adds the node or group of an entry, with the declarations of its attribute.
    fn push_listed(&mut self, entry: &Entry) -> Target {
        let place = |name: String| SystemPlace {
            name,
            location: entry.location,
        };
        let node = match entry.subject {
            Listed::System(system) => {
                self.add_declared(system);
                self.last().expect("it was added")
            }
            Listed::Loop(condition) => {
                let work = DeclaredWork::Loop {
                    condition: condition.definition.instantiate(),
                    at_most: None,
                };
                let place = place(condition.reference.to_string());
                let node = self.push(place, Some(condition.identity()), work);
                self.declarations.node_mut(node).path = Some(condition.reference.path);
                self.declare_all(node, condition);
                node
            }
            Listed::Checkpoint(checkpoint) => {
                let ty = Some((checkpoint.ty, checkpoint.reference.id));
                let place = place(checkpoint.reference.to_string());
                let node = self.push(place, ty, DeclaredWork::Checkpoint);
                self.declarations.node_mut(node).path = Some(checkpoint.reference.path);
                node
            }
            Listed::ApplyCommands(checkpoint) => {
                let ty = Some((checkpoint.ty, checkpoint.reference.id));
                let place = place(checkpoint.reference.to_string());
                let node = self.push(place, ty, DeclaredWork::ApplyCommands);
                self.declarations.node_mut(node).path = Some(checkpoint.reference.path);
                node
            }
            Listed::Group(reference) | Listed::Plugin(reference, _) => {
                self.declarations.groups.push(DeclaredGroup {
                    reference,
                    level: self.level,
                    location: entry.location,
                });
                if entry.marks != Marks::NONE {
                    self.declarations.mark_group(reference, entry.marks);
                }
                return Target(Named::Type(reference));
            }
        };
        let declared = self.declarations.node_mut(node);
        declared.marks |= entry.marks;
        if let Some(name) = entry.name {
            declared.rename(name.to_string());
        }
        node.into()
    }

    fn declare_clause(
        &mut self,
        target: &Target,
        clause: &Clause,
        entry: &Entry,
        named: &impl Fn(u32) -> Target,
    ) {
        let this = target.clone();
        match *clause {
            Clause::Order(order) => self.declare_listed(this, &order, named),
            Clause::In(membership) => {
                self.declarations
                    .memberships
                    .push(declared_membership(target, membership));
            }
            Clause::If(guard) => {
                self.declarations.guards.push(DeclaredGuard {
                    guarded: this,
                    formula: Condition::of_guard(guard, named).0,
                    plugin: plugin_of(entry.plugin),
                });
            }
            Clause::AtMost(n) => {
                if let Named::Node(id) = this.0
                    && let DeclaredWork::Loop { at_most, .. } =
                        &mut self.declarations.node_mut(id).work
                {
                    *at_most = Some(n);
                }
            }
            Clause::OnFailure(policy) => {
                let location = entry.location;
                let choice = FailurePolicyChoice {
                    policy,
                    is_listed: true,
                    location,
                };
                self.declarations.failure_policies.push((this, choice));
            }
        }
    }

    fn declare_listed(&mut self, this: Target, order: &Order, named: &impl Fn(u32) -> Target) {
        let other = match order.entry {
            Some(number) => named(number),
            None => Target(Named::Type(order.other)),
        };
        let (first, then) = match order.direction {
            Direction::After => (other, this.clone()),
            Direction::Before => (this.clone(), other),
        };
        self.declarations.orders.push(DeclaredOrder {
            declared_on: Some(this),
            first,
            then,
            strength: order.strength,
            location: order.location,
        });
    }

    fn declare_rule(&mut self, rule: &Rule, named: &impl Fn(u32) -> Target) {
        let choice = |choice: ListedPolicy| PolicyChoice {
            policy: choice.policy,
            reason: choice.reason.map(str::to_string),
            is_listed: true,
            location: rule.location,
        };
        let target = |listee: RuleTarget| match listee.entry {
            Some(number) => named(number),
            None => Target(Named::Type(listee.reference)),
        };
        match rule.about {
            About::Resource(resource, chosen) => {
                let resource = ResourceId::of_type(resource);
                self.rules()
                    .resource_policies
                    .push((resource, choice(chosen)));
            }
            About::Pair(one, other, chosen) => {
                let pair = (target(one), target(other), choice(chosen));
                self.declarations.pair_policies.push(pair);
            }
        }
    }
}

/// Returns the declaration of a plugin in a listing.
fn declared_plugin(plugin: &IncludedPlugin) -> DeclaredPlugin {
    DeclaredPlugin {
        around: plugin_of(plugin.around),
        rules: DeclaredRules {
            settings: plugin.settings,
            ..DeclaredRules::default()
        },
    }
}

/// Converts the number of a plugin in a listing. 0 is the schedule itself.
fn plugin_of(number: u32) -> Option<usize> {
    (number as usize).checked_sub(1)
}

fn declared_membership(member: &Target, membership: Membership) -> DeclaredMembership {
    DeclaredMembership {
        member: member.clone(),
        group: membership.group,
        location: membership.location,
    }
}
