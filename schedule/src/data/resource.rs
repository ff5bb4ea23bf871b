//! Typed storage for the resources that systems share.

pub(crate) mod cell;
#[cfg(feature = "snapshot")]
pub(crate) mod kept_form;
pub(crate) mod loans;
mod main_thread;
mod type_map;
mod typed_cells;
pub(crate) mod watched;

use core::any::TypeId;
use core::fmt;
use core::ptr::NonNull;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub use self::main_thread::MainThread;

use self::cell::ResourceCell;
#[cfg(feature = "snapshot")]
use self::kept_form::KeptForm;
use self::loans::Loans;
use self::main_thread::MainThreadCell;
use self::type_map::TypeMap;
pub use self::typed_cells::SlotHint;
use self::typed_cells::TypedCells;
use self::watched::{Watched, Watchlist};
use crate::base::identity::Identity;
use crate::base::panics::FirstPanic;
use crate::data::access::{ResourceId, ResourceType};
use crate::data::missed::MissedNotes;

/// A type that systems take as `&T` or `&mut T`. [`Resources`] holds at most one value of each resource type.
///
/// Derive it with `#[derive(Resource)]`. To use a type of another crate, wrap it in a type of your own. With
/// `transparent`, the wrapper dereferences to the field:
///
/// ```
/// use schedule::prelude::*;
///
/// #[derive(Resource)]
/// #[resource(transparent)]
/// struct Started(std::time::Instant);
///
/// let started = Started::from(std::time::Instant::now());
/// assert!(started.elapsed().as_secs() < 60);
/// ```
///
/// # Interior mutability
///
/// **The verification trusts `&T`: a system that takes `&T` counts as a reader, and two readers are never ordered.** If
/// `T` can be changed through `&T`, two systems that change it pass every check. They can then run at the same time and
/// in any order. The result depends on `T`. With a `Mutex` or an atomic, it depends on timing. A type that checks its
/// borrows at run time, such as the `World` of some ECS crates, panics. It is never undefined behaviour, because a
/// resource is `Sync`. The same holds for the records of a stream.
///
/// For a type that changes through `&self`, do one of these:
///
/// - Take `&mut T` in each system that changes it. Such systems conflict with all systems that take `T`, so they need
///   an order.
/// - Wrap it in a type of your own and keep the field private. Give the wrapper `&mut self` methods that write, and
///   `&self` methods that read. The compiler then rejects a write through `&T`. Do not make the wrapper `transparent`.
/// - Split it into several resources, so that systems that use different parts do not conflict.
///
/// ```
/// use std::sync::RwLock;
///
/// use schedule::prelude::*;
///
/// /// Stands for a type of another crate: it is written through `&self`, and panics if it is used elsewhere meanwhile.
/// #[derive(Default)]
/// struct Store(RwLock<Vec<u32>>);
///
/// impl Store {
///     fn push(&self, number: u32) {
///         self.0.try_write().expect("not used elsewhere").push(number);
///     }
///
///     fn sum(&self) -> u32 {
///         self.0.try_read().expect("not written elsewhere").iter().sum()
///     }
/// }
///
/// #[derive(Resource, Default)]
/// struct World {
///     store: Store,
/// }
///
/// impl World {
///     fn push(&mut self, number: u32) {
///         self.store.push(number);
///     }
///
///     fn sum(&self) -> u32 {
///         self.store.sum()
///     }
/// }
///
/// #[system]
/// fn grow(world: &mut World) {
///     world.push(3);
/// }
///
/// #[system]
/// fn double(world: &mut World) {
///     let sum = world.sum();
///     world.push(sum);
/// }
///
/// // With `&World` in both, this would be built, and could panic.
/// assert!(Schedule::builder().add::<grow>().add::<double>().build().is_err());
/// let mut schedule = Schedule::builder()
///     .add::<grow>()
///     .add::<double>()
///     .order("grow", "double")
///     .build()?;
/// let mut resources = Resources::new();
/// resources.insert(World::default());
/// schedule.run(&mut resources)?;
/// assert_eq!(resources.get::<World>().unwrap().sum(), 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a resource",
    label = "not a resource",
    note = "if `{Self}` is a type of this program, add `#[derive(Resource)]` to it; if it is a type parameter, add the bound `{Self}: Resource`",
    note = "otherwise wrap it in a struct of this program: `#[derive(Resource)] #[resource(transparent)] struct Mine(…);`",
    note = "as a parameter, take `Local`, `Commands` and structs with `#[derive(Params)]` by value"
)]
pub trait Resource: Identity + Send + Sync + 'static {
    /// Whether it is a store of entities that counts its loans.
    #[doc(hidden)]
    const __IS_STORE: bool = false;

    /// The loans of such a store: the same field in each call. Only stores of this workspace implement it.
    #[doc(hidden)]
    fn __loans(&self) -> Option<&Loans> {
        None
    }

    /// How a [`SavedProgram`](crate::SavedProgram) keeps the resource, if not by `clone_from`.
    #[cfg(feature = "snapshot")]
    #[doc(hidden)]
    const __KEPT_FORM: Option<KeptForm<Self>> = None;
}

