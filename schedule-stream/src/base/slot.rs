//! A parameter to insert or remove a record.

/// The place of a record: a handler parameter with `#[key(…)]` that can insert or remove the record.
#[derive(Debug)]
pub struct Slot<'h, T>(&'h mut Option<T>);

impl<'h, T> Slot<'h, T> {
    /// Creates a slot, for a test that calls a handler.
    pub fn new(place: &'h mut Option<T>) -> Self {
        Self(place)
    }

    /// Returns whether the record is missing.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the record, if it exists.
    pub fn get(&self) -> Option<&T> {
        self.0.as_ref()
    }

    /// Returns the record mutably, if it exists.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.0.as_mut()
    }

    /// Inserts a record, and returns the previous one.
    pub fn insert(&mut self, record: T) -> Option<T> {
        self.0.replace(record)
    }

    /// Returns the record, and inserts a new one before that if it is missing.
    pub fn get_or_insert_with(&mut self, new: impl FnOnce() -> T) -> &mut T {
        self.0.get_or_insert_with(new)
    }

    /// Removes the record, and returns it.
    pub fn remove(&mut self) -> Option<T> {
        self.0.take()
    }
}
