//! Systems whose accesses are known only at run time: scripts, or a graph read from a file.
//!
//! Invariant: a [`View`] returns only resources, components and partial results that the system declared, and the schedule was verified
//! with the same declaration. Exclusive references, folds and queries that write borrow the view, so only one exists at a time.
#![expect(unsafe_code, reason = "turns pointers into references, as declared")]

use core::fmt;
use core::panic::Location;
use std::collections::HashSet;
use std::sync::Arc;

use super::{Instance, Run};
use crate::access::identities;
use crate::access::{
    Access, AccessKind, AccessSet, AllUse, Coverage, ResourceId, ResourceUse, Storage,
};
use crate::entity::{ComponentTerms, Components, DynamicQuery, EntityFilter, EntityStore};
use crate::escape::shown;
use crate::output::{BoxError, Branches, Output};
use crate::param::{DynamicFold, FetchFrom, Fold, Foldable, Lookup, Settle, dynamic_fold};
use crate::resource::{Resource, Resources};
use crate::user_value::UserValue;

/// A system whose accesses are declared at run time.
///
/// It follows the rules of all systems: the schedule verifies its declared accesses. Any other access returns an error.
///
/// Its access is the union of all its declarations, in any order. A write includes the read: a resource that is
/// declared as read and as written is written. If a system declares [`reads`](Self::reads) for a resource that it also
/// writes, by [`writes`](Self::writes) or [`writes_all_except`](Self::writes_all_except),
/// [`Schedule::warnings`](crate::Schedule::warnings) contains a
/// [`Warning::ReadOfWritten`](crate::report::Warning::ReadOfWritten). Other overlapping accesses are merged without a
/// warning: the same resource twice, a resource and all resources, or two lists of exceptions. A resource that the system
/// [`folds`](Self::folds) into cannot be declared in another way.
///
/// ```
/// use schedule::prelude::*;
/// use schedule::dynamic::DynamicSystem;
///
/// let script = DynamicSystem::new("double", |view| {
///     *view.get_named_mut::<i64>("score")? *= 2;
///     Ok::<(), schedule::BoxError>(())
/// })
/// .writes("score");
///
/// let mut resources = Resources::new();
/// resources.insert_named("score", 21_i64);
/// let mut schedule = Schedule::builder().add_dynamic(script).build()?;
/// schedule.run(&mut resources)?;
/// assert_eq!(resources.get_named::<i64>("score"), Some(&42));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DynamicSystem {
    pub(crate) name: String,
    pub(crate) location: &'static Location<'static>,
    access: AccessSet,
    /// A fold for each resource that it folds into.
    folds: Vec<Box<dyn DynamicFold>>,
    /// Creates the system. One closure for the body and its call saves an indirect call per run.
    make: Box<dyn FnOnce(DynamicDeclaration) -> Box<dyn Run> + Send>,
    branches: Option<Branches>,
}

/// The name and the declared accesses of a system.
struct DynamicDeclaration {
    name: String,
    access: AccessSet,
    folds: Vec<Box<dyn DynamicFold>>,
}

impl DynamicSystem {
    /// Creates a system without accesses.
    #[track_caller]
    pub fn new<O: Output>(
        name: impl Into<String>,
        mut call: impl FnMut(&mut View<'_>) -> O + Send + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            location: Location::caller(),
            access: AccessSet::default(),
            folds: Vec::new(),
            make: Box::new(move |declared| {
                let call = move |view: &mut View<'_>| (O::INTO_ANSWER.index)(call(view));
                Box::new(DynamicRun {
                    declared,
                    call: UserValue::new(call),
                })
            }),
            branches: O::INTO_ANSWER.branches,
        }
    }

    /// Declares that the system reads a resource: a name, or [`ResourceId::of`] a type.
    pub fn reads(self, resource: impl Into<ResourceId>) -> Self {
        self.uses(resource.into(), AccessKind::Read)
    }

