//! The parts of a recording that say to which program it belongs: the resources and the systems.

use std::collections::{BTreeMap, BTreeSet};

use super::error::ReplayError;
use super::resources::{EntryBytes, EntryKind, RecordedEntry, RecordedResources};
use crate::base::snapshot::{Decoder, Encoder, Schema, SnapshotError};
use crate::run::decisions::{DecidingKind, Decisions};

/// The name, kind and version of an entry of a recording.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct EntryName {
    kind: EntryKind,
    name: String,
    version: u32,
    /// `None` for entries without a schema, and in format 1.
    schema: Option<Schema>,
}

/// An entry of a recording, with the bytes of the current run.
pub(super) struct ReplayedEntry {
    /// `None` if the program ignores the entry.
    pub(super) entry: Option<RecordedEntry>,
    /// The version in the recording.
    pub(super) version: u32,
    pub(super) before: EntryBytes,
    pub(super) after: EntryBytes,
    /// Whether `before` changed since the run before.
    pub(super) has_changed: bool,
}

/// Writes the names of the entries.
pub(super) fn write_entries(
    recorded: &RecordedResources,
    to: &mut Encoder,
) -> Result<(), SnapshotError> {
    to.write(&recorded.entries.len())?;
    for entry in &recorded.entries {
        to.write(&(entry.kind as u8))?;
        to.write(entry.name)?;
        to.write(&entry.version)?;
        to.write(&entry.schema.map(|schema| (schema.now)()))?;
    }
    Ok(())
}

/// Reads the names of the entries of a recording in this format.
pub(super) fn read_entries(
    mut from: Decoder<'_>,
    format: u32,
) -> Result<Vec<EntryName>, SnapshotError> {
    let n: usize = from.read()?;
    let mut names: Vec<EntryName> = Vec::new();
    let mut unique = BTreeSet::new();
    for _ in 0..n {
        let (kind, name, version) = from.read::<(u8, String, u32)>()?;
        let schema = match format {
            1 => None,
            _ => from.read()?,
        };
        let kind = EntryKind::of(kind).ok_or_else(|| from.error("an entry has an unknown kind"))?;
        if !unique.insert((kind as u8, name.clone())) {
            return Err(from.error("two entries have the same name"));
        }
        names.push(EntryName {
            kind,
            name,
            version,
            schema,
        });
    }
    from.finish()?;
    Ok(names)
}

/// Finds the entries of a recording among those of the program, in the order of the recording.
///
/// # Errors
///
/// If the program has other entries, or other versions or schemas, or if several entries of the recording have one name now.
pub(super) fn match_entries(
    mut names: Vec<EntryName>,
    recorded: &RecordedResources,
) -> Result<Vec<ReplayedEntry>, ReplayError> {
    let saved: Vec<String> = names.iter().map(|name| name.name.clone()).collect();
    let changes = recorded.changes.resolved(&saved);
    let is_dropped = |name: &EntryName| changes.is_dropped(&name.name);
    let are_dropped: Vec<bool> = names.iter().map(is_dropped).collect();
    for name in &mut names {
        name.name = changes.name_now(&name.name).into_owned();
        if let Some(schema) = &name.schema {
            name.schema = Some(changes.now(schema).into_owned());
        }
    }
    let is_of = |entry: &RecordedEntry, name: &EntryName| {
        entry.kind == name.kind && entry.name == name.name
    };
    for entry in &recorded.entries {
        let of_entry = |(name, _): &(&EntryName, &String)| is_of(entry, name);
        let saved = names.iter().zip(&saved).filter(of_entry);
        let saved: Vec<String> = saved.map(|(_, saved)| saved.clone()).collect();
        if saved.len() > 1 {
            let name = entry.name;
            return Err(ReplayError::Schema(SnapshotError::RenamedTwice {
                name,
                saved,
            }));
        }
    }
    let text = |kind: EntryKind, name: &str| format!("{} `{name}`", kind.text());
    let mut added = recorded.entries.to_vec();
    added.retain(|entry| !names.iter().any(|name| is_of(entry, name)));
    let added: Vec<String> = added.iter().map(|one| text(one.kind, one.name)).collect();
    let mut entries = Vec::new();
    let mut missing = Vec::new();
    for (name, is_dropped) in names.iter().zip(are_dropped) {
        let entry = recorded.entries.iter().find(|entry| is_of(entry, name));
        if entry.is_none() && !is_dropped {
            missing.push(text(name.kind, &name.name));
        }
        entries.push(ReplayedEntry {
            entry: entry.copied(),
            version: name.version,
            before: EntryBytes::default(),
            after: EntryBytes::default(),
            has_changed: false,
        });
    }
    if !missing.is_empty() || !added.is_empty() {
        return Err(ReplayError::Resources { missing, added });
    }
    let used = names.iter().zip(&entries);
    for (name, entry) in used.filter_map(|(name, one)| Some((name, one.entry?))) {
        let is_wrong = if entry.kind.can_migrate() {
            name.version > entry.version || name.version == 0
        } else {
            name.version != entry.version
        };
        if is_wrong {
            return Err(ReplayError::Version {
                name: entry.name,
                found: name.version,
                expected: entry.version,
            });
        }
        if let (Some(saved), Some(schema)) = (&name.schema, entry.schema) {
            (schema.check)(saved, name.version).map_err(ReplayError::Schema)?;
        }
    }
    Ok(entries)
}

