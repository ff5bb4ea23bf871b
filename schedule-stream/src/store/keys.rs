//! Keys of records: the types that can be keys, and the indices that find a record by its key.

pub use crate::base::index::{Dense, Hashed, Id, Index};
pub use crate::base::key::{AsKey, Key};
pub use crate::store::argument::{Keyed, KeyedSet, Unkeyed};
pub use crate::store::insert_error::IdTooLarge;
