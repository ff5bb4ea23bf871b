//! The access of a dynamic system to its resources while it runs.
//!
//! Invariant: a [`View`] returns only resources, components, partial results and messages that the system declared, and the schedule was verified
//! with the same declaration. Exclusive references, folds and queries that write borrow the view, so only one exists at a time.
#![expect(unsafe_code, reason = "turns pointers into references, as declared")]

use core::fmt;

use super::DynamicDeclaration;
use crate::base::escape::shown;
use crate::data::access::{Access, AccessKind, Coverage, ResourceId, Storage, identities};
use crate::data::entity::{ComponentTerms, Components, EntityFilter, EntityStore};
use crate::data::message::{Message, Messages};
use crate::data::param::{Fold, Foldable, MessageReader, MessageWriter};
use crate::data::resource::{Resource, Resources};

/// The resources of a [`DynamicSystem`](crate::dynamic::DynamicSystem) while it runs.
pub struct View<'r> {
    pub(super) declared: &'r mut DynamicDeclaration,
    pub(super) resources: &'r Resources,
}

impl fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View")
            .field("system", &self.declared.name)
            .field("access", &self.declared.access)
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
    /// Fails if the system did not declare [`DynamicSystem::folds`](crate::dynamic::DynamicSystem::folds) for the resource.
    pub fn fold<R: Foldable>(&mut self) -> Result<Fold<'_, R>, AccessError> {
        let id = ResourceId::of::<R>();
        let partial = self.record(&id, AccessKind::Fold, Reason::NotFolded)?;
        Ok(Fold::new(partial))
    }

    /// Returns a writer of messages.
    ///
    /// # Errors
    ///
    /// Fails if the system did not declare [`DynamicSystem::writes_messages`](crate::dynamic::DynamicSystem::writes_messages).
    pub fn message_writer<T: Message>(&mut self) -> Result<MessageWriter<'_, T>, AccessError> {
        let id = ResourceId::of::<Messages<T>>();
        let list = self.record(&id, AccessKind::Fold, Reason::MessagesNotWritten)?;
        Ok(MessageWriter::new(list))
    }

    /// Returns the messages that the system had not seen before this execution. Each call in an execution returns the same messages.
    ///
    /// # Errors
    ///
    /// Fails if the system did not declare [`DynamicSystem::reads_messages`](crate::dynamic::DynamicSystem::reads_messages).
    pub fn messages<T: Message>(&mut self) -> Result<MessageReader<'_, T>, AccessError> {
        let id = ResourceId::of::<Messages<T>>();
        let range = *self.record(&id, AccessKind::Read, Reason::MessagesNotRead)?;
        let messages = self.read(&id)?;
        Ok(MessageReader::of_range(messages, range))
    }

    /// Returns the record of this execution for a fold, a reader or a writer.
    fn record<P: 'static>(
        &mut self,
        id: &ResourceId,
        kind: AccessKind,
        missing: Reason,
    ) -> Result<&mut P, AccessError> {
        let mut declared = self.declared.params.iter();
        let param = declared
            .position(|one| one.kind() == kind && ResourceId::of_type(one.resource()) == *id);
        let Some(param) = param else {
            return Err(self.error(id, missing));
        };
        let record = self.declared.params[param].record();
        let record = record.and_then(|record| record.downcast_mut());
        Ok(record.expect("`run` began this execution"))
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
            let reason = match self.declared.access.coverage(component, is_write, filter) {
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
            system: self.declared.name.to_string(),
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
        if !self.declared.access.all.is_empty() {
            self.note_write(resource);
        }
        // SAFETY: `pointer` has checked that the value is a `T`, that it exists, and that the system declared the
        // write. So nothing else accesses it while the system runs, and the view is borrowed exclusively.
        Ok(unsafe { pointer.as_mut() })
    }

    /// Notes a write that only an access to all resources allows. The schedule notes the writes of resources that are declared singly.
    fn note_write(&self, resource: &ResourceId) {
        let mut uses = self.declared.access.uses.iter();
        if uses.any(|one| one.kind == AccessKind::Write && one.resource == *resource) {
            return;
        }
        let watched = resource
            .type_id()
            .and_then(|type_id| self.resources.watched(type_id));
        if let Some(watched) = watched {
            watched.note_write();
        }
    }

    fn pointer<T: 'static>(
        &self,
        resource: &ResourceId,
        to_write: bool,
    ) -> Result<core::ptr::NonNull<T>, AccessError> {
        let error = |reason| self.error(resource, reason);
        if !self.declared.access.allows(resource, to_write) {
            return Err(error(
                if to_write && self.declared.access.allows(resource, false) {
                    Reason::ReadOnly
                } else if self.declared.access.folds(resource) {
                    Reason::FoldOnly
                } else {
                    Reason::NotDeclared
                },
            ));
        }
        let cell = self
            .resources
            .cell(resource)
            .ok_or_else(|| error(Reason::Missing))?;
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
    MessagesNotWritten,
    MessagesNotRead,
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
            Reason::MessagesNotWritten => write!(
                f,
                "`{system}` writes `{resource}`, but does not declare it; add `.writes_messages::<…>()`"
            ),
            Reason::MessagesNotRead => write!(
                f,
                "`{system}` reads `{resource}`, but does not declare it; add `.reads_messages::<…>()`"
            ),
            Reason::FoldOnly if self.resource.is_messages() => write!(
                f,
                "`{system}` reads `{resource}`, but declares only that it writes it; add `.reads_messages::<…>()`"
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
