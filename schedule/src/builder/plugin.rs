//! Plugins: what contributes to any schedule, and schedules that become plugins of others.

use super::Builder;
use crate::condition::{Asked, Leaf};
use crate::declarations::{DeclaredPlugin, Level};
use crate::place::NodeId;
use crate::problem::Problem;
use crate::target::{Named, Target};

/// What contributes systems, groups and orders to a schedule: a function, a type with settings of its own, or a builder,
/// which another schedule would be made of.
///
/// A plugin is no barrier: its systems run among all others, as their orders say. By types and names it can refer to
/// whatever is in the whole, and the whole to what is in it. Policies for the schedule, or for a resource, and the failure
/// policy, which a plugin says, hold inside of it: for pairs of which both are in the plugin. A pair of one in it and one
/// outside is the whole's. What is pinned in a plugin is pinned in the whole, where its systems are counted anew among those
/// of the same name.
///
/// ```
/// use schedule::{Builder, Plugin, prelude::*};
///
/// #[derive(Resource)]
/// struct Position(i32);
///
/// #[derive(Resource)]
/// struct Picture(String);
///
/// #[system]
/// fn accelerate(position: &mut Position) {
///     position.0 += 1;
/// }
///
/// #[system]
/// fn integrate(position: &mut Position) {
///     position.0 *= 2;
/// }
///
/// #[system(after = integrate)]
/// fn draw(position: &Position, picture: &mut Picture) {
///     picture.0 = position.0.to_string();
/// }
///
/// #[system(after = draw)]
/// fn frame_picture(picture: &mut Picture) {
///     picture.0 = format!("[{}]", picture.0);
/// }
///
/// /// A function.
/// fn physics(builder: &mut Builder) {
///     builder.chain::<(accelerate, integrate)>();
/// }
///
/// /// A type with settings.
/// struct Drawing {
///     has_frame: bool,
/// }
///
/// impl Plugin for Drawing {
///     fn declare(self, builder: &mut Builder) {
///         builder.add::<draw>();
///         if self.has_frame {
///             builder.add::<frame_picture>();
///         }
///     }
/// }
///
/// schedule! {
///     /// A schedule of its own.
///     Slow { accelerate }
/// }
///
/// let mut frame = Schedule::builder()
///     .include(physics)
///     .include(Drawing { has_frame: true })
///     .build()?;
/// let mut resources = Resources::new();
/// resources.insert(Position(3));
/// resources.insert(Picture(String::new()));
/// frame.run(&mut resources)?;
/// assert_eq!(resources.get::<Picture>().unwrap().0, "[8]");
///
/// let slow = Schedule::builder().include(Slow::builder()).build()?;
/// assert_eq!(slow.systems().collect::<Vec<_>>(), ["accelerate"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a plugin of a schedule",
    label = "not a plugin",
    note = "a plugin is a function `fn(&mut Builder)`, a builder as `Frame::builder()`, or a type that implements `Plugin`"
)]
pub trait Plugin {
    /// Says to the builder what there is in the plugin.
    fn declare(self, builder: &mut Builder);
}

impl<F> Plugin for F
where
    F: FnOnce(&mut Builder),
{
    fn declare(self, builder: &mut Builder) {
        self(builder);
    }
}

/// A schedule that becomes a plugin of another: what was said to this builder is said to that one. The name of the schedule
/// goes, and numbers of its nodes mean nothing there.
impl Plugin for Builder {
    fn declare(self, builder: &mut Builder) {
        builder.join(self);
    }
}

impl Builder {
    /// Adds a part: in a loop, as part of that. Nothing is the last one then.
    pub fn include(&mut self, plugin: impl Plugin) -> &mut Self {
        let number = self.declarations.plugins.len();
        self.declarations.plugins.push(DeclaredPlugin {
            around: self.plugin,
            rules: Default::default(),
        });
        let outside = self.plugin.replace(number);
        (self.last, self.is_last_unknown) = (None, false);
        plugin.declare(self);
        // There are no plugins any more if this one was built instead of declared.
        self.plugin = outside.filter(|&plugin| plugin < self.declarations.plugins.len());
        (self.last, self.is_last_unknown) = (None, false);
        self
    }

    /// What was said to another builder, said in the plugin that says something now.
    fn join(&mut self, other: Builder) {
        if other.change.is_some() {
            // Its systems are in another schedule.
            self.problems.push(Problem::BuiltInChange);
            return;
        }
        let theirs = other.declarations;
        let (first_node, first_plugin) = (
            self.declarations.nodes.len(),
            self.declarations.plugins.len(),
        );
        let first_id = self.declarations.take_ids(theirs.next_id());
        let (level, plugin) = (self.level, self.plugin);
        let level = |inside: Level| inside.map_or(level, |around| Some(first_node + around));
        let plugin =
            |inside: Option<usize>| inside.map_or(plugin, |around| Some(first_plugin + around));
        let renumbered = |id: NodeId| id.after(first_id);
        let target = |target: Target| match target.0 {
            Named::Node(id) => renumbered(id).into(),
            Named::Type(_) | Named::Name(_) => target,
        };
        self.declarations
            .nodes
            .extend(theirs.nodes.into_iter().map(|mut node| {
                node.id = renumbered(node.id);
                (node.level, node.plugin) = (level(node.level), plugin(node.plugin));
                node
            }));
        self.declarations
            .plugins
            .extend(theirs.plugins.into_iter().map(|mut one| {
                one.around = plugin(one.around);
                one
            }));
        self.declarations
            .groups
            .extend(theirs.groups.into_iter().map(|mut group| {
                group.level = level(group.level);
                group
            }));
        self.declarations
            .memberships
            .extend(theirs.memberships.into_iter().map(|mut one| {
                one.member = target(one.member);
                one
            }));
        self.declarations
            .orders
            .extend(theirs.orders.into_iter().map(|mut order| {
                order.first = target(order.first);
                order.then = target(order.then);
                order.declared_on = order.declared_on.map(target);
                order
            }));
        self.declarations
            .guards
            .extend(theirs.guards.into_iter().map(|mut guard| {
                guard.guarded = target(guard.guarded);
                guard.plugin = plugin(guard.plugin);
                guard.formula = guard.formula.map(|leaf: &Leaf| Leaf {
                    asked: match &leaf.asked {
                        Asked::Added(added) => Asked::Added(target(added.clone())),
                        asked => asked.clone(),
                    },
                    ..leaf.clone()
                });
                guard
            }));
        let pairs = theirs.pair_policies.into_iter();
        self.declarations
            .pair_policies
            .extend(pairs.map(|(one, two, choice)| (target(one), target(two), choice)));
        let failures = theirs.failure_policies.into_iter();
        self.declarations
            .failure_policies
            .extend(failures.map(|(one, choice)| (target(one), choice)));
        self.declarations.cost_of = self.declarations.cost_of.take().or(theirs.cost_of);
        self.declarations.pinned.extend(theirs.pinned);
        self.problems.extend(other.problems);
        let rules = self.rules();
        rules.policy = theirs.rules.policy.or(rules.policy);
        rules.failure_policy = theirs.rules.failure_policy.or(rules.failure_policy);
        rules
            .resource_policies
            .extend(theirs.rules.resource_policies);
    }
}
