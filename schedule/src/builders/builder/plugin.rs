//! Plugins: reusable contributions to schedules. Any builder can become a plugin of another schedule.

use super::Builder;
use crate::data::target::{Named, Target};
use crate::declare::declarations::{DeclaredPlugin, Level};
use crate::declare::problem::Problem;
use crate::systems::condition::{Leaf, LeafSystem};

/// A contribution to a schedule: systems, groups, orders and policies.
///
/// A plugin is a function, a type with its own settings, or a builder of another schedule.
///
/// A plugin is not a barrier: its systems run among all others, as their orders require. A plugin can refer to every
/// type and name in the whole schedule. The schedule can refer to every type and name in the plugin.
///
/// Policies for the schedule or for a resource, and the failure policy, apply only inside the plugin that sets them. A
/// policy applies to pairs of which both nodes are in the plugin. The policies of the schedule around it apply to pairs
/// of one node inside and one outside.
///
/// Choices that a plugin pins are pinned in the whole schedule. There, the occurrences of its systems are numbered
/// among all systems of the same name.
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
    note = "use a function `fn(&mut Builder)`, a builder, as in `Frame::builder()`, or a type that implements `Plugin`"
)]
pub trait Plugin {
    /// Declares the content of the plugin on this builder.
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

/// Repeats all declarations of this builder on the other one. The name of this schedule is dropped. Node ids of this
/// builder are not valid in the other one.
impl Plugin for Builder {
    fn declare(self, builder: &mut Builder) {
        builder.join(self);
    }
}

impl Builder {
    /// Includes a plugin, in the body of the current loop if there is one. There is no last item afterwards.
    pub fn include(&mut self, plugin: impl Plugin) -> &mut Self {
        let number = self.declarations.plugins.len();
        self.declarations.plugins.push(DeclaredPlugin {
            around: self.plugin,
            rules: Default::default(),
        });
        let outside = self.plugin.replace(number);
        (self.last, self.is_last_unknown) = (None, false);
        plugin.declare(self);
        // If the plugin called `build`, the builder has no plugins any more.
        self.plugin = outside.filter(|&plugin| plugin < self.declarations.plugins.len());
        (self.last, self.is_last_unknown) = (None, false);
        self
    }

    /// Adds the declarations of another builder to the current plugin.
    fn join(&mut self, other: Builder) {
        if other.change.is_some() {
            // The systems of this builder belong to another schedule.
            self.problems.push(Problem::BuiltInChange);
            return;
        }
        let mut theirs = other.declarations;
        let (first_node, first_plugin) = (
            self.declarations.nodes.len(),
            self.declarations.plugins.len(),
        );
        let first_id = self.declarations.take_ids(theirs.next_id());
        let (level, plugin) = (self.level, self.plugin);
        let level = |inside: Level| inside.map_or(level, |around| Some(first_node + around));
        let plugin =
            |inside: Option<usize>| inside.map_or(plugin, |around| Some(first_plugin + around));
        let renumber = |target: &mut Target| {
            if let Named::Node(id) = target.0 {
                *target = id.after(first_id).into();
            }
        };
        for node in &mut theirs.nodes {
            node.id = node.id.after(first_id);
            (node.level, node.plugin) = (level(node.level), plugin(node.plugin));
        }
        for included in &mut theirs.plugins {
            included.around = plugin(included.around);
        }
        for group in &mut theirs.groups {
            group.level = level(group.level);
        }
        for membership in &mut theirs.memberships {
            renumber(&mut membership.member);
        }
        for order in &mut theirs.orders {
            let ends = [&mut order.first, &mut order.then];
            ends.into_iter()
                .chain(&mut order.declared_on)
                .for_each(renumber);
        }
        for guard in &mut theirs.guards {
            renumber(&mut guard.guarded);
            guard.plugin = plugin(guard.plugin);
            guard.formula = guard.formula.map(|leaf: &Leaf| {
                let mut leaf = leaf.clone();
                if let LeafSystem::Added(added) = &mut leaf.system {
                    renumber(added);
                }
                leaf
            });
        }
        for (first, second, _) in &mut theirs.pair_policies {
            renumber(first);
            renumber(second);
        }
        for (target, _) in &mut theirs.failure_policies {
            renumber(target);
        }
        let ours = &mut self.declarations;
        ours.nodes.append(&mut theirs.nodes);
        ours.plugins.append(&mut theirs.plugins);
        ours.groups.append(&mut theirs.groups);
        ours.memberships.append(&mut theirs.memberships);
        ours.orders.append(&mut theirs.orders);
        ours.guards.append(&mut theirs.guards);
        ours.pair_policies.append(&mut theirs.pair_policies);
        ours.failure_policies.append(&mut theirs.failure_policies);
        for (group, marks) in theirs.group_marks {
            ours.mark_group(group, marks);
        }
        ours.cost_of = ours.cost_of.take().or(theirs.cost_of);
        ours.pinned.extend(theirs.pinned);
        self.problems.extend(other.problems);
        let rules = self.rules();
        let settings = theirs.rules.settings.without_executor();
        rules.settings = settings.or(rules.settings);
        rules
            .resource_policies
            .extend(theirs.rules.resource_policies);
    }
}
