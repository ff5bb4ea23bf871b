//! The macros of `schedule` and `schedule-stream`. Use them through these crates, which re-export them: `handler`, `Record`
//! and `Event` through `schedule-stream`, all others through `schedule`.
//!
//! Each macro is a folder with its phases: *parse* turns tokens into syntax, *analyse* applies every rule and
//! collects all errors, *expand* writes code and cannot fail. `fallback` is what the compiler sees after an
//! error, so that nothing else breaks on its account.

mod branch;
mod cfg;
mod errors;
mod event;
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
#[cfg(test)]
mod snapshot;
mod spans;
mod system;

use proc_macro::TokenStream;

/// Makes a function a system.
///
/// The function stays as it is: call it, test it, document it. Beside it, under the same name, stands a hidden type
/// that implements `System`, which is what a schedule adds: `.add::<poison>()`. One path names both.
///
/// # Parameters
///
/// What the function takes is what it may touch: see `Param` for all there is. There may be any number. Two that
/// conflict, as `&Health` and `&mut Health`, do not compile, be it through an alias, an `Option`, a tuple, a struct
/// or, once it is used, a generic parameter. `#[cfg]` on a parameter works.
///
/// # Return types
///
/// `()`, `bool` (a condition), an enum with `#[derive(Branch)]` (a selector), or a `Result` of one of these and an error.
///
/// # Options
///
/// | option | meaning |
/// |---|---|
/// | `after = other`, `after = (one, other)` | comes after these systems, groups or checkpoints |
/// | `before = …` | comes before these |
/// | `after_if_present = …`, `before_if_present = …` | the same, for those that are in the schedule |
/// | `after_if_conflicting = …`, `before_if_conflicting = …` | the same, for those that it conflicts with |
/// | `in = Group`, `in = (One, Other)` | is in these groups |
/// | `if = condition`, `if = (one, other)` | runs only if these hold; see below |
/// | `schedule = Frame`, `schedule = (One, Other)` | is collected by these open schedules; see [`schedule!`](macro@schedule) |
/// | `main_thread` | runs only on the thread that calls `run`; see below |
/// | `proves = Resource` | if it answers `true`, there is such a resource: what it guards does not miss it |
/// | `name = "…"` | what reports call it; else the name of the function |
/// | `type = Name` | the name of the hidden type, where a module or a type has the function's name; see below |
/// | `crate = path` | where `schedule` is, if it goes by another name |
///
/// # A module of the same name
///
/// The hidden type and a `mod render` cannot stand side by side: modules and types share a namespace. The compiler then
/// reports "the name `render` is defined multiple times" (E0428), and "expected type, found module `render`" (E0573). Give
/// the hidden type another name, which is then the name that schedules and orders use; reports still call it `render`:
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
/// A `#[system]` cannot stand in an `impl` or in a `trait`, since the hidden type cannot. The compiler then reports "enum is
/// not supported in `trait`s or `impl`s". Move the function out of the `impl`. If it has to be an associated function, add
/// a `#[system]` function beside the `impl` that calls it:
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
/// # Guards
///
/// What `if` names is asked once, before all systems that it guards. `Guard` has an example.
///
/// | guard | holds if |
/// |---|---|
/// | `is_alive` | this condition, a system that returns `bool`, answers `true` |
/// | `is(gait, Gait::Run)` | this selector, a system that returns a `Branch`, answers this one |
/// | `not(…)` | the guard in it was asked and does not hold |
/// | `and(…, …)` | all of these hold; `(…, …)` is the same |
/// | `or(…, …)` | one of these holds, and all were asked |
///
/// A system that returns something else does not compile here; of a generic system, an instance does not, once it is
/// used.
///
/// # Conditional compilation
///
/// `#[cfg(…)]` may stand before an element of a list in brackets, and before an option:
/// `after = (poison, #[cfg(feature = "sound")] mix)`. A list whose elements are all off counts as not written.
///
/// # Main thread
///
/// `#[system(main_thread)]` binds a system to the thread that calls `Schedule::run`, on every executor. A `NonSend`
/// parameter does the same. Other systems still run on other threads at the same time; `&mut Resources` is the way to run
/// alone. A closure or a dynamic system is bound by `Builder::on_main_thread`, and one entry of a schedule by the clause
/// `main_thread` of [`schedule!`](macro@schedule).
///
/// A system that is not bound may run on a helper thread. Two things differ there:
///
/// - **Thread-locals are those of the helper.** A value that the caller stored in a `thread_local!` is not visible, and a
///   value that the system stores is not visible to the caller.
/// - **An async runtime that the caller has entered is not entered.** A helper is outside the tokio runtime context of the
///   caller, so `tokio::spawn` and `Handle::current()` panic there. Keep a `Handle` in a resource and call
///   `handle.spawn(…)`, or bind the system.
///
/// On one thread both seem to work. So a system that depends on them must be bound even if it never failed in a test.
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
/// # Generic systems
///
/// They may have type and `const` parameters; a type parameter needs an `Identity`. An order or an `add` then names
/// an instance: `.add::<spawn<Villager>>()`.
#[proc_macro_attribute]
pub fn system(options: TokenStream, item: TokenStream) -> TokenStream {
    system::expand(options.into(), item.into()).into()
}

