//! Identities: the names of types, and numbers that distinguish them, for `const` code.
//!
//! `TypeId` cannot be compared in a `const`. So every resource and every system has a number, which is a hash of the
//! place of its declaration. Associated constants can then contain whole access sets, and a `const fn` can compare them
//! across modules and crates.

use core::fmt;

use crate::base::escape::shown;

/// A type with a number and a name that `const` code can use.
///
/// Implement it with `#[derive(Identity)]`. `#[derive(Resource)]` and `#[system]` implement it as well. A generic type
/// has an identity if all of its parameters have one. For this purpose primitives and common types of the standard
/// library have identities.
///
/// Two different types can in theory have the same number, a 128-bit hash. For resources, the verifier would then
/// report a conflict that does not exist. Storage is not affected, since it distinguishes types by `TypeId`.
///
/// ```
/// use schedule::{Identity, prelude::*};
///
/// #[derive(Identity)]
/// struct Mesh;
///
/// #[derive(Resource)]
/// struct Assets<T>(Vec<T>);
///
/// assert_eq!(Assets::<Mesh>::NAME.to_string(), "Assets<Mesh>");
/// assert_ne!(Assets::<Mesh>::ID, Assets::<String>::ID);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not implement `Identity`",
    label = "`Identity` is missing",
    note = "if `{Self}` is a type of this program, add `#[derive(Identity)]` to it, and to its type arguments; otherwise wrap it: `#[derive(Identity)] struct Mine(…);`",
    note = "main-thread values, states, tags of worlds, values of queues, and type arguments of resources and systems need an identity"
)]
pub trait Identity {
    /// The number: equal for the same type, different for different types.
    const ID: u128;
    /// The name for messages, without its path.
    const NAME: Name;
}

/// The name of a type, with the names of its generic arguments.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Name {
    base: &'static str,
    arguments: &'static [Argument],
    /// The use of a resource of this type in code, if it is not that of most resources.
    usage: Option<&'static Usage>,
    /// The store of a component, unless it is the only one that programs usually have.
    store: Option<&'static Name>,
}

/// The use of a resource in code, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Usage {
    /// This method of [`Resources`](crate::Resources) inserts it.
    InsertedBy(&'static str),
    /// It is a queue of [messages](crate::message), which systems read and write with parameters of their own.
    Messages,
    /// It is a store of [columns](crate::columns), which systems access as a whole.
    Columns,
    /// It is another store of entities.
    Store,
    /// It is the store of entities that commands change if they declare nothing.
    DefaultStore,
}

/// A generic argument in a [`Name`].
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[doc(hidden)]
pub enum Argument {
    /// The name of a type.
    Type(Name),
    /// The value of a `const` parameter. Characters and bools are converted to a number.
    Value(i128),
}

impl Name {
    /// The name of a type without parameters.
    pub const fn new(base: &'static str) -> Self {
        Self {
            base,
            arguments: &[],
            usage: None,
            store: None,
        }
    }

    pub(crate) const fn generic(base: &'static str, arguments: &'static [Argument]) -> Self {
        Self {
            base,
            arguments,
            usage: None,
            store: None,
        }
    }

    /// Sets the use of a resource of this type, for messages.
    pub(crate) const fn used_as(mut self, usage: &'static Usage) -> Self {
        self.usage = Some(usage);
        self
    }

