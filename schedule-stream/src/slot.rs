//! The place of an entity, which a handler may fill or empty.

/// Where an entity is, or may come to be: a handler that takes it with `#[key(…)]` decides.
#[derive(Debug)]
pub struct Slot<'h, T>(&'h mut Option<T>);

impl<'h, T> Slot<'h, T> {
    /// Of this place. For a test that calls a handler.
    pub fn new(place: &'h mut Option<T>) -> Self {
        Self(place)
    }

    /// Whether there is no entity.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The entity, if there is one.
    pub fn get(&self) -> Option<&T> {
        self.0.as_ref()
    }

    /// The entity, to be changed.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.0.as_mut()
    }

    /// Puts an entity there, and returns the one that was there before.
    pub fn insert(&mut self, entity: T) -> Option<T> {
        self.0.replace(entity)
    }

    /// The entity; a new one, if there was none.
    pub fn get_or_insert_with(&mut self, new: impl FnOnce() -> T) -> &mut T {
        self.0.get_or_insert_with(new)
    }

    /// Takes the entity away.
    pub fn remove(&mut self) -> Option<T> {
        self.0.take()
    }
}
