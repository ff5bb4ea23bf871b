//! Accesses: which resources a parameter or a system reads and writes, as constants.
//!
//! Every parameter of a system carries an [`Access`]: a tree of `&'static` data, since a `const` cannot yet build
//! lists whose length depends on a type. The functions that compare two trees are `const`, so that the compiler
//! can refuse a system whose own parameters conflict.

mod set;

use core::any::TypeId;

pub use self::set::{AccessSet, ResourceId};
pub(crate) use self::set::{AllUse, ResourceUse};

use crate::identity::{Identity, Name, mix};
use crate::text::Text;

/// A type of resource, as data.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ResourceType {
    /// [`Identity::ID`]; another one for the main-thread value of a type than for the resource of that type.
    pub id: u128,
    /// [`Identity::NAME`].
    pub name: Name,
    /// What storage looks it up by.
    pub type_id: TypeId,
    /// Bound to the thread that inserted it.
    pub is_main_thread: bool,
}

impl ResourceType {
    /// For memory that nothing was written to.
    pub(crate) const BLANK: Self = Self {
        id: 0,
        name: Name::new(""),
        type_id: TypeId::of::<()>(),
        is_main_thread: false,
    };

    pub(crate) const fn of<T: Identity + 'static>() -> Self {
        Self {
            id: T::ID,
            name: T::NAME,
            type_id: TypeId::of::<T>(),
            is_main_thread: false,
        }
    }

    pub(crate) const fn main_thread<T: Identity + 'static>() -> Self {
        Self {
            id: mix(T::ID, 1),
            name: T::NAME,
            type_id: TypeId::of::<T>(),
            is_main_thread: true,
        }
    }
}

/// What a parameter, or a whole system, touches.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Access {
    /// Reads one resource.
    Read(ResourceType),
    /// Writes one resource.
    Write(ResourceType),
    /// The same as what is inside, but the resource may be missing.
    Optional(&'static Access),
    /// Reads every resource (not the main-thread values).
    ReadAll,
    /// Writes every resource and main-thread value, and runs alone.
    Exclusive,
    /// Touches nothing now; its commands may insert or remove resources later.
    Commands,
    /// Touches nothing now; its commands insert this resource.
    Inserts(ResourceType),
    /// All of these.
    Each(&'static [Access]),
    /// Each of these, but only one at a time.
    OneOf(&'static [Access]),
    /// A reference to a parameter that is taken by value: no system compiles that takes it.
    #[doc(hidden)]
    ByReference(ByValue),
}

/// How a parameter is written that stands behind a reference.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct ByValue {
    /// The type.
    pub(crate) instead: &'static str,
    /// The reference is exclusive.
    pub(crate) is_mut: bool,
}

/// A parameter of a system: its name in the source, and what it touches.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Parameter {
    /// The name; the pattern, where the parameter is taken apart.
    pub name: &'static str,
    /// What it touches.
    pub access: Access,
}

/// The parameters of a system, or the fields of a struct of parameters.
#[derive(Clone, Copy, Debug)]
pub struct Parameters {
    /// What messages call one of them.
    noun: &'static str,
    list: &'static [Parameter],
}

impl Parameters {
    /// These, of which messages speak by `noun`.
    pub const fn new(noun: &'static str, list: &'static [Parameter]) -> Self {
        Self { noun, list }
    }

    /// One after the other.
    pub const fn list(&self) -> &'static [Parameter] {
        self.list
    }

    /// Refuses the `nth` if it conflicts with an earlier one or with itself.
    ///
    /// O(product of the leaves). Called in const evaluation, once for each, with the span of its type.
    ///
    /// # Panics
    ///
    /// If there is a conflict, with a message that names both.
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

/// Where two accesses meet.
#[derive(Clone, Copy)]
enum Conflict {
    /// On a resource that at least one side writes.
    On {
        resource: ResourceType,
        first_writes: bool,
        second_writes: bool,
    },
    /// One side touches every resource; the other side may be [`Access::Each`], where it touches just anything.
    OnAll { first: Access, second: Access },
}

const fn explain(text: Text, first: &str, second: &str, conflict: Conflict) -> Text {
    match conflict {
        Conflict::On {
            resource,
            first_writes,
            second_writes,
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
            take_once(text, resource)
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
            text.str("; reach everything through the one that has it all")
        }
    }
}

const fn explain_inside(text: Text, conflict: Conflict) -> Text {
    match conflict {
        Conflict::On {
            resource,
            first_writes: true,
            second_writes: true,
        } => {
            let text = text.str("it writes `").name(resource.name);
            take_once(text.str("` twice"), resource)
        }
        Conflict::On { resource, .. } => {
            let text = text.str("it reads and writes `").name(resource.name);
            take_once(text.str("`"), resource)
        }
        Conflict::OnAll { first, second } => {
            let text = touches(text.str("one part of it"), first);
            let text = touches(text.str(" and another"), second);
            text.str("; reach everything through the one that has it all")
        }
    }
}

const fn take_once(text: Text, resource: ResourceType) -> Text {
    let (before, after) = if resource.is_main_thread {
        ("NonSendMut<", ">`")
    } else {
        ("&mut ", "`")
    };
    let text = text.str("; take it once, as `").str(before);
    text.name(resource.name).str(after)
}

const fn touches(text: Text, access: Access) -> Text {
    match access {
        Access::Read(resource) => text.str(" reads `").name(resource.name).str("`"),
        Access::Write(resource) => text.str(" writes `").name(resource.name).str("`"),
        Access::ReadAll => text.str(" reads every resource"),
        _ => text.str(" writes every resource"),
    }
}

/// The first reference in it to a parameter that is taken by value.
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

/// Whether the noun is that of parameters, which may be bound as `mut`, and not of fields.
const fn is_parameter(noun: &str) -> bool {
    matches!(noun.as_bytes(), b"parameter")
}

/// Whether it is a name, and no pattern.
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

/// The first conflict between two accesses.
const fn conflict(first: &Access, second: &Access) -> Option<Conflict> {
    // Most parameters are one resource each. In const evaluation, which does this for every pair of every system, each
    // step counts: these are told apart first, and without a copy.
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
        })
    } else {
        None
    }
}

/// The first conflict between two accesses of which one is no single resource.
const fn conflict_of_others(first: &Access, second: &Access) -> Option<Conflict> {
    match (first, second) {
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
        (Access::Commands | Access::Inserts(_), _) | (_, Access::Commands | Access::Inserts(_)) => {
            None
        }
        (Access::ReadAll, Access::Write(resource)) | (Access::Write(resource), Access::ReadAll)
            if resource.is_main_thread =>
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

/// The first conflict between two parts of one access.
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
        _ => None,
    }
}

impl Access {
    /// Refuses parameters of a closure, which have types but no names.
    ///
    /// # Panics
    ///
    /// If two of the parts conflict.
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

    /// Calls `visit` with every leaf, from left to right, and whether it may be missing. O(leaves).
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
            leaf => visit(leaf, is_optional),
        }
    }
}

#[cfg(test)]
mod tests;