    /// The method of [`Resources`](crate::Resources) that inserts a resource of this type, if that is not `insert`.
    pub(crate) const fn insert(self) -> Option<&'static str> {
        match self.usage {
            Some(Usage::InsertedBy(method)) => Some(*method),
            _ => None,
        }
    }

    /// The name of a component of the entities in a store.
    pub(crate) const fn stored_in(mut self, store: &'static Name) -> Self {
        self.store = Some(store);
        self
    }

    /// The name of the component itself.
    pub(crate) const fn without_store(mut self) -> Self {
        self.store = None;
        self
    }

    /// Marks the name as that of the store that commands change if they declare nothing.
    #[doc(hidden)]
    #[must_use]
    pub const fn of_default_store(self) -> Self {
        self.used_as(&Usage::DefaultStore)
    }

    /// Marks the name as that of a store of entities.
    #[doc(hidden)]
    #[must_use]
    pub const fn of_store(self) -> Self {
        self.used_as(&Usage::Store)
    }

    /// Whether it is known to be the name of a store of entities.
    pub(crate) const fn is_store(self) -> bool {
        matches!(
            self.usage,
            Some(Usage::Columns | Usage::Store | Usage::DefaultStore)
        )
    }

    /// Whether commands change the store of this name if they declare nothing.
    pub(crate) const fn is_default_store(self) -> bool {
        matches!(self.usage, Some(Usage::DefaultStore))
    }

    /// Whether it is the name of a store of columns.
    pub(crate) const fn is_columns(self) -> bool {
        matches!(self.usage, Some(Usage::Columns))
    }

    /// Whether it is the name of a queue of messages.
    pub(crate) const fn is_messages(self) -> bool {
        matches!(self.usage, Some(Usage::Messages))
    }

    pub(crate) const fn store(self) -> Option<&'static Name> {
        self.store
    }

    /// The name of the changes that commands make to a component. `of`: the name of the component.
    pub(crate) const fn deferred(of: &'static [Argument; 1]) -> Self {
        Self::generic("deferred ", of)
    }

    /// The name without its generic arguments.
    pub const fn base(self) -> &'static str {
        self.base
    }

    pub(crate) const fn arguments(self) -> &'static [Argument] {
        self.arguments
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (open, close) = brackets(self.base);
        f.write_str(self.base)?;
        for (i, argument) in self.arguments.iter().enumerate() {
            f.write_str(if i == 0 { open } else { ", " })?;
            match argument {
                Argument::Type(name) => name.fmt(f)?,
                Argument::Value(value) => value.fmt(f)?,
            }
        }
        f.write_str(if self.arguments.is_empty() { "" } else { close })?;
        match self.store {
            None => Ok(()),
            Some(store) => write!(f, " in {store}"),
        }
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", shown(self))
    }
}

/// The brackets around generic arguments. The name of a tuple consists only of brackets. A base that ends with a space is a
/// word before its argument.
pub(crate) const fn brackets(base: &str) -> (&'static str, &'static str) {
    match base.as_bytes() {
        [] => ("(", ")"),
        [.., b' '] => ("", ""),
        _ => ("<", ">"),
    }
}

/// Returns the number of a type that is declared at this place.
///
/// FNV-1a with 128 bits (Fowler, Noll, Vo 1991). O(length of the names).
#[doc(hidden)]
pub const fn declared_at(module: &str, name: &str, line: u32, column: u32) -> u128 {
    let id = mix_text(FNV_OFFSET, module);
    let id = mix_text(id, name);
    mix(id, ((line as u128) << 32) | column as u128)
}

/// Mixes `more` into `id`. The order of calls matters.
#[doc(hidden)]
pub const fn mix(id: u128, more: u128) -> u128 {
    let mut id = (id ^ (more >> 64)).wrapping_mul(FNV_PRIME);
    id = (id ^ (more & u64::MAX as u128)).wrapping_mul(FNV_PRIME);
    id ^ (id >> 61)
}

/// Returns the number of a type that is declared where this function is called.
///
/// The location is part of it, because functions of one module can contain types with the same name.
#[doc(hidden)]
#[track_caller]
pub const fn declared_here(module: &str, name: &str) -> u128 {
    let here = core::panic::Location::caller();
    declared_at(module, name, here.line(), here.column())
}

const FNV_OFFSET: u128 = 0x6c62272e07bb014262b821756295c58d;
const FNV_PRIME: u128 = 0x0000000001000000000000000000013b;

const fn mix_text(id: u128, text: &str) -> u128 {
    let bytes = text.as_bytes();
    let mut id = mix(id, bytes.len() as u128);
    let mut i = 0;
    while i < bytes.len() {
        id = (id ^ bytes[i] as u128).wrapping_mul(FNV_PRIME);
        i += 1;
    }
    id
}

macro_rules! plain {
    ($($type:ty => $name:literal),* $(,)?) => {$(
        impl Identity for $type {
            const ID: u128 = declared_at("std", $name, 0, 0);
            const NAME: Name = Name::new($name);
        }
    )*};
}

