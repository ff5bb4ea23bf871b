//! The kinds and levels of declared nodes and groups, as numbers for lowering.

use std::collections::HashMap;

use super::All;
use super::members::LocatedGroup;
use crate::declare::declarations::{Declared, DeclaredWork, Level};
use schedule_graph::internal::{self, Member};

/// The memory of [`Declared`](internal::Declared).
pub(super) struct Numbered {
    kinds: Vec<internal::Kind>,
    levels: Vec<u32>,
    group_levels: Vec<u32>,
}

impl Numbered {
    pub(super) fn new(all: All<'_>, spoken: &[LocatedGroup]) -> Self {
        let number = |level: Level| level.map_or(internal::NONE, |idx| idx as u32);
        let kind = |declared: &Declared| match declared.work {
            DeclaredWork::Checkpoint => internal::Kind::Checkpoint,
            DeclaredWork::ApplyCommands => internal::Kind::ApplyCommands,
            DeclaredWork::System(_) if declared.implied.is_some() => internal::Kind::Implied,
            DeclaredWork::System(_) => internal::Kind::System,
            DeclaredWork::Loop { .. } => internal::Kind::Loop,
            DeclaredWork::Removed => internal::Kind::Removed,
        };
        let mut levels: HashMap<u128, Level> = HashMap::new();
        for group in &all.declared.groups {
            levels.entry(group.reference.id).or_insert(group.level);
        }
        let level_of = |(one, _): &LocatedGroup| number(levels.get(&one.id).copied().flatten());
        Self {
            kinds: all.nodes().map(kind).collect(),
            levels: all.nodes().map(|one| number(one.level)).collect(),
            group_levels: spoken.iter().map(level_of).collect(),
        }
    }

    /// Returns the numbered declarations with these members.
    pub(super) fn of<'a>(&'a self, members: &'a [Member]) -> internal::Declared<'a> {
        internal::Declared {
            kinds: &self.kinds,
            levels: &self.levels,
            group_levels: &self.group_levels,
            members,
        }
    }
}