/// Makes a function a handler of events.
///
/// The function stays as it is, but for the attributes of its parameters: call it, test it, document it. Beside it, under
/// the same name, stands a hidden type that implements `Handler`, which is what `#[derive(Event)]` names.
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
/// | `#[key(…)] one: Option<&T>`, `Option<&mut T>` | the same, or `None` |
/// | `#[key(…)] one: Slot<T>` | the place of the record: the handler may insert or remove it |
/// | `#[keys(…)] all: RecordSet<T>`, `RecordSetMut<T>` | the existing records of these keys, each once |
/// | `one: &R`, `&mut R` | a resource |
/// | `one: Option<&R>`, `Option<&mut R>` | the same, or `None` |
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
/// | `name = "…"` | the name in outcomes; the default is the name of the function |
/// | `type = Name` | the name of the hidden type, where a module has the function's name |
/// | `crate = path` | where `schedule_stream` is, if it goes by another name |
///
/// Aliases are detected by key: an event that names one key twice is rejected or skipped even if the record is missing.
/// If there is no alias and records are missing, the outcome names the first parameter whose record is missing.
///
/// # Generic handlers
///
/// They may have type and `const` parameters; a type parameter needs an `Identity`. An event then names an instance:
/// `#[event(credit<Gold>)]`. The function itself needs to say so, `T: Identity + Send + Sync + 'static`, where it takes a set
/// of generic records.
#[proc_macro_attribute]
pub fn handler(options: TokenStream, item: TokenStream) -> TokenStream {
    handler::expand(options.into(), item.into()).into()
}

/// Implements `Resource` and `Identity`.
///
/// For structs and enums without lifetimes. A generic type needs parameters that have an `Identity`.
///
/// A system that takes `&T` counts as a reader. If `T` can be changed through `&T`, because it has a `Mutex`, an atomic or another
/// cell inside, systems that change it that way are not ordered, and nothing reports it. See "Interior mutability" at the trait
/// `Resource` for what to do.
///
/// # Options
///
/// `#[resource(transparent)]`, on a struct with one field: implements `Deref`, `DerefMut` and `From` for the field.
/// `Deref` has the type of the field as its target. A wrapper around another transparent wrapper dereferences to that one,
/// and method calls and `&`-coercions go on from there: with `struct Village(Names)` around `struct Names(Vec<String>)`,
/// `village.push(…)` works. `From` takes the field only: `Village::from(Names::from(list))`.
/// `#[resource(crate = path)]`: where `schedule` is, if it goes by another name.
#[proc_macro_derive(Resource, attributes(resource))]
pub fn resource(item: TokenStream) -> TokenStream {
    resource::expand(item.into()).into()
}