macro_rules! generic {
    ($($type:ty, $name:literal, [$($parameter:ident),+]);* $(;)?) => {$(
        impl<$($parameter: Identity),+> Identity for $type {
            const ID: u128 = {
                let id = declared_at("std", $name, 0, 0);
                $(let id = mix(id, <$parameter as Identity>::ID);)+
                id
            };
            const NAME: Name =
                Name::generic($name, &[$(Argument::Type(<$parameter as Identity>::NAME)),+]);
        }
    )*};
}

plain! {
    bool => "bool", char => "char", u8 => "u8", u16 => "u16", u32 => "u32", u64 => "u64", u128 => "u128",
    usize => "usize", i8 => "i8", i16 => "i16", i32 => "i32", i64 => "i64", i128 => "i128",
    isize => "isize", f32 => "f32", f64 => "f64", str => "str", () => "()", String => "String",
    std::path::PathBuf => "PathBuf", std::ffi::OsString => "OsString",
    std::time::Duration => "Duration", std::time::Instant => "Instant",
    std::time::SystemTime => "SystemTime",
}

generic! {
    Option<T>, "Option", [T];
    Result<T, E>, "Result", [T, E];
    Box<T>, "Box", [T];
    Vec<T>, "Vec", [T];
    [T], "slice", [T];
    std::rc::Rc<T>, "Rc", [T];
    std::sync::Arc<T>, "Arc", [T];
    std::sync::Mutex<T>, "Mutex", [T];
    std::cell::Cell<T>, "Cell", [T];
    std::cell::RefCell<T>, "RefCell", [T];
    core::marker::PhantomData<T>, "PhantomData", [T];
    std::collections::VecDeque<T>, "VecDeque", [T];
    std::collections::BTreeSet<T>, "BTreeSet", [T];
    std::collections::HashSet<T>, "HashSet", [T];
    std::collections::BinaryHeap<T>, "BinaryHeap", [T];
    std::collections::BTreeMap<K, V>, "BTreeMap", [K, V];
    std::collections::HashMap<K, V>, "HashMap", [K, V];
    (A,), "", [A];
    (A, B), "", [A, B];
    (A, B, C), "", [A, B, C];
    (A, B, C, D), "", [A, B, C, D];
    (A, B, C, D, E), "", [A, B, C, D, E];
    (A, B, C, D, E, F), "", [A, B, C, D, E, F];
}

impl<T: Identity, const N: usize> Identity for [T; N] {
    const ID: u128 = mix(mix(declared_at("std", "array", 0, 0), T::ID), N as u128);
    const NAME: Name = Name::generic(
        "array",
        &[Argument::Type(T::NAME), Argument::Value(N as i128)],
    );
}

impl<T: Identity + ?Sized> Identity for &'static T {
    const ID: u128 = mix(declared_at("std", "&", 0, 0), T::ID);
    const NAME: Name = Name::generic("&", &[Argument::Type(T::NAME)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_differ_by_order_and_count_of_arguments() {
        assert_ne!(<(u8, u16)>::ID, <(u16, u8)>::ID);
        assert_ne!(<(u8,)>::ID, u8::ID);
        assert_ne!(<[u8; 3]>::ID, <[u8; 4]>::ID);
        assert_ne!(Vec::<Option<u8>>::ID, Option::<Vec<u8>>::ID);
        assert_eq!(Vec::<Option<u8>>::ID, Vec::<Option<u8>>::ID);
    }

    #[test]
    fn a_name_prints_with_its_arguments() {
        assert_eq!(
            Vec::<Option<(u8, String)>>::NAME.to_string(),
            "Vec<Option<(u8, String)>>"
        );
        assert_eq!(<[f32; 3]>::NAME.to_string(), "array<f32, 3>");
    }

    #[test]
    fn declared_ids_include_text_lengths() {
        assert_ne!(
            declared_at("ab", "c", 1, 1),
            declared_at("a", "bc", 1, 1),
            "the lengths count"
        );
        assert_ne!(declared_at("a", "b", 1, 2), declared_at("a", "b", 2, 1));
    }
}
