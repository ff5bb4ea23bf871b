//! Accesses: the resources that a parameter or a system reads and writes, as constants.
//!
//! Every parameter of a system has an access: a tree of `&'static` data, because a `const` cannot yet build lists
//! whose length depends on a type. The functions that compare two trees are `const`, so that the compiler can reject a
//! system whose own parameters conflict.

mod conflict;
mod filter;
pub(crate) mod identities;
mod interned;
mod set;

use core::any::TypeId;

pub(crate) use self::conflict::verb;
use self::conflict::{ComparedSides, conflict, conflict_inside, explain, explain_inside};
#[doc(hidden)]
pub use self::filter::{Filter, FilterTerm};
pub(crate) use self::filter::{FilterKey, mark_disjoint};
pub(crate) use self::interned::interned;
#[doc(hidden)]
pub use self::set::AccessSet;
pub use self::set::ResourceId;
pub(crate) use self::set::{AllUse, Coverage, EachAccess, ResourceUse, StoreChange};

pub use schedule_graph::AccessKind;

use crate::base::identity::{Identity, Name, mix};
use crate::base::text::Text;

/// The type of a resource, as data.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ResourceType {
    /// [`Identity::ID`]. A main-thread value and a component have another id than the resource of the same type.
    pub id: u128,
    /// [`Identity::NAME`].
    pub name: Name,
    /// The key in [`Resources`](crate::Resources). That of a component is unique, but no key.
    pub type_id: TypeId,
    /// Where the values are.
    pub storage: Storage,
    /// The size of a component in bytes, at most `u32::MAX`. 0 for other resources.
    pub(crate) bytes: u32,
}

/// Where the values of a resource are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Storage {
    /// In [`Resources`](crate::Resources).
    Shared,
    /// In [`Resources`](crate::Resources), on the thread that inserted it.
    MainThread,
    /// In the entities of an [`EntityStore`](crate::entity::EntityStore). The resource stands for a component of all entities.
    /// It is never missing.
    Entities,
    /// In commands that are not yet applied. The resource stands for the changes that commands make to a component. It is
    /// never missing.
    Deferred,
}

impl ResourceType {
    /// A placeholder for unused memory.
    pub(crate) const BLANK: Self = Self {
        id: 0,
        name: Name::new(""),
        type_id: TypeId::of::<()>(),
        storage: Storage::Shared,
        bytes: 0,
    };

    pub(crate) const fn of<T: Identity + 'static>() -> Self {
        Self {
            id: T::ID,
            name: T::NAME,
            type_id: TypeId::of::<T>(),
            storage: Storage::Shared,
            bytes: 0,
        }
    }

    pub(crate) const fn main_thread<T: Identity + 'static>() -> Self {
        Self {
            id: mix(T::ID, 1),
            name: T::NAME,
            type_id: TypeId::of::<T>(),
            storage: Storage::MainThread,
            bytes: 0,
        }
    }

    /// A component of the entities in a store, of this size in bytes.
    pub(crate) const fn component(id: u128, name: Name, type_id: TypeId, size: usize) -> Self {
        Self {
            id: mix(id, 2),
            name,
            type_id,
            storage: Storage::Entities,
            bytes: if size > u32::MAX as usize {
                u32::MAX
            } else {
                size as u32
            },
        }
    }

    /// The changes that commands make to a component.
    pub(crate) const fn deferred(component: Self, name: Name) -> Self {
        Self {
            id: mix(component.id, 3),
            name,
            type_id: component.type_id,
            storage: Storage::Deferred,
            bytes: 0,
        }
    }

    /// Whether it is a main-thread value.
    pub const fn is_main_thread(&self) -> bool {
        matches!(self.storage, Storage::MainThread)
    }

    /// Whether an access to all resources includes it.
    pub(crate) const fn is_in_everything(&self) -> bool {
        matches!(self.storage, Storage::Shared)
    }
}

