//! The positions of the segments and groups of a journal in its stream of messages.

use schedule_stream::journal::{JournalHead, JournalRecord};

use super::message::{self, Content};

/// The size of a record without its body, as a journal in files counts it.
const RECORD_BYTES: u64 = 32;

const NOT_NEXT: &str = "does not follow the message before it";

/// A head, with the groups after it.
#[derive(Debug)]
pub(super) struct Segment {
    /// The sequence number of the head.
    pub(super) sequence: u64,
    pub(super) head: JournalHead,
    pub(super) generation: u64,
    /// The first batch.
    pub(super) first: u64,
    /// Size of the records in bytes.
    pub(super) n_bytes: u64,
    /// In order.
    pub(super) groups: Vec<StoredGroup>,
}

/// Records that were appended together.
#[derive(Clone, Copy, Debug)]
pub(super) struct StoredGroup {
    /// The sequence number of the first part.
    pub(super) sequence: u64,
    pub(super) n_parts: u32,
    /// The first batch.
    pub(super) first: u64,
    pub(super) n_records: u64,
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
    /// The joined parts.
    bytes: Vec<u8>,
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

    /// Adds the next message. The error is the problem of the message.
    pub(super) fn accept(&mut self, sequence: u64, bytes: &[u8]) -> Result<(), &'static str> {
        let message = message::decode(sequence, bytes)?;
        let (generation, first) = (message.generation, message.first);
        match message.content {
            Content::Head(head) => self.accept_head(sequence, generation, first, head),
            Content::Part {
                part,
                n_parts,
                bytes,
            } => {
                let new = || OpenGroup::new(sequence, generation, first, n_parts);
                let mut group = self.open.take().unwrap_or_else(new);
                let is_next = self
                    .segments
                    .last()
                    .is_some_and(|segment| segment.generation == generation && self.next == first);
                if !is_next {
                    return Err(NOT_NEXT);
                }
                if group.add(generation, first, part, n_parts, bytes)? {
                    let records = group.records()?;
                    self.add_group(group.stored(records.len()), &records);
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
        head: JournalHead,
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

    /// Adds a head. It replaces a segment without groups.
    pub(super) fn begin_segment(&mut self, sequence: u64, generation: u64, head: JournalHead) {
        self.segments.pop_if(|segment| segment.groups.is_empty());
        self.segments.push(Segment {
            sequence,
            head,
            generation,
            first: self.next,
            n_bytes: 0,
            groups: Vec::new(),
        });
    }

    /// Adds a group to the last segment.
    pub(super) fn add_group(&mut self, group: StoredGroup, records: &[JournalRecord]) {
        let segment = self.segments.last_mut();
        let segment = segment.expect("a group follows a head");
        for record in records {
            segment.n_bytes += RECORD_BYTES + record.body.len() as u64;
        }
        segment.groups.push(group);
        self.next += group.n_records;
    }

    /// Returns the number of segments, from the first on, that contain only batches below `before`.
    pub(super) fn n_below(&self, before: u64) -> usize {
        let pairs = self.segments.windows(2);
        pairs.take_while(|pair| pair[1].first <= before).count()
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
        part: u32,
        n_parts: u32,
        bytes: &[u8],
    ) -> Result<bool, &'static str> {
        let is_next = (self.generation, self.first) == (generation, first)
            && (self.n_read, self.n_parts) == (part, n_parts);
        if !is_next {
            return Err(NOT_NEXT);
        }
        self.bytes.extend_from_slice(bytes);
        self.n_read += 1;
        Ok(self.n_read == self.n_parts)
    }

    /// Adds the message with this sequence number, which must be the next part.
    pub(super) fn accept(&mut self, sequence: u64, bytes: &[u8]) -> Result<bool, &'static str> {
        let message = message::decode(sequence, bytes)?;
        let Content::Part {
            part,
            n_parts,
            bytes,
        } = message.content
        else {
            return Err(NOT_NEXT);
        };
        self.add(message.generation, message.first, part, n_parts, bytes)
    }

    /// Returns the records of a group whose parts were all added.
    pub(super) fn records(&self) -> Result<Vec<JournalRecord>, &'static str> {
        let records = message::decode_group(&self.bytes).unwrap_or_default();
        let is_consecutive = (self.first..)
            .zip(&records)
            .all(|(batch, record)| batch == record.batch);
        if records.is_empty() || !is_consecutive {
            return Err("is damaged: it has no consecutive batches");
        }
        Ok(records)
    }

    fn stored(&self, n_records: usize) -> StoredGroup {
        StoredGroup {
            sequence: self.sequence,
            n_parts: self.n_parts,
            first: self.first,
            n_records: n_records as u64,
        }
    }
}
