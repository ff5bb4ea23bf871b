//! The positions of the segments and groups of a journal in its stream of messages.

use schedule_stream::journal::{EntryKind, JournalHead, JournalRecord, RULES};

use super::message::{self, Content};

/// The size of an entry without its body, as a journal in files counts it.
const ENTRY_BYTES: u64 = 44;

const NOT_NEXT: &str = "does not follow the message before it";

/// A head, with the groups after it.
#[derive(Debug)]
pub(super) struct Segment {
    /// The sequence number of the head.
    pub(super) sequence: u64,
    pub(super) head: JournalHead,
    /// See [`RULES`].
    pub(super) rules: u32,
    pub(super) generation: u64,
    /// The first batch.
    pub(super) first: u64,
    /// Size of the entries in bytes.
    pub(super) n_bytes: u64,
    /// In order.
    pub(super) groups: Vec<StoredGroup>,
}

/// Entries that were appended together.
#[derive(Clone, Copy, Debug)]
pub(super) struct StoredGroup {
    /// The sequence number of the first part.
    pub(super) sequence: u64,
    pub(super) n_parts: u32,
    /// The first batch, or the next one if the group has none.
    pub(super) first: u64,
    /// The last batch that an entry [concerns](JournalRecord::last_concerned).
    pub(super) last: u64,
}

/// A group of which some parts are read.
#[derive(Debug)]
pub(super) struct OpenGroup {
    generation: u64,
    pub(super) first: u64,
    n_parts: u32,
    /// The sequence number of the first part.
    sequence: u64,
    n_read: u32,
    /// The format version of the parts.
    version: u8,
    /// The joined parts.
    bytes: Vec<u8>,
}

/// The reason why a message cannot be used.
#[derive(Debug)]
pub(super) enum MessageError {
    /// See [`JournalError::DamagedMessage`](schedule_stream::journal::JournalError::DamagedMessage).
    Problem(&'static str),
    /// It has rules with this number.
    Rules(u32),
    /// It has this entry of an unknown kind.
    Unknown(JournalRecord),
}

impl From<&'static str> for MessageError {
    fn from(problem: &'static str) -> Self {
        Self::Problem(problem)
    }
}

/// The segments of a stream of messages. The messages are passed in order to [`accept`](Self::accept).
#[derive(Debug)]
pub(super) struct Index {
    /// In order. Only the last one may have no groups.
    pub(super) segments: Vec<Segment>,
    /// The batch that is appended next.
    pub(super) next: u64,
    /// The group whose last parts were not read. After the last message, it is a torn write.
    pub(super) open: Option<OpenGroup>,
}

impl Index {
    /// `next`: the first batch, if the stream has no messages.
    pub(super) fn new(next: u64) -> Self {
        Self {
            segments: Vec::new(),
            next,
            open: None,
        }
    }

    /// Adds the next message.
    pub(super) fn accept(&mut self, sequence: u64, bytes: &[u8]) -> Result<(), MessageError> {
        let message = message::decode(sequence, bytes)?;
        let (generation, first) = (message.generation, message.first);
        match message.content {
            Content::Head { rules, .. } if !(1..=RULES).contains(&rules) => {
                Err(MessageError::Rules(rules))
            }
            Content::Head { head, rules } => {
                Ok(self.accept_head(sequence, generation, first, (head, rules))?)
            }
            Content::Part {
                version,
                part,
                n_parts,
                bytes,
            } => {
                let new = || OpenGroup::new(sequence, generation, first, n_parts);
                let part = (version, part);
                let mut group = self.open.take().unwrap_or_else(new);
                let is_next = self
                    .segments
                    .last()
                    .is_some_and(|segment| segment.generation == generation && self.next == first);
                if !is_next {
                    return Err(NOT_NEXT.into());
                }
                if group.add(generation, first, part, n_parts, bytes)? {
                    let mut records = group.records()?;
                    let unknown = records.iter().position(|one| one.kind.must_be_known());
                    if let Some(unknown) = unknown {
                        return Err(MessageError::Unknown(records.swap_remove(unknown)));
                    }
                    self.add_group(group.stored(&records), &records);
                } else {
                    self.open = Some(group);
                }
                Ok(())
            }
        }
    }

    fn accept_head(
        &mut self,
        sequence: u64,
        generation: u64,
        first: u64,
        head: (JournalHead, u32),
    ) -> Result<(), &'static str> {
        // A start cuts off the torn group of an earlier generation.
        let torn = self.open.take();
        if let Some(last) = self.segments.last() {
            let is_later = match torn {
                None => generation >= last.generation,
                Some(_) => generation > last.generation,
            };
            if !is_later || first != self.next {
                return Err(NOT_NEXT);
            }
        }
        self.next = first;
        self.begin_segment(sequence, generation, head);
        Ok(())
    }

    /// Adds a head with its rules. It replaces a segment without groups.
    pub(super) fn begin_segment(
        &mut self,
        sequence: u64,
        generation: u64,
        (head, rules): (JournalHead, u32),
    ) {
        self.segments.pop_if(|segment| segment.groups.is_empty());
        self.segments.push(Segment {
            sequence,
            head,
            rules,
            generation,
            first: self.next,
            n_bytes: 0,
            groups: Vec::new(),
        });
    }

    /// Adds a group to the last segment.
    pub(super) fn add_group(&mut self, group: StoredGroup, records: &[JournalRecord]) {
        let segment = self.segments.last_mut().expect("a group follows a head");
        for record in records {
            segment.n_bytes += ENTRY_BYTES + record.body.len() as u64;
            self.next += u64::from(record.kind == EntryKind::BATCH);
        }
        segment.groups.push(group);
    }

    /// Returns the number of segments, from the first on, that contain only batches below `before`.
    pub(super) fn n_below(&self, before: u64) -> usize {
        let older = &self.segments[..self.segments.len().saturating_sub(1)];
        let last = |segment: &Segment| match segment.groups.last() {
            Some(group) => group.last,
            None => segment.first.saturating_sub(1),
        };
        let is_below = |segment: &&Segment| last(segment) < before;
        older.iter().take_while(is_below).count()
    }

    pub(super) fn generation(&self) -> u64 {
        self.segments.last().map_or(0, |last| last.generation)
    }
}

