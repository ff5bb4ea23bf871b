//! A map whose keys are types.

use core::any::TypeId;
use core::hash::{BuildHasherDefault, Hasher};
use std::collections::HashMap;

pub(super) type TypeMap<T> = HashMap<TypeId, T, BuildHasherDefault<TypeIdHasher>>;

/// Returns the hash that a `TypeId` is. The hasher of the standard library would take most of the time of a lookup.
#[derive(Default)]
pub(super) struct TypeIdHasher(u64);

impl Hasher for TypeIdHasher {
    /// `TypeId` does not call this today.
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
