//! Ready-made conditions: systems of the library, and closures that capture values.

use schedule_macros::system;

use super::{Condition, LeafSystem, Own};
use crate::base::user_value::UserValue;
use crate::data::param::{Local, ResourceChanges};
use crate::data::resource::Resource;
use crate::systems::system::ClosureSystem;
use core::panic::Location;
use std::sync::Arc;

impl Condition {
    /// True only at its first evaluation.
    ///
    /// ```
    /// use schedule::{Condition, prelude::*};
    ///
    /// #[derive(Resource)]
    /// struct Health(i32);
    ///
    /// #[system]
    /// fn heal(health: &mut Health) {
    ///     health.0 += 1;
    /// }
    ///
    /// let mut frame = Schedule::builder().add::<heal>().run_if(Condition::once()).build()?;
    /// let mut resources = Resources::new();
    /// resources.insert(Health(1));
    /// for _ in 0..3 {
    ///     frame.run(&mut resources)?;
    /// }
    /// assert_eq!(resources.get::<Health>().unwrap().0, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn once() -> Self {
        Self::closure("once", |was_asked: Local<bool>| is_first(was_asked))
    }

    /// True at every n-th evaluation: the n-th, the 2n-th, and so on.
    ///
    /// # Panics
    ///
    /// Panics if n is 0.
    #[track_caller]
    pub fn every(n: u64) -> Self {
        assert!(n > 0, "the period must be at least 1");
        Self::closure(format!("every {n}"), move |n_asked: Local<u64>| {
            is_nth(n_asked, n)
        })
    }

    /// True if a resource of this type exists. A system that this condition guards can take `&T`: the resource is not
    /// reported as missing if the condition is false.
    ///
    /// ```
    /// use schedule::{Condition, prelude::*};
    ///
    /// #[derive(Resource)]
    /// struct Screen(u32);
    ///
    /// #[system]
    /// fn draw(screen: &mut Screen) {
    ///     screen.0 += 1;
    /// }
    ///
    /// let mut frame = Schedule::builder()
    ///     .add::<draw>()
    ///     .run_if(Condition::exists::<Screen>())
    ///     .build()?;
    /// let mut resources = Resources::new();
    /// frame.run(&mut resources)?;
    /// resources.insert(Screen(0));
    /// frame.run(&mut resources)?;
    /// assert_eq!(resources.get::<Screen>().unwrap().0, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn exists<T: Resource>() -> Self {
        Self::of::<exists<T>>()
    }

    /// True if the resource of this type equals the value.
    ///
    /// ```
    /// use schedule::{Condition, prelude::*};
    ///
    /// #[derive(Resource, PartialEq)]
    /// struct Health(i32);
    ///
    /// #[system]
    /// fn revive(health: &mut Health) {
    ///     health.0 = 10;
    /// }
    ///
    /// let mut frame = Schedule::builder()
    ///     .add::<revive>()
    ///     .run_if(Condition::equals(Health(0)))
    ///     .build()?;
    /// let mut resources = Resources::new();
    /// resources.insert(Health(3));
    /// frame.run(&mut resources)?;
    /// assert_eq!(resources.get::<Health>().unwrap().0, 3);
    /// resources.insert(Health(0));
    /// frame.run(&mut resources)?;
    /// assert_eq!(resources.get::<Health>().unwrap().0, 10);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn equals<T: Resource + PartialEq>(value: T) -> Self {
        let value = Arc::new(value);
        Self::closure(format!("{} equals", T::NAME), move |resource: &T| {
            *resource == *value
        })
    }

    /// True if the resource of this type has changed since a system that the condition guards last started. See
    /// [`changed`](crate::condition::changed).
    ///
    /// ```
    /// use schedule::{Condition, prelude::*};
    ///
    /// #[derive(Resource)]
    /// struct Map(u32);
    ///
    /// #[derive(Resource)]
    /// struct Redraws(u32);
    ///
    /// #[system]
    /// fn redraw(redraws: &mut Redraws) {
    ///     redraws.0 += 1;
    /// }
    ///
    /// let mut frame = Schedule::builder()
    ///     .add::<redraw>()
    ///     .run_if(Condition::changed::<Map>())
    ///     .build()?;
    /// let mut resources = Resources::new();
    /// resources.insert(Map(1));
    /// resources.insert(Redraws(0));
    /// frame.run(&mut resources)?;
    /// frame.run(&mut resources)?;
    /// resources.get_mut::<Map>().unwrap().0 = 2;
    /// frame.run(&mut resources)?;
    /// assert_eq!(resources.get::<Redraws>().unwrap().0, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn changed<T: Resource>() -> Self {
        Self::of::<changed<T>>()
    }

    /// True if the resource of this type was inserted since a system that the condition guards last started. See
    /// [`added`](crate::condition::added). [`Condition::added`] is a condition that a program has added.
    #[track_caller]
    pub fn resource_added<T: Resource>() -> Self {
        Self::of::<added<T>>()
    }

    /// True if the resource of this type was removed since a system that the condition guards last started. See
    /// [`removed`](crate::condition::removed).
    #[track_caller]
    pub fn removed<T: Resource>() -> Self {
        Self::of::<removed<T>>()
    }

    /// True if the closure returns `true`. The types of all its parameters must be written out.
    ///
    /// The captured values are cloned for each level that uses the condition.
    #[track_caller]
    pub fn closure<M, C: ClosureSystem<M> + Clone + Sync>(
        name: impl Into<String>,
        closure: C,
    ) -> Self {
        const { C::DISTINCT }
        let own = Own {
            name: name.into(),
            location: Location::caller(),
            instantiate: UserValue::new(Box::new(move || closure.clone().into_instance())),
        };
        Self::leaf(LeafSystem::Own(Arc::new(own)), true)
    }
}