impl OpenGroup {
    fn new(sequence: u64, generation: u64, first: u64, n_parts: u32) -> Self {
        Self {
            generation,
            first,
            n_parts,
            sequence,
            n_read: 0,
            version: 0,
            bytes: Vec::new(),
        }
    }

    /// A group of the index, to read it again.
    pub(super) fn again(group: StoredGroup, generation: u64) -> Self {
        Self::new(group.sequence, generation, group.first, group.n_parts)
    }

    /// Adds a part, and returns whether it was the last one.
    fn add(
        &mut self,
        generation: u64,
        first: u64,
        (version, part): (u8, u32),
        n_parts: u32,
        bytes: &[u8],
    ) -> Result<bool, &'static str> {
        let is_next = (self.generation, self.first) == (generation, first)
            && (self.n_read, self.n_parts) == (part, n_parts);
        if !is_next || part > 0 && self.version != version {
            return Err(NOT_NEXT);
        }
        self.version = version;
        self.bytes.extend_from_slice(bytes);
        self.n_read += 1;
        Ok(self.n_read == self.n_parts)
    }

    /// Adds the message with this sequence number, which must be the next part.
    pub(super) fn accept(&mut self, sequence: u64, bytes: &[u8]) -> Result<bool, &'static str> {
        let message = message::decode(sequence, bytes)?;
        let Content::Part {
            version,
            part,
            n_parts,
            bytes,
        } = message.content
        else {
            return Err(NOT_NEXT);
        };
        self.add(
            message.generation,
            message.first,
            (version, part),
            n_parts,
            bytes,
        )
    }

    /// Returns the entries of a group whose parts were all added.
    pub(super) fn records(&self) -> Result<Vec<JournalRecord>, &'static str> {
        let records = message::decode_group(self.version, &self.bytes).unwrap_or_default();
        let mut next = self.first;
        let is_consecutive = records.iter().all(|record| {
            // The number after the last batch must exist, too.
            let is_next = record.batch == next && next != u64::MAX;
            next = next.wrapping_add(u64::from(record.kind == EntryKind::BATCH));
            is_next
        });
        if records.is_empty() || !is_consecutive {
            return Err("is damaged: it has no consecutive batches");
        }
        Ok(records)
    }

    fn stored(&self, records: &[JournalRecord]) -> StoredGroup {
        StoredGroup {
            sequence: self.sequence,
            n_parts: self.n_parts,
            first: self.first,
            last: last_concerned(self.first, records),
        }
    }
}

/// Returns the last batch that one of these entries concerns. `first`: the batch of the first one.
pub(super) fn last_concerned(first: u64, records: &[JournalRecord]) -> u64 {
    let concerned = records.iter().map(JournalRecord::last_concerned);
    concerned.max().unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head() -> JournalHead {
        JournalHead {
            program: "exchange".into(),
            version: 1,
            types: Vec::new(),
            constants: 0,
            events: None,
        }
    }

    /// Adds a head and a group of records with these numbers.
    fn index_of(first: u64, batches: &[u64]) -> (Index, Result<(), MessageError>) {
        let mut index = Index::new(1);
        let bytes = message::encode_head(1, 1, first, &head());
        index.accept(1, &bytes).unwrap();
        let records: Vec<_> = batches
            .iter()
            .map(|&batch| JournalRecord {
                batch,
                kind: EntryKind::BATCH,
                time: 0,
                body: vec![7],
            })
            .collect();
        let parts = message::encode_group(2, 1, &records, 1_000);
        let accepted = index.accept(2, &parts[0]);
        (index, accepted)
    }

    #[test]
    fn group_with_the_highest_batch_is_damaged() {
        let (index, accepted) = index_of(u64::MAX - 2, &[u64::MAX - 2, u64::MAX - 1]);
        accepted.unwrap();
        assert_eq!(index.next, u64::MAX);
        for batches in [
            &[u64::MAX - 1, u64::MAX][..],
            &[u64::MAX],
            &[u64::MAX, 0],
            &[5, 7],
        ] {
            let (_, accepted) = index_of(batches[0], batches);
            let Err(MessageError::Problem(problem)) = accepted else {
                panic!("{accepted:?}");
            };
            assert!(problem.contains("no consecutive batches"));
        }
    }

    #[test]
    fn changed_messages_never_cause_a_panic() {
        let parts = message::encode_group(
            2,
            1,
            &[JournalRecord {
                batch: 5,
                kind: EntryKind::BATCH,
                time: 0,
                body: vec![7; 20],
            }],
            1_000,
        );
        for (sequence, bytes) in [
            (1, message::encode_head(1, 1, 5, &head())),
            (2, parts[0].clone()),
        ] {
            for at in 0..bytes.len() {
                for value in [0, 1, 0x7f, 0x80, 0xff] {
                    let mut changed = bytes.clone();
                    changed[at] = value;
                    if at >= 4 {
                        message::seal(sequence, &mut changed);
                    }
                    let (mut index, _) = index_of(5, &[5]);
                    let _ = index.accept(sequence, &changed);
                    let _ = index.accept(sequence, &changed[..at]);
                }
            }
        }
    }
}
