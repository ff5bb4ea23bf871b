//! What must not compile, after the remedy that the compiler names: all of it compiles.
//!
//! Beside each case of `ui` that is here stands the same file, changed in a few lines. `tests/ui.rs` sees to it that no
//! case is left out.

#![allow(dead_code, reason = "cases are as short as they can be")]

#[path = "../ui/remedy/chain/mod.rs"]
mod chain;
#[path = "../ui/remedy/clause/mod.rs"]
mod clause;
#[path = "../ui/remedy/cycle/mod.rs"]
mod cycle;
#[path = "../ui/remedy/entity/mod.rs"]
mod entity;
#[path = "../ui/remedy/entry/mod.rs"]
mod entry;
#[path = "../ui/remedy/event/mod.rs"]
mod event;
#[path = "../ui/remedy/failure/mod.rs"]
mod failure;
#[path = "../ui/remedy/group/mod.rs"]
mod group;
#[path = "../ui/remedy/guard/mod.rs"]
mod guard;
#[path = "../ui/remedy/handler/mod.rs"]
mod handler;
#[path = "../ui/remedy/loop/mod.rs"]
mod r#loop;
#[path = "../ui/remedy/naming/mod.rs"]
mod naming;
#[path = "../ui/remedy/part/mod.rs"]
mod part;
#[path = "../ui/remedy/policy/mod.rs"]
mod policy;
#[path = "../ui/remedy/race/mod.rs"]
mod race;
#[path = "../ui/remedy/reference/mod.rs"]
mod reference;
#[path = "../ui/remedy/writers_first/mod.rs"]
mod writers_first;