/// The access of a parameter or of a whole system.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Access {
    /// Reads one resource.
    Read(ResourceType),
    /// Writes one resource.
    Write(ResourceType),
    /// Folds values into one resource, and does not read it.
    Fold(ResourceType),
    /// The same as the inner access, but the resource can be missing.
    Optional(&'static Access),
    /// The same as the inner access, which contains only components, but only for the entities that match the filter.
    Filtered(&'static Access, &'static Filter),
    /// Reads every resource, but no main-thread value.
    ReadAll,
    /// Writes every resource and main-thread value. The system is exclusive.
    Exclusive,
    /// Accesses nothing while the system runs. The commands can insert or remove resources later.
    Commands,
    /// Accesses nothing while the system runs. The commands insert this resource.
    Inserts(ResourceType),
    /// Accesses nothing while the system runs. The commands change a component, so they conflict with other commands that
    /// change it.
    Defers(&'static Deferred),
    /// Accesses nothing while the system runs. The commands may change all entities in this store.
    Changes(ResourceType),
    /// All of these accesses.
    Each(&'static [Access]),
    /// Each of these accesses, but only one at a time.
    OneOf(&'static [Access]),
    /// A reference that a system cannot take. A system with this access does not compile.
    #[doc(hidden)]
    ByReference(RefusedReference),
}

/// The changes that commands make to a component.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Deferred {
    /// The resource that stands for the changes.
    pub changes: ResourceType,
    /// The component.
    pub component: ResourceType,
    /// The store of the entities.
    pub store: ResourceType,
    /// The type of the component.
    pub type_id: TypeId,
}

/// Why a system cannot take a reference.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum RefusedReference {
    /// The parameter must be taken by value.
    ByValue {
        /// The type to write instead.
        instead: &'static str,
        /// Whether the reference is exclusive.
        is_mut: bool,
    },
    /// A schedule is not a resource.
    Schedule,
}

/// The end of the message about [`RefusedReference::Schedule`].
const SCHEDULE: &str = " be a schedule: threads cannot share it; put it into a resource, as in `#[derive(Resource)] struct Physics(Mutex<Schedule>);`, and take that";

impl RefusedReference {
    /// Returns the message about a parameter or a field. `is_whole`: whether all of it is the reference, and not a part of it.
    pub(crate) const fn explain(self, noun: &str, name: &str, is_whole: bool) -> Text {
        let text = Text::new().str(noun).str(" `").str(name);
        let (instead, is_mut) = match self {
            Self::ByValue { instead, is_mut } => (instead, is_mut),
            Self::Schedule => return text.str("` cannot").str(SCHEDULE),
        };
        if !is_parameter(noun) {
            return text
                .str("` must hold `")
                .str(instead)
                .str("` by value, with the lifetime of the struct; remove the reference");
        }
        let text = text.str("` must be taken by value, not by reference; write `");
        let text = if is_whole {
            let is_bound = is_mut && is_parameter(noun) && is_name(name);
            let text = text.str(if is_bound { "mut " } else { "" });
            text.str(name).str(": ").str(instead)
        } else {
            text.str(instead)
        };
        text.str("`")
    }
}

/// A parameter of a system: its name in the source, and its access.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Parameter {
    /// The name, or the pattern of a destructured parameter.
    pub name: &'static str,
    /// The access of the parameter.
    pub access: Access,
}

/// The parameters of a system, or the fields of a struct of parameters.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Parameters {
    /// The word for one of them in messages.
    noun: &'static str,
    list: &'static [Parameter],
    /// Whether they are those of a `for_each` system.
    is_for_each: bool,
}

impl Parameters {
    /// Creates a list. Messages call each element a `noun`.
    pub const fn new(noun: &'static str, list: &'static [Parameter]) -> Self {
        Self {
            noun,
            list,
            is_for_each: false,
        }
    }

    /// Creates the list of a `for_each` system.
    #[doc(hidden)]
    pub const fn for_each(list: &'static [Parameter]) -> Self {
        Self {
            noun: "parameter",
            list,
            is_for_each: true,
        }
    }

    /// Whether they are those of a `for_each` system.
    pub(crate) const fn is_for_each(&self) -> bool {
        self.is_for_each
    }

    /// Returns the parameters in source order.
    pub const fn list(&self) -> &'static [Parameter] {
        self.list
    }

    /// Whether a parameter of one system conflicts with a parameter of another system at the same level.
    pub(crate) const fn conflict_with(&self, other: &Self) -> bool {
        let mut i = 0;
        while i < self.list.len() {
            let mut j = 0;
            while j < other.list.len() {
                let (a, b) = (&self.list[i].access, &other.list[j].access);
                if conflict(a, b, ComparedSides::OfSystems).is_some() {
                    return true;
                }
                j += 1;
            }
            i += 1;
        }
        false
    }

    /// Rejects parameter `nth` if it conflicts with an earlier one or with itself.
    ///
    /// Cost: the product of the numbers of leaves. Called once for each parameter in const evaluation, with the span of
    /// its type.
    ///
    /// # Panics
    ///
    /// Panics with a message that names both parameters if they conflict.
    #[track_caller]
    pub const fn distinct(&self, nth: usize) {
        let Parameter { name, access } = &self.list[nth];
        if let Some(refused) = by_reference(access) {
            let is_whole = matches!(access, Access::ByReference(_));
            panic!("{}", refused.explain(self.noun, name, is_whole).as_str());
        }
        if let Some(conflict) = conflict_inside(access) {
            let text = Text::new()
                .str(self.noun)
                .str(" `")
                .str(name)
                .str("` conflicts with itself: ");
            let conflict = if self.is_for_each {
                conflict.inside_for_each()
            } else {
                conflict
            };
            panic!("{}", explain_inside(text, conflict).as_str());
        }
        let mut i = 0;
        while i < nth {
            let other = &self.list[i];
            if let Some(conflict) = conflict(&other.access, access, ComparedSides::InSystem) {
                let conflict = conflict.of(&other.access, access, self.is_for_each);
                let text = Text::new()
                    .str(self.noun)
                    .str("s `")
                    .str(other.name)
                    .str("` and `")
                    .str(name)
                    .str("` conflict: ");
                panic!(
                    "{}",
                    explain(text, other, &self.list[nth], conflict).as_str()
                );
            }
            i += 1;
        }
    }
}

