//! The access of a node as a list. It comes from the constant of a system, or from the declarations of a dynamic
//! system.

use core::any::TypeId;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::Range;
use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{Access, AccessKind, Filter, FilterKey, ResourceType, Storage, identities};
use crate::base::escape::shown;
use crate::base::identity::Name;

/// The id of a resource: a type, or a name.
#[derive(Clone)]
pub struct ResourceId(Id);

#[derive(Clone)]
enum Id {
    Type {
        type_id: TypeId,
        storage: Storage,
        name: Name,
        bytes: u32,
    },
    Named(Arc<str>),
}

impl ResourceId {
    /// The id of the resource with this name. See [`Resources::insert_named`](crate::Resources::insert_named).
    pub fn named(name: impl AsRef<str>) -> Self {
        Self(Id::Named(name.as_ref().into()))
    }

    pub(crate) fn of_type(resource: &ResourceType) -> Self {
        Self(Id::Type {
            type_id: resource.type_id,
            storage: resource.storage,
            name: resource.name,
            bytes: resource.bytes,
        })
    }

    /// The size of a component in bytes. 0 for other resources.
    pub(crate) fn component_bytes(&self) -> u32 {
        match self.0 {
            Id::Type { bytes, .. } => bytes,
            Id::Named(_) => 0,
        }
    }

    /// Where the values of the resource are.
    pub fn storage(&self) -> Storage {
        match self.0 {
            Id::Type { storage, .. } => storage,
            Id::Named(_) => Storage::Shared,
        }
    }

    /// Whether the resource is a main-thread value.
    pub fn is_main_thread(&self) -> bool {
        self.storage() == Storage::MainThread
    }

    /// Whether an access to all resources includes it. If not, only exclusive systems and those that name it access it.
    pub(crate) fn is_in_everything(&self) -> bool {
        self.storage() == Storage::Shared
    }

    /// The method that inserts the resource, if that is not `insert`.
    pub(crate) fn insert(&self) -> Option<&'static str> {
        match self.0 {
            Id::Type { name, .. } => name.insert(),
            Id::Named(_) => None,
        }
    }

    /// Whether the resource is a queue of messages.
    pub(crate) fn is_messages(&self) -> bool {
        matches!(self.0, Id::Type { name, .. } if name.is_messages())
    }

    /// Whether the resource is known to store entities.
    pub(crate) fn is_store(&self) -> bool {
        matches!(self.0, Id::Type { name, .. } if name.is_store())
    }

    /// Whether it is the store that commands change if they declare nothing.
    pub(crate) fn is_default_store(&self) -> bool {
        matches!(self.0, Id::Type { name, .. } if name.is_default_store())
    }

    /// The type, if the id is a type.
    pub(crate) fn type_id(&self) -> Option<TypeId> {
        match self.0 {
            Id::Type { type_id, .. } => Some(type_id),
            Id::Named(_) => None,
        }
    }

    /// The name, if the id is a name.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.0 {
            Id::Type { .. } => None,
            Id::Named(name) => Some(name),
        }
    }
}

impl From<&str> for ResourceId {
    fn from(name: &str) -> Self {
        Self::named(name)
    }
}

impl From<&String> for ResourceId {
    fn from(name: &String) -> Self {
        Self::named(name)
    }
}

impl From<String> for ResourceId {
    fn from(name: String) -> Self {
        Self::named(name)
    }
}

impl From<Cow<'_, str>> for ResourceId {
    fn from(name: Cow<'_, str>) -> Self {
        Self::named(name)
    }
}

impl PartialEq for ResourceId {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Id::Named(a), Id::Named(b)) => a == b,
            (
                Id::Type {
                    type_id: a,
                    storage: a_storage,
                    ..
                },
                Id::Type {
                    type_id: b,
                    storage: b_storage,
                    ..
                },
            ) => a == b && a_storage == b_storage,
            _ => false,
        }
    }
}

impl Eq for ResourceId {}

