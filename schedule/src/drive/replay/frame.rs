//! The layout of recordings: see `docs/recording-format.md`. A recording is a head and a sequence of frames.

use std::io::{self, Read, Write};

use crc32fast::Hasher;

use crate::base::snapshot::{Decoder, Encoder};

/// The first bytes. The first one is not ASCII and the last one is a line feed, so that transfers as text are detected.
const MAGIC: [u8; 8] = *b"\x89SCHRUN\n";

/// The number of the format that is written. Format 1 is read, too.
pub(super) const FORMAT: u32 = 2;

/// The length of the head: the magic and the number of the format.
const HEAD_LEN: usize = 12;

/// The bytes of a frame before its content: the kind, the flags, and the length of the content as `u32`, little-endian.
const PREFIX_LEN: usize = 6;

/// The flag of a frame that may be skipped by a reader that does not know its kind.
const OPTIONAL: u8 = 1;

/// The kinds of frames. The numbers are those in recordings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameKind {
    /// The resources that take part. Always the first frame.
    Resources = 1,
    /// The systems of the schedule: before the first run, and after each change of the schedule.
    Systems = 2,
    /// The inputs of a run.
    RunBegins = 3,
    /// The decisions of a run.
    RunEnded = 4,
    /// The number of runs. The last frame.
    End = 5,
}

impl FrameKind {
    fn of(number: u8) -> Option<Self> {
        use FrameKind::{End, Resources, RunBegins, RunEnded, Systems};
        let mut all = [Resources, Systems, RunBegins, RunEnded, End].into_iter();
        all.find(|kind| *kind as u8 == number)
    }
}

/// The checksum of a frame. It includes the checksum of the frame before, so no frame can be missing or exchanged.
fn checksum(previous: u32, prefix: &[u8], content: &[u8]) -> u32 {
    let mut hasher = Hasher::new();
    hasher.update(&previous.to_le_bytes());
    hasher.update(prefix);
    hasher.update(content);
    hasher.finalize()
}

fn head() -> [u8; HEAD_LEN] {
    let mut head = [0; HEAD_LEN];
    head[..MAGIC.len()].copy_from_slice(&MAGIC);
    head[MAGIC.len()..].copy_from_slice(&FORMAT.to_le_bytes());
    head
}

/// Writes frames. Each frame is one call of `write_all`.
pub(super) struct FrameWriter {
    /// The frame that is being written.
    encoder: Encoder,
    /// The checksum of the frame before.
    checksum: u32,
}

impl FrameWriter {
    /// Writes the head.
    ///
    /// # Errors
    ///
    /// If the writer fails.
    pub(super) fn new(to: &mut impl Write) -> io::Result<Self> {
        let head = head();
        to.write_all(&head)?;
        Ok(Self {
            encoder: Encoder::new(),
            checksum: crc32fast::hash(&head),
        })
    }

    /// Begins a frame. Discards one that was not finished.
    pub(super) fn begin(&mut self, kind: FrameKind) -> &mut Encoder {
        self.encoder.clear();
        let frame = self.encoder.buffer();
        // All known kinds are required.
        frame.extend([kind as u8, 0]);
        frame.resize(PREFIX_LEN, 0);
        &mut self.encoder
    }

    /// Writes the frame that was begun.
    ///
    /// # Errors
    ///
    /// If the writer fails, or if the frame has 4 GiB or more.
    pub(super) fn finish(&mut self, to: &mut impl Write) -> io::Result<()> {
        let frame = self.encoder.buffer();
        let len = frame.len() - PREFIX_LEN;
        let len = u32::try_from(len).map_err(|_| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                "the inputs of a run must have less than 4 GiB",
            )
        })?;
        frame[2..PREFIX_LEN].copy_from_slice(&len.to_le_bytes());
        let (prefix, content) = frame.split_at(PREFIX_LEN);
        self.checksum = checksum(self.checksum, prefix, content);
        frame.extend(self.checksum.to_le_bytes());
        to.write_all(frame)
    }
}

/// Reads frames, and checks them.
pub(super) struct FrameReader<R> {
    reader: R,
    format: u32,
    /// Length of the prefix of a frame.
    prefix_len: usize,
    content: Vec<u8>,
    /// The checksum of the frame before.
    checksum: u32,
    /// The number of bytes that were read.
    offset: u64,
}