impl ResourceId {
    /// The id of the resource with this type.
    pub fn of<T: Resource>() -> Self {
        Self::of_type(&ResourceType::of::<T>())
    }
}

/// Storage for resources: at most one value of each type or name. It also holds main-thread values.
///
/// ```
/// use schedule::prelude::*;
///
/// #[derive(Resource, Debug, PartialEq)]
/// struct Score(u32);
///
/// let mut resources = Resources::new();
/// assert_eq!(resources.insert(Score(1)), None);
/// assert_eq!(resources.insert(Score(2)), Some(Score(1)));
/// resources.get_mut::<Score>().unwrap().0 += 1;
/// assert_eq!(resources.remove::<Score>(), Some(Score(3)));
/// assert!(!resources.contains::<Score>());
/// ```
pub struct Resources {
    /// Distinguishes two `Resources` values. Addresses from one are not valid in the other.
    id: u64,
    /// Counts inserts and removals. Each of them can invalidate addresses that were looked up before. Also counts resources that become
    /// watched, so that all schedules then find the watched resources that their systems write.
    n_changes: AtomicU64,
    cells: TypedCells,
    named: HashMap<Arc<str>, ResourceCell>,
    main_thread: TypeMap<MainThreadCell>,
    /// The versions of the watched resources, also of those that do not exist.
    watchlist: Watchlist,
    /// The commands without effect of the queue that is applied.
    missed: MissedNotes,
    /// The number of addresses that were looked up.
    #[cfg(test)]
    n_lookups: AtomicU64,
}

impl Resources {
    /// Creates storage without resources.
    pub fn new() -> Self {
        static NEXT_ID: AtomicU64 = AtomicU64::new(0);
        Self {
            // Relaxed: only the number itself must be unique.
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            n_changes: AtomicU64::new(0),
            cells: TypedCells::default(),
            named: HashMap::new(),
            main_thread: TypeMap::default(),
            watchlist: Watchlist::default(),
            missed: MissedNotes::default(),
            #[cfg(test)]
            n_lookups: AtomicU64::new(0),
        }
    }

    /// Returns the number of lookups since the last call, and resets it.
    #[cfg(test)]
    pub(crate) fn take_n_lookups(&mut self) -> u64 {
        core::mem::take(self.n_lookups.get_mut())
    }

    /// Inserts a resource, and returns the value that it replaces.
    pub fn insert<T: Resource>(&mut self, value: T) -> Option<T> {
        if let Some(old) = self.get_mut::<T>() {
            return Some(core::mem::replace(old, value));
        }
        self.count_change();
        let watched = self.watchlist.get_mut(TypeId::of::<T>());
        if let Some(watched) = &watched {
            watched.note_added();
        }
        self.cells.insert(T::NAME, ResourceCell::of(value), watched);
        None
    }

    /// Removes a resource and returns it.
    pub fn remove<T: Resource>(&mut self) -> Option<T> {
        let (cell, watched) = self.cells.remove(TypeId::of::<T>())?;
        self.count_change();
        if let Some(watched) = watched {
            watched.note_removed();
        }
        cell.into_inner()
    }

    /// Returns the resource, if it exists.
    pub fn get<T: Resource>(&self) -> Option<&T> {
        self.cells.get(TypeId::of::<T>())?.get()
    }

    /// Returns the resource mutably, if it exists.
    pub fn get_mut<T: Resource>(&mut self) -> Option<&mut T> {
        self.cells.get_mut(TypeId::of::<T>())?.get_mut()
    }

    /// Like [`get_mut`](Self::get_mut), but does not count as a write.
    pub(crate) fn get_mut_unnoted<T: Resource>(&mut self) -> Option<&mut T> {
        self.cells.get_mut_unnoted(TypeId::of::<T>())?.get_mut()
    }

    /// Like [`get`](Self::get), but without a hash table if the resource is still in the slot of this hint. Updates the hint.
    #[inline]
    pub(crate) fn find<T: Resource>(&self, hint: &SlotHint) -> Option<&T> {
        self.cells.update(TypeId::of::<T>(), hint);
        self.cells.hinted(hint)?.get()
    }