impl Hash for ResourceId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.0 {
            Id::Type { type_id, .. } => type_id.hash(state),
            Id::Named(name) => name.hash(state),
        }
    }
}

impl fmt::Display for ResourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Id::Type { name, .. } => name.fmt(f),
            Id::Named(name) => name.fmt(f),
        }
    }
}

impl fmt::Debug for ResourceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", shown(self))
    }
}

/// The access of a node.
#[derive(Clone, Debug, Default)]
pub struct AccessSet {
    pub(crate) uses: Vec<ResourceUse>,
    pub(crate) all: Vec<AllUse>,
    /// The resources that the commands insert.
    pub(crate) inserts: Vec<ResourceId>,
    /// Whether the node is exclusive.
    pub(crate) is_exclusive: bool,
    /// Whether the node uses a value of the main thread.
    pub(crate) is_main_thread: bool,
    pub(crate) has_commands: bool,
    /// What the commands declare to change, without the resources in `inserts`.
    pub(crate) changes: Vec<StoreChange>,
    /// Whether some of the commands declare nothing.
    pub(crate) has_bare_commands: bool,
    /// The queries: the store of each, and the entities that it matches.
    pub(crate) queries: Vec<(ResourceId, &'static Filter)>,
    /// Whether the node takes [`NextRun`](crate::param::NextRun).
    pub(crate) has_requests: bool,
    /// Whether the node takes [`Failures`](crate::param::Failures).
    pub(crate) reads_failures: bool,
    /// The resources whose changes the parameters note themselves, when the node writes through them.
    /// Boxed, because few nodes have any, and each node has an access.
    #[expect(
        clippy::box_collection,
        reason = "few nodes have any, so the field takes one word"
    )]
    pub(crate) notes_changes: Option<Box<Vec<ResourceId>>>,
    /// Whether the node is a condition that remembers what it has seen of a resource.
    pub(crate) has_change_memory: bool,
    /// Of a per-entity system.
    pub(crate) each: Option<Box<EachAccess>>,
    /// Whether no entity can match one of its queries.
    pub(crate) has_unmatchable_query: bool,
}

/// The access of a per-entity system to the entity at hand.
#[derive(Clone, Debug)]
pub(crate) struct EachAccess {
    /// The store of the entities.
    pub(crate) store: ResourceId,
    /// The range of `uses` that are components of the entity at hand.
    pub(crate) own: Range<usize>,
    /// Whether the system can fail by its return value.
    pub(crate) can_fail: bool,
}

/// What commands may change, besides resources.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum StoreChange {
    /// A component of the entities in a store.
    Component {
        component: ResourceId,
        store: ResourceId,
        /// The component itself.
        type_id: TypeId,
    },
    /// All entities in a store.
    Store(ResourceId),
}

/// An access to one resource.
#[derive(Clone, Debug)]
pub(crate) struct ResourceUse {
    pub(crate) resource: ResourceId,
    pub(crate) kind: AccessKind,
    /// Whether the resource can be missing.
    pub(crate) is_optional: bool,
    /// The entities of which the node uses the component. `None`: all.
    pub(crate) filter: Option<&'static Filter>,
    /// The number of parameters that use it in this way, and of those that keep it to themselves: see [`StoreRef`](crate::data::entity::StoreRef).
    pub(crate) n: u32,
    pub(crate) n_kept: u8,
}

impl ResourceUse {
    /// Whether the commands of the node access the resource, and not the node itself.
    pub(crate) fn is_deferred(&self) -> bool {
        self.resource.storage() == Storage::Deferred
    }

    /// Whether two uses are a reader and a writer of messages.
    fn is_reader_and_writer(&self, other: &Self) -> bool {
        self.resource.is_messages() && !self.kind.is_write() && !other.kind.is_write()
    }

    /// Whether two uses conflict.
    fn conflicts_with(&self, other: &Self) -> bool {
        let are_disjoint = match (self.filter, other.filter) {
            (Some(filter), Some(other)) => filter.is_disjoint(other),
            _ => false,
        };
        self.resource == other.resource
            && self.kind.conflicts_with(other.kind)
            && !are_disjoint
            && !self.is_deferred()
    }
}