/// The systems, loops and sync points of a schedule in a recording: kinds and names, by rank.
pub(super) type NodeNames = Vec<(u8, String)>;

/// Writes the nodes of a schedule.
pub(super) fn write_nodes(decisions: &Decisions, to: &mut Encoder) -> Result<(), SnapshotError> {
    let nodes = decisions.nodes();
    to.write(&nodes.len())?;
    for (kind, name) in nodes {
        to.write(&(kind as u8))?;
        to.write(name)?;
    }
    Ok(())
}

/// Reads the nodes of a schedule.
pub(super) fn read_nodes(mut from: Decoder<'_>) -> Result<NodeNames, SnapshotError> {
    let nodes = from.read()?;
    from.finish()?;
    Ok(nodes)
}

/// Checks that a schedule has the nodes of a recording, in the same order.
pub(super) fn check_nodes(
    recorded: &NodeNames,
    decisions: &Decisions,
    schedule: &str,
    nth_run: u64,
) -> Result<(), ReplayError> {
    let now = decisions.nodes().map(|(kind, name)| (kind as u8, name));
    let now: Vec<(u8, &str)> = now.collect();
    let recorded = recorded.iter().map(|(kind, name)| (*kind, name.as_str()));
    let recorded: Vec<(u8, &str)> = recorded.collect();
    if recorded == now {
        return Ok(());
    }
    // The number of nodes of each name in the recording, minus that in the schedule.
    let mut counts: BTreeMap<(u8, &str), i64> = BTreeMap::new();
    for &node in &recorded {
        *counts.entry(node).or_default() += 1;
    }
    for &node in &now {
        *counts.entry(node).or_default() -= 1;
    }
    let names = |is_wanted: fn(&i64) -> bool| {
        let wanted = counts.iter().filter(|(_, n)| is_wanted(n));
        let names: Vec<String> = wanted
            .map(|((kind, name), _)| node_text(*kind, name))
            .collect();
        names
    };
    let (missing, added) = (names(|n| *n > 0), names(|n| *n < 0));
    let moved = recorded
        .into_iter()
        .zip(now)
        .find(|(one, other)| one != other)
        .filter(|_| missing.is_empty() && added.is_empty());
    let moved =
        moved.map(|(one, other)| Box::new([node_text(one.0, one.1), node_text(other.0, other.1)]));
    Err(ReplayError::Systems {
        schedule: schedule.to_string(),
        nth_run,
        missing,
        added,
        moved,
    })
}

fn node_text(kind: u8, name: &str) -> String {
    let is = |other: DecidingKind| kind == other as u8;
    match () {
        () if is(DecidingKind::Loop) => format!("loop `{name}`"),
        () if is(DecidingKind::SyncPoint) => format!("sync point `{name}`"),
        () => format!("system `{name}`"),
    }
}
