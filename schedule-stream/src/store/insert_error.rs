//! The error of an insertion.

use core::fmt;

use crate::store::record::Record;
use schedule::identity::Name;

/// A record cannot be inserted, since its id is above [`Record::MAX_ID`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IdTooLarge {
    /// The id.
    pub id: u32,
    /// The maximum of the type of the record.
    pub max_id: u32,
    /// The type of the record.
    pub of: Name,
}

impl IdTooLarge {
    #[cold]
    pub(crate) fn new<T: Record>(id: u32) -> Self {
        Self {
            id,
            max_id: T::MAX_ID,
            of: T::NAME,
        }
    }
}

impl fmt::Display for IdTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, max_id, of } = self;
        write!(
            f,
            "id {id} is above {max_id}, the maximum id of `{of}`: raise it with `max_id`, or use `key` instead of `id`"
        )
    }
}

impl std::error::Error for IdTooLarge {}
