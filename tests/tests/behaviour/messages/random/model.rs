//! The sequential interpreter. It keeps every message that was ever appended, and executes the nodes one after the other.

use std::collections::{BTreeMap, BTreeSet};

use super::case::{Asked, Case, Fault, MessageUse, N_ANSWERS, N_TYPES, Node, Work};

/// A reader: the letter and path of its node, and the type of the messages.
type ReaderId = (String, usize);

/// What an execution of a node saw: of each type that it reads, the messages and the number of missed ones.
pub(super) type Seen = Vec<(usize, Vec<u64>, u64)>;

/// The name of a node, the number of its execution, and what it saw.
pub(super) type Entry = (String, u32, Seen);

/// The name of the reader for each entity in the log.
pub(super) const EACH: &str = "each";

/// Why a node failed.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reason {
    Text(String),
    /// The bound, the largest number of unread messages, and the readers with this number.
    Full(usize, usize, BTreeSet<String>),
}

/// What a run did.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Trace {
    pub(super) log: Vec<Entry>,
    /// For each failed node, the reasons in the order in which they occurred. A report contains the first one.
    pub(super) failed: BTreeMap<String, Vec<Reason>>,
}

#[derive(Clone, Debug, Default)]
struct Reader {
    /// The number of messages, of all that were ever appended, that it has seen or missed.
    position: usize,
    n_missed: u64,
    is_enabled: bool,
    is_registered: bool,
    /// The position and the number of missed messages of a saved state, until the next registration. `Some(None)`: it had not registered.
    restored: Option<Option<(usize, u64)>>,
    keep: Option<usize>,
}

#[derive(Clone, Debug)]
pub(super) struct Queue {
    /// All messages that were ever appended.
    all: Vec<u64>,
    /// The number of messages that were dropped.
    first: usize,
    pub(super) bound: usize,
    pub(super) n_dropped: u64,
    readers: BTreeMap<String, Reader>,
    /// The number of saved readers that are not registered yet.
    n_awaited: usize,
    /// The messages of senders that are not appended yet.
    sent: Vec<u64>,
}

impl Queue {
    pub(super) fn len(&self) -> usize {
        self.all.len() - self.oldest()
    }

    /// The position of the oldest message that a reader has not seen.
    fn oldest(&self) -> usize {
        let end = self.all.len();
        let readers = self.readers.values().filter(|one| one.is_registered);
        let positions = readers.map(|one| {
            if one.is_enabled {
                one.position.clamp(self.first, end)
            } else {
                end
            }
        });
        if self.n_awaited > 0 {
            return self.first;
        }
        positions.min().unwrap_or(self.first)
    }

    /// Drops the messages that no reader needs. `end`: the position after those that are appended next.
    fn prune(&mut self, end: usize) {
        for reader in self.readers.values_mut().filter(|one| one.is_registered) {
            reader.limit(end);
        }
        let are_any = self.readers.values().any(|one| one.is_registered);
        if are_any && self.n_awaited == 0 {
            self.first = self.oldest();
        } else {
            let first = end.saturating_sub(self.bound);
            let first = first.clamp(self.first, self.all.len());
            self.n_dropped += (first - self.first) as u64;
            self.first = first;
        }
    }

    fn registered(&self) -> impl Iterator<Item = (&String, &Reader)> {
        let readers = self.readers.iter();
        readers.filter(|(_, reader)| reader.is_registered && reader.is_enabled)
    }

    /// The largest number of unread messages, and the readers with this number.
    fn n_unread(&self) -> (usize, BTreeSet<String>) {
        let keep_all = self
            .registered()
            .filter(|(_, reader)| reader.keep.is_none());
        let n_unread: Vec<(usize, &String)> = keep_all
            .map(|(name, reader)| {
                let position = reader.position.clamp(self.first, self.all.len());
                (self.all.len() - position, name)
            })
            .collect();
        let n_most = n_unread.iter().map(|one| one.0).max().unwrap_or(0);
        let slowest = n_unread
            .into_iter()
            .filter(|&(n, _)| n == n_most && n > 0)
            .map(|(_, name)| name.clone());
        (n_most, slowest.collect())
    }

    fn append(&mut self, messages: &[u64]) -> Result<(), Reason> {
        if messages.is_empty() {
            return Ok(());
        }
        let (n_unread, slowest) = self.n_unread();
        if n_unread + messages.len() > self.bound {
            return Err(Reason::Full(self.bound, n_unread, slowest));
        }
        self.push(messages);
        Ok(())
    }

    /// Appends messages, and drops those that no reader needs.
    fn push(&mut self, messages: &[u64]) {
        self.prune(self.all.len() + messages.len());
        self.all.extend(messages);
    }

