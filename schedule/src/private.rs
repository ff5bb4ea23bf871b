//! The items that generated code may name. Not part of the public interface: they change without notice.

pub use crate::base::formula::Token;
pub use crate::base::identity::{Argument, Identity, Name, declared_here, mix};
#[cfg(feature = "snapshot")]
pub use crate::base::snapshot::{
    Decoder, Encoder, Migration, Schema, SerdeMethods, Snapshot, SnapshotError, serde_methods,
};
pub use crate::builders::builder::Builder;
pub use crate::builders::open::{Collected, Open, Opened, test_schedules};
pub use crate::data::access::{Access, AccessSet, Parameter, Parameters, RefusedReference};
pub use crate::data::entity::{
    Added, Changed, Component, ComponentId, ComponentType, EachOutput, EachParam, EachResource,
    EntityTables, With, Without, accept, accept_change, accept_filter, accept_resource, filter,
    for_each, parameter, store,
};
pub use crate::data::executor_choice::Executor;
pub use crate::data::failure_policy::{FailurePolicy, MissedCommandPolicy, MissingPolicy};
pub use crate::data::limits::MeasuredRun;
pub use crate::data::marks::Marks;
pub use crate::data::message::Message;
pub use crate::data::order::{Anchor, Checkpoint, Group, Membership, Order};
pub use crate::data::output::{BoxError, Branch, BranchType, ClosureOutput, Output, Rejected};
pub use crate::data::param::state::*;
pub use crate::data::param::{Fetch, Param, Seed, Seeds, StructParam, StructState};
pub use crate::data::resource::{Resource, SlotHint};
pub use crate::data::settings::Settings;
pub use crate::declare::listing::{
    Anchored, Clause, Entry, Listed, ListedPlugin, ListedPolicy, Listing, Lists, Rule, RuleTarget,
    Whole,
};
pub use crate::declare::problem::BuildError;
pub use crate::drive::spanning::{
    Spanning, SpanningParam, SpanningSystem, SpanningWork, check_group, check_output, results,
};
pub use crate::internal::generic_name;
pub use crate::run::schedule::{RefusedSchedule, Schedule};
#[cfg(any(feature = "serde", feature = "snapshot"))]
pub use crate::systems::columns::SerdeColumns;
pub use crate::systems::columns::{
    AnyColumn, CloneColumns, ColumnSet, Columns, EntityKind, HasColumn, OwnedColumn, ReadComponents,
};
#[cfg(feature = "snapshot")]
pub use crate::systems::columns::{SavedColumns, SavedKind, saved_component};
pub use crate::systems::rate::observer::{
    DueTimes, ObserverFunctions, ObserverType, QueryOutcome, RunEnd, RunObserver,
};
pub use crate::systems::state::StateChange;
pub use crate::systems::system::{
    Answered, Declaration, Definition, ForEach, Guard, NamedParameters, Once, Proof, Recipe,
    System, named_0, named_1, named_2, named_3, named_4, named_5, named_6, named_7, named_8,
    named_9, named_10, named_11, named_12,
};
pub use crate::verify::checked::{Sizes, Verdict, verify};
pub use schedule_graph::Policy;

/// Generated code is compiled with the edition of the user, and in edition 2015 a path that starts with `::core` has another meaning.
pub use ::core;

/// Exported by this crate, so that generated code needs no other one.
#[cfg(any(feature = "serde", feature = "snapshot"))]
pub use serde;
pub use std::vec::Vec;

/// Exported by this crate, so that users need no dependency on `inventory`.
pub use inventory::submit;

/// The type that generated code casts a branch to. Generated code cannot name it by a path that starts with `::`, which
/// has another meaning in edition 2015.
pub type BranchIndex = u32;

/// Macros to which other macros expand, for example if a `#[cfg(…)]` has to be evaluated first.
pub use schedule_macros::{beside, schedule, system};

/// Macros with unsafe implementations, whose paths begin with `$crate`.
pub use crate::__column_set as column_set;
