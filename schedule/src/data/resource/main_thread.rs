//! Values that stay on the thread that inserted them.

use core::any::{Any, TypeId};
use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::ptr::NonNull;
use std::thread::ThreadId;

use fragile::Sticky;

use super::Resources;
use crate::base::identity::Identity;
use crate::base::panics::{drop_caught, drop_part};

/// The main-thread values of [`Resources`], as seen from the calling thread.
///
/// A value belongs to the thread that inserted it. Other threads cannot access it. It is dropped on its own thread, at
/// the latest when that thread ends, even if the `Resources` are dropped on another thread.
///
/// If the `Drop` of a value panics when its thread ends, the panic is discarded. Rust aborts the process if a panic
/// leaves the destructor of a thread-local value. If the `Resources` are dropped on the thread of the value, the panic
/// continues.
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
    /// Makes this type not `Send`: it is only valid on the thread that created it.
    thread: PhantomData<*const ()>,
}

impl<'r> MainThread<'r> {
    pub(super) fn new(resources: &'r mut Resources) -> Self {
        Self {
            resources,
            thread: PhantomData,
        }
    }

    /// Inserts a value, and returns the value of this thread that it replaces.
    pub fn insert<T: Identity + 'static>(&mut self, value: T) -> Option<T> {
        let old = self.remove();
        self.resources.count_change();
        self.resources
            .main_thread
            .insert(TypeId::of::<T>(), MainThreadCell::new(value));
        old
    }

    /// Removes the value and returns it, if it belongs to this thread.
    pub fn remove<T: Identity + 'static>(&mut self) -> Option<T> {
        if !self.contains::<T>() {
            return None;
        }
        self.resources.count_change();
        let cell = self.resources.main_thread.remove(&TypeId::of::<T>())?;
        cell.into_inner()
    }

    /// Calls `use_value` with the value, if it belongs to this thread.
    ///
    /// The value is passed to a closure instead of being returned as a reference, because a reference could outlive the
    /// thread.
    pub fn with<T: Identity + 'static, R>(
        &mut self,
        use_value: impl FnOnce(&mut T) -> R,
    ) -> Option<R> {
        let cell = self.resources.main_thread.get_mut(&TypeId::of::<T>())?;
        cell.with(use_value)
    }

    /// Whether a value of this type exists and belongs to this thread.
    pub fn contains<T: Identity + 'static>(&self) -> bool {
        self.resources
            .main_thread
            .get(&TypeId::of::<T>())
            .is_some_and(MainThreadCell::is_on_this_thread)
    }
}

/// A value and its thread.
pub(crate) struct MainThreadCell {
    /// A handle to the value, which is in the storage of its thread.
    value: Box<dyn Pinned>,
    thread: ThreadId,
}

/// A value in the storage of its thread. It is taken out before it is dropped, unless its thread ends.
///
/// In a box, because a value can be as large as a schedule, and can contain another one. Each move would need stack at each level.
struct Stored<T>(Option<Box<UnsafeCell<T>>>);

impl<T> Drop for Stored<T> {
    fn drop(&mut self) {
        drop_caught(self.0.take());
    }
}

/// A handle to a value of any type in the storage of its thread.
trait Pinned: Any + Send + Sync {
    /// Drops the value, if it belongs to this thread.
    fn drop_value(&mut self);

    /// Returns the address of the value, if it belongs to this thread.
    fn address(&self) -> Option<NonNull<()>>;
}

impl<T: 'static> Pinned for Sticky<Stored<T>> {
    fn drop_value(&mut self) {
        if let Ok(value) = self.try_with_mut(|stored| stored.0.take()) {
            drop_part(value);
        }
    }

    fn address(&self) -> Option<NonNull<()>> {
        let pointer = self.try_with(|stored| stored.0.as_ref().map(|value| value.get()));
        NonNull::new(pointer.ok()??.cast())
    }
}

impl Drop for MainThreadCell {
    fn drop(&mut self) {
        self.value.drop_value();
    }
}

impl MainThreadCell {
    fn new<T: 'static>(value: T) -> Self {
        Self {
            value: Box::new(Sticky::new(Stored(Some(Box::new(UnsafeCell::new(value)))))),
            thread: std::thread::current().id(),
        }
    }

    pub(crate) fn is_on_this_thread(&self) -> bool {
        self.thread == std::thread::current().id()
    }

    /// Returns the address of the value, if it belongs to this thread. The address is valid on this thread until the
    /// cell is dropped or the thread ends.
    pub(crate) fn address(&self) -> Option<NonNull<()>> {
        self.value.address()
    }

    fn with<T: 'static, R>(&mut self, use_value: impl FnOnce(&mut T) -> R) -> Option<R> {
        let value: &mut dyn Any = &mut *self.value;
        let value: &mut Sticky<Stored<T>> = value.downcast_mut()?;
        let call =
            |stored: &mut Stored<T>| stored.0.as_mut().map(|value| use_value(value.get_mut()));
        value.try_with_mut(call).ok()?
    }

    fn into_inner<T: 'static>(mut self) -> Option<T> {
        let value: &mut dyn Any = &mut *self.value;
        let value: &mut Sticky<Stored<T>> = value.downcast_mut()?;
        let value = value.try_with_mut(|stored| stored.0.take()).ok()?;
        value.map(|value| value.into_inner())
    }
}