/// An access to all resources except these. Only an exclusive node also accesses main-thread values.
#[derive(Clone, Debug, Default)]
pub(crate) struct AllUse {
    pub(crate) is_write: bool,
    pub(crate) except: Vec<ResourceId>,
}

/// The part of the access of a query that is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coverage {
    /// The component is not declared.
    Nothing,
    /// Only reads of the component are declared.
    Read,
    /// The component is declared, but not for all entities that match the query.
    OtherEntities,
    All,
}

impl AccessSet {
    /// An exclusive access without resources.
    pub(crate) fn exclusive() -> Self {
        Self {
            is_exclusive: true,
            ..Self::default()
        }
    }

    /// The number of parameters that use a resource, the queries on it included.
    pub(crate) fn n_reads(&self, resource: &ResourceId) -> usize {
        let uses = self.uses.iter().filter(|one| one.resource == *resource);
        uses.map(|one| one.n as usize).sum()
    }

    /// The number of queries on the entities in a store.
    pub(crate) fn n_queries(&self, store: &ResourceId) -> usize {
        let queries = self.queries.iter();
        queries.filter(|(queried, _)| queried == store).count()
    }

    /// The stores of entities that the node names.
    pub(crate) fn stores(&self) -> impl Iterator<Item = &ResourceId> {
        let queried = self.queries.iter().map(|(store, _)| store);
        let uses = self.uses.iter().map(|one| &one.resource);
        queried.chain(uses.filter(|id| id.is_store()))
    }

    /// Adds the resources that the commands of an access insert, and the components that they change. The states add
    /// everything else.
    pub(crate) fn add(&mut self, access: &Access) {
        access.for_each(&mut |leaf, _| match leaf {
            Access::Inserts(resource) => self.inserts.push(ResourceId::of_type(resource)),
            Access::Defers(deferred) => {
                self.uses.push(ResourceUse {
                    resource: ResourceId::of_type(&deferred.changes),
                    kind: AccessKind::Write,
                    is_optional: true,
                    filter: None,
                    n: 1,
                    n_kept: 0,
                });
                let store = ResourceId::of_type(&deferred.store);
                // Commands change all columns of an entity.
                self.changes.push(if deferred.store.name.is_columns() {
                    StoreChange::Store(store)
                } else {
                    StoreChange::Component {
                        component: ResourceId::of_type(&deferred.component),
                        store,
                        type_id: deferred.type_id,
                    }
                });
            }
            Access::Changes(store) => self
                .changes
                .push(StoreChange::Store(ResourceId::of_type(store))),
            _ => {}
        });
    }

    pub(crate) fn push(&mut self, resource: &ResourceType, kind: AccessKind, is_optional: bool) {
        self.is_main_thread |= resource.is_main_thread();
        self.uses.push(ResourceUse {
            resource: ResourceId::of_type(resource),
            kind,
            is_optional,
            filter: None,
            n: 1,
            n_kept: 0,
        });
    }

    /// Adds the components in an access, for the entities that match a filter.
    pub(crate) fn push_components(
        &mut self,
        store: ResourceId,
        access: &Access,
        filter: &'static Filter,
    ) {
        identities::check(filter.term());
        self.push_query(store, filter);
        access.for_each(&mut |leaf, _| {
            if let Access::Read(component) | Access::Write(component) = leaf {
                self.push_component(component, matches!(leaf, Access::Write(_)), filter);
            }
        });
    }

    /// Adds a query on the entities in a store. It also reads the store.
    pub(crate) fn push_query(&mut self, store: ResourceId, filter: &'static Filter) {
        self.queries.push((store, filter));
        self.has_unmatchable_query |= filter.never_matches();
    }

