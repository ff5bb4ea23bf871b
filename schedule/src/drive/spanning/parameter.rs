//! The parameters that a spanning system can have.

use core::mem;

use super::Cancellation;
use crate::data::param::state::{MutWrite, OptionMutWrite, OptionRead, Read};
use crate::data::param::{Fetch, Local, Mut, Param, Seed};
use crate::data::resource::{Resource, Resources};

/// A resource that a spanning system can take. All types with `Clone` implement it.
///
/// Implement it for a resource that is not `Clone`.
///
/// A store of entities cannot be taken, because other systems may write its components while it is copied:
///
/// ```compile_fail
/// # use schedule::columns::Columns;
/// # use schedule::entity::Component;
/// # use schedule::prelude::*;
/// #[derive(Component, Clone)]
/// struct Position(f32);
///
/// #[derive(Columns)]
/// struct Bird { position: Position }
///
/// #[derive(Resource, Clone)]
/// struct Flock(usize);
///
/// #[system(spanning)]
/// fn plan(birds: &Columns<Bird>, flock: &mut Flock) {
///     flock.0 = birds.len();
/// }
///
/// let _ = Schedule::builder().add::<plan>().build();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be copied for a spanning system",
    label = "cannot be copied",
    note = "a spanning system works on copies of its resources: if `{Self}` is a type of this program, add `#[derive(Clone)]` to it, or implement `HandOver`",
    note = "otherwise write a system that copies the needed values into a resource of this program, and take that resource"
)]
pub trait HandOver: Sized + 'static {
    /// Returns a copy for the function.
    fn copy(&self) -> Self;

    /// Makes an earlier copy the same as [`copy`](Self::copy) returns.
    fn copy_into(&self, copy: &mut Self) {
        *copy = self.copy();
    }

    /// Takes the results of the function. What stays in `results` is used for the next copy.
    fn hand_over(&mut self, results: &mut Self);
}

/// The copy is a clone, and the results are exchanged with the value.
impl<T: Clone + 'static> HandOver for T {
    fn copy(&self) -> Self {
        self.clone()
    }

    fn copy_into(&self, copy: &mut Self) {
        copy.clone_from(self);
    }

    fn hand_over(&mut self, results: &mut Self) {
        mem::swap(self, results);
    }
}

/// A parameter of a spanning system.
///
/// Do not implement it by hand.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a spanning system",
    label = "not a parameter of a spanning system",
    note = "a spanning system takes `&T`, `&mut T`, an `Option` of these, and `Local<T>`; each resource must be `Clone` or implement `HandOver`",
    note = "entities are not copied: write a system that copies the needed components into a resource, and take that resource"
)]
pub trait SpanningParam {
    /// The state of the parameter of the function.
    #[doc(hidden)]
    type Function: Fetch;

    /// The state of the parameter in the start.
    #[doc(hidden)]
    type Copied: Fetch;

    /// The state of the parameter in `results`.
    #[doc(hidden)]
    type Changed: Fetch;

    #[doc(hidden)]
    const FUNCTION: Seed<Self::Function>;

    #[doc(hidden)]
    const COPIED: Seed<Self::Copied>;

    #[doc(hidden)]
    const CHANGED: Seed<Self::Changed>;

