//! The schemas that were traced, by type.

use core::any::TypeId;
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use super::super::Snapshot;
use super::Schema;

/// The schema of a type, with its bytes.
#[derive(Debug)]
pub(in super::super) struct CachedSchema {
    pub(in super::super) schema: Schema,
    pub(in super::super) bytes: Vec<u8>,
}

/// The schemas of the types that were saved or restored. A program has a finite number of types, so they are never freed.
static SCHEMAS: RwLock<Option<HashMap<TypeId, &'static CachedSchema>>> = RwLock::new(None);

/// Returns the schema of a type, with its name and version.
pub(in super::super) fn cached<T: Snapshot>() -> &'static CachedSchema {
    let id = typeid::of::<T>();
    let found = SCHEMAS.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(&schema) = found.as_ref().and_then(|schemas| schemas.get(&id)) {
        return schema;
    }
    drop(found);
    // Not under the lock: the schema of a container needs those of its parts.
    let schema = T::schema().versioned(T::NAME, T::VERSION);
    let bytes = schema.to_bytes();
    let traced = CachedSchema { schema, bytes };
    let mut schemas = SCHEMAS.write().unwrap_or_else(PoisonError::into_inner);
    let schemas = schemas.get_or_insert_default();
    schemas
        .entry(id)
        .or_insert_with(|| Box::leak(Box::new(traced)))
}
