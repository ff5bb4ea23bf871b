//! Folds: parameters that combine many values into one resource, in several systems at the same time.
//!
//! Invariant: that of [`fetch`](super::fetch), and that of [`settle`](super::settle) for the joins.
#![expect(unsafe_code, reason = "writes a resource by its address")]

mod blocks;
mod dynamic;

use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};
use std::sync::Arc;

pub use self::blocks::{BlockFolds, BlockPartials};
pub(crate) use self::dynamic::dynamic_fold;
use super::fetch::Address;
use super::settle::TakenFolds;
use super::{Fetch, FetchFrom, Join, Lookup, Param, Seed, Settle};
use crate::base::panics::drop_caught;
use crate::base::user_value::UserValue;
use crate::data::access::{Access, AccessKind, AccessSet, ResourceType};
use crate::data::fold::Accumulators;
use crate::data::resource::Resource;
use crate::data::resource::watched::Watched;

/// A resource that systems can fold into: a sum, a count, a minimum, a histogram, or a list.
///
/// Each [`Partial`](Self::Partial) result is empty at first. A system has one for each execution, and a `for_each` system has several.
/// The partial results are joined into the resource after the systems, and before the first system that reads or writes the resource. See
/// [`Fold`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be folded into",
    label = "does not implement `Foldable`",
    note = "implement `Foldable` for `{Self}`: the type of a partial result, and how one is joined into the resource",
    note = "if a partial result is large, such as a value for each cell of a grid, see also the constant `ACCUMULATORS`"
)]
pub trait Foldable: Resource {
    /// A partial result. The default value is the result without any values: 0 for a sum, an empty list for a list.
    type Partial: Default + Send + 'static;

    /// The number of partial results of a [`for_each`](macro@crate::system) system: one for each block of rows, or with
    /// [`Accumulators::per_thread`] at most one for each thread. The latter is for large partial results, such as a value for each cell of
    /// a grid. It requires a type of the module [`fold`](crate::fold). A system must not depend on what its accumulator holds.
    const ACCUMULATORS: Accumulators<Self::Partial> = Accumulators::per_block();

    /// Joins a partial result into the resource.
    ///
    /// # Panics
    ///
    /// May panic. The system whose partial result was joined then fails.
    fn join(&mut self, partial: Self::Partial);
}

/// Folds values into the resource `R`: a parameter of a system. `P` is always [`R::Partial`](Foldable::Partial).
///
/// The parameter dereferences to a [`Partial`](Foldable::Partial) result, which is empty at first. Systems that fold into
/// the same resource do not conflict, so they need no order and may run at the same time. A fold conflicts with reads and
/// writes of the resource.
///
/// The partial results are joined into the resource in a fixed order, so sums of floating-point numbers and the order of
/// lists do not depend on threads: that of the systems in a serial run, iteration by iteration. In a
/// [`for_each`](macro@crate::system) system, each block of 512 rows of a table has a partial result of its own. They are
/// joined table by table, block by block. If a partial result is large and its join is exact, as for the counts of a grid, set
/// [`Foldable::ACCUMULATORS`]: then each thread has one, and they are joined to one before the join into the resource.
///
/// The resource has its new value before the first system that reads it. The value accumulates from run to run. To start
/// again, let a system that writes the resource run before the folds.
///
/// # Failures
///
/// If a system fails, its partial result of this execution is dropped. If [`Foldable::join`] panics, the system whose partial result was
/// joined fails with [`Cause::JoinPanic`](crate::error::Cause::JoinPanic). Of the systems that depend on it, those that later read or
/// write the resource are skipped. The others are not skipped, since they may have run before the join.
///
/// In a loop that also reads or writes the resource, partial results are joined in each iteration, so the loop fails as well. Otherwise
/// they are joined after the loop.
///
/// ```
/// use schedule::prelude::*;
///
/// #[derive(Resource)]
/// struct Damage(f32);
///
/// impl Foldable for Damage {
///     type Partial = f32;
///
///     fn join(&mut self, partial: f32) {
///         self.0 += partial;
///     }
/// }
///
/// #[system]
/// fn burn(mut damage: Fold<Damage>) {
///     *damage += 2.0;
/// }
///
/// #[system]
/// fn freeze(mut damage: Fold<Damage>) {
///     *damage += 3.0;
///     *damage += 0.5;
/// }
///
/// #[system(after = (burn, freeze))]
/// fn show(damage: &Damage) {
///     assert_eq!(damage.0, 5.5);
/// }
///
/// let mut resources = Resources::new();
/// resources.insert(Damage(0.0));
/// let mut schedule = Schedule::builder().add::<burn>().add::<freeze>().add::<show>().build()?;
/// schedule.run(&mut resources)?;
///
/// // A unit test can pass any variable.
/// let mut partial = 0.0;
/// burn(Fold::new(&mut partial));
/// assert_eq!(partial, 2.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Fold<'r, R, P = <R as Foldable>::Partial>(&'r mut P, PhantomData<fn() -> R>);