    /// Like [`find`](Self::find), mutable.
    #[inline]
    pub(crate) fn find_mut<T: Resource>(&mut self, hint: &SlotHint) -> Option<&mut T> {
        self.cells.update(TypeId::of::<T>(), hint);
        self.cells.hinted_mut(TypeId::of::<T>(), hint)?.get_mut()
    }

    /// Returns the resource mutably. Inserts the result of `make` first if it is missing.
    pub fn get_or_insert_with<T: Resource>(&mut self, make: impl FnOnce() -> T) -> &mut T {
        if !self.contains::<T>() {
            self.insert(make());
        }
        self.get_mut().expect("inserted above")
    }

    /// Inserts the default value, and returns the value that it replaces.
    pub fn insert_default<T: Resource + Default>(&mut self) -> Option<T> {
        self.insert(T::default())
    }

    /// Whether a resource of this type exists.
    pub fn contains<T: Resource>(&self) -> bool {
        self.cells.contains(TypeId::of::<T>())
    }

    /// Inserts a resource with a name, for systems whose accesses are known only at run time.
    ///
    /// A name holds one value of any type. A value of another type is also replaced, and is then dropped.
    pub fn insert_named<T: Send + Sync + 'static>(
        &mut self,
        name: impl AsRef<str>,
        value: T,
    ) -> Option<T> {
        let name = name.as_ref();
        if let Some(old) = self.get_named_mut::<T>(name) {
            return Some(core::mem::replace(old, value));
        }
        self.count_change();
        self.named.insert(name.into(), ResourceCell::new(value));
        None
    }

    /// Removes the resource with this name and returns it, if it is a `T`. A value of another type stays.
    pub fn remove_named<T: Send + Sync + 'static>(&mut self, name: impl AsRef<str>) -> Option<T> {
        let name = name.as_ref();
        self.get_named::<T>(name)?;
        self.count_change();
        self.named.remove(name)?.into_inner()
    }

    /// Returns the resource with this name, if it is a `T`.
    pub fn get_named<T: Send + Sync + 'static>(&self, name: impl AsRef<str>) -> Option<&T> {
        self.named.get(name.as_ref())?.get()
    }

    /// Returns the resource with this name mutably, if it is a `T`.
    pub fn get_named_mut<T: Send + Sync + 'static>(
        &mut self,
        name: impl AsRef<str>,
    ) -> Option<&mut T> {
        self.named.get_mut(name.as_ref())?.get_mut()
    }

    /// Whether a resource with this name exists.
    pub fn contains_named(&self, name: impl AsRef<str>) -> bool {
        self.named.contains_key(name.as_ref())
    }

    /// Returns the sorted names of all resources. Main-thread values are not included.
    pub fn names(&self) -> impl Iterator<Item = String> {
        let typed = self.cells.names().map(|name| name.to_string());
        let named = self.named.keys().map(|name| name.to_string());
        let mut names: Vec<String> = typed.chain(named).collect();
        names.sort_unstable();
        names.into_iter()
    }

    /// Reports that commands had no effect. A [`CommandBuffer`](crate::param::CommandBuffer) calls this while it is applied, and so
    /// may any command. `n`: the number of these commands. `first`: describes the first one.
    ///
    /// The run that applies the commands attributes the report to the system that issued them. See
    /// [`MissedCommandPolicy`](crate::MissedCommandPolicy). If no run applies the commands, the call does nothing.
    ///
    /// ```
    /// use schedule::prelude::*;
    ///
    /// #[derive(Resource)]
    /// struct Stock(Vec<u32>);
    ///
    /// #[system]
    /// fn sell(mut commands: Commands) {
    ///     commands.push(|resources| {
    ///         if resources.get_mut::<Stock>().is_none_or(|stock| stock.0.pop().is_none()) {
    ///             resources.report_missed(1, "the stock is empty");
    ///         }
    ///     });
    /// }
    ///
    /// let mut shop = Schedule::builder().add::<sell>().build()?;
    /// let mut resources = Resources::new();
    /// resources.insert(Stock(vec![7]));
    /// shop.run(&mut resources)?;
    /// shop.run(&mut resources)?;
    /// let report = shop.report();
    /// assert_eq!(report.missed_commands[0].system.name, "sell");
    /// assert_eq!(report.missed_commands[0].n_commands, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn report_missed(&mut self, n: usize, first: impl fmt::Display) {
        self.missed.add(n, &first);
    }

    /// Begins to collect the reports of [`report_missed`](Self::report_missed). Returns those of an outer queue, for the end.
    pub(crate) fn collect_missed(&mut self) -> MissedNotes {
        core::mem::replace(&mut self.missed, MissedNotes::collecting())
    }

    /// Ends the collection. `outer`: the reports that were returned at its begin.
    pub(crate) fn take_missed(&mut self, outer: MissedNotes) -> MissedNotes {
        core::mem::replace(&mut self.missed, outer)
    }

    /// Returns the number of resources. Main-thread values are not included.
    pub fn len(&self) -> usize {
        self.cells.len() + self.named.len()
    }

    /// Whether no resource exists. Main-thread values are not included.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the main-thread values, which stay on the thread that inserted them.
    ///
    /// Use them for values that are not [`Send`], such as a window or a GPU context.
    ///
    /// Systems take them as [`NonSend`](crate::NonSend) and [`NonSendMut`](crate::NonSendMut), and then run on the
    /// thread that calls `run`.
    pub fn main_thread(&mut self) -> MainThread<'_> {
        MainThread::new(self)
    }

    /// A value that changes whenever addresses that were looked up may become invalid.
    pub(crate) fn version(&self) -> ResourcesVersion {
        ResourcesVersion {
            id: self.id,
            // Relaxed: resources become watched while a schedule prepares, which borrows them.
            n_changes: self.n_changes.load(Ordering::Relaxed),
        }
    }

    fn count_change(&mut self) {
        *self.n_changes.get_mut() += 1;
    }

    /// Returns the versions of a resource, which is watched from now on.
    pub(crate) fn watch(&self, type_id: TypeId) -> Arc<Watched> {
        let (watched, is_new) = self.watchlist.get_or_add(type_id);
        if is_new {
            self.cells.watch(type_id, &watched);
            self.n_changes.fetch_add(1, Ordering::Relaxed);
        }
        watched
    }

    /// Returns the versions of a resource, if it is watched.
    pub(crate) fn watched(&self, type_id: TypeId) -> Option<Arc<Watched>> {
        self.watchlist.get(type_id)
    }

    /// Returns the versions of all watched resources.
    #[cfg(feature = "snapshot")]
    pub(crate) fn all_watched(&self) -> Vec<(TypeId, Arc<Watched>)> {
        self.watchlist.all()
    }

    /// A value that differs whenever other resources are watched.
    pub(crate) fn watched_set(&self) -> WatchedSet {
        match self.watchlist.len() {
            0 => WatchedSet::NOTHING,
            n_watched => WatchedSet {
                id: self.id,
                n_watched,
            },
        }
    }

    /// Whether a system on this thread can access the resource.
    pub(crate) fn status(&self, resource: &ResourceId) -> Status {
        let is_there = match (resource.type_id(), resource.text()) {
            (Some(type_id), _) if resource.is_main_thread() => {
                match self.main_thread.get(&type_id) {
                    Some(cell) if !cell.is_on_this_thread() => return Status::OnAnotherThread,
                    cell => cell.is_some(),
                }
            }
            (Some(type_id), _) => self.cells.contains(type_id),
            (None, text) => text.is_some_and(|name| self.named.contains_key(name)),
        };
        if is_there {
            Status::Present
        } else {
            Status::Missing
        }
    }

    /// Returns the address of a resource. Returns the address of a main-thread value only on its thread.
    ///
    /// The address is valid until a resource is inserted or removed.
    pub(crate) fn address(&self, resource: &ResourceType) -> Option<NonNull<()>> {
        // Relaxed: only a counter.
        #[cfg(test)]
        self.n_lookups.fetch_add(1, Ordering::Relaxed);
        if resource.is_main_thread() {
            self.main_thread.get(&resource.type_id)?.address()
        } else {
            Some(self.cells.get(resource.type_id)?.address())
        }
    }

    /// Returns the cell of a resource, but not of a main-thread value.
    pub(crate) fn cell(&self, resource: &ResourceId) -> Option<&ResourceCell> {
        match (resource.type_id(), resource.text()) {
            (Some(type_id), _) => self.cells.get(type_id),
            (None, text) => self.named.get(text?),
        }
    }
}

/// See [`Resources::version`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ResourcesVersion {
    id: u64,
    n_changes: u64,
}

/// See [`Resources::watched_set`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WatchedSet {
    id: u64,
    n_watched: usize,
}

impl WatchedSet {
    pub(crate) const NOTHING: Self = Self {
        id: 0,
        n_watched: 0,
    };
}

/// See [`Resources::status`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Present,
    Missing,
    OnAnotherThread,
}

/// If the drop of a value panics, the other values are still dropped. The first panic then continues.
impl Drop for Resources {
    fn drop(&mut self) {
        let mut panics = FirstPanic::default();
        panics.drop_each(self.cells.drain());
        panics.drop_each(self.named.drain());
        panics.drop_each(self.main_thread.drain());
        panics.resume_from_drop();
    }
}

impl Default for Resources {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

#[cfg(test)]
mod tests;