    /// Declares that the system writes a resource and can read it: a name, or [`ResourceId::of`] a type.
    pub fn writes(self, resource: impl Into<ResourceId>) -> Self {
        self.uses(resource.into(), AccessKind::Write)
    }

    /// Declares that the system folds into a resource. It gets its partial result by [`View::fold`].
    ///
    /// If the system also reads or writes the resource, alone or among all resources, the schedule cannot be built: see
    /// [`Problem::FoldAndUse`](crate::error::Problem::FoldAndUse).
    ///
    /// ```
    /// use schedule::prelude::*;
    /// use schedule::dynamic::DynamicSystem;
    ///
    /// #[derive(Resource)]
    /// struct Score(u32);
    ///
    /// impl Foldable for Score {
    ///     type Partial = u32;
    ///
    ///     fn join(&mut self, partial: u32) {
    ///         self.0 += partial;
    ///     }
    /// }
    ///
    /// let mut builder = Schedule::builder();
    /// for points in [1, 5, 10] {
    ///     let script = DynamicSystem::new(format!("add {points}"), move |view| {
    ///         *view.fold::<Score>()? += points;
    ///         Ok::<(), schedule::BoxError>(())
    ///     });
    ///     builder.add_dynamic(script.folds::<Score>());
    /// }
    /// let mut resources = Resources::new();
    /// resources.insert(Score(0));
    /// builder.build()?.run(&mut resources)?;
    /// assert_eq!(resources.get::<Score>().unwrap().0, 16);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn folds<R: Foldable>(mut self) -> Self {
        let fold = dynamic_fold::<R>();
        let mut known = self.folds.iter().map(|one| one.resource().id);
        if !known.any(|one| one == fold.resource().id) {
            self.folds.push(fold);
        }
        self.uses(ResourceId::of::<R>(), AccessKind::Fold)
    }

    /// Declares that the system accesses components of entities, and reads their store.
    ///
    /// Several calls declare several queries. The body accesses the components by the crate that stores the entities, which
    /// compares its queries with the declared ones by [`View::components`]. See [`DynamicQuery`]. Each distinct filter is stored
    /// until the program ends.
    ///
    /// # Panics
    ///
    /// If two component types have the same [`Identity::ID`](crate::Identity::ID).
    pub fn queries<S: EntityStore>(mut self, query: DynamicQuery<S>) -> Self {
        query.declare(&mut self.access);
        self
    }

    fn uses(mut self, resource: ResourceId, kind: AccessKind) -> Self {
        self.access.uses.push(ResourceUse {
            // Components are never missing.
            is_optional: matches!(resource.storage(), Storage::Entities | Storage::Deferred),
            resource,
            kind,
            filter: None,
        });
        self
    }

    /// Declares that the system reads every resource except these. Other calls can declare reads or writes of an
    /// exception, and writes of any other resource.
    ///
    /// Two calls declare reads of every resource except those in both lists.
    ///
    /// ```
    /// use schedule::prelude::*;
    /// use schedule::dynamic::DynamicSystem;
    ///
    /// // Reads everything, and writes `sum`.
    /// let sum = DynamicSystem::new("sum", |view| {
    ///     let sum = view.get_named::<i64>("a")? + view.get_named::<i64>("b")?;
    ///     *view.get_named_mut::<i64>("sum")? = sum;
    ///     Ok::<(), schedule::BoxError>(())
    /// })
    /// .reads_all_except([])
    /// .writes("sum");
    ///
    /// let mut resources = Resources::new();
    /// for (name, value) in [("a", 1_i64), ("b", 2), ("sum", 0)] {
    ///     resources.insert_named(name, value);
    /// }
    /// let mut schedule = Schedule::builder().add_dynamic(sum).build()?;
    /// assert!(schedule.warnings().is_empty());
    /// schedule.run(&mut resources)?;
    /// assert_eq!(resources.get_named::<i64>("sum"), Some(&3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reads_all_except(self, except: impl IntoIterator<Item = ResourceId>) -> Self {
        self.uses_all(except.into_iter().collect(), false)
    }

    /// Declares that the system writes every resource except these, and can read what it writes. Other calls can
    /// declare reads or writes of an exception.
    ///
    /// Two calls declare writes of every resource except those in both lists.
    pub fn writes_all_except(self, except: impl IntoIterator<Item = ResourceId>) -> Self {
        self.uses_all(except.into_iter().collect(), true)
    }

    fn uses_all(mut self, except: Vec<ResourceId>, is_write: bool) -> Self {
        let mut all = self.access.all.iter_mut();
        match all.find(|all| all.is_write == is_write) {
            Some(same) => {
                let except: HashSet<ResourceId> = except.into_iter().collect();
                same.except.retain(|one| except.contains(one));
            }
            None => self.access.all.push(AllUse { is_write, except }),
        }
        self
    }

    /// Makes the system exclusive: it conflicts with every other system.
    pub fn exclusive(mut self) -> Self {
        self.access.is_exclusive = true;
        self
    }

    /// Binds the system to the thread that calls `run`, as the option `main_thread` of [`macro@crate::system`] does.
    pub fn on_main_thread(mut self) -> Self {
        self.access.is_main_thread = true;
        self
    }

    /// The resources that the system declares as read although it also writes them.
    pub(crate) fn reads_of_written(&self) -> Vec<ResourceId> {
        self.access.reads_of_written()
    }

    /// The resources that the system folds into and also accesses in another way.
    pub(crate) fn conflicting_folds(&self) -> Vec<ResourceId> {
        self.access.conflicting_folds()
    }

    pub(crate) fn into_instance(self) -> Instance {
        let access = self.access.merged();
        let run = (self.make)(DynamicDeclaration {
            name: self.name,
            access: access.clone(),
            folds: self.folds,
        });
        Instance::of(run, Arc::new(access), self.branches)
    }
}