impl<'r, R, P> Fold<'r, R, P> {
    /// Folds into a variable, to call a system as a plain function.
    pub fn new(partial: &'r mut P) -> Self {
        Self(partial, PhantomData)
    }
}

impl<R, P> Deref for Fold<'_, R, P> {
    type Target = P;

    fn deref(&self) -> &P {
        self.0
    }
}

impl<R, P> DerefMut for Fold<'_, R, P> {
    fn deref_mut(&mut self) -> &mut P {
        self.0
    }
}

impl<R, P: fmt::Debug> fmt::Debug for Fold<'_, R, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Fold").field(&self.0).finish()
    }
}

/// Partial results that are not joined yet, in the order in which they are joined.
struct PendingFolds<R, P> {
    address: Address<R>,
    /// [`Foldable::join`]. The bound is not on the type, so that the compiler reports a resource that is not foldable once.
    join: fn(&mut R, P),
    partials: Vec<UserValue<P>>,
    /// The versions of the resource, if it is watched.
    watched: Option<Arc<Watched>>,
}

impl<R: 'static, P: Send> TakenFolds for PendingFolds<R, P> {
    fn join(&mut self, join: &mut Join) -> bool {
        if !join.is_into::<R>() {
            return false;
        }
        if self.partials.is_empty() {
            return true;
        }
        // SAFETY: the system ran, so `prepare` stored the address of an `R` for this run. By the invariant of `Join`, no resource was
        // inserted or removed since, and nothing else accesses this one.
        let resource = unsafe { self.address.get_mut() };
        let resource = resource.expect("the system ran, so the resource exists");
        if let Some(watched) = &self.watched {
            watched.note_write();
        }
        for partial in self.partials.drain(..) {
            join.join(partial.into_inner(), |partial| {
                (self.join)(resource, partial)
            });
        }
        true
    }
}

/// The state of `Fold<R>`.
pub struct Partials<R, P> {
    resource: &'static ResourceType,
    pending: PendingFolds<R, P>,
    /// The number of pending partial results of earlier executions, which finished.
    n_kept: usize,
}

impl<R: Foldable> Partials<R, R::Partial> {
    fn new() -> Self {
        Self {
            resource: const { &ResourceType::of::<R>() },
            pending: PendingFolds {
                address: Address::NONE,
                join: R::join,
                partials: Vec::new(),
                watched: None,
            },
            n_kept: 0,
        }
    }
}

impl<R, P> Partials<R, P> {
    /// Begins an execution, whose partial results are added to the list.
    fn begin(&mut self) -> &mut Vec<UserValue<P>> {
        self.n_kept = self.pending.partials.len();
        &mut self.pending.partials
    }
}

impl<R, P: Default> Partials<R, P> {
    /// Begins an execution with an empty partial result, and returns it.
    fn begin_one(&mut self) -> &mut P {
        self.begin().push_mut(UserValue::new(P::default()))
    }
}

// SAFETY: `fetch` accesses only the state itself, which belongs to one node.
unsafe impl<R: 'static, P: Default + Send + 'static> Fetch for Partials<R, P> {
    type Item<'r> = Fold<'r, R, P>;

    fn access(&self, access: &mut AccessSet) {
        access.push(self.resource, AccessKind::Fold, false);
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        lookup.need(self.resource, &mut self.pending.address.0);
    }

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> Fold<'r, R, P> {
        Fold::new(self.begin_one())
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        let partials = &mut self.pending.partials;
        match settle {
            Settle::DropFolds => partials.drain(self.n_kept..).for_each(drop_caught),
            Settle::JoinFolds(join) => _ = self.pending.join(join),
            Settle::TakeFolds(to) if partials.is_empty() => _ = to,
            Settle::TakeFolds(to) => to.push(Box::new(PendingFolds::<R, P> {
                address: Address::new(self.pending.address.0),
                join: self.pending.join,
                partials: core::mem::take(partials),
                watched: self.pending.watched.clone(),
            })),
            Settle::NoteWatched(resources) => {
                self.pending.watched = resources.watched(self.resource.type_id);
                return;
            }
            _ => return,
        }
        self.n_kept = self.pending.partials.len();
    }
}

impl<R, P> fmt::Debug for Partials<R, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Partials({} to join)", self.pending.partials.len())
    }
}

impl<R: Foldable> Param for Fold<'_, R, R::Partial> {
    type State = Partials<R, R::Partial>;
    const SEED: Seed<Self::State> = Seed::new(Access::Fold(ResourceType::of::<R>()), Partials::new);
}
