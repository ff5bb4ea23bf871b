//! Common parts of all data documents: a version, and an error for inconsistent documents.

use core::fmt;

/// The version of the format of a document: version `NUMBER`.
///
/// With the feature `serde` it is written as this number. Reading any other number is an error. The version changes
/// with every incompatible change of the format.
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
                "version {other} of this data cannot be read, only version {NUMBER}; save it again"
            ))),
        }
    }
}

/// An error in inconsistent data: an index without an element, or an order that is not allowed.
///
/// Data that this library creates is consistent. Data that was read from a file or changed by hand may be inconsistent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataError(pub(crate) String);

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for DataError {}

/// Checks that an index is less than `len`.
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
    if index < len {
        Ok(())
    } else {
        Err(DataError(format!(
            "{in_what} refers to {of} {index}, but there are {len}"
        )))
    }
}
