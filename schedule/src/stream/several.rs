//! Entities that only the event knows, by key.

use smallvec::SmallVec;

use super::entity::Entity;
use super::key::AsKey;

/// As many as need no memory of their own.
const FEW: usize = 8;

/// Those of the entities that an event names which there are, each once, to read.
#[derive(Debug)]
pub struct Several<'h, T: Entity>(SmallVec<[(&'h T::Key, &'h T); FEW]>);

impl<'h, T: Entity> Several<'h, T> {
    pub(super) fn new(entities: SmallVec<[(&'h T::Key, &'h T); FEW]>) -> Self {
        Self(entities)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The entity of this key. O(entities).
    pub fn get(&self, key: impl AsKey<T::Key>) -> Option<&'h T> {
        let mut all = self.0.iter();
        Some(all.find(|(of, _)| *of == key.as_key())?.1)
    }

    /// All of them, in the order in which they were named first.
    pub fn iter(&self) -> impl Iterator<Item = (&'h T::Key, &'h T)> {
        self.0.iter().copied()
    }
}

impl<'h, T: Entity> FromIterator<(&'h T::Key, &'h T)> for Several<'h, T> {
    /// For a test that calls a handler.
    fn from_iter<I: IntoIterator<Item = (&'h T::Key, &'h T)>>(entities: I) -> Self {
        Self(entities.into_iter().collect())
    }
}

/// Those of the entities that an event names which there are, each once, to write.
#[derive(Debug)]
pub struct SeveralMut<'h, T: Entity>(SmallVec<[(&'h T::Key, &'h mut T); FEW]>);

impl<'h, T: Entity> SeveralMut<'h, T> {
    pub(super) fn new(entities: SmallVec<[(&'h T::Key, &'h mut T); FEW]>) -> Self {
        Self(entities)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The entity of this key. O(entities).
    pub fn get(&self, key: impl AsKey<T::Key>) -> Option<&T> {
        let mut all = self.0.iter();
        Some(&*all.find(|(of, _)| *of == key.as_key())?.1)
    }

    /// The entity of this key, to be changed. O(entities).
    pub fn get_mut(&mut self, key: impl AsKey<T::Key>) -> Option<&mut T> {
        let mut all = self.0.iter_mut();
        Some(&mut *all.find(|(of, _)| *of == key.as_key())?.1)
    }

    /// The entities of two keys, if both are there and the keys differ. O(entities).
    pub fn get_two_mut(
        &mut self,
        one: impl AsKey<T::Key>,
        other: impl AsKey<T::Key>,
    ) -> Option<(&mut T, &mut T)> {
        let place = |key: &T::Key| self.0.iter().position(|(of, _)| *of == key);
        let places = [place(one.as_key())?, place(other.as_key())?];
        let [one, other] = self.0.get_disjoint_mut(places).ok()?;
        Some((&mut *one.1, &mut *other.1))
    }

    /// All of them, in the order in which they were named first.
    pub fn iter(&self) -> impl Iterator<Item = (&'h T::Key, &T)> {
        self.0.iter().map(|(key, entity)| (*key, &**entity))
    }

    /// The same, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&'h T::Key, &mut T)> {
        self.0.iter_mut().map(|(key, entity)| (*key, &mut **entity))
    }
}

impl<'h, T: Entity> FromIterator<(&'h T::Key, &'h mut T)> for SeveralMut<'h, T> {
    /// For a test that calls a handler.
    fn from_iter<I: IntoIterator<Item = (&'h T::Key, &'h mut T)>>(entities: I) -> Self {
        Self(entities.into_iter().collect())
    }
}