impl fmt::Debug for DynamicSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamicSystem")
            .field("name", &self.name)
            .field("access", &self.access)
            .finish_non_exhaustive()
    }
}

struct DynamicRun<F> {
    declared: DynamicDeclaration,
    call: UserValue<F>,
}

impl<F> Run for DynamicRun<F>
where
    F: FnMut(&mut View<'_>) -> Result<u32, BoxError> + Send,
{
    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        let DynamicDeclaration { access, folds, .. } = &mut self.declared;
        for one in access.uses.iter().filter(|one| !one.is_optional) {
            lookup.require(&one.resource);
        }
        for fold in folds {
            fold.prepare(lookup);
        }
    }

    unsafe fn run(&mut self, from: FetchFrom<'_>) -> Result<u32, BoxError> {
        let DynamicDeclaration {
            name,
            access,
            folds,
        } = &mut self.declared;
        for fold in &mut *folds {
            fold.begin();
        }
        let mut view = View {
            system: name,
            access,
            folds,
            // SAFETY: the run has not ended, since this system runs. A system that holds `&mut Resources` is exclusive,
            // and none runs while another system runs.
            resources: unsafe { from.get() },
        };
        (self.call)(&mut view)
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        for fold in &mut self.declared.folds {
            fold.settle(settle);
        }
    }
}

/// The resources of a [`DynamicSystem`] while it runs.
pub struct View<'r> {
    system: &'r str,
    access: &'r AccessSet,
    folds: &'r mut [Box<dyn DynamicFold>],
    resources: &'r Resources,
}

impl fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View")
            .field("system", &self.system)
            .field("access", &self.access)
            .finish_non_exhaustive()
    }
}