/// The reason why the next frame cannot be used.
#[derive(Debug)]
pub(super) enum FrameError {
    Read(io::Error),
    /// The bytes do not begin like a recording.
    Foreign,
    /// The recording has this format.
    Format(u32),
    /// The bytes end before the end of the recording.
    Cut,
    Damaged {
        /// The place of the frame, in bytes.
        offset: u64,
        reason: &'static str,
    },
    /// A frame has this kind, which must be known.
    Kind {
        /// The place of the frame, in bytes.
        offset: u64,
        kind: u8,
    },
}

impl<R: Read> FrameReader<R> {
    /// Reads the head.
    pub(super) fn new(mut reader: R) -> Result<Self, FrameError> {
        let mut found = [0; HEAD_LEN];
        let n = fill(&mut reader, &mut found)?;
        let n_magic = n.min(MAGIC.len());
        if found[..n_magic] != MAGIC[..n_magic] {
            return Err(FrameError::Foreign);
        }
        if n < HEAD_LEN {
            return Err(FrameError::Cut);
        }
        let [.., a, b, c, d] = found;
        let format = u32::from_le_bytes([a, b, c, d]);
        let prefix_len = match format {
            // Without flags.
            1 => PREFIX_LEN - 1,
            FORMAT => PREFIX_LEN,
            _ => return Err(FrameError::Format(format)),
        };
        Ok(Self {
            reader,
            format,
            prefix_len,
            content: Vec::new(),
            checksum: crc32fast::hash(&found),
            offset: HEAD_LEN as u64,
        })
    }

    /// Reads the next frame of a known kind.
    pub(super) fn next(&mut self) -> Result<FrameKind, FrameError> {
        loop {
            let offset = self.offset;
            let (kind, is_optional) = self.next_stored()?;
            match FrameKind::of(kind) {
                Some(kind) => return Ok(kind),
                None if is_optional => {}
                None => return Err(FrameError::Kind { offset, kind }),
            }
        }
    }

    /// Reads the next frame. Returns its kind, and whether it may be skipped.
    fn next_stored(&mut self) -> Result<(u8, bool), FrameError> {
        let offset = self.offset;
        let mut prefix = [0; PREFIX_LEN];
        let prefix = &mut prefix[..self.prefix_len];
        if fill(&mut self.reader, prefix)? < prefix.len() {
            return Err(FrameError::Cut);
        }
        let &mut [kind, ref flags @ .., a, b, c, d] = prefix else {
            unreachable!("a prefix has at least five bytes")
        };
        let is_optional = flags.first().is_some_and(|flags| flags & OPTIONAL != 0);
        let len = u32::from_le_bytes([a, b, c, d]);
        self.content.clear();
        // Reserves no memory for a length that is damaged.
        let mut content = self.reader.by_ref().take(len.into());
        let n = content
            .read_to_end(&mut self.content)
            .map_err(FrameError::Read)?;
        let mut found = [0; 4];
        if n < len as usize || fill(&mut self.reader, &mut found)? < found.len() {
            return Err(FrameError::Cut);
        }
        let expected = checksum(self.checksum, prefix, &self.content);
        if u32::from_le_bytes(found) != expected {
            return Err(FrameError::Damaged {
                offset,
                reason: "the checksum does not match the content",
            });
        }
        self.checksum = expected;
        self.offset += (prefix.len() + found.len()) as u64 + u64::from(len);
        Ok((kind, is_optional))
    }

    /// The number of the format.
    pub(super) fn format(&self) -> u32 {
        self.format
    }

    /// The content of the last frame.
    pub(super) fn content(&self) -> Decoder<'_> {
        Decoder::new(&self.content)
    }

    /// The error of a frame whose content is wrong, although its checksum is right.
    pub(super) fn damaged(&self, reason: &'static str) -> FrameError {
        FrameError::Damaged {
            offset: self.offset,
            reason,
        }
    }

    /// Checks that no bytes follow the last frame.
    pub(super) fn end(&mut self) -> Result<(), FrameError> {
        match fill(&mut self.reader, &mut [0])? {
            0 => Ok(()),
            _ => Err(self.damaged("bytes follow the end")),
        }
    }
}

/// Reads until the buffer is full or the bytes end. Returns the number of bytes.
fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> Result<usize, FrameError> {
    let mut n = 0;
    while n < buffer.len() {
        match reader.read(&mut buffer[n..]) {
            Ok(0) => break,
            Ok(more) => n += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(FrameError::Read(error)),
        }
    }
    Ok(n)
}
