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

/// Makes a function a system.
///
/// The function does not change: it can be called, tested and documented. Only the attributes `#[resource]` of its parameters are
/// removed. The macro adds a hidden type with the same name that implements
/// `System`. A schedule adds this type: `.add::<poison>()`. One path names both.
///
/// # Parameters
///
/// The parameters are the accesses of the system: `&T` reads a resource, `&mut T` writes it, and `Fold<T>` folds values into it. The trait
/// `Param` lists all kinds of parameters. Their number is not limited. Two conflicting parameters, such as `&Health` and `&mut Health`, do
/// not compile. This includes conflicts through an alias, an `Option`, a tuple or a struct. A conflict through a generic parameter is an error where the system is used. `#[cfg]` on a parameter works.
///
/// # Return types
///
/// `()`, `bool` (a condition), an enum with `#[derive(Branch)]` (a selector), or a `Result` of one of these and an error.
///
/// # Options
///
/// | option | meaning |
/// |---|---|
/// | `after = other`, `after = (one, other)` | runs after these systems, groups or checkpoints |
/// | `before = …` | runs before these |
/// | `after_if_present = …`, `before_if_present = …` | the same, but only for items that are in the schedule |
/// | `after_if_conflicting = …`, `before_if_conflicting = …` | the same, but only for items that the system conflicts with |
/// | `in = Group`, `in = (One, Other)` | is a member of these groups |
/// | `if = condition`, `if = (one, other)` | runs only if all of these are true, see below |
/// | `schedule = Frame`, `schedule = (One, Other)` | is collected by these open schedules, see [`schedule!`](macro@schedule) |
/// | `always` | runs whatever failed before it, and keeps its orders; see `Builder::always` |
/// | `main_thread` | runs only on the thread that calls `run`, see below |
/// | `for_each`, `for_each = Store` | runs for each entity of a store, see below |
/// | `with = C`, `with = (C, D)` | with `for_each`: only for entities that have these components |
/// | `without = C`, `without = (C, D)` | with `for_each`: only for entities that have none of these components |
/// | `sweep = false` | with `for_each`: does not run together with other systems, chunk by chunk, see below |
/// | `proves = Resource` | if the system answers `true`, this resource exists, so systems that it guards may require it |
/// | `name = "…"` | the name in reports; the default is the name of the function |
/// | `type = Name` | the name of the hidden type, for the case that a module or a type has the function's name, see below |
/// | `crate = path` | the path of `schedule`, if it is renamed |
///
/// # A module of the same name
///
/// The hidden type cannot have the same name as a `mod render` next to it, because modules and types share a namespace. The compiler then
/// reports "the name `render` is defined multiple times" (E0428) and "expected type, found module `render`" (E0573). Give the hidden type
/// another name. Schedules and orders use this name, but reports still show `render`:
///
/// ```
/// use schedule::prelude::*;
///
/// mod render {}
///
/// #[system(type = Render)]
/// fn render() {}
///
/// #[system(after = Render)]
/// fn present() {}
///
/// let frame = Schedule::builder().add::<present>().add::<Render>().build()?;
/// assert_eq!(frame.systems().collect::<Vec<_>>(), ["render", "present"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Methods
///
/// A `#[system]` cannot be in an `impl` or a `trait`, because these cannot contain the hidden type. The compiler then reports "enum is not
/// supported in `trait`s or `impl`s". Move the function out of the `impl`. If it must be an associated function, add a `#[system]` function
/// next to the `impl` that calls it:
///
/// ```
/// use schedule::prelude::*;
///
/// #[derive(Resource)]
/// struct Health(i32);
///
/// impl Health {
///     fn heal(&mut self) {
///         self.0 += 1;
///     }
/// }
///
/// #[system]
/// fn heal(health: &mut Health) {
///     health.heal();
/// }
///
/// let mut resources = Resources::new();
/// resources.insert(Health(1));
/// Schedule::builder().add::<heal>().build()?.run(&mut resources)?;
/// assert_eq!(resources.get::<Health>().unwrap().0, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Run conditions
///
/// A condition in `if` runs once, before all systems that it guards. `Guard` has an example.
///
/// | run condition | is true if |
/// |---|---|
/// | `is_alive` | this condition, a system that returns `bool`, returns `true` |
/// | `is(gait, Gait::Run)` | this selector, a system that returns a `Branch`, answers this branch |
/// | `not(…)` | the inner run condition was evaluated and is false |
/// | `and(…, …)` | all of these are true; `(…, …)` is the same |
/// | `or(…, …)` | at least one of these is true, and all were evaluated |
///
/// A system with another return type does not compile in an `if`. For a generic system, this is an error where an instance is used.
///
/// # Conditional compilation
///
/// `#[cfg(…)]` can be before an element of a list in parentheses, and before an option: `after = (poison, #[cfg(feature = "sound")] mix)`.
/// A list whose elements are all disabled is omitted.
///
/// # Main thread
///
/// `#[system(main_thread)]` binds a system to the thread that calls `Schedule::run`, on every executor. A `NonSend` parameter has the same
/// effect. Other systems can still run on other threads at the same time. A system with a `&mut Resources` parameter is exclusive.
/// `Builder::on_main_thread` binds a closure or a dynamic system. The clause `main_thread` of [`schedule!`](macro@schedule) binds one
/// entry.
///
/// A system that is not bound may run on a helper thread. Two things differ there:
///
/// - **Thread-locals are those of the helper.** A value that the caller stored in a `thread_local!` is not visible, and a
///   value that the system stores is not visible to the caller.
/// - **The async runtime of the caller is not entered.** A helper is outside of the caller's tokio runtime context, so `tokio::spawn` and
///   `Handle::current()` panic there. Keep a `Handle` in a resource and call `handle.spawn(…)`, or bind the system.
///
/// With one thread, both seem to work. So bind a system that depends on them, even if its tests pass.
///
/// ```
/// use std::cell::Cell;
///
/// use schedule::prelude::*;
///
/// thread_local!(static FRAME: Cell<u64> = const { Cell::new(0) });
///
/// #[derive(Resource)]
/// struct Title(String);
///
/// #[system(main_thread)]
/// fn set_title(title: &mut Title) {
///     title.0 = format!("frame {}", FRAME.get());
/// }
///
/// FRAME.set(7);
/// let mut frame = Schedule::builder().add::<set_title>().build()?;
/// let mut resources = Resources::new();
/// resources.insert(Title(String::new()));
/// frame.run(&mut resources)?;
/// assert_eq!(resources.get::<Title>().unwrap().0, "frame 7");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Systems for each entity
///
/// A function with `#[system(for_each)]` takes the data of one entity. The system calls it for all entities that match:
///
/// ```
/// use schedule::prelude::*;
/// use schedule_hecs::prelude::*;
///
/// #[derive(Component, Debug, PartialEq)]
/// struct Position(f32);
///
/// #[derive(Component)]
/// struct Velocity(f32);
///
/// #[derive(Component)]
/// struct Frozen;
///
/// #[derive(Resource)]
/// struct Step(f32);
///
/// #[system(for_each, without = Frozen)]
/// fn integrate(position: &mut Position, velocity: &Velocity, #[resource] step: &Step) {
///     position.0 += velocity.0 * step.0;
/// }
///
/// let mut world = World::new();
/// let moving = world.spawn((Position(1.0), Velocity(4.0)));
/// let frozen = world.spawn((Position(1.0), Velocity(4.0), Frozen));
/// let mut resources = Resources::new();
/// resources.insert(world);
/// resources.insert(Step(0.5));
/// Schedule::builder().add::<integrate>().build()?.run(&mut resources)?;
/// let world = resources.get_mut::<World>().unwrap();
/// assert_eq!(world.get_mut(moving), Some(&mut Position(3.0)));
/// assert_eq!(world.get_mut(frozen), Some(&mut Position(1.0)));
///
/// let mut position = Position(0.0);
/// integrate(&mut position, &Velocity(1.0), &Step(1.0));
/// assert_eq!(position, Position(1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// | parameter | is |
/// |---|---|
/// | `&C`, `&mut C` | a component; the system runs only for entities that have it |
/// | `Option<&C>`, `Option<&mut C>` | the same, or `None` for entities that do not have it |
/// | `Entity` | the id of the entity |
/// | `Row` | the position of the entity in its table, which contains all entities with the same components |
/// | `Query<…>`, `ColumnRef<…>` | components of other entities, to read |
/// | `Fold<R>` | folds values into a resource: a sum, a count or a list over all entities |
/// | `Commands` | records commands, in the order of the entities |
/// | `#[resource] &R`, `#[resource] Option<&R>` | a resource, to read |
///
/// The traits `EachParam` and `EntityTables` in `schedule::entity` define parameters and stores. The store is
/// `schedule_hecs::World`, or the type in `for_each = Store`, such as `schedule::columns::Columns<Kind>`. The system reads it, and it must be in the resources.
///
/// Threads may share the system: each calls the function for some of the entities. So the result should not depend on the order of the
/// calls, and a system for each entity cannot write resources, nor components of other entities. To combine values of all entities in
/// a resource, implement `Foldable` for it and take `Fold<R>`. For all other writes, use a system with a query and a loop.
///
/// Commands and folds have an order that depends only on the changes of the store: table by table, in the order of creation, and row by
/// row.
///
/// The function returns `()` or a `Result<(), E>`. If it fails for an entity, it still runs for the others, and then the system
/// fails with a `ForEachError`. This error has the first entity that failed, its error, and the number of entities that failed. If
/// the function panics, the system ends. In both cases the changes of components remain, but all commands and folds of this run of the
/// system are dropped, also those for entities without a failure.
///
/// # Sweeps
///
/// `for_each` systems that conflict only on components of the same entity can run together: all of them for one chunk of entities, then
/// for the next chunk. Such a set of systems is a *sweep*. The builder decides which systems share sweeps, and `Schedule::why` explains the
/// decision.
///
/// In a sweep, an order between two systems holds for each entity. Components, folds, commands, and the order relative to all other
/// systems are the same as without sweeps. Only effects that a system does not declare can interleave: logs, atomics and channels.
///
/// `sweep = false` keeps a system out of sweeps. It begins when the systems before it are done with all entities, and it is done with all
/// entities before the systems after it begin. Threads may still share its entities. The clause `sweep false` of
/// [`schedule!`](macro@schedule) and `Builder::without_sweeps` do the same for one entry, `Builder::sweep` for a whole schedule.
///
/// ```
/// use schedule::prelude::*;
/// use schedule_hecs::prelude::*;
///
/// #[derive(Component)]
/// struct Position(f32);
///
/// #[derive(Component)]
/// struct Velocity(f32);
///
/// #[system(for_each)]
/// fn fall(velocity: &mut Velocity) {
///     velocity.0 -= 9.81;
/// }
///
/// #[system(for_each, after = fall)]
/// fn integrate(position: &mut Position, velocity: &Velocity) {
///     position.0 += velocity.0;
/// }
///
/// #[system(for_each, after = integrate, sweep = false)]
/// fn trace(position: &Position) {
///     println!("{}", position.0);
/// }
///
/// let frame = Schedule::builder().add::<fall>().add::<integrate>().add::<trace>().build()?;
/// let why = frame.why("fall", "integrate")?.to_string();
/// assert!(why.contains("they run together, chunk by chunk; they conflict only on `Velocity` of the same entity"));
/// let why = frame.why("integrate", "trace")?.to_string();
/// assert!(why.contains("they share no sweep: `trace` has `sweep = false`"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Generic systems
///
/// A system may have type and `const` parameters. A type parameter needs an `Identity`. Orders and `add` name an instance:
/// `.add::<spawn<Villager>>()`.
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