    /// Copies the value for the function. A constant instead of a method, because the compiler then underlines the whole type in an error.
    #[doc(hidden)]
    const COPY: fn(from: <Self::Copied as Fetch>::Item<'_>, to: &mut Resources);

    /// Hands the results over.
    #[doc(hidden)]
    const HAND_OVER: fn(to: <Self::Changed as Fetch>::Item<'_>, from: &mut Resources);
}

fn copy<T: Resource + HandOver>(from: &T, to: &mut Resources) {
    const {
        assert!(
            !T::__IS_STORE,
            "a spanning system cannot take a store of entities: write a system that copies the needed components into a resource, and take that resource"
        );
    }
    match to.get_mut::<T>() {
        Some(copy) => from.copy_into(copy),
        None => drop(to.insert(from.copy())),
    }
}

/// The resource has changed only if results appear.
fn hand_over<T: Resource + HandOver>(mut to: Mut<'_, T>, from: &mut Resources) {
    // An optional resource can be missing in the copies.
    if let Some(results) = from.get_mut::<T>() {
        (*to).hand_over(results);
    }
}

impl<T: Resource + HandOver> SpanningParam for &T {
    type Function = <Self as Param>::State;
    type Copied = Read<T>;
    type Changed = ();
    const FUNCTION: Seed<Self::Function> = <Self as Param>::SEED;
    const COPIED: Seed<Read<T>> = <&T as Param>::SEED;
    const CHANGED: Seed<()> = <() as Param>::SEED;
    const COPY: fn(&T, &mut Resources) = copy::<T>;
    const HAND_OVER: fn((), &mut Resources) = |(), _| ();
}

impl<T: Resource + HandOver> SpanningParam for &mut T {
    type Function = <Self as Param>::State;
    type Copied = Read<T>;
    type Changed = MutWrite<T>;
    const FUNCTION: Seed<Self::Function> = <Self as Param>::SEED;
    const COPIED: Seed<Read<T>> = <&T as Param>::SEED;
    const CHANGED: Seed<MutWrite<T>> = <Mut<'_, T> as Param>::SEED;
    const COPY: fn(&T, &mut Resources) = copy::<T>;
    const HAND_OVER: fn(Mut<'_, T>, &mut Resources) = hand_over::<T>;
}

fn copy_optional<T: Resource + HandOver>(from: Option<&T>, to: &mut Resources) {
    match from {
        Some(from) => copy(from, to),
        None => drop(to.remove::<T>()),
    }
}

impl<T: Resource + HandOver> SpanningParam for Option<&T> {
    type Function = <Self as Param>::State;
    type Copied = OptionRead<T>;
    type Changed = ();
    const FUNCTION: Seed<Self::Function> = <Self as Param>::SEED;
    const COPIED: Seed<OptionRead<T>> = <Option<&T> as Param>::SEED;
    const CHANGED: Seed<()> = <() as Param>::SEED;
    const COPY: fn(Option<&T>, &mut Resources) = copy_optional::<T>;
    const HAND_OVER: fn((), &mut Resources) = |(), _| ();
}

/// If the resource is missing when the results appear, they are dropped.
impl<T: Resource + HandOver> SpanningParam for Option<&mut T> {
    type Function = <Self as Param>::State;
    type Copied = OptionRead<T>;
    type Changed = OptionMutWrite<T>;
    const FUNCTION: Seed<Self::Function> = <Self as Param>::SEED;
    const COPIED: Seed<OptionRead<T>> = <Option<&T> as Param>::SEED;
    const CHANGED: Seed<OptionMutWrite<T>> = <Option<Mut<'_, T>> as Param>::SEED;
    const COPY: fn(Option<&T>, &mut Resources) = copy_optional::<T>;
    const HAND_OVER: fn(Option<Mut<'_, T>>, &mut Resources) = |to, from| {
        if let Some(to) = to {
            hand_over(to, from);
        }
    };
}

/// The state stays with the function.
impl<T: Default + Send + 'static> SpanningParam for Local<'_, T> {
    type Function = <Self as Param>::State;
    type Copied = ();
    type Changed = ();
    const FUNCTION: Seed<Self::Function> = <Self as Param>::SEED;
    const COPIED: Seed<()> = <() as Param>::SEED;
    const CHANGED: Seed<()> = <() as Param>::SEED;
    const COPY: fn((), &mut Resources) = |(), _| ();
    const HAND_OVER: fn((), &mut Resources) = |(), _| ();
}

/// It is in the copies only.
impl SpanningParam for &Cancellation {
    type Function = <Self as Param>::State;
    type Copied = ();
    type Changed = ();
    const FUNCTION: Seed<Self::Function> = <Self as Param>::SEED;
    const COPIED: Seed<()> = <() as Param>::SEED;
    const CHANGED: Seed<()> = <() as Param>::SEED;
    const COPY: fn((), &mut Resources) = |(), _| ();
    const HAND_OVER: fn((), &mut Resources) = |(), _| ();
}
