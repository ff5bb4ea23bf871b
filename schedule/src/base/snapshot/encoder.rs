//! Writes values as bytes.

use core::fmt::Display;

use serde::Serialize;

use super::{Snapshot, SnapshotError, value_serializer};

/// Writes values one after the other into one buffer.
///
/// ```
/// use schedule::snapshot::{Decoder, Encoder};
///
/// let mut encoder = Encoder::new();
/// encoder.write(&7)?;
/// encoder.write("seven")?;
/// let mut decoder = Decoder::new(encoder.as_bytes());
/// assert_eq!((decoder.read::<i32>()?, decoder.read::<&str>()?), (7, "seven"));
/// decoder.finish()?;
/// # Ok::<(), schedule::snapshot::SnapshotError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Encoder {
    bytes: Vec<u8>,
    /// The name of the type that is being saved, for errors.
    name: Option<&'static str>,
}

impl Encoder {
    /// Creates an encoder with an empty buffer.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an encoder that reuses the memory of a buffer. The content of the buffer is removed.
    pub fn with_buffer(mut buffer: Vec<u8>) -> Self {
        buffer.clear();
        Self {
            bytes: buffer,
            name: None,
        }
    }

    /// Writes a value by its `serde` implementation.
    ///
    /// # Errors
    ///
    /// Fails if the implementation fails, or uses a part of `serde` that needs a format with names, such as `flatten`. Then
    /// nothing is written.
    pub fn write<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SnapshotError> {
        let len = self.bytes.len();
        value_serializer::append(value, &mut self.bytes).map_err(|error| {
            self.bytes.truncate(len);
            self.error(error)
        })
    }

    /// Writes a value by its [`Snapshot`] implementation, without its name and version.
    ///
    /// # Errors
    ///
    /// As [`Snapshot::save`]. Then nothing is written.
    pub fn save<T: Snapshot>(&mut self, value: &T) -> Result<(), SnapshotError> {
        let len = self.bytes.len();
        let outer = self.name.replace(T::NAME);
        let result = value.save(self);
        self.name = outer;
        if result.is_err() {
            self.bytes.truncate(len);
        }
        result
    }

    /// Creates an error about the value that is being saved, for implementations of [`Snapshot`].
    pub fn error(&self, reason: impl Display) -> SnapshotError {
        SnapshotError::Encode {
            name: self.name,
            reason: reason.to_string(),
        }
    }

    /// Returns the bytes that were written.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Removes all but the first `len` bytes. Has no effect if there are fewer.
    pub fn truncate(&mut self, len: usize) {
        self.bytes.truncate(len);
    }

    /// Removes the content, and keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Returns the buffer.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Returns the buffer, to write parts of a container that are not values.
    pub(crate) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }
}