    pub(super) fn send(&mut self, message: u64) -> bool {
        self.append(&[message]).is_ok()
    }

    pub(super) fn send_by_other(&mut self, message: u64) -> bool {
        let has_room = self.sent.len() < self.bound;
        if has_room {
            self.sent.push(message);
        }
        has_room
    }

    pub(super) fn clear(&mut self) {
        let end = self.all.len();
        for reader in self.readers.values_mut().filter(|one| one.is_registered) {
            reader.miss_before(end);
        }
        self.first = end;
    }

    fn take_sent(&mut self) {
        if !self.sent.is_empty() {
            let room = self.bound.saturating_sub(self.n_unread().0);
            let sent: Vec<u64> = self.sent.drain(..room.min(self.sent.len())).collect();
            self.push(&sent);
        }
    }

    fn take(&mut self, name: &str) -> (Vec<u64>, u64) {
        let reader = self.readers.get_mut(name).expect("a known reader");
        reader.miss_before(self.first);
        let unread = self.all[reader.position..].to_vec();
        reader.position = self.all.len();
        (unread, core::mem::take(&mut reader.n_missed))
    }
}

impl Reader {
    fn miss_before(&mut self, first: usize) {
        if self.position < first {
            self.n_missed += (first - self.position) as u64;
            self.position = first;
        }
    }

    fn limit(&mut self, end: usize) {
        if let Some(keep) = self.keep {
            self.miss_before(end.saturating_sub(keep));
        }
    }
}

/// The state of the program.
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub(super) queues: [Queue; N_TYPES],
    pub(super) answers: [bool; N_ANSWERS],
    skips_dependents: bool,
    n_entities: u32,
    disabled: BTreeSet<String>,
    counts: BTreeMap<String, u32>,
}

/// What happened in a level: whether a node failed, and the messages that are joined further out, with their writers.
#[derive(Default)]
struct Level {
    is_failed: bool,
    /// Whether a failure was not that of a full queue, which skips nothing.
    skips_dependents: bool,
    pending: [Vec<(String, Vec<u64>)>; N_TYPES],
}

/// The run of a schedule.
struct Run<'m> {
    model: &'m mut Model,
    trace: Trace,
}

/// The messages that an execution writes.
pub(super) fn written(node: &Node, count: u32, of_type: usize, n_entities: u32) -> Vec<u64> {
    if matches!(node.work, Work::EachWriter) {
        let is_written =
            |entity: &u64| entity.is_multiple_of(7) && *entity < 50 || entity.is_multiple_of(900);
        return (0..u64::from(n_entities)).filter(is_written).collect();
    }
    let hash = node.name.bytes().map(u64::from).sum::<u64>() + 31 * of_type as u64;
    let n_messages = (hash * 7 + u64::from(count) * 5) % 4 * node.scale;
    let begin = hash * 1_000_000 + u64::from(count) * 1000;
    (begin..begin + n_messages).collect()
}

impl Model {
    pub(super) fn new(case: &Case) -> Self {
        Self {
            queues: case.bounds.map(|bound| Queue {
                all: Vec::new(),
                first: 0,
                bound,
                n_dropped: 0,
                readers: BTreeMap::new(),
                n_awaited: 0,
                sent: Vec::new(),
            }),
            answers: [true, false],
            skips_dependents: case.skips_dependents,
            n_entities: case.n_entities,
            disabled: BTreeSet::new(),
            counts: BTreeMap::new(),
        }
    }

    /// Forgets a schedule: its readers, and which of its nodes are disabled.
    pub(super) fn forget(&mut self, letter: &str) {
        self.disabled.retain(|name| !name.starts_with(letter));
        for queue in &mut self.queues {
            queue.readers.retain(|name, _| !name.starts_with(letter));
        }
    }

    pub(super) fn counts(&self) -> &BTreeMap<String, u32> {
        &self.counts
    }