impl View<'_> {
    /// Returns a resource by its type, to read.
    ///
    /// # Errors
    ///
    /// Fails if the system did not declare the resource, or if the resource is missing.
    pub fn get<T: Resource>(&self) -> Result<&T, AccessError> {
        self.read(&ResourceId::of::<T>())
    }

    /// Returns a resource by its type, to write.
    ///
    /// # Errors
    ///
    /// Fails if the system did not declare that it writes the resource, or if the resource is missing.
    pub fn get_mut<T: Resource>(&mut self) -> Result<&mut T, AccessError> {
        self.write(&ResourceId::of::<T>())
    }

    /// Returns a resource by its name, to read.
    ///
    /// # Errors
    ///
    /// Fails if the system did not declare the resource, if the resource is missing, or if it is not a `T`.
    pub fn get_named<T: Send + Sync + 'static>(
        &self,
        name: impl AsRef<str>,
    ) -> Result<&T, AccessError> {
        self.read(&ResourceId::named(name))
    }

    /// Returns a resource by its name, to write.
    ///
    /// # Errors
    ///
    /// Fails if the system did not declare that it writes the resource, if the resource is missing, or if it is not a
    /// `T`.
    pub fn get_named_mut<T: Send + Sync + 'static>(
        &mut self,
        name: impl AsRef<str>,
    ) -> Result<&mut T, AccessError> {
        self.write(&ResourceId::named(name))
    }

    /// Returns the partial result of this execution for a resource that the system folds into. It is empty at first.
    ///
    /// # Errors
    ///
    /// Fails if the system did not declare [`DynamicSystem::folds`] for the resource.
    pub fn fold<R: Foldable>(&mut self) -> Result<Fold<'_, R>, AccessError> {
        let id = ResourceId::of::<R>();
        let mut declared = self.folds.iter();
        let fold = declared.position(|one| ResourceId::of_type(one.resource()) == id);
        let Some(fold) = fold else {
            return Err(self.error(&id, Reason::NotFolded));
        };
        let partial = self.folds[fold].partial();
        let partial = partial.and_then(|partial| partial.downcast_mut());
        Ok(Fold::new(partial.expect("`run` began this execution")))
    }

    /// Returns a store, and the declaration of access to its components by a query that only reads. A crate that stores
    /// entities creates its queries from both.
    ///
    /// A query that writes does not compile.
    ///
    /// # Errors
    ///
    /// Fails if the system did not declare the access, for all entities that match the query. Each term must be covered by
    /// one of the declared queries. Fails if the store is missing.
    pub fn components<S, Q, F>(&self) -> Result<(&S, Components<'_, S, Q, F>), AccessError>
    where
        S: EntityStore,
        Q: ComponentTerms<S>,
        F: EntityFilter<S>,
    {
        const {
            assert!(
                !Q::ACCESS.has_write(),
                "a query that writes needs an exclusive reference to the view"
            );
        };
        self.declared_query()
    }

    /// Returns a store, and the declaration of access to its components by a query that may write, as
    /// [`components`](Self::components) does for one that only reads.
    ///
    /// # Errors
    ///
    /// As [`components`](Self::components).
    pub fn components_mut<S, Q, F>(&mut self) -> Result<(&S, Components<'_, S, Q, F>), AccessError>
    where
        S: EntityStore,
        Q: ComponentTerms<S>,
        F: EntityFilter<S>,
    {
        self.declared_query()
    }

    fn declared_query<S, Q, F>(&self) -> Result<(&S, Components<'_, S, Q, F>), AccessError>
    where
        S: EntityStore,
        Q: ComponentTerms<S>,
        F: EntityFilter<S>,
    {
        const { Components::<S, Q, F>::DISTINCT };
        let filter = Components::<S, Q, F>::FILTER;
        // `coverage` compares identities alone.
        identities::check(filter.term());
        let mut found = Ok(());
        Q::ACCESS.for_each(&mut |leaf, _| {
            let (Access::Read(component) | Access::Write(component)) = leaf else {
                return;
            };
            let is_write = matches!(leaf, Access::Write(_));
            let reason = match self.access.coverage(component, is_write, filter) {
                Coverage::All => return,
                Coverage::Nothing => Reason::NotDeclared,
                Coverage::Read => Reason::ReadOnly,
                Coverage::OtherEntities => Reason::OtherEntities,
            };
            if found.is_ok() {
                found = Err(self.error(&ResourceId::of_type(component), reason));
            }
        });
        found?;
        Ok((self.read(&ResourceId::of::<S>())?, Components::declared()))
    }

    fn error(&self, resource: &ResourceId, reason: Reason) -> AccessError {
        AccessError {
            system: self.system.to_string(),
            resource: resource.clone(),
            reason,
        }
    }

    fn read<T: 'static>(&self, resource: &ResourceId) -> Result<&T, AccessError> {
        let pointer = self.pointer(resource, false)?;
        // SAFETY: `pointer` has checked that the value is a `T`, that it exists, and that the system declared the
        // access. So nothing else writes it while the system runs, and the view is borrowed as shared.
        Ok(unsafe { pointer.as_ref() })
    }

    fn write<T: 'static>(&mut self, resource: &ResourceId) -> Result<&mut T, AccessError> {
        let mut pointer = self.pointer(resource, true)?;
        // SAFETY: `pointer` has checked that the value is a `T`, that it exists, and that the system declared the
        // write. So nothing else accesses it while the system runs, and the view is borrowed exclusively.
        Ok(unsafe { pointer.as_mut() })
    }

    fn pointer<T: 'static>(
        &self,
        resource: &ResourceId,
        to_write: bool,
    ) -> Result<core::ptr::NonNull<T>, AccessError> {
        let error = |reason| self.error(resource, reason);
        if !self.access.allows(resource, to_write) {
            return Err(error(if to_write && self.access.allows(resource, false) {
                Reason::ReadOnly
            } else if self.access.folds(resource) {
                Reason::FoldOnly
            } else {
                Reason::NotDeclared
            }));
        }
        let cell = self.resources.cell(resource);
        let cell = cell.ok_or_else(|| error(Reason::Missing))?;
        cell.pointer().ok_or_else(|| error(Reason::OtherType))
    }
}

