//! The macros of `schedule` and `schedule-stream`. Use them through these crates, which re-export them: `handler`, `Record` and `Event`
//! through `schedule-stream`, all others through `schedule`.
//!
//! Each macro has three phases. *parse* turns tokens into syntax. *analyse* checks every rule and collects all errors. *expand* writes code
//! and cannot fail. After an error, `fallback` emits a replacement, so that the error causes no further errors.

mod branch;
mod cfg;
mod clauses;
mod columns;
mod component;
mod errors;
mod event;
#[cfg(test)]
mod expansion;
mod extent;
mod fallback;
mod function;
mod generics;
mod guard;
mod handler;
mod identity;
mod messages;
mod parameters;
mod params;
mod record;
mod resource;
mod saved_component;
mod schedule;
mod snapshot;
mod spans;
mod system;

use proc_macro::TokenStream;

#[doc = include_str!("../docs/system.md")]
#[proc_macro_attribute]
pub fn system(options: TokenStream, item: TokenStream) -> TokenStream {
    system::expand(options.into(), item.into()).into()
}

#[doc = include_str!("../docs/handler.md")]
#[proc_macro_attribute]
pub fn handler(options: TokenStream, item: TokenStream) -> TokenStream {
    handler::expand(options.into(), item.into()).into()
}

/// Implements `Resource` and `Identity`.
///
/// For structs and enums without lifetimes. The type parameters of a generic type need an `Identity`.
///
/// A system with a parameter `&T` counts as a reader. If `T` contains a `Mutex`, an atomic or another cell, systems can change it through
/// `&T`. The schedule neither orders nor reports such systems. "Interior mutability" at the trait `Resource` explains how to handle this
/// case.
///
/// # Options
///
/// `#[resource(transparent)]`, on a struct with one field: implements `Deref`, `DerefMut` and `From` for the field. The target of `Deref`
/// is the type of the field. If the field is itself a transparent wrapper, method calls and `&`-coercions also reach its target. With
/// `struct Village(Names)` around `struct Names(Vec<String>)`, `village.push(…)` works. `From` takes only the field:
/// `Village::from(Names::from(list))`.
///
/// `#[resource(crate = path)]`: the path of `schedule`, if it is renamed.
#[proc_macro_derive(Resource, attributes(resource))]
pub fn resource(item: TokenStream) -> TokenStream {
    resource::expand(item.into()).into()
}

/// Implements `Component` and `Identity`.
///
/// For structs and enums without lifetimes. The type parameters of a generic type need an `Identity`. For a type that is also a resource,
/// write `impl Resource for … {}`, because both derives implement `Identity`.
///
/// # Options
///
/// `#[component(crate = path)]`: the path of `schedule`, if it is renamed.
#[proc_macro_derive(Component, attributes(component))]
pub fn component(item: TokenStream) -> TokenStream {
    component::expand(item.into()).into()
}

/// Implements `Message` and `Identity`.
///
/// For structs and enums without lifetimes. The type parameters of a generic type need an `Identity`. For a type that is also a resource
/// or a component, write `impl Message for … {}`, because these derives implement `Identity`, too.
///
/// # Options
///
/// `#[message(crate = path)]`: the path of `schedule`, if it is renamed.
#[proc_macro_derive(Message, attributes(message))]
pub fn message(item: TokenStream) -> TokenStream {
    component::expand_message(item.into()).into()
}

#[doc = include_str!("../docs/columns.md")]
#[proc_macro_derive(Columns, attributes(columns))]
pub fn columns(item: TokenStream) -> TokenStream {
    columns::expand(item.into()).into()
}

/// Implements `Record` and `Identity`.
///
/// For structs and enums without lifetimes. The type parameters of a generic type need an `Identity`. For a type that is also a resource,
/// write `impl Resource for … {}`, because both derives implement `Identity`.
///
/// # Options
///
/// | option | meaning |
/// |---|---|
/// | `key = Type` | finds records by keys of this type, which are hashed |
/// | `id = Type` | finds records by small numbers of this type, which are used as indices: `u8`, `u16`, `u32` or another `Id` |
/// | `max_id = number` | the largest id, with `id`: a `u32`, 16,777,215 by default |
/// | `crate = path` | the path of `schedule_stream`, if it is renamed |
///
/// Events and insertions with an id above `max_id` are rejected, because memory grows with the largest id.
#[proc_macro_derive(Record, attributes(record))]
pub fn record(item: TokenStream) -> TokenStream {
    record::expand(item.into()).into()
}

