//! The place of a record, which a handler may fill or empty.

/// Where a record is, or may come to be: a handler that takes it with `#[key(…)]` decides.
#[derive(Debug)]
pub struct Slot<'h, T>(&'h mut Option<T>);

impl<'h, T> Slot<'h, T> {
    /// Of this place. For a test that calls a handler.
    pub fn new(place: &'h mut Option<T>) -> Self {
        Self(place)
    }

    /// Whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The record, if there is one.
    pub fn get(&self) -> Option<&T> {
        self.0.as_ref()
    }

    /// The record, to be changed.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.0.as_mut()
    }

    /// Puts a record there, and returns the one that was there before.
    pub fn insert(&mut self, record: T) -> Option<T> {
        self.0.replace(record)
    }

    /// The record; a new one, if there was none.
    pub fn get_or_insert_with(&mut self, new: impl FnOnce() -> T) -> &mut T {
        self.0.get_or_insert_with(new)
    }

    /// Takes the record away.
    pub fn remove(&mut self) -> Option<T> {
        self.0.take()
    }
}