    /// Restores a saved state. It lacks the messages that senders have sent since the last run.
    ///
    /// The readers of the program stay registered, at the first message, until their schedule runs again. In a new program, all messages
    /// are kept until as many readers are registered as were saved.
    pub(super) fn restore(&mut self, saved: &Model, is_new: bool) {
        let previous = core::mem::replace(self, saved.clone());
        for (queue, previous) in self.queues.iter_mut().zip(previous.queues) {
            let n_saved = queue.readers.values().filter(|one| one.is_registered);
            let n_saved = n_saved.count() + queue.n_awaited;
            queue.sent = if is_new { Vec::new() } else { previous.sent };
            queue.first = queue.oldest();
            for reader in queue.readers.values_mut() {
                let position = match reader.restored {
                    Some(restored) => restored,
                    None => reader
                        .is_registered
                        .then_some((reader.position, reader.n_missed)),
                };
                reader.restored = Some(position);
                reader.is_registered = false;
            }
            let mut n_registered = 0;
            for (name, previous) in previous.readers {
                if previous.is_registered && !is_new {
                    n_registered += 1;
                    let reader = queue.readers.entry(name).or_insert(Reader {
                        restored: Some(None),
                        ..previous
                    });
                    reader.is_registered = true;
                    reader.position = queue.first;
                    reader.n_missed = 0;
                    reader.limit(queue.all.len());
                }
            }
            queue.n_awaited = n_saved.saturating_sub(n_registered);
        }
    }

    pub(super) fn switch(&mut self, nodes: &[Node], name: &str, is_enabled: bool) {
        if is_enabled {
            self.disabled.remove(name);
        } else {
            self.disabled.insert(name.to_string());
        }
        self.each_reader(nodes, true, &mut |queue, (name, _), _, is_enabled| {
            if let Some(reader) = queue.readers.get_mut(&name) {
                reader.is_enabled = is_enabled;
            }
        });
    }

    /// Calls a function for each use of each node, in serial order, with whether the node is enabled.
    fn each_reader(
        &mut self,
        nodes: &[Node],
        is_enabled: bool,
        then: &mut impl FnMut(&mut Queue, ReaderId, MessageUse, bool),
    ) {
        for node in nodes {
            let is_enabled = is_enabled && !self.disabled.contains(&node.name);
            for (of_type, &one) in node.uses.iter().enumerate() {
                if one != MessageUse::default() {
                    let id = (node.name.clone(), of_type);
                    then(&mut self.queues[of_type], id, one, is_enabled);
                }
            }
            self.each_reader(node.body(), is_enabled, then);
        }
    }

    pub(super) fn run(&mut self, nodes: &[Node]) -> Trace {
        self.each_reader(nodes, true, &mut |queue, (name, _), one, is_enabled| {
            let Some(keep) = one.reads else {
                return;
            };
            let (first, end, oldest) = (queue.first, queue.all.len(), queue.oldest());
            let reader = queue.readers.entry(name).or_default();
            reader.is_enabled = is_enabled;
            if reader.is_registered && reader.restored.is_none() {
                return;
            }
            let saved = reader.restored.take().flatten();
            if !reader.is_registered && saved.is_some() {
                queue.n_awaited = queue.n_awaited.saturating_sub(1);
            }
            reader.is_registered = true;
            reader.keep = keep;
            match saved {
                Some((position, n_missed)) if position <= end => {
                    (reader.position, reader.n_missed) = (position, n_missed);
                    reader.miss_before(first);
                }
                _ => (reader.position, reader.n_missed) = (oldest, 0),
            }
            reader.limit(end);
        });
        self.each_reader(nodes, true, &mut |queue, _, _, _| {
            if queue.first < queue.all.len() {
                queue.prune(queue.all.len());
            }
            queue.take_sent();
        });
        let mut run = Run {
            model: self,
            trace: Trace::default(),
        };
        run.level(nodes, [false; N_TYPES]);
        run.trace
    }
}

