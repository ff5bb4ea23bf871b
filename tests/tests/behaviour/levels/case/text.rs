//! Prints a random graph, so that a failing one can be read.

use std::collections::BTreeSet;
use std::fmt;

use schedule::Policy;

use super::{Asked, Case, Formula, Guard, Thing};

impl fmt::Debug for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label())
    }
}

impl fmt::Debug for Thing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Thing::Node(idx) => write!(f, "{idx}"),
            Thing::Group(group) => write!(f, "group{group}"),
            Thing::Implied(asked) => write!(f, "{asked:?}"),
        }
    }
}

impl<Leaf: fmt::Debug> fmt::Debug for Formula<Leaf> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Formula::Is(leaf) => write!(f, "{leaf:?}"),
            Formula::Not(one) => write!(f, "!{one:?}"),
            Formula::All(two) => write!(f, "({:?} & {:?})", two[0], two[1]),
            Formula::Any(two) => write!(f, "({:?} | {:?})", two[0], two[1]),
        }
    }
}

/// Prints a line for each node, indented by its depth, and a line for each group. Omits default values.
impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let used = |policy: &Option<Policy>| policy.map_or("-".to_string(), |one| one.to_string());
        let resources: Vec<_> = self.resources.iter().map(used).collect();
        writeln!(
            f,
            "policy {}, of resources {}{}",
            self.policy,
            resources.join(", "),
            if self.refuses { ", refuses" } else { "" }
        )?;
        for (idx, node) in self.nodes.iter().enumerate() {
            let depth = self.outwards(node.level).len();
            write!(f, "{:depth$}{idx} {:?}", "", node.work, depth = 4 * depth)?;
            for (resource, is_write) in node.uses.iter().enumerate() {
                match is_write {
                    None => {}
                    Some(false) => write!(f, " reads {resource}")?,
                    Some(true) => write!(f, " writes {resource}")?,
                }
            }
            if node.is_exclusive {
                write!(f, " alone")?;
            }
            if node.is_always {
                write!(f, " always")?;
            }
            write_groups_and_guards(f, &node.groups, &node.guards)?;
            if let Some((time, fault)) = node.fault {
                write!(
                    f,
                    " fails with {fault:?} at {time}, and then {}",
                    node.on_failure
                )?;
            }
            writeln!(f)?;
        }
        for (idx, group) in self.groups.iter().enumerate() {
            write!(f, "    group{idx} of {:?}", group.level)?;
            if group.is_always {
                write!(f, " always")?;
            }
            write_groups_and_guards(f, &group.holders, &group.guards)?;
            writeln!(f)?;
        }
        for (first, then, is_weak) in &self.orders {
            let arrow = if *is_weak { "-> if conflicting" } else { "->" };
            writeln!(f, "    {first:?} {arrow} {then:?}")?;
        }
        for (one, other, policy) in &self.pairs {
            writeln!(f, "    {one} and {other}: {policy}")?;
        }
        Ok(())
    }
}

fn write_groups_and_guards(
    f: &mut fmt::Formatter<'_>,
    groups: &BTreeSet<usize>,
    guards: &[Guard],
) -> fmt::Result {
    groups
        .iter()
        .try_for_each(|group| write!(f, " in group{group}"))?;
    guards
        .iter()
        .try_for_each(|guard| write!(f, " if {guard:?}"))
}
