//! Reads values from bytes.

use core::cmp::Ordering;
use core::fmt::Display;

use serde::Deserialize;

use super::{Snapshot, SnapshotError};

/// Reads values in the order in which an [`Encoder`](super::Encoder) has written them.
#[derive(Clone, Debug)]
pub struct Decoder<'b> {
    bytes: &'b [u8],
    /// The number of bytes that were read.
    position: usize,
    /// The name of the type that is being restored, for errors.
    name: Option<&'static str>,
}

impl<'b> Decoder<'b> {
    /// Creates a decoder for these bytes.
    pub fn new(bytes: &'b [u8]) -> Self {
        Self {
            bytes,
            position: 0,
            name: None,
        }
    }

    /// Creates a decoder for a value of the type with this name.
    pub(super) fn named(bytes: &'b [u8], name: &'static str) -> Self {
        Self {
            bytes,
            position: 0,
            name: Some(name),
        }
    }

    /// Reads a value by its `serde` implementation.
    ///
    /// # Errors
    ///
    /// Fails if the next bytes are not a value of this type, or if the end is reached.
    #[inline]
    pub fn read<T: Deserialize<'b>>(&mut self) -> Result<T, SnapshotError> {
        match postcard::take_from_bytes(self.rest()) {
            Ok((value, rest)) => {
                self.position = self.bytes.len() - rest.len();
                Ok(value)
            }
            Err(error) => Err(self.postcard_error(error)),
        }
    }

    /// Reads a value of this version by its [`Snapshot`] implementation. If the version is older than that of the program,
    /// the value is migrated.
    ///
    /// # Errors
    ///
    /// Fails if the version is newer than that of the program, or older and without a migration. Otherwise as
    /// [`Snapshot::restore`].
    pub fn restore<T: Snapshot>(&mut self, version: u32) -> Result<T, SnapshotError> {
        self.inside::<T, _>(|from| match from.compare::<T>(version)? {
            Ordering::Equal => T::restore(from),
            _ => T::migrate(version, from),
        })
    }

    /// Replaces a value by one of this version, as [`restore`](Self::restore).
    ///
    /// # Errors
    ///
    /// As [`restore`](Self::restore). Then the value is unchanged.
    pub fn restore_into<T: Snapshot>(
        &mut self,
        version: u32,
        value: &mut T,
    ) -> Result<(), SnapshotError> {
        self.inside::<T, _>(|from| match from.compare::<T>(version)? {
            Ordering::Equal => value.restore_into(from),
            _ => value.migrate_into(version, from),
        })
    }

    /// Checks that all bytes were read.
    ///
    /// # Errors
    ///
    /// Fails if bytes are left. Then the type probably has changed without a new version.
    pub fn finish(self) -> Result<(), SnapshotError> {
        match self.rest().len() {
            0 => Ok(()),
            n => Err(self.error(format_args!("{n} bytes follow the value"))),
        }
    }

    /// Returns the number of bytes that were not read.
    pub fn n_left(&self) -> usize {
        self.rest().len()
    }

    /// Creates an error about the value that is being restored, for implementations of [`Snapshot`].
    #[cold]
    pub fn error(&self, reason: impl Display) -> SnapshotError {
        SnapshotError::Decode {
            name: self.name,
            offset: self.position,
            reason: reason.to_string(),
        }
    }

    /// Creates the error about a version that the type cannot read, for migrations.
    #[cold]
    pub fn unsupported<T: Snapshot>(&self, version: u32) -> SnapshotError {
        SnapshotError::Version {
            name: T::NAME,
            found: version,
            expected: T::VERSION,
        }
    }

    /// Runs a function whose errors concern the type `T`.
    #[inline]
    fn inside<T: Snapshot, R>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<R, SnapshotError>,
    ) -> Result<R, SnapshotError> {
        let outer = self.name.replace(T::NAME);
        let result = read(self);
        self.name = outer;
        result
    }

    /// Compares a version with that of the program. Fails if it is newer, or 0.
    #[inline]
    fn compare<T: Snapshot>(&self, version: u32) -> Result<Ordering, SnapshotError> {
        match version.cmp(&T::VERSION) {
            Ordering::Greater => Err(self.unsupported::<T>(version)),
            Ordering::Less if version == 0 => Err(self.error("version 0 does not exist")),
            order => Ok(order),
        }
    }

    fn rest(&self) -> &'b [u8] {
        &self.bytes[self.position..]
    }

    #[cold]
    fn postcard_error(&self, error: postcard::Error) -> SnapshotError {
        match error {
            postcard::Error::DeserializeUnexpectedEnd => self.error("the bytes end inside a value"),
            error => self.error(error),
        }
    }
}
