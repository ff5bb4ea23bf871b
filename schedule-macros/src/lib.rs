//! The macros of `schedule`. Use them through that crate, which re-exports them.
//!
//! Each macro is a folder with its phases: *parse* turns tokens into syntax, *analyse* applies every rule and
//! collects all errors, *expand* writes code and cannot fail. `fallback` is what the compiler sees after an
//! error, so that nothing else breaks on its account.

mod branch;
mod errors;
mod fallback;
mod generics;
mod identity;
mod parameters;
mod params;
mod resource;
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
/// | `name = "…"` | what reports call it; else the name of the function |
/// | `type = Name` | the name of the hidden type, where a module has the function's name |
/// | `crate = path` | where `schedule` is, if it goes by another name |
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
/// # Generic systems
///
/// They may have type and `const` parameters; a type parameter needs an `Identity`. An order or an `add` then names
/// an instance: `.add::<spawn<Villager>>()`.
#[proc_macro_attribute]
pub fn system(options: TokenStream, item: TokenStream) -> TokenStream {
    system::expand(options.into(), item.into()).into()
}

/// Implements `Resource` and `Identity`.
///
/// For structs and enums without lifetimes. A generic type needs parameters that have an `Identity`.
///
/// # Options
///
/// `#[resource(transparent)]`, on a struct with one field: implements `Deref`, `DerefMut` and `From` for the field.
/// `#[resource(crate = path)]`: where `schedule` is, if it goes by another name.
#[proc_macro_derive(Resource, attributes(resource))]
pub fn resource(item: TokenStream) -> TokenStream {
    resource::expand(item.into()).into()
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
