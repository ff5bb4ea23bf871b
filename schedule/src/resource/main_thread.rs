//! Values that stay on the thread that inserted them.

use core::any::{Any, TypeId};
use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::ptr::NonNull;
use std::thread::ThreadId;

use fragile::Sticky;

use super::Resources;
use crate::identity::Identity;

/// The main-thread values of [`Resources`], seen from the thread that calls.
///
/// A value belongs to the thread that inserted it: on any other thread it is not there. It is dropped on its own
/// thread, at the latest when that thread ends, even if the `Resources` are dropped on another one.
///
/// ```
/// use schedule::{Identity, prelude::*};
/// use std::rc::Rc;
///
/// #[derive(Identity)]
/// struct Window(Rc<str>);
///
/// let mut resources = Resources::new();
/// resources.main_thread().insert(Window("village".into()));
/// let title = resources.main_thread().with(|window: &mut Window| window.0.to_string());
/// assert_eq!(title.as_deref(), Some("village"));
/// ```
#[derive(Debug)]
pub struct MainThread<'r> {
    resources: &'r mut Resources,
    /// Not `Send`: it speaks of the thread that made it.
    thread: PhantomData<*const ()>,
}

impl<'r> MainThread<'r> {
    pub(super) fn new(resources: &'r mut Resources) -> Self {
        Self {
            resources,
            thread: PhantomData,
        }
    }

    /// Puts a value in, and returns the one of this thread that it replaces.
    pub fn insert<T: Identity + 'static>(&mut self, value: T) -> Option<T> {
        let old = self.remove();
        self.resources.n_changes += 1;
        self.resources
            .main_thread
            .insert(TypeId::of::<T>(), MainThreadCell::new(value));
        old
    }

    /// Takes the value out, if this is its thread.
    pub fn remove<T: Identity + 'static>(&mut self) -> Option<T> {
        if !self.contains::<T>() {
            return None;
        }
        self.resources.n_changes += 1;
        let cell = self.resources.main_thread.remove(&TypeId::of::<T>())?;
        cell.into_inner()
    }

    /// Calls `use_value` with the value, if this is its thread.
    ///
    /// The value is lent to a closure and not returned as a reference, since a reference could outlive the thread.
    pub fn with<T: Identity + 'static, R>(
        &mut self,
        use_value: impl FnOnce(&mut T) -> R,
    ) -> Option<R> {
        let cell = self.resources.main_thread.get_mut(&TypeId::of::<T>())?;
        cell.with(use_value)
    }

    /// Whether there is a value of this type and this is its thread.
    pub fn contains<T: Identity + 'static>(&self) -> bool {
        self.resources
            .main_thread
            .get(&TypeId::of::<T>())
            .is_some_and(MainThreadCell::is_on_this_thread)
    }
}

/// A value and its thread.
pub(crate) struct MainThreadCell {
    /// The value itself lies in storage of its thread.
    value: Box<dyn Pinned>,
    thread: ThreadId,
}

/// A `Sticky` of any type.
trait Pinned: Any + Send + Sync {
    /// Where the value lies, if this is its thread.
    fn address(&self) -> Option<NonNull<()>>;
}

impl<T: 'static> Pinned for Sticky<UnsafeCell<T>> {
    fn address(&self) -> Option<NonNull<()>> {
        let pointer = self.try_with(UnsafeCell::get).ok()?;
        NonNull::new(pointer.cast())
    }
}

impl MainThreadCell {
    fn new<T: 'static>(value: T) -> Self {
        Self {
            value: Box::new(Sticky::new(UnsafeCell::new(value))),
            thread: std::thread::current().id(),
        }
    }

    pub(crate) fn is_on_this_thread(&self) -> bool {
        self.thread == std::thread::current().id()
    }

    /// Where the value lies, if this is its thread. Good on this thread until the cell is dropped, or the
    /// thread ends.
    pub(crate) fn address(&self) -> Option<NonNull<()>> {
        self.value.address()
    }

    fn with<T: 'static, R>(&mut self, use_value: impl FnOnce(&mut T) -> R) -> Option<R> {
        let value: &mut dyn Any = &mut *self.value;
        let value: &mut Sticky<UnsafeCell<T>> = value.downcast_mut()?;
        value.try_with_mut(|value| use_value(value.get_mut())).ok()
    }

    fn into_inner<T: 'static>(self) -> Option<T> {
        let value: Box<dyn Any> = self.value;
        let value: Box<Sticky<UnsafeCell<T>>> = value.downcast().ok()?;
        value.try_into_inner().ok().map(UnsafeCell::into_inner)
    }
}