/// Returns the first reference that a system cannot take.
const fn by_reference(access: &Access) -> Option<RefusedReference> {
    match access {
        Access::ByReference(refused) => Some(*refused),
        Access::Each(parts) => {
            let mut i = 0;
            while i < parts.len() {
                let found = by_reference(&parts[i]);
                if found.is_some() {
                    return found;
                }
                i += 1;
            }
            None
        }
        _ => None,
    }
}

/// Whether the noun is that of parameters, which can be bound as `mut`, and not of fields.
const fn is_parameter(noun: &str) -> bool {
    matches!(noun.as_bytes(), b"parameter")
}

/// Whether the text is a name, and not a pattern.
const fn is_name(text: &str) -> bool {
    let mut i = 0;
    while i < text.len() {
        let byte = text.as_bytes()[i];
        if !(byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()) {
            return false;
        }
        i += 1;
    }
    true
}

impl Access {
    /// Rejects conflicting terms of a query outside of a system.
    ///
    /// # Panics
    ///
    /// Panics if two of the parts conflict.
    pub(crate) const fn refuse_conflicting_terms(&self) {
        if let Some(conflict) = conflict_inside(self) {
            let text = Text::new().str("the terms of a query conflict: ");
            panic!("{}", explain_inside(text, conflict.inside_query()).as_str());
        }
    }

    /// Rejects queries of one world that conflict, outside of a system. The access is that of their tuple.
    ///
    /// # Panics
    ///
    /// Panics if two of the parts conflict.
    pub(crate) const fn refuse_conflicting_queries(&self) {
        if let Some(conflict) = conflict_inside(self) {
            let text = Text::new().str("a tuple of queries conflicts with itself: ");
            panic!("{}", explain_inside(text, conflict).as_str());
        }
    }

    /// Rejects conflicting parameters of a closure, which have types but no names.
    ///
    /// # Panics
    ///
    /// Panics if two of the parts conflict.
    #[track_caller]
    pub(crate) const fn refuse_conflicts(&self) {
        if let Some(refused) = by_reference(self) {
            let text = Text::new().str("a parameter of a closure ");
            let text = match refused {
                RefusedReference::ByValue { instead, .. } => text
                    .str("must be taken by value, not by reference; write `")
                    .str(instead)
                    .str("`"),
                RefusedReference::Schedule => text.str("cannot").str(SCHEDULE),
            };
            panic!("{}", text.as_str());
        }
        let parts = match self {
            Access::Each(parts) => *parts,
            _ => return,
        };
        let mut i = 0;
        while i < parts.len() {
            if let Some(conflict) = conflict_inside(&parts[i]) {
                let text = Text::new()
                    .str("parameter ")
                    .number(i as i128 + 1)
                    .str(" of a closure conflicts with itself: ");
                panic!("{}", explain_inside(text, conflict).as_str());
            }
            let mut j = 0;
            while j < i {
                if let Some(conflict) = conflict(&parts[j], &parts[i], ComparedSides::InSystem) {
                    let text = Text::new()
                        .str("a closure conflicts with itself in parameters ")
                        .number(j as i128 + 1)
                        .str(" and ")
                        .number(i as i128 + 1)
                        .str(": ");
                    let conflict = conflict.of(&parts[j], &parts[i], false);
                    panic!("{}", explain_inside(text, conflict).as_str());
                }
                j += 1;
            }
            i += 1;
        }
    }

    /// Whether a leaf is a write of one resource.
    pub(crate) const fn has_write(&self) -> bool {
        match self {
            Access::Write(_) => true,
            Access::Optional(access) | Access::Filtered(access, _) => access.has_write(),
            Access::Each(parts) | Access::OneOf(parts) => {
                let mut idx = 0;
                while idx < parts.len() {
                    if parts[idx].has_write() {
                        return true;
                    }
                    idx += 1;
                }
                false
            }
            _ => false,
        }
    }

    /// Calls `visit` with every leaf from left to right, and with whether the resource can be missing. O(leaves).
    pub fn for_each(&self, visit: &mut impl FnMut(&Access, bool)) {
        self.walk(false, visit);
    }

    fn walk(&self, is_optional: bool, visit: &mut impl FnMut(&Access, bool)) {
        match self {
            Access::Each(parts) | Access::OneOf(parts) => {
                for part in *parts {
                    part.walk(is_optional, visit);
                }
            }
            Access::Optional(access) => access.walk(true, visit),
            Access::Filtered(access, _) => access.walk(is_optional, visit),
            leaf => visit(leaf, is_optional),
        }
    }
}

#[cfg(test)]
mod tests;
