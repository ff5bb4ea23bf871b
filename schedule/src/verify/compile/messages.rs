//! The order of readers and writers of messages, and messages without readers or writers.

use schedule_graph::internal::{Verdict, readers_between};

use super::{All, Names};
use crate::base::place::SystemPlace;
use crate::data::access::{AccessKind, ResourceId};
use crate::declare::problem::{ReaderBetweenWriters, Warning};

impl Names<'_> {
    /// Returns the readers of messages that run after some writers and before others.
    pub(super) fn readers_between(
        &self,
        verdict: &Verdict,
    ) -> impl Iterator<Item = ReaderBetweenWriters> {
        let uses = self.resources.message_uses(self.graph);
        let mut found = Vec::new();
        readers_between(uses, &verdict.order, &verdict.edges, |reader, marks| {
            let mut between = ReaderBetweenWriters {
                messages: self.resources.ids[reader.resource as usize].clone(),
                reader: self.graph.place(self.all, reader.node),
                before: Vec::new(),
                after: Vec::new(),
            };
            for node in 0..self.graph.kinds.len() as u32 {
                match uses.side(reader, node, marks) {
                    Some(true) => between.after.push(self.graph.place(self.all, node)),
                    Some(false) => between.before.push(self.graph.place(self.all, node)),
                    None => {}
                }
            }
            found.push(between);
        });
        found.into_iter()
    }
}

/// Warns of messages that systems of the schedule only write or only read. In the order of the first use.
pub(super) fn one_sided_messages(all: All<'_>) -> impl Iterator<Item = Warning> {
    let mut queues: Vec<(&ResourceId, Vec<SystemPlace>, Vec<SystemPlace>)> = Vec::new();
    for (idx, node) in all.there() {
        let Some(system) = node.system().filter(|system| system.access.has_messages()) else {
            continue;
        };
        let uses = system.access.uses.iter();
        for one in uses.filter(|one| one.resource.is_messages()) {
            let known = queues
                .iter()
                .position(|(queue, ..)| **queue == one.resource);
            let known = known.unwrap_or_else(|| {
                queues.push((&one.resource, Vec::new(), Vec::new()));
                queues.len() - 1
            });
            let (_, writers, readers) = &mut queues[known];
            if one.kind != AccessKind::Read {
                writers.push(all.place(idx).clone());
            }
            if one.kind != AccessKind::Fold {
                readers.push(all.place(idx).clone());
            }
        }
    }
    let warnings = queues.into_iter().filter_map(|(queue, writers, readers)| {
        let messages = queue.clone();
        match (writers.is_empty(), readers.is_empty()) {
            (false, true) => Some(Warning::MessagesWithoutReader { messages, writers }),
            (true, false) => Some(Warning::MessagesWithoutWriter { messages, readers }),
            _ => None,
        }
    });
    warnings.collect::<Vec<_>>().into_iter()
}
