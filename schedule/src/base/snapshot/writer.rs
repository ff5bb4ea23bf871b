//! Writes a whole snapshot.

use std::collections::HashSet;

use super::composed_name::MAX_LEN;
use super::schema::cached;
use super::{Encoder, Snapshot, SnapshotError, layout};

/// Writes a snapshot: values, each as a section with the name, the version and the schema of its type.
///
/// ```
/// use schedule::Clock;
/// use schedule::snapshot::{SnapshotReader, SnapshotWriter};
/// use std::time::Duration;
///
/// let mut clock = Clock::new();
/// clock.advance(Duration::from_secs(3));
/// let mut writer = SnapshotWriter::new();
/// writer.section(&clock)?;
/// let bytes = writer.finish();
///
/// let restored: Clock = SnapshotReader::new(&bytes)?.restore()?;
/// assert_eq!(restored.now(), clock.now());
/// # Ok::<(), schedule::snapshot::SnapshotError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SnapshotWriter {
    encoder: Encoder,
    names: HashSet<&'static str>,
}

impl SnapshotWriter {
    /// Creates a writer of a snapshot without sections.
    pub fn new() -> Self {
        Self::with_buffer(Vec::new())
    }

    /// Creates a writer that reuses the memory of a buffer, such as that of an earlier snapshot. The content of the buffer is
    /// removed.
    pub fn with_buffer(buffer: Vec<u8>) -> Self {
        let mut encoder = Encoder::with_buffer(buffer);
        let head = encoder.buffer();
        head.extend(layout::MAGIC);
        head.extend(layout::FORMAT.to_le_bytes());
        // The number of sections and the length: `finish` writes them.
        head.resize(layout::HEAD_LEN, 0);
        Self {
            encoder,
            names: HashSet::new(),
        }
    }

    /// Adds a value.
    ///
    /// # Errors
    ///
    /// Fails if a value of this name was added before, or if the value cannot be saved. Then nothing is added.
    pub fn section<T: Snapshot>(&mut self, value: &T) -> Result<&mut Self, SnapshotError> {
        let name = T::NAME;
        if !(1..=MAX_LEN).contains(&name.len()) {
            let reason = format!("its name must have 1 to {MAX_LEN} bytes");
            return Err(SnapshotError::Encode {
                name: Some(name),
                reason,
            });
        }
        if self.names.contains(name) {
            let name = name.to_owned();
            return Err(SnapshotError::Duplicate { name });
        }
        let buffer = self.encoder.buffer();
        let first = buffer.len();
        buffer.push(name.len() as u8);
        buffer.extend(name.as_bytes());
        buffer.extend(T::VERSION.to_le_bytes());
        let schema = &cached::<T>().bytes;
        buffer.extend((schema.len() as u32).to_le_bytes());
        buffer.extend(schema);
        let len_at = buffer.len();
        // The length of the value, which is known after it was written.
        buffer.extend(0_u64.to_le_bytes());
        let value_at = buffer.len();
        if let Err(error) = self.encoder.save(value) {
            self.encoder.buffer().truncate(first);
            return Err(error);
        }
        let buffer = self.encoder.buffer();
        let len = (buffer.len() - value_at) as u64;
        buffer[len_at..value_at].copy_from_slice(&len.to_le_bytes());
        self.names.insert(name);
        Ok(self)
    }

    /// Returns the bytes of the whole snapshot.
    pub fn finish(self) -> Vec<u8> {
        let mut bytes = self.encoder.into_bytes();
        let n_sections = self.names.len() as u32;
        let len = (bytes.len() + layout::CHECKSUM_LEN) as u64;
        bytes[layout::N_SECTIONS_AT..layout::LEN_AT].copy_from_slice(&n_sections.to_le_bytes());
        bytes[layout::LEN_AT..layout::HEAD_LEN].copy_from_slice(&len.to_le_bytes());
        let checksum = layout::checksum(&bytes);
        bytes.extend(checksum.to_le_bytes());
        bytes
    }
}

impl Default for SnapshotWriter {
    fn default() -> Self {
        Self::new()
    }
}
