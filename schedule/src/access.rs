//! Accesses: the resources that a parameter or a system reads and writes, as constants.
//!
//! Every parameter of a system has an [`Access`]: a tree of `&'static` data, because a `const` cannot yet build lists
//! whose length depends on a type. The functions that compare two trees are `const`, so that the compiler can reject a
//! system whose own parameters conflict.

mod filter;
mod identities;
mod interned;
mod set;

use core::any::TypeId;

pub(crate) use self::filter::mark_disjoint;
pub use self::filter::{Filter, FilterTerm};
pub(crate) use self::interned::interned;
pub use self::set::{AccessSet, ResourceId};
pub(crate) use self::set::{AllUse, Coverage, ResourceUse};

use crate::identity::{Identity, Name, mix};
use crate::text::Text;

/// The type of a resource, as data.
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
    };

    pub(crate) const fn of<T: Identity + 'static>() -> Self {
        Self {
            id: T::ID,
            name: T::NAME,
            type_id: TypeId::of::<T>(),
            storage: Storage::Shared,
        }
    }

    pub(crate) const fn main_thread<T: Identity + 'static>() -> Self {
        Self {
            id: mix(T::ID, 1),
            name: T::NAME,
            type_id: TypeId::of::<T>(),
            storage: Storage::MainThread,
        }
    }

    /// A component of the entities in a store.
    pub(crate) const fn component(id: u128, name: Name, type_id: TypeId) -> Self {
        Self {
            id: mix(id, 2),
            name,
            type_id,
            storage: Storage::Entities,
        }
    }

    /// The changes that commands make to a component.
    pub(crate) const fn deferred(component: Self, name: Name) -> Self {
        Self {
            id: mix(component.id, 3),
            name,
            type_id: component.type_id,
            storage: Storage::Deferred,
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
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Access {
    /// Reads one resource.
    Read(ResourceType),
    /// Writes one resource.
    Write(ResourceType),
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
    /// Accesses nothing while the system runs. The commands change this component, so they conflict with other commands
    /// that change it.
    Defers(ResourceType),
    /// All of these accesses.
    Each(&'static [Access]),
    /// Each of these accesses, but only one at a time.
    OneOf(&'static [Access]),
    /// A reference to a parameter that must be taken by value. A system with this access does not compile.
    #[doc(hidden)]
    ByReference(ByValue),
}

/// A parameter that must be taken by value.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct ByValue {
    /// The type to write instead.
    pub(crate) instead: &'static str,
    /// Whether the reference is exclusive.
    pub(crate) is_mut: bool,
}

/// A parameter of a system: its name in the source, and its access.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Parameter {
    /// The name, or the pattern of a destructured parameter.
    pub name: &'static str,
    /// The access of the parameter.
    pub access: Access,
}

/// The parameters of a system, or the fields of a struct of parameters.
#[derive(Clone, Copy, Debug)]
pub struct Parameters {
    /// The word for one of them in messages.
    noun: &'static str,
    list: &'static [Parameter],
}

impl Parameters {
    /// Creates a list. Messages call each element a `noun`.
    pub const fn new(noun: &'static str, list: &'static [Parameter]) -> Self {
        Self { noun, list }
    }

    /// Returns the parameters in source order.
    pub const fn list(&self) -> &'static [Parameter] {
        self.list
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
        if let Some(ByValue { instead, is_mut }) = by_reference(access) {
            let text = Text::new().str(self.noun).str(" `").str(name);
            let text = text.str("` must be taken by value, not by reference; write `");
            let text = if matches!(access, Access::ByReference(_)) {
                let is_bound = is_mut && is_parameter(self.noun) && is_name(name);
                let text = text.str(if is_bound { "mut " } else { "" });
                text.str(name).str(": ").str(instead)
            } else {
                text.str(instead)
            };
            panic!("{}", text.str("`").as_str());
        }
        if let Some(conflict) = conflict_inside(access) {
            let text = Text::new().str(self.noun).str(" `").str(name);
            let text = text.str("` conflicts with itself: ");
            panic!("{}", explain_inside(text, conflict).as_str());
        }
        let mut i = 0;
        while i < nth {
            let other = &self.list[i];
            if let Some(conflict) = conflict(&other.access, access) {
                let text = Text::new().str(self.noun).str("s `").str(other.name);
                let text = text.str("` and `").str(name).str("` conflict: ");
                panic!("{}", explain(text, other.name, name, conflict).as_str());
            }
            i += 1;
        }
    }
}

/// A conflict of two accesses.
#[derive(Clone, Copy)]
enum Conflict {
    /// On one resource, which at least one side writes.
    On {
        resource: ResourceType,
        first_writes: bool,
        second_writes: bool,
        /// Whether both sides are terms of one query.
        is_in_query: bool,
    },
    /// One side accesses every resource. The other side can be an [`Access::Each`] with any access in it.
    OnAll { first: Access, second: Access },
}

const fn explain(text: Text, first: &str, second: &str, conflict: Conflict) -> Text {
    match conflict {
        Conflict::On {
            resource,
            first_writes,
            second_writes,
            is_in_query,
        } => {
            let text = if first_writes && second_writes {
                text.str("both write `").name(resource.name).str("`")
            } else {
                let (writer, reader) = if first_writes {
                    (first, second)
                } else {
                    (second, first)
                };
                let text = text.str("`").str(writer).str("` writes `");
                let text = text.name(resource.name).str("`, which `");
                text.str(reader).str("` reads")
            };
            take_once(text, resource, is_in_query)
        }
        Conflict::OnAll {
            first: Access::Exclusive,
            second: Access::Exclusive,
        } => text.str("both write every resource; take them once, as `&mut Resources`"),
        Conflict::OnAll {
            first: a,
            second: b,
        } => {
            let text = touches(text.str("`").str(first).str("`"), a);
            let text = touches(text.str(" and `").str(second).str("`"), b);
            let (removed, kept) = match (a, b) {
                (Access::Exclusive, _) => (second, first),
                (_, Access::Exclusive) => (first, second),
                _ => return text.str("; take one `&mut Resources` instead of both"),
            };
            let text = text.str("; remove `").str(removed);
            text.str("`, and get its resources through `")
                .str(kept)
                .str("`")
        }
    }
}

const fn explain_inside(text: Text, conflict: Conflict) -> Text {
    match conflict {
        Conflict::On {
            resource,
            first_writes: true,
            second_writes: true,
            is_in_query,
        } => {
            let text = text.str("it writes `").name(resource.name);
            take_once(text.str("` twice"), resource, is_in_query)
        }
        Conflict::On {
            resource,
            is_in_query,
            ..
        } => {
            let text = text.str("it reads and writes `").name(resource.name);
            take_once(text.str("`"), resource, is_in_query)
        }
        Conflict::OnAll { first, second } => {
            let text = touches(text.str("one part of it"), first);
            let text = touches(text.str(" and another"), second);
            text.str("; take only `&mut Resources`, and get all resources through it")
        }
    }
}

const fn take_once(text: Text, resource: ResourceType, is_in_query: bool) -> Text {
    let (verb, before, after) = match resource.storage {
        // Deferred writes of one system do not conflict.
        Storage::Shared | Storage::Deferred => ("take", "&mut ", "`"),
        Storage::MainThread => ("take", "NonSendMut<", ">`"),
        Storage::Entities => ("query", "&mut ", "`"),
    };
    let text = text.str("; ").str(verb).str(" it once, as `").str(before);
    let text = text.name(resource.name.without_store()).str(after);
    if is_in_query || !matches!(resource.storage, Storage::Entities) {
        return text;
    }
    text.str(", or add filters that exclude each other, such as `With<C>` and `Without<C>`")
}

const fn touches(text: Text, access: Access) -> Text {
    match access {
        Access::Read(resource) => text.str(" reads `").name(resource.name).str("`"),
        Access::Write(resource) => text.str(" writes `").name(resource.name).str("`"),
        Access::ReadAll => text.str(" reads every resource"),
        _ => text.str(" writes every resource"),
    }
}

/// Returns the first reference to a parameter that must be taken by value.
const fn by_reference(access: &Access) -> Option<ByValue> {
    match access {
        Access::ByReference(by_value) => Some(*by_value),
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

/// Returns the first conflict between two accesses.
const fn conflict(first: &Access, second: &Access) -> Option<Conflict> {
    // Most parameters are one resource each, so these cases come first and copy nothing. Const evaluation compares
    // every pair of every system, so each step matters.
    let (a, b, first_writes, second_writes) = match (first, second) {
        (Access::Read(_), Access::Read(_)) => return None,
        (Access::Read(a), Access::Write(b)) => (a, b, false, true),
        (Access::Write(a), Access::Read(b)) => (a, b, true, false),
        (Access::Write(a), Access::Write(b)) => (a, b, true, true),
        _ => return conflict_of_others(first, second),
    };
    if a.id == b.id {
        Some(Conflict::On {
            resource: *a,
            first_writes,
            second_writes,
            is_in_query: false,
        })
    } else {
        None
    }
}

/// Returns the first conflict between two accesses, at least one of which is not a single resource.
const fn conflict_of_others(first: &Access, second: &Access) -> Option<Conflict> {
    match (first, second) {
        (Access::Filtered(first, filter), Access::Filtered(second, other)) => {
            if filter.is_disjoint(other) {
                None
            } else {
                conflict(first, second)
            }
        }
        (Access::Each(parts) | Access::OneOf(parts), other)
        | (other, Access::Each(parts) | Access::OneOf(parts)) => {
            let is_first = matches!(first, Access::Each(_) | Access::OneOf(_));
            let mut i = 0;
            while i < parts.len() {
                let found = if is_first {
                    conflict(&parts[i], other)
                } else {
                    conflict(other, &parts[i])
                };
                if found.is_some() {
                    return found;
                }
                i += 1;
            }
            None
        }
        (Access::Optional(first), second) => conflict(first, second),
        (first, Access::Optional(second)) => conflict(first, second),
        (Access::Filtered(first, _), second) => conflict(first, second),
        (first, Access::Filtered(second, _)) => conflict(first, second),
        (Access::Commands | Access::Inserts(_) | Access::Defers(_), _)
        | (_, Access::Commands | Access::Inserts(_) | Access::Defers(_)) => None,
        (Access::ReadAll, Access::Write(resource)) | (Access::Write(resource), Access::ReadAll)
            if !resource.is_in_everything() =>
        {
            None
        }
        (Access::Exclusive, _)
        | (_, Access::Exclusive)
        | (Access::ReadAll, Access::Write(_))
        | (Access::Write(_), Access::ReadAll) => Some(Conflict::OnAll {
            first: *first,
            second: *second,
        }),
        _ => None,
    }
}

/// Returns the first conflict between two parts of one access.
const fn conflict_inside(access: &Access) -> Option<Conflict> {
    match access {
        Access::Each(parts) => {
            let mut i = 0;
            while i < parts.len() {
                if let Some(found) = conflict_inside(&parts[i]) {
                    return Some(found);
                }
                let mut j = 0;
                while j < i {
                    if let Some(found) = conflict(&parts[j], &parts[i]) {
                        return Some(found);
                    }
                    j += 1;
                }
                i += 1;
            }
            None
        }
        Access::Optional(access) => conflict_inside(access),
        Access::Filtered(access, _) => match conflict_inside(access) {
            Some(Conflict::On {
                resource,
                first_writes,
                second_writes,
                ..
            }) => Some(Conflict::On {
                resource,
                first_writes,
                second_writes,
                is_in_query: true,
            }),
            found => found,
        },
        _ => None,
    }
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
        if let Some(ByValue { instead, .. }) = by_reference(self) {
            let text = Text::new()
                .str("a parameter of a closure must be taken by value, not by reference; write `");
            panic!("{}", text.str(instead).str("`").as_str());
        }
        let parts = match self {
            Access::Each(parts) => *parts,
            _ => return,
        };
        let mut i = 0;
        while i < parts.len() {
            if let Some(conflict) = conflict_inside(&parts[i]) {
                let text = Text::new().str("parameter ").number(i as i128 + 1);
                let text = text.str(" of a closure conflicts with itself: ");
                panic!("{}", explain_inside(text, conflict).as_str());
            }
            let mut j = 0;
            while j < i {
                if let Some(conflict) = conflict(&parts[j], &parts[i]) {
                    let text = Text::new().str("parameters ").number(j as i128 + 1);
                    let text = text.str(" and ").number(i as i128 + 1);
                    let text = text.str(" of a closure conflict: ");
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