/// A dynamic system requested a resource that it cannot access.
#[derive(Clone, Debug)]
pub struct AccessError {
    system: String,
    resource: ResourceId,
    reason: Reason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reason {
    NotDeclared,
    NotFolded,
    ReadOnly,
    FoldOnly,
    /// The declared queries do not match all entities of a query.
    OtherEntities,
    Missing,
    OtherType,
}

impl std::error::Error for AccessError {}

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (system, resource) = (shown(&self.system), shown(&self.resource));
        match self.reason {
            Reason::NotDeclared if self.resource.storage() == Storage::Entities => write!(
                f,
                "`{system}` queries `{resource}`, but does not declare it; add `.queries(…)`"
            ),
            Reason::OtherEntities => write!(
                f,
                "`{system}` accesses `{resource}` of more entities than it declares; add the filters of `.queries(…)` to the query, or declare it without them. For an `Option`, declare it by `writes_optional` or `reads_optional`"
            ),
            Reason::NotDeclared => write!(
                f,
                "`{system}` uses `{resource}`, but does not declare it; add `.reads(…)` or `.writes(…)`"
            ),
            Reason::ReadOnly if self.resource.storage() == Storage::Entities => write!(
                f,
                "`{system}` writes `{resource}`, but declares only a read; use `writes` in `.queries(…)`"
            ),
            Reason::ReadOnly => write!(
                f,
                "`{system}` writes `{resource}`, but declares only a read; use `.writes(…)`"
            ),
            Reason::NotFolded => write!(
                f,
                "`{system}` folds into `{resource}`, but does not declare it; add `.folds::<{resource}>()`"
            ),
            Reason::FoldOnly => write!(
                f,
                "`{system}` reads or writes `{resource}`, but declares that it folds into it; use `fold`, or replace `.folds` by `.writes(…)`"
            ),
            Reason::Missing => write!(f, "resource `{resource}` is missing"),
            Reason::OtherType => write!(f, "resource `{resource}` has another type"),
        }
    }
}