impl Run<'_> {
    /// Runs the nodes of a level once. `is_joined_outside[t]`: whether a loop around the level only writes messages of type t.
    fn level(&mut self, nodes: &[Node], is_joined_outside: [bool; N_TYPES]) -> Level {
        let mut level = Level::default();
        // Whether each node failed or was skipped because of a failure, and its answer.
        let mut is_out = vec![false; nodes.len()];
        let mut answers = vec![None; nodes.len()];
        for (idx, node) in nodes.iter().enumerate() {
            let gate = node.guard.iter().filter_map(|(asked, _)| match asked {
                Asked::Gate(gate) => Some(*gate),
                Asked::Typed(_) => None,
            });
            is_out[idx] = node
                .after
                .iter()
                .copied()
                .chain(gate)
                .any(|one| is_out[one]);
            let is_asked = match &node.guard {
                None => true,
                Some((Asked::Typed(nth), answer)) => self.model.answers[*nth] == *answer,
                Some((Asked::Gate(gate), answer)) => answers[*gate] == Some(*answer),
            };
            if is_out[idx] || !is_asked || self.model.disabled.contains(&node.name) {
                continue;
            }
            let skips = match &node.work {
                Work::Loop(n_iterations, body) => {
                    self.repeat(node, *n_iterations, body, is_joined_outside, &mut level)
                }
                _ => self.system(node, is_joined_outside, &mut answers[idx], &mut level),
            };
            level.is_failed |= skips;
            level.skips_dependents |= skips;
            is_out[idx] = skips && self.model.skips_dependents;
        }
        level
    }

    /// Executes a system. Returns whether its failure skips its dependents.
    fn system(
        &mut self,
        node: &Node,
        is_joined_outside: [bool; N_TYPES],
        answer: &mut Option<bool>,
        level: &mut Level,
    ) -> bool {
        let Some((saw_any, count)) = self.execute(node) else {
            return true;
        };
        *answer = Some(saw_any);
        for of_type in (0..N_TYPES).filter(|&of_type| node.uses[of_type].writes) {
            let messages = written(node, count, of_type, self.model.n_entities);
            let batch = (node.name.clone(), messages);
            if is_joined_outside[of_type] {
                level.pending[of_type].push(batch);
            } else {
                // The others may have run, so a full queue skips none of them.
                level.is_failed |= self.join(of_type, batch).is_err();
            }
        }
        false
    }

    /// Executes a loop. Returns whether its failure skips its dependents.
    fn repeat(
        &mut self,
        node: &Node,
        n_iterations: u32,
        body: &[Node],
        is_joined_outside: [bool; N_TYPES],
        level: &mut Level,
    ) -> bool {
        let only_writes = [0, 1, 2].map(|of_type| node.only_writes(of_type));
        let mut pending: [Vec<(String, Vec<u64>)>; N_TYPES] = Default::default();
        let mut skips = false;
        'iterations: loop {
            let Some((_, count)) = self.execute(node) else {
                skips = true;
                break;
            };
            for of_type in (0..N_TYPES).filter(|&of_type| node.uses[of_type].writes) {
                let messages = written(node, count, of_type, self.model.n_entities);
                let batch = (node.name.clone(), messages);
                if only_writes[of_type] {
                    pending[of_type].push(batch);
                } else if self.join(of_type, batch).is_err() {
                    // The loop ends, but its dependents may make room.
                    level.is_failed = true;
                    break 'iterations;
                }
            }
            if count.is_multiple_of(n_iterations + 1) {
                break;
            }
            let of_body = self.level(body, only_writes);
            for (all, mut more) in pending.iter_mut().zip(of_body.pending) {
                all.append(&mut more);
            }
            if of_body.is_failed {
                level.is_failed = true;
                skips = of_body.skips_dependents;
                break;
            }
        }
        for (of_type, batches) in pending.into_iter().enumerate() {
            // A full queue refuses the messages of the later iterations, too.
            let mut refused = BTreeSet::new();
            for batch in batches {
                if is_joined_outside[of_type] {
                    level.pending[of_type].push(batch);
                    continue;
                }
                let name = batch.0.clone();
                if !refused.contains(&name) && self.join(of_type, batch).is_err() {
                    level.is_failed = true;
                    refused.insert(name);
                }
            }
        }
        skips
    }

    /// Calls the function of a node. Returns whether it saw messages, and the number of its execution. `None` if it failed.
    fn execute(&mut self, node: &Node) -> Option<(bool, u32)> {
        let mut seen = Seen::new();
        for (of_type, one) in node.uses.iter().enumerate() {
            if one.reads.is_some() {
                let (messages, n_missed) = self.model.queues[of_type].take(&node.name);
                seen.push((of_type, messages, n_missed));
            }
        }
        let count = self.model.counts.entry(node.name.clone()).or_default();
        *count += 1;
        let count = *count;
        let saw_any = seen.iter().any(|(_, messages, _)| !messages.is_empty());
        match node.work {
            // Only the call for the first entity notes what it sees.
            Work::EachWriter => {}
            Work::EachReader if self.model.n_entities == 0 => {}
            Work::EachReader => self.trace.log.push((EACH.to_string(), 0, seen)),
            _ => self.trace.log.push((node.name.clone(), count, seen)),
        }
        let fault = node.fault.filter(|&(_, at)| at == count);
        match fault {
            None => Some((saw_any, count)),
            Some((fault, _)) => {
                let text = match fault {
                    Fault::Error => "an error",
                    Fault::Panic => "panicked: a panic",
                };
                self.fail(&node.name, Reason::Text(text.to_string()));
                None
            }
        }
    }

    fn join(&mut self, of_type: usize, (name, messages): (String, Vec<u64>)) -> Result<(), ()> {
        let result = self.model.queues[of_type].append(&messages);
        result.map_err(|reason| self.fail(&name, reason))
    }

    fn fail(&mut self, name: &str, reason: Reason) {
        let reasons = self.trace.failed.entry(name.to_string()).or_default();
        reasons.push(reason);
    }
}
