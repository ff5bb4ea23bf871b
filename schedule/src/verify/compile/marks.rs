//! The marks of nodes, with those that groups, loops, plugins and the schedule pass on.

use std::collections::HashMap;

use super::All;
use super::guards::Conditions;
use super::index::Found;
use super::nodes::Graph;
use super::policies::inside;
use crate::data::marks::Marks;

/// Returns the marks of each declared node. Conditions do not have the marks of the nodes that they guard.
pub(crate) fn passed_marks(all: All<'_>, graph: &Graph) -> Vec<Marks> {
    let mut marks: Vec<Marks> = all.nodes().map(|node| node.marks).collect();
    for (group, passed_on) in &all.declared.group_marks {
        let found = (0..graph.groups.len()).find(|&idx| graph.groups[idx].reference.id == group.id);
        // A group without members may be unknown.
        let Some(idx) = found else { continue };
        for idx in inside(all, graph, Found::Group(idx)) {
            marks[idx] |= *passed_on;
        }
    }
    // The body of a loop has higher indices than the loop.
    for (idx, node) in all.nodes().enumerate() {
        let of_loop = node.level.map_or(Marks::NONE, |repeat| marks[repeat]);
        marks[idx] |= of_loop.common(Marks::PASSED_ON);
    }
    // Last, because a loop passes on its own marks, and not the settings of the plugin around it.
    for (idx, node) in all.nodes().enumerate() {
        marks[idx] |= all.declared.settings(node.plugin).marks();
    }
    marks
}

/// Returns the marks of each declared node.
pub(super) fn all_marks(all: All<'_>, graph: &Graph, conditions: &Conditions) -> Vec<Marks> {
    let mut marks = passed_marks(all, graph);
    mark_conditions_of_always(&mut marks, all, graph, conditions);
    mark_implied_skips(&mut marks, all, graph, conditions);
    marks
}

/// Marks the conditions of nodes that always run, and the conditions of these conditions.
fn mark_conditions_of_always(
    marks: &mut [Marks],
    all: All<'_>,
    graph: &Graph,
    conditions: &Conditions,
) {
    let is_always = |&idx: &usize| marks[idx].has(Marks::ALWAYS);
    let mut open: Vec<usize> = (0..marks.len()).filter(is_always).collect();
    while let Some(idx) = open.pop() {
        if !all.node(idx).is_there() {
            continue;
        }
        graph.formula(conditions, idx, |leaf| {
            if !marks[leaf.node].has(Marks::ALWAYS) {
                marks[leaf.node] |= Marks::ALWAYS;
                open.push(leaf.node);
            }
        });
    }
}

/// Marks implied conditions, which have no declaration of their own: those that guard only nodes with `SKIP_IF_MISSING`.
fn mark_implied_skips(marks: &mut [Marks], all: All<'_>, graph: &Graph, conditions: &Conditions) {
    let skips = |marks: &Marks| marks.has(Marks::SKIP_IF_MISSING);
    if !marks.iter().any(skips) {
        return;
    }
    let mut guarded_by: HashMap<usize, Vec<usize>> = HashMap::new();
    for (idx, _) in all.there() {
        graph.formula(conditions, idx, |leaf| {
            if all.node(leaf.node).implied.is_some() {
                guarded_by.entry(leaf.node).or_default().push(idx);
            }
        });
    }
    // An implied condition may guard another one, so the loop repeats until nothing changes.
    let mut has_changed = true;
    while core::mem::take(&mut has_changed) {
        for (&condition, guarded) in &guarded_by {
            if !skips(&marks[condition]) && guarded.iter().all(|&idx| skips(&marks[idx])) {
                marks[condition] |= Marks::SKIP_IF_MISSING;
                has_changed = true;
            }
        }
    }
}
