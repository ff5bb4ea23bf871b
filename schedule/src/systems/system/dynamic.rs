//! Systems whose accesses are known only at run time: scripts, or a graph read from a file.
//!
//! Invariant: that of [`view`].
#![expect(unsafe_code, reason = "gives a system its resources")]

mod view;

use core::fmt;
use core::panic::Location;
use std::collections::HashSet;
use std::sync::Arc;

pub use self::view::{AccessError, View};
use super::run::note_captures;
use super::{Instance, Runnable};
use crate::base::user_value::UserValue;
use crate::data::access::{AccessKind, AccessSet, AllUse, ResourceId, ResourceUse, Storage};
use crate::data::entity::{DynamicQuery, EntityStore};
use crate::data::marks::Marks;
use crate::data::message::Message;
use crate::data::output::{BoxError, Branches, Output};
use crate::data::param::{
    DynamicParam, FetchFrom, Foldable, Lookup, Settle, dynamic_fold, dynamic_reader, dynamic_writer,
};
use crate::data::resource::Resources;

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
    /// A fold for each resource that it folds into, and the readers and writers of messages.
    params: Vec<Box<dyn DynamicParam>>,
    /// Creates the system. One closure for the body and its call saves an indirect call per run.
    make: Box<dyn FnOnce(DynamicDeclaration) -> Box<dyn Runnable> + Send>,
    branches: Option<Branches>,
    pub(crate) marks: Marks,
}

/// The name and the declared accesses of a system.
struct DynamicDeclaration {
    name: String,
    access: AccessSet,
    params: Vec<Box<dyn DynamicParam>>,
}

impl DynamicDeclaration {
    /// Not inlined, so that the call of a system without folds and messages is short.
    #[inline(never)]
    fn begin_params(&mut self, resources: &Resources) {
        self.params
            .iter_mut()
            .for_each(|param| param.begin(resources));
    }
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
            params: Vec::new(),
            make: Box::new(move |declared| {
                let call = move |view: &mut View<'_>| (O::INTO_ANSWER.index)(call(view));
                Box::new(DynamicRun {
                    declared,
                    call: UserValue::new(call),
                })
            }),
            branches: O::INTO_ANSWER.branches,
            marks: Marks::NONE,
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
    pub fn folds<R: Foldable>(self) -> Self {
        self.with(dynamic_fold::<R>())
    }

    /// Declares that the system writes messages. It writes them by [`View::message_writer`].
    ///
    /// ```
    /// use schedule::prelude::*;
    /// use schedule::dynamic::DynamicSystem;
    ///
    /// #[derive(Message)]
    /// struct Line(String);
    ///
    /// let writer = DynamicSystem::new("writer", |view| {
    ///     view.message_writer::<Line>()?.write(Line("a line".to_string()));
    ///     Ok::<(), schedule::BoxError>(())
    /// });
    /// let reader = DynamicSystem::new("reader", |view| {
    ///     assert_eq!(view.messages::<Line>()?.len(), 1);
    ///     Ok::<(), schedule::BoxError>(())
    /// });
    /// let mut builder = Schedule::builder();
    /// builder.add_dynamic(writer.writes_messages::<Line>());
    /// builder.add_dynamic(reader.reads_messages::<Line>());
    /// builder.order("writer", "reader");
    /// let mut resources = Resources::new();
    /// resources.insert(Messages::<Line>::new());
    /// builder.build()?.run(&mut resources)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn writes_messages<T: Message>(self) -> Self {
        self.with(dynamic_writer::<T>())
    }

    /// Declares that the system reads messages. It reads them by [`View::messages`].
    pub fn reads_messages<T: Message>(self) -> Self {
        self.with(dynamic_reader::<T>(None))
    }

    /// Declares that the system reads messages, and that the latest `n` unread ones are kept, as [`KeepLatest`](crate::message::KeepLatest)
    /// does. A second declaration for the same messages has no effect.
    ///
    /// # Panics
    ///
    /// Panics if `n` is 0.
    pub fn reads_latest_messages<T: Message>(self, n: usize) -> Self {
        assert!(n > 0, "a reader must keep at least 1 message");
        self.with(dynamic_reader::<T>(Some(n as u64)))
    }

    /// Adds a fold, a reader or a writer, unless there is one of the same resource.
    fn with(mut self, param: Box<dyn DynamicParam>) -> Self {
        let resource = ResourceId::of_type(param.resource());
        let kind = param.kind();
        let mut known = self.params.iter();
        if !known.any(|one| one.kind() == kind && one.resource().id == param.resource().id) {
            self.params.push(param);
        }
        self.uses(resource, kind)
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
            n: 1,
            n_kept: 0,
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
        self.marks |= Marks::MAIN_THREAD;
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
            params: self.params,
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

impl<F> Runnable for DynamicRun<F>
where
    F: FnMut(&mut View<'_>) -> Result<u32, BoxError> + Send,
{
    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        let DynamicDeclaration { access, params, .. } = &mut self.declared;
        for one in access.uses.iter().filter(|one| !one.is_optional) {
            lookup.require(&one.resource);
        }
        for param in params {
            param.prepare(lookup);
        }
    }

    unsafe fn run(&mut self, from: FetchFrom<'_>, answer: &mut u32) -> Result<(), BoxError> {
        // SAFETY: the run has not ended, since this system runs. A system that holds `&mut Resources` is exclusive, and none runs while
        // another system runs.
        let resources = unsafe { from.get() };
        if !self.declared.params.is_empty() {
            self.declared.begin_params(resources);
        }
        let mut view = View {
            declared: &mut self.declared,
            resources,
        };
        *answer = (self.call)(&mut view)?;
        Ok(())
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        note_captures(size_of::<F>(), settle);
        for param in &mut self.declared.params {
            param.settle(settle);
        }
    }
}