/// Implements `Record` and `Identity`.
///
/// For structs and enums without lifetimes. A generic type needs parameters that have an `Identity`. What is a resource as
/// well has `impl Resource for … {}` beside it, since both derive the `Identity`.
///
/// # Options
///
/// | option | meaning |
/// |---|---|
/// | `key = Type` | records are found by keys of this type, which are hashed |
/// | `id = Type` | records are found by small numbers of this type, each of which is a place: `u8`, `u16`, `u32` or another `Id` |
/// | `max_id = number` | the largest id, with `id`: a `u32`, 16,777,215 by default. Events and insertions with a larger one are refused, since memory grows with the largest id |
/// | `crate = path` | where `schedule_stream` is, if it goes by another name |
#[proc_macro_derive(Record, attributes(record))]
pub fn record(item: TokenStream) -> TokenStream {
    record::expand(item.into()).into()
}

/// Implements `Event`: what happens in one stream, each kind with its handler.
///
/// On an enum, of which each variant has `#[event(handler)]` and holds one value, which is what its handler takes; such a
/// value becomes the enum by `From`, unless two variants hold the same type. On a struct or an enum that has the attribute
/// itself, and goes to that handler as a whole. Not for generic types.
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
/// | `answer = Type` | what outcomes tell of events that were handled; else `()` |
/// | `error = Type` | what they tell of events whose handler failed; else a boxed error, that can be sent |
/// | `crate = path` | where `schedule_stream` is, if it goes by another name |
#[proc_macro_derive(Event, attributes(event))]
pub fn event(item: TokenStream) -> TokenStream {
    event::expand(item.into()).into()
}

/// Implements `Identity`: a number and a name that `const` code can use.
///
/// For main-thread values, and for types that stand as parameters of generic resources and systems.
/// `#[identity(crate = path)]`: where `schedule` is, if it goes by another name.
#[proc_macro_derive(Identity, attributes(identity))]
pub fn identity(item: TokenStream) -> TokenStream {
    identity::expand(item.into(), "identity", &[]).into()
}

/// Implements `Branch`: a system that returns the enum is a selector, and says by its answer what is to run.
///
/// For enums without fields, which are `Copy`: each variant is the name of a branch.
/// `#[branch(crate = path)]`: where `schedule` is, if it goes by another name.
#[proc_macro_derive(Branch, attributes(branch))]
pub fn branch(item: TokenStream) -> TokenStream {
    branch::expand(item.into()).into()
}

/// Makes an empty type a group of systems. `#[group(crate = path)]`: where `schedule` is, if it goes by another name.
#[proc_macro_derive(Group, attributes(group))]
pub fn group(item: TokenStream) -> TokenStream {
    identity::expand(item.into(), "group", &["Anchor", "Group"]).into()
}

/// Makes an empty type a checkpoint. `#[checkpoint(crate = path)]`: where `schedule` is, if it goes by another name.
#[proc_macro_derive(Checkpoint, attributes(checkpoint))]
pub fn checkpoint(item: TokenStream) -> TokenStream {
    identity::expand(item.into(), "checkpoint", &["Anchor", "Checkpoint"]).into()
}

/// Makes a struct of parameters one parameter.
///
/// The struct has one lifetime, and its fields are parameters.
/// `#[params(crate = path)]`: where `schedule` is, if it goes by another name.
#[proc_macro_derive(Params, attributes(params))]
pub fn params(item: TokenStream) -> TokenStream {
    params::expand(item.into()).into()
}

#[doc = include_str!("../docs/schedule.md")]
#[proc_macro]
pub fn schedule(tokens: TokenStream) -> TokenStream {
    schedule::expand(tokens.into()).into()
}

/// An item, and these beside it. For what other macros expand to.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn beside(others: TokenStream, item: TokenStream) -> TokenStream {
    item.into_iter().chain(others).collect()
}