/// True only at its first evaluation, for attributes and for `schedule!`. All guards of a level that name it share one
/// answer. See also [`Condition::once`].
///
/// ```
/// use schedule::prelude::*;
/// use schedule::condition::once;
///
/// #[derive(Resource)]
/// struct Health(i32);
///
/// #[system(if = once)]
/// fn heal(health: &mut Health) {
///     health.0 += 1;
/// }
///
/// schedule! {
///     Frame { heal }
/// }
///
/// # let mut resources = Resources::new();
/// # resources.insert(Health(1));
/// let mut frame = Frame::new();
/// frame.run(&mut resources)?;
/// frame.run(&mut resources)?;
/// assert_eq!(resources.get::<Health>().unwrap().0, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[system(crate = crate)]
pub fn once(was_asked: Local<bool>) -> bool {
    is_first(was_asked)
}

/// True at every N-th evaluation: the N-th, the 2N-th, and so on. All guards of a level that name it share one answer.
/// See also [`Condition::every`].
#[system(crate = crate)]
pub fn every<const N: u64>(n_asked: Local<u64>) -> bool {
    const { assert!(N > 0, "the period must be at least 1") };
    is_nth(n_asked, N)
}

fn is_first(mut was_asked: Local<bool>) -> bool {
    !core::mem::replace(&mut *was_asked, true)
}

fn is_nth(mut n_asked: Local<u64>, n: u64) -> bool {
    *n_asked = (*n_asked + 1) % n;
    *n_asked == 0
}

/// True if a resource of this type exists. A system that this condition guards can take `&T`: the resource is not
/// reported as missing if the condition is false.
///
/// ```
/// use schedule::prelude::*;
/// use schedule::condition::exists;
///
/// #[derive(Resource)]
/// struct Screen(u32);
///
/// #[system(if = exists<Screen>)]
/// fn draw(screen: &mut Screen) {
///     screen.0 += 1;
/// }
///
/// schedule! {
///     Frame { draw }
/// }
///
/// // The screen is optional: a run without it does not fail.
/// Frame::new().run(&mut Resources::new())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[system(crate = crate, proves = T)]
pub fn exists<T: Resource>(resource: Option<&T>) -> bool {
    resource.is_some()
}

/// True if the resource has changed since a node that this condition guards last started, and exists. See also [`Condition::changed`].
///
/// The resource has changed if it was inserted, if a system with `&mut T` has run, if one with [`Mut<T>`](crate::param::Mut) has written
/// through it, or if it was written by a [`Fold`](crate::param::Fold), by a command, by another schedule, or by the program between two
/// runs. Systems that were skipped change nothing. At first, everything counts as changed.
///
/// All guards of a level that name it share one memory, which belongs to the node of the condition. The condition stays true until a
/// system, a loop or a sync point starts that it guards, directly or through a group or a plugin. So nothing is lost if another condition
/// of the system is false.
///
/// The condition reads the resource, so the systems that write the resource need an order against it, as in the example. A system that this
/// condition guards can take `&T`: the resource is not reported as missing if the condition is false.
///
/// ```
/// use schedule::condition::changed;
/// use schedule::prelude::*;
///
/// #[derive(Resource, PartialEq)]
/// struct Map(u32);
///
/// #[derive(Resource)]
/// struct Paths(u32);
///
/// #[system(before = changed<Map>)]
/// fn dig(mut map: Mut<Map>) {
///     map.set_if_neq(Map(7));
/// }
///
/// #[system(if = changed<Map>)]
/// fn find_paths(map: &Map, paths: &mut Paths) {
///     paths.0 += map.0;
/// }
///
/// schedule! {
///     Frame { dig, find_paths }
/// }
///
/// let mut resources = Resources::new();
/// resources.insert(Map(0));
/// resources.insert(Paths(0));
/// let mut frame = Frame::new();
/// for _ in 0..3 {
///     frame.run(&mut resources)?;
/// }
/// assert_eq!(resources.get::<Paths>().unwrap().0, 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[system(crate = crate, proves = T)]
pub fn changed<T: Resource>(changes: ResourceChanges<T>) -> bool {
    changes.is_changed()
}

/// True if the resource was inserted since a node that this condition guards last started, and exists. See also
/// [`Condition::resource_added`].
///
/// A value that replaces another one is a change, but not an insertion. At first, a resource that exists counts as inserted. The memory of
/// the condition is that of [`changed`].
#[system(crate = crate, proves = T)]
pub fn added<T: Resource>(changes: ResourceChanges<T>) -> bool {
    changes.is_added()
}

/// True if the resource was removed since a node that this condition guards last started, also if it was inserted again. See also
/// [`Condition::removed`].
///
/// At first, nothing counts as removed. The resource can be missing. The memory of the condition is that of [`changed`].
///
/// ```
/// use schedule::condition::removed;
/// use schedule::prelude::*;
///
/// #[derive(Resource)]
/// struct Screen;
///
/// #[derive(Resource)]
/// struct Log(Vec<&'static str>);
///
/// #[system(if = removed<Screen>)]
/// fn note(log: &mut Log) {
///     log.0.push("no screen");
/// }
///
/// schedule! {
///     Frame { note }
/// }
///
/// let mut resources = Resources::new();
/// resources.insert(Screen);
/// resources.insert(Log(Vec::new()));
/// let mut frame = Frame::new();
/// frame.run(&mut resources)?;
/// resources.remove::<Screen>();
/// frame.run(&mut resources)?;
/// frame.run(&mut resources)?;
/// assert_eq!(resources.get::<Log>().unwrap().0, ["no screen"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[system(crate = crate)]
pub fn removed<T: Resource>(changes: ResourceChanges<T>) -> bool {
    changes.is_removed()
}