    /// Adds a component of the entities that match a filter.
    pub(crate) fn push_component(
        &mut self,
        component: &ResourceType,
        is_write: bool,
        filter: &'static Filter,
    ) {
        self.uses.push(ResourceUse {
            resource: ResourceId::of_type(component),
            kind: AccessKind::of_write(is_write),
            is_optional: true,
            filter: Some(filter),
            n: 1,
            n_kept: 0,
        });
    }

    /// Whether a node with this access records anything for later: commands, requests, or partial results of folds.
    pub(crate) fn has_records(&self) -> bool {
        let folds = |one: &ResourceUse| one.kind == AccessKind::Fold;
        self.has_commands || self.has_requests || self.uses.iter().any(folds)
    }

    /// Whether the node names a queue of [messages](crate::message). O(uses).
    pub(crate) fn has_messages(&self) -> bool {
        self.uses.iter().any(|one| one.resource.is_messages())
    }

    /// The resources whose changes the parameters of the node note.
    pub(crate) fn notes_changes(&self) -> &[ResourceId] {
        self.notes_changes.as_ref().map_or(&[], |notes| &notes[..])
    }

    /// Whether the node itself writes a resource or a component. Its commands and folds do not count. O(uses).
    pub(crate) fn has_write(&self) -> bool {
        let writes = |one: &ResourceUse| one.kind == AccessKind::Write && !one.is_deferred();
        self.is_exclusive || self.uses.iter().any(writes) || self.all.iter().any(|all| all.is_write)
    }

    /// The number of uses of single resources.
    pub(crate) fn n_uses(&self) -> usize {
        self.uses.len()
    }

    /// Whether two parts of the access conflict. O(square of the number of parts).
    pub(crate) fn has_conflict(&self) -> bool {
        let is_twice = |(idx, one): (usize, &ResourceUse)| {
            let mut earlier = self.uses[..idx].iter();
            earlier.any(|other| one.conflicts_with(other) && !one.is_reader_and_writer(other))
        };
        let is_in = |one: &ResourceUse, all: &AllUse| {
            self.is_exclusive && !one.is_deferred()
                || one.resource.is_in_everything() && (one.kind.modifies() || all.is_write)
        };
        let is_in_any = |one: &ResourceUse| self.all.iter().any(|all| is_in(one, all));
        self.uses.iter().enumerate().any(is_twice)
            || self.uses.iter().any(is_in_any)
            || (self.all.len() > 1 && self.all.iter().any(|all| all.is_write))
    }

    /// Whether a use of one node conflicts with a use of another node at the same level, except by commands. O(product of the
    /// numbers of uses).
    pub(crate) fn uses_conflict_with(&self, other: &Self) -> bool {
        let is_in = |one: &ResourceUse| other.uses.iter().any(|other| one.conflicts_with(other));
        self.uses.iter().any(is_in)
    }

    /// The resources with an explicit read that the node also writes, explicitly or among all resources. Each occurs
    /// once, in the order of declaration. Uses with a filter do not count, because they may be of other entities.
    /// O(uses + exceptions).
    pub(crate) fn reads_of_written(&self) -> Vec<ResourceId> {
        let are_any = |kind| self.uses.iter().any(|one| one.kind == kind);
        let has_read = are_any(AccessKind::Read);
        let has_write = are_any(AccessKind::Write);
        if !has_read || !(has_write || self.all.iter().any(|all| all.is_write)) {
            return Vec::new();
        }
        let uses = || self.uses.iter().filter(|one| one.filter.is_none());
        let writes = uses().filter(|one| one.kind == AccessKind::Write);
        let written: HashSet<&ResourceId> = writes.map(|one| &one.resource).collect();
        let lists = self.all.iter().filter(|all| all.is_write);
        let lists: Vec<HashSet<&ResourceId>> =
            lists.map(|all| all.except.iter().collect()).collect();
        let is_in_all = |resource: &ResourceId| {
            resource.is_in_everything() && lists.iter().any(|except| !except.contains(resource))
        };
        let mut known = HashSet::new();
        let reads = uses()
            .filter(|one| one.kind == AccessKind::Read)
            .map(|one| &one.resource)
            .filter(|&resource| {
                (written.contains(resource) || is_in_all(resource)) && known.insert(resource)
            });
        reads.cloned().collect()
    }

