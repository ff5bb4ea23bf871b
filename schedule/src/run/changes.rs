//! The nodes with work of their own in each execution: those that write a watched resource, those that a condition about changes guards,
//! and those whose systems get a store of entities.

use std::sync::Arc;

use crate::data::access::{AccessKind, Storage};
use crate::data::param::Settle;
use crate::data::resource::Resources;
use crate::data::resource::loans::LentStore;
use crate::data::resource::watched::{ConditionMemory, Watched};
use crate::run::node::{RunNode, Work};
use crate::systems::system::{Marked, Runnable};
use crate::verify::plan::Plan;

/// Lets each node that a condition about changes guards note its starts in the memory of the condition. O(nodes + leaves of guards) if
/// there is such a condition.
pub(crate) fn note_guards(by_rank: &mut [RunNode], plan: &Plan) {
    if !by_rank
        .iter()
        .any(|node| node.about.access.has_change_memory)
    {
        return;
    }
    let memories: Vec<Vec<Arc<ConditionMemory>>> = by_rank.iter_mut().map(memories_of).collect();
    for (rank, node) in (0..).zip(by_rank) {
        let Some(guard) = plan.formula(rank) else {
            continue;
        };
        let leaves = guard.leaves().map(|leaf| leaf.rank);
        let starting = leaves.filter(|&condition| !plan.is_inherited(rank, condition));
        let mut guards: Vec<Arc<ConditionMemory>> = Vec::new();
        for memory in starting.flat_map(|condition| &memories[condition as usize]) {
            if !guards.iter().any(|known| Arc::ptr_eq(known, memory)) {
                guards.push(Arc::clone(memory));
            }
        }
        match run_of(node) {
            Some(run) => Marked::set(run, |marked| marked.guards = guards),
            None => node.about.guards = (!guards.is_empty()).then(|| Box::new(guards)),
        }
    }
}

fn memories_of(node: &mut RunNode) -> Vec<Arc<ConditionMemory>> {
    let mut memories = Vec::new();
    if node.about.access.has_change_memory
        && let Some(run) = node.runnable()
    {
        run.settle(&mut Settle::FindMemories(&mut memories));
    }
    memories
}

fn run_of(node: &mut RunNode) -> Option<&mut Box<dyn Runnable>> {
    match &mut node.work {
        Work::System(system) => Some(system),
        Work::Loop(repeat) => Some(&mut repeat.condition),
        Work::Nothing | Work::ApplyCommands | Work::LoopEnd(_) => None,
    }
}

/// Lets a node note its writes of watched resources. O(uses).
pub(crate) fn note_written(node: &mut RunNode, resources: &Resources) {
    let access = Arc::clone(&node.about.access);
    let Some(run) = run_of(node) else {
        return;
    };
    let mut uses = access.uses.iter();
    // Parameters note these writes and folds themselves.
    if !access.notes_changes().is_empty() || uses.any(|one| one.kind == AccessKind::Fold) {
        run.settle(&mut Settle::NoteWatched(resources));
    }
    let written = access.uses.iter().filter(|one| {
        one.kind == AccessKind::Write
            && one.resource.storage() == Storage::Shared
            && !access.notes_changes().contains(&one.resource)
    });
    let written = written.filter_map(|one| resources.watched(one.resource.type_id()?));
    let written: Vec<Arc<Watched>> = written.collect();
    Marked::set(run, |marked| marked.written = written);
}

/// Lets a node lend the stores that its system gets. O(uses), or O(resources) for an access to all of them.
pub(crate) fn note_lent(node: &mut RunNode, resources: &Resources) {
    let lent = LentStore::all_of(&node.about.access, resources);
    let Some(run) = run_of(node) else {
        return;
    };
    if !lent.is_empty() || run.marked().is_some() {
        Marked::set(run, |marked| marked.lent = lent);
    }
}
