//! Ready-made conditions: systems of the library, and closures that capture values.

use schedule_macros::system;

use super::{Condition, LeafSystem, Own};
use crate::base::user_value::UserValue;
use crate::data::param::Local;
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