    /// The resources that the node folds into and also accesses in another way, alone or among all resources. Each occurs once, in the
    /// order of declaration. O(folds × (uses + exceptions)).
    pub(crate) fn conflicting_folds(&self) -> Vec<ResourceId> {
        let mut found: Vec<ResourceId> = Vec::new();
        let folds = self.uses.iter().filter(|one| one.kind == AccessKind::Fold);
        for fold in folds {
            let resource = &fold.resource;
            // A system can read and write the same messages.
            let conflicts = |one: &ResourceUse| {
                one.resource == *resource
                    && one.kind.conflicts_with(AccessKind::Fold)
                    && !one.is_reader_and_writer(fold)
            };
            let is_in_all = |all: &AllUse| !all.except.contains(resource);
            let is_used = self.uses.iter().any(conflicts) || self.all.iter().any(is_in_all);
            if is_used && !found.contains(resource) {
                found.push(resource.clone());
            }
        }
        found
    }

    /// The same access with each resource once per filter. The kind of a use is that of all joined uses. O(uses).
    pub(crate) fn merged(mut self) -> Self {
        if self.uses.len() < 2 {
            return self;
        }
        let mut idx_of = HashMap::with_capacity(self.uses.len());
        let mut merged: Vec<ResourceUse> = Vec::with_capacity(self.uses.len());
        for one in self.uses {
            // A reader and a writer of messages in one system are not a write.
            let is_written_message = one.resource.is_messages() && one.kind == AccessKind::Fold;
            let key = (
                one.resource.clone(),
                one.filter.map(FilterKey),
                is_written_message,
            );
            match idx_of.entry(key) {
                Entry::Occupied(idx) => {
                    let first: &mut ResourceUse = &mut merged[*idx.get()];
                    first.kind = first.kind.joined(one.kind);
                    first.is_optional &= one.is_optional;
                    first.n += one.n;
                    first.n_kept = first.n_kept.saturating_add(one.n_kept);
                }
                Entry::Vacant(idx) => {
                    idx.insert(merged.len());
                    merged.push(one);
                }
            }
        }
        self.uses = merged;
        self
    }

    /// Compares the access of a query with this one.
    pub(crate) fn coverage(
        &self,
        component: &ResourceType,
        is_write: bool,
        filter: &Filter,
    ) -> Coverage {
        let id = ResourceId::of_type(component);
        let uses = || self.uses.iter().filter(|one| one.resource == id);
        let mut covers = uses()
            .filter(|one| one.kind.is_write() || !is_write)
            .peekable();
        if covers.peek().is_none() {
            return match uses().next() {
                None => Coverage::Nothing,
                Some(_) => Coverage::Read,
            };
        }
        let is_wider = |one: &ResourceUse| one.filter.is_none_or(|wider| filter.implies(wider));
        if covers.any(is_wider) {
            Coverage::All
        } else {
            Coverage::OtherEntities
        }
    }

    /// Whether the node folds into the resource.
    pub(crate) fn folds(&self, resource: &ResourceId) -> bool {
        let is_fold = |one: &ResourceUse| one.kind == AccessKind::Fold && one.resource == *resource;
        self.uses.iter().any(is_fold)
    }

    /// Whether the access contains a read of the resource. If `to_write`, whether it contains a write.
    pub(crate) fn allows(&self, resource: &ResourceId, to_write: bool) -> bool {
        let is_used = |one: &ResourceUse| {
            let is_enough = match one.kind {
                AccessKind::Read => !to_write,
                AccessKind::Write => true,
                AccessKind::Fold => false,
            };
            is_enough && one.resource == *resource
        };
        self.uses.iter().any(is_used)
            || self.all.iter().any(|all| {
                (all.is_write || !to_write)
                    && resource.is_in_everything()
                    && !all.except.contains(resource)
            })
    }
}