/// Implements `Snapshot`: the type has a name and a version, and its values are saved by its `serde::Serialize` and
/// `serde::Deserialize` implementations.
///
/// For structs and enums without generic parameters. A generic type implements the trait by hand, with a name that contains those of its
/// parameters. The trait `Snapshot` has an example.
///
/// # Options
///
/// | option | meaning |
/// |---|---|
/// | `name = "…"` | the name of the type in snapshots and journals, of 1 to 100 bytes. It stays the same if the type is renamed or moved |
/// | `version = number` | the version of the form in which values are saved, 1 by default. Raise it with each change of the fields |
/// | `migrate = function` | reads values of older versions: `fn(u32, &mut Decoder<'_>) -> Result<Self, SnapshotError>` |
/// | `crate = path` | the path of `schedule`, if it is renamed |
#[proc_macro_derive(Snapshot, attributes(snapshot))]
pub fn snapshot(item: TokenStream) -> TokenStream {
    snapshot::expand(item.into()).into()
}

/// Declares that a component of worlds takes part in copied and saved worlds.
///
/// A world can be copied if its components implement `Clone`, saved in snapshots if they implement `Snapshot`, and serialized if they implement
/// `Serialize` and `DeserializeOwned`. The component must implement one of the three.
///
/// For structs and enums without generic parameters. For a generic type, call `schedule_hecs::saved_component!` with each type that
/// entities have.
///
/// # Options
///
/// `#[saved_component(crate = path)]`: the path of `schedule_hecs`, if it is renamed.
#[proc_macro_derive(SavedComponent, attributes(saved_component))]
pub fn saved_component(item: TokenStream) -> TokenStream {
    saved_component::expand(item.into()).into()
}

#[doc = include_str!("../docs/event.md")]
#[proc_macro_derive(Event, attributes(event))]
pub fn event(item: TokenStream) -> TokenStream {
    event::expand(item.into()).into()
}

/// Implements `Identity`: a number and a name that `const` code can use.
///
/// For main-thread values, and for type arguments of generic resources and systems. `#[identity(crate = path)]`: the path of `schedule`, if
/// it is renamed.
#[proc_macro_derive(Identity, attributes(identity))]
pub fn identity(item: TokenStream) -> TokenStream {
    identity::expand(item.into(), "identity", &[]).into()
}

/// Implements `Branch`, so that a system that returns the enum is a selector, whose answer determines which systems run.
///
/// For enums without fields that are `Copy`. Each variant is the name of a branch. `#[branch(crate = path)]`: the path of `schedule`, if it
/// is renamed.
#[proc_macro_derive(Branch, attributes(branch))]
pub fn branch(item: TokenStream) -> TokenStream {
    branch::expand(item.into()).into()
}

/// Makes an empty type a group of systems. `#[group(crate = path)]`: the path of `schedule`, if it is renamed.
#[proc_macro_derive(Group, attributes(group))]
pub fn group(item: TokenStream) -> TokenStream {
    identity::expand(item.into(), "group", &["Anchor", "Group"]).into()
}

/// Makes an empty type a checkpoint. `#[checkpoint(crate = path)]`: the path of `schedule`, if it is renamed.
#[proc_macro_derive(Checkpoint, attributes(checkpoint))]
pub fn checkpoint(item: TokenStream) -> TokenStream {
    identity::expand(item.into(), "checkpoint", &["Anchor", "Checkpoint"]).into()
}

/// Makes a struct of parameters a single parameter.
///
/// The struct must have one lifetime, and its fields must be parameters. `#[params(crate = path)]`: the path of `schedule`, if it is
/// renamed.
#[proc_macro_derive(Params, attributes(params))]
pub fn params(item: TokenStream) -> TokenStream {
    params::expand(item.into()).into()
}

#[doc = include_str!("../docs/schedule.md")]
#[proc_macro]
pub fn schedule(tokens: TokenStream) -> TokenStream {
    schedule::expand(tokens.into()).into()
}

/// Returns an item followed by other items. Used in the expansions of other macros.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn beside(others: TokenStream, item: TokenStream) -> TokenStream {
    item.into_iter().chain(others).collect()
}
