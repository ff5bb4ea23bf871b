//! Entities that only the event knows, by key.
//!
//! Invariant: the keys and the entities of a [`Set`] are there for `'h`, each entity once; what its members point to is a `Place<T>` and a
//! `Place<T::Key>`. Nobody else writes them meanwhile; and the entities of a [`SeveralMut`], nobody else uses.
#![expect(unsafe_code, reason = "gives out the entities of a set")]

use core::fmt;
use core::ptr::NonNull;

use super::blocks::Place;
use super::claim::Member;
use super::entity::Entity;
use super::key::AsKey;

/// Where keys and entities are.
enum Set<'h, T: Entity> {
    /// As an event has named them: some may not be there.
    Named(&'h [Member]),
    Given(Vec<(&'h T::Key, NonNull<T>)>),
}

// SAFETY: these are references to what can be shared or, if nobody else uses it, sent.
unsafe impl<T: Entity> Send for Set<'_, T> {}

// SAFETY: the same.
unsafe impl<T: Entity> Sync for Set<'_, T> {}

impl<'h, T: Entity> Set<'h, T> {
    /// No fewer than there are.
    fn most(&self) -> usize {
        match self {
            Self::Named(members) => members.len(),
            Self::Given(all) => all.len(),
        }
    }

    /// The key of a member, and where it is, if it was not named before.
    fn named(member: &Member) -> Option<(&'h T::Key, NonNull<Place<T>>)> {
        let key = member.key.cast::<Place<T::Key>>();
        // SAFETY: it is there, and nobody writes it.
        let key = unsafe { Place::get(key) }.as_ref()?;
        Some((key, member.address?.cast()))
    }

    /// One of them.
    ///
    /// # Safety
    ///
    /// Nobody writes the entity for `'a`.
    unsafe fn get<'a>(&self, nth: usize) -> Option<(&'h T::Key, &'a T)> {
        match self {
            Self::Named(members) => {
                let (key, place) = Self::named(&members[nth])?;
                // SAFETY: said by the caller.
                Some((key, unsafe { Place::get(place) }.as_ref()?))
            }
            Self::Given(all) => {
                let (key, entity) = all[nth];
                // SAFETY: said by the caller.
                Some((key, unsafe { entity.as_ref() }))
            }
        }
    }

    /// The same, to be changed.
    ///
    /// # Safety
    ///
    /// Nobody else uses the entity for `'a`.
    unsafe fn get_mut<'a>(&self, nth: usize) -> Option<(&'h T::Key, &'a mut T)> {
        match self {
            Self::Named(members) => {
                let (key, place) = Self::named(&members[nth])?;
                // SAFETY: said by the caller.
                Some((key, unsafe { Place::get_mut(place) }.as_mut()?))
            }
            Self::Given(all) => {
                let (key, mut entity) = all[nth];
                // SAFETY: said by the caller.
                Some((key, unsafe { entity.as_mut() }))
            }
        }
    }
}

/// Those of the entities that an event names which there are, each once, to read.
pub struct Several<'h, T: Entity>(Set<'h, T>);

impl<'h, T: Entity> Several<'h, T> {
    /// # Safety
    ///
    /// These are members of a set of such entities, which are there for `'h`; none is written for that long.
    pub(super) unsafe fn new(members: &'h [Member]) -> Self {
        Self(Set::Named(members))
    }

    /// How many there are. O(entities).
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// The entity of this key. O(entities).
    pub fn get(&self, key: impl AsKey<T::Key>) -> Option<&'h T> {
        let mut all = self.iter();
        Some(all.find(|(of, _)| *of == key.as_key())?.1)
    }

    /// All of them, in the order in which they were named first.
    pub fn iter(&self) -> impl Iterator<Item = (&'h T::Key, &'h T)> {
        let set = &self.0;
        // SAFETY: nobody writes it for `'h`.
        (0..set.most()).filter_map(|nth| unsafe { set.get(nth) })
    }
}

impl<T: Entity + fmt::Debug> fmt::Debug for Several<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<'h, T: Entity> FromIterator<(&'h T::Key, &'h T)> for Several<'h, T> {
    /// For a test that calls a handler.
    fn from_iter<I: IntoIterator<Item = (&'h T::Key, &'h T)>>(entities: I) -> Self {
        let all = entities.into_iter();
        let all = all.map(|(key, entity)| (key, NonNull::from(entity)));
        Self(Set::Given(all.collect()))
    }
}

/// Those of the entities that an event names which there are, each once, to write.
pub struct SeveralMut<'h, T: Entity>(Set<'h, T>);

impl<'h, T: Entity> SeveralMut<'h, T> {
    /// # Safety
    ///
    /// These are members of a set of such entities, each once, which are there for `'h`; nobody else uses one for that long.
    pub(super) unsafe fn new(members: &'h [Member]) -> Self {
        Self(Set::Named(members))
    }

    /// How many there are. O(entities).
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// The entity of this key. O(entities).
    pub fn get(&self, key: impl AsKey<T::Key>) -> Option<&T> {
        let mut all = self.iter();
        Some(all.find(|(of, _)| *of == key.as_key())?.1)
    }

    /// The entity of this key, to be changed. O(entities).
    pub fn get_mut(&mut self, key: impl AsKey<T::Key>) -> Option<&mut T> {
        let mut all = self.iter_mut();
        Some(all.find(|(of, _)| *of == key.as_key())?.1)
    }

    /// The entities of two keys, if both are there and the keys differ. O(entities).
    pub fn get_two_mut(
        &mut self,
        one: impl AsKey<T::Key>,
        other: impl AsKey<T::Key>,
    ) -> Option<(&mut T, &mut T)> {
        let keys = [one.as_key(), other.as_key()];
        let mut found = [None, None];
        for (of, entity) in self.iter_mut() {
            if let Some(nth) = keys.iter().position(|key| *key == of) {
                found[nth] = Some(entity);
            }
        }
        let [one, other] = found;
        one.zip(other)
    }

    /// All of them, in the order in which they were named first.
    pub fn iter(&self) -> impl Iterator<Item = (&'h T::Key, &T)> {
        let set = &self.0;
        // SAFETY: nobody else uses it, and this is borrowed as long as what it gives.
        (0..set.most()).filter_map(|nth| unsafe { set.get(nth) })
    }

    /// The same, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&'h T::Key, &mut T)> {
        let set = &self.0;
        // SAFETY: as in `iter`, exclusively; and each comes once.
        (0..set.most()).filter_map(|nth| unsafe { set.get_mut(nth) })
    }
}

impl<T: Entity + fmt::Debug> fmt::Debug for SeveralMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<'h, T: Entity> FromIterator<(&'h T::Key, &'h mut T)> for SeveralMut<'h, T> {
    /// For a test that calls a handler.
    fn from_iter<I: IntoIterator<Item = (&'h T::Key, &'h mut T)>>(entities: I) -> Self {
        let all = entities.into_iter();
        let all = all.map(|(key, entity)| (key, NonNull::from(entity)));
        Self(Set::Given(all.collect()))
    }
}
