//! What all documents of data have in common: a version, and an error for documents that contradict themselves.

use core::fmt;

/// The version of the form of a document: version `NUMBER`.
///
/// With the feature `serde` it is written as that number. Any other number is an error when it is read. The version changes
/// whenever a program that reads the document has to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Version<const NUMBER: u32>;

impl<const NUMBER: u32> Version<NUMBER> {
    /// The number that is written.
    pub const NUMBER: u32 = NUMBER;
}

#[cfg(feature = "serde")]
impl<const NUMBER: u32> serde::Serialize for Version<NUMBER> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(NUMBER)
    }
}

#[cfg(feature = "serde")]
impl<'de, const NUMBER: u32> serde::Deserialize<'de> for Version<NUMBER> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u32::deserialize(deserializer)? {
            number if number == NUMBER => Ok(Self),
            other => Err(serde::de::Error::custom(format_args!(
                "version {other} of this data cannot be read, only version {NUMBER}; write it again"
            ))),
        }
    }
}

/// Data that contradicts itself: an index of something that is missing, or an order that must not occur.
///
/// Data that this library makes never does. Data that was read from a file, or changed by hand, may.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataError(pub(crate) String);

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for DataError {}

/// Checks that an index is that of one of `len` things.
///
/// # Errors
///
/// If it is not.
pub(crate) fn check_index(
    index: usize,
    len: usize,
    of: &str,
    in_what: impl fmt::Display,
) -> Result<(), DataError> {
    match index < len {
        true => Ok(()),
        false => Err(DataError(format!(
            "{in_what} refers to {of} {index}, but there are {len}"
        ))),
    }
}
