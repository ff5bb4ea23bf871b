//! Keys of records: the types that can be keys, and the indices that find a record by its key.

pub use crate::argument::{Keyed, KeyedSet, Unkeyed};
pub use crate::index::{Dense, Hashed, Id, Index};
pub use crate::insert_error::IdTooLarge;
pub use crate::key::{AsKey, Key};
