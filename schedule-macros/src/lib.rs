//! The macros of `schedule` and `schedule-stream`. Use them through these crates, which re-export them: `handler`, `Record` and `Event`
//! through `schedule-stream`, all others through `schedule`.
//!
//! Each macro has three phases. *parse* turns tokens into syntax. *analyse* checks every rule and collects all errors. *expand* writes code
//! and cannot fail. After an error, `fallback` emits a replacement, so that the error causes no further errors.

mod branch;
mod cfg;
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

/// Makes a function a handler of events.
///
/// The function does not change, except that the attributes of its parameters are removed: it can be called, tested and documented. The
/// macro adds a hidden type with the same name that implements `Handler`. `#[derive(Event)]` names this type.
///
/// ```
/// use schedule::prelude::*;
/// use schedule_stream::prelude::*;
///
/// #[derive(Record)]
/// #[record(id = u32)]
/// struct Account(u64);
///
/// struct Transfer {
///     from: u32,
///     to: u32,
///     amount: u64,
/// }
///
/// #[handler]
/// fn transfer(
///     event: &Transfer,
///     #[key(event.from)] from: &mut Account,
///     #[key(event.to)] to: &mut Account,
/// ) -> Result<(), &'static str> {
///     from.0 = from.0.checked_sub(event.amount).ok_or("overdrawn")?;
///     to.0 += event.amount;
///     Ok(())
/// }
///
/// let event = Transfer { from: 0, to: 1, amount: 3 };
/// let (mut from, mut to) = (Account(5), Account(0));
/// assert_eq!(transfer(&event, &mut from, &mut to), Ok(()));
/// assert_eq!((from.0, to.0), (2, 3));
/// assert_eq!(transfer(&event, &mut from, &mut to), Err("overdrawn"));
/// ```
///
/// # Parameters
///
/// The first parameter is the event, by reference. It may be a pattern. The other parameters are the records and resources that the
/// function may use. A key is an expression over the event, or over the names in its pattern. It is borrowed, so parts of the
/// event need no clone. The expression may be evaluated more than once, and must return the same key each time.
///
/// | parameter | is |
/// |---|---|
/// | `#[key(…)] one: &T`, `&mut T` | the record of this key; if it is missing, the event is rejected |
/// | `#[key(…)] one: Option<&T>`, `Option<&mut T>` | the same, or `None` if it is missing |
/// | `#[key(…)] one: Slot<T>` | the place of the record: the handler may insert or remove it |
/// | `#[keys(…)] all: RecordSet<T>`, `RecordSetMut<T>` | the existing records of these keys, each once |
/// | `one: &R`, `&mut R` | a resource |
/// | `one: Option<&R>`, `Option<&mut R>` | the same, or `None` if it is missing |
///
/// Two parameters of one resource do not compile if one of them writes. The same applies to a record and the whole store of its type.
/// Whether two parameters are the same record depends on the event: see `alias`. `#[cfg]` on a parameter works.
///
/// # Return types
///
/// `()`, a type that implements `Answer`, `FollowUps<Event, …>` with follow-up events, or a `Result` of one of these. Answers,
/// errors and events become those of the stream by `From`.
///
/// # Options
///
/// | option | meaning |
/// |---|---|
/// | `alias = reject` | an event that names one record for two parameters, of which one writes, is rejected; the default |
/// | `alias = skip` | such an event is skipped |
/// | `alias = first` | the first parameter gets the record; the others must be an `Option` or a set, and do not get it |
/// | `atomic` | if the function fails or panics, everything that it may have written is restored: see below |
/// | `name = "…"` | the name in outcomes; the default is the name of the function |
/// | `type = Name` | the name of the hidden type, for the case that a module has the function's name |
/// | `crate = path` | the path of `schedule_stream`, if it is renamed |
///
/// Aliases are detected by key: an event that names one key twice is rejected or skipped even if the record is missing.
/// If there is no alias and records are missing, the outcome names the first parameter whose record is missing.
///
/// # Atomic handlers
///
/// Changes that a function made before it returned an error or panicked remain, unless the handler has the option `atomic`. Then the
/// records and resources of `&mut T`, `Option<&mut T>`, `Slot<T>` and `RecordSetMut<T>` are cloned before the call. After a failure the
/// clones replace them. This also removes inserted records, inserts removed ones again, and removes a default that `&mut T` has inserted.
/// The same applies if the conversion of the return value panics.
///
/// All types that the function may write must implement `Clone`. A parameter `&mut Records<T>` does not compile, because a whole store
/// would be copied for each event. Changes through a `Cell`, a `Mutex` or an atomic are not restored if the clone shares them, or if the
/// parameter only reads. If a clone panics, the function is not called. Panics of destructors of clones and replaced values are ignored.
///
/// # Generic handlers
///
/// A handler may have type and `const` parameters. A type parameter needs an `Identity`. An event names an instance:
/// `#[event(credit<Gold>)]`. If the function takes a set of generic records, it must declare `T: Identity + Send + Sync + 'static`.
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

/// Implements `EntityKind` and `Identity`, so that `Columns` of `schedule::columns` stores entities of this kind.
///
/// For structs with named fields and without generic parameters. The type of each field is a `Component`, and no two fields have
/// the same type. A kind cannot also be a resource or a component with a derive, because these derives implement `Identity`, too.
///
/// ```
/// use schedule::columns::Columns;
/// use schedule::entity::Component;
///
/// #[derive(Component)]
/// struct Position(f32);
///
/// #[derive(Component)]
/// struct Fuel(u32);
///
/// #[derive(Columns)]
/// struct Rocket {
///     position: Position,
///     fuel: Fuel,
/// }
///
/// let mut rockets = Columns::new();
/// rockets.spawn(Rocket { position: Position(0.0), fuel: Fuel(9) });
/// assert_eq!(rockets.column::<Fuel>()[0].0, 9);
/// ```
///
/// # Options
///
/// `#[columns(crate = path)]`: the path of `schedule`, if it is renamed.
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

/// Implements `Event`: the events of one stream, each kind with its handler.
///
/// On an enum, each variant has `#[event(handler)]` and one field, the event of its handler. `From` converts this event to the enum, unless
/// two variants have the same field type. A struct or enum with the attribute on the type itself is passed to that handler as a whole.
/// Generic types are not supported.
///
/// ```
/// use schedule::prelude::*;
/// use schedule_stream::prelude::*;
///
/// #[derive(Resource)]
/// struct Lamp(bool);
///
/// struct Press;
///
/// #[handler]
/// fn press(_: &Press, lamp: &mut Lamp) -> bool {
///     lamp.0 = !lamp.0;
///     lamp.0
/// }
///
/// #[derive(Event)]
/// #[event(answer = bool)]
/// enum Happening {
///     #[event(press)]
///     Press(Press),
/// }
///
/// let mut resources = Resources::new();
/// resources.insert(Lamp(false));
/// let mut answers = Vec::new();
/// Stream::<Happening>::new().process(
///     &mut resources,
///     [Press.into(), Press.into()],
///     |outcome| answers.push(outcome.result.unwrap()),
/// )?;
/// assert_eq!(answers, [true, false]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Options
///
/// On the type:
///
/// | option | meaning |
/// |---|---|
/// | `answer = Type` | the result in outcomes of handled events; the default is `()` |
/// | `error = Type` | the error in outcomes of events whose handler failed; the default is a boxed error that is `Send` |
/// | `crate = path` | the path of `schedule_stream`, if it is renamed |
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
