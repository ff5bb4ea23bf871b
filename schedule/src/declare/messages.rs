//! The messages that the verifier reports about declarations.
//!
//! Both front ends use this table: errors of [`Builder::build`](crate::Builder::build), and errors of `schedule!`, which const evaluation
//! writes.
//!
//! A message has named holes: `{system}`. A section in brackets is omitted unless all of its holes have a value. For example, a builder
//! knows `[ at {location}]`, but the compiler points to the token instead. After a line break, the front end adds its indentation. A value
//! contains its own backticks. A builder adds the location of a declaration to a system: `` `a` (main.rs:3) ``.
//!
//! Each message states the problem, its place, and the fix after `help:`. Each use of a message is checked at compile time: it must give a
//! value to each hole.

mod template;

pub(crate) use self::template::{
    Filling, Piece, Values, fill_in, fits, is_same, message, write, write_message,
};

// ---- A schedule that was rejected ----

pub(crate) const REJECTED_FOR_ONE: &str = "1 problem in schedule {schedule}";
pub(crate) const REJECTED: &str = "{n} problems in schedule {schedule}";

pub(crate) const ORDER_REJECTED: &str = "the order was rejected";
pub(crate) const GUARD_REJECTED: &str = "the run condition was rejected";
pub(crate) const MEMBERSHIP_REJECTED: &str = "the membership was rejected";

/// Follows the first problems at one token of `schedule!`.
pub(crate) const MORE_AT_TOKEN: &str = "and {n} more here";
/// Follows the problems of the first tokens of `schedule!`.
pub(crate) const MORE_IN_SCHEDULE: &str = "and {n} more in this schedule";

// ---- Names ----

pub(crate) const DANGLING: &str = "\
{name} is not in this schedule[, but {location} refers to it][, but an attribute of {system} refers to it]
help: add it[, or {otherwise}][; or did you mean {nearest}?][; {same_name} has the same name in another module]";

pub(crate) const DANGLING_BESIDE_NAMESAKE: &str = "\
{name} is not in this schedule, but {location} refers to it
help: a different item with the same name is in this schedule: add this one, or refer to that one";

pub(crate) const DANGLING_STATE: &str = "\
{name} is not in this schedule[, but {location} refers to it]
help: add {name} of `schedule::state`";

/// Values of `{otherwise}`, depending on the declaration with the name.
pub(crate) const OR_ORDER_IF_PRESENT: &str = "use `after_if_present` or `before_if_present`";
pub(crate) const OR_AFTER_IF_PRESENT: &str = "use `after_if_present`";
pub(crate) const OR_BEFORE_IF_PRESENT: &str = "use `before_if_present`";
pub(crate) const OR_REMOVE_ORDER: &str = "remove this order";
pub(crate) const OR_CONDITION_OF_TYPE: &str = "use a condition by its type, as in `Condition::of::<is_alive>()`, which does not need to be added";
pub(crate) const OR_REMOVE_MEMBERSHIP: &str = "remove this membership";
pub(crate) const OR_REMOVE_POLICY: &str = "remove this policy";

pub(crate) const REMOVED: &str = "\
{removed} was removed, but {location} still refers to it
help: {fix}";

pub(crate) const REMOVED_EARLIER: &str = "\
the node whose `NodeId` is used at {location} was removed
help: {fix}";

/// Values of `{fix}`, depending on the declaration with the name.
pub(crate) const REMOVE_STATE_CHANGE: &str =
    "add it again, or also remove this `on_enter` or `on_exit`";
pub(crate) const REMOVE_STRICT_ORDER: &str = "also remove this order, replace it by `after_if_present` or `before_if_present`, or remove the node with `remove_and_bridge`, which keeps the order of its neighbours";
pub(crate) const REMOVE_WEAK_ORDER: &str = "also remove this order";
pub(crate) const REMOVE_CONDITION: &str = "also remove this run condition";
pub(crate) const REMOVE_MEMBERSHIP: &str = "also remove this membership";
pub(crate) const REMOVE_POLICY: &str = "also remove this policy";
pub(crate) const ADD_AGAIN: &str = "add it again";

pub(crate) const AMBIGUOUS: &str = "\
{name}[, used at {location},][, used in an attribute of {system},] matches several nodes of this schedule[:{candidates}]
help: {fix}";

/// An element of `{candidates}`.
pub(crate) const CANDIDATE: &str = "\n{candidate}";

/// Values of `{fix}`.
pub(crate) const NAME_BY_MODULE: &str = "add the module to the name, as in {candidate}";
pub(crate) const NAME_BY_NODE: &str = "use the `NodeId` of one of them, in `Builder::order` or `Condition::added`: `Builder::last` returns it right after the node is added";
pub(crate) const NAME_EACH: &str =
    "give each a name, as in `{path} as first`, and use one of these names";
pub(crate) const NAME_EACH_AND_ORDER: &str = "give each a name, as in `{path} as first`, and move this clause from the attribute to its entry in `schedule!`, with one of these names";

pub(crate) const SAME_IDENTITY: &str = "\
the types {first} and {second} have the same identity, so they cannot be distinguished
help: rename one of them, or move it to another line";

// ---- Orders ----

pub(crate) const CYCLE: &str = "\
cycle: {path}{steps}
help: remove one of these orders";

pub(crate) const ORDERED_AFTER_ITSELF: &str = "\
{system} is ordered after itself[ at {location}]
help: remove this order";

/// A step of `{path}`, after the first node.
pub(crate) const STEP_OF_PATH: &str = " -> {to}";

/// An element of `{steps}`.
pub(crate) const STEP: &str = "\n{from} -> {to}   {reason}";

/// Values of `{reason}`. `[because of {first} -> {then}, ]`: the declared order, if the step connects other nodes because of loops.
pub(crate) const BY_ORDER: &str = "[because of {first} -> {then}, ]declared at {location}";
pub(crate) const BY_SYNC_POINT: &str = "by an inserted sync point";
pub(crate) const BY_WEAK_ORDER: &str = "[because of {first} -> {then}, ]declared at {location} as a weak order, which applies because the two conflict";
pub(crate) const BY_MEMBERSHIP: &str = "by membership[, declared at {location}]";
pub(crate) const BY_LOOP: &str = "as part of the loop body";
pub(crate) const BY_CONDITION: &str = "as its run condition[, declared at {location}]";
pub(crate) const BY_INHERITED_CONDITION: &str =
    "because all systems with the run condition {to} are in a group with the run condition {from}";
pub(crate) const BY_COMMANDS: &str =
    "because every system with the run condition {to} comes after {from}";
pub(crate) const BY_WRITE: &str = "because {from} {writes} {subject}";
pub(crate) const BY_WRITE_IN_LOOP: &str = "because a system in the loop {from} {writes} {subject}";
pub(crate) const BY_EXCLUSIVE: &str = "because {from} is exclusive";
pub(crate) const BY_ADDITION: &str = "by policy `insertion order`, for {subject}";
pub(crate) const BY_FITTING: &str = "by policy `optimize`, for {subject}";
pub(crate) const BY_ACCEPTANCE: &str =
    "by insertion order, because policy `accepted` applies to {subject}[: {reason}]";

// ---- Races ----

/// A race of two systems, at a token of `schedule!`. `{others}`: further resources on which they conflict.
pub(crate) const RACE: &str =
    "{conflict}[ (and conflict on {others})] and nothing orders them; {fix}";
/// The same if the two access the resource in different kinds, and share only one resource.
pub(crate) const RACE_MIXED: &str = "{conflict}, and nothing orders them; {fix}";
pub(crate) const RACE_EXCLUSIVE: &str =
    "{one} is exclusive, and nothing orders it against {other}; {fix}";

/// Follows a race of two systems whose filters exclude each other. One of them is in a loop, and the other one is not.
pub(crate) const ACROSS_LOOP: &str =
    " (their filters exclude each other, but filters are not compared across a loop)";

/// Several races of `schedule!`, with the first pairs.
pub(crate) const RACES: &str = "{n} pairs conflict[ on {resource}] and nothing orders them:";
pub(crate) const PAIR: &str = "\n  {conflict}[ (and conflict on {others})]";
pub(crate) const PAIR_EXCLUSIVE: &str = "\n  {one} is exclusive and conflicts with {other}";
pub(crate) const MORE_OF_RACES: &str = "\n  and {n} more";

/// The orders that resolve several races of `schedule!`, as entries.
pub(crate) const ONE_ORDER: &str = "\nthis order in `schedule!` resolves all of these conflicts:";
pub(crate) const THESE_ORDERS: &str =
    "\nthese orders in `schedule!` resolve all of these conflicts:";
pub(crate) const OTHER_ORDERS: &str = "\nthe orders that end the other races also end these";
pub(crate) const CYCLES_FIRST: &str =
    "\nfix the cycles first: the orders that end these races depend on them";
pub(crate) const ORDER_OF_RACES: &str = "\n  {fix}";
pub(crate) const MORE_ORDERS: &str = "\n  and more";

/// Races of a builder, by resource: a heading, the first pairs below it, and the total number of pairs.
pub(crate) const RACE_ON: &str = "race on {subject}[, {n} pairs]";
pub(crate) const RACE_WITH_EXCLUSIVE: &str = "race with an exclusive system[, {n} pairs]";
pub(crate) const RACE_OF_PAIR: &str = "{conflict}[; also on {others}]";
pub(crate) const RACES_IN_ALL: &str =
    "{n} races in all, on {n_resources} resources; the first {n_shown} are shown";

/// Orders that resolve the races of a builder. The code of the orders follows.
pub(crate) const HELP_ONE_RACE: &str = "help: this order ends the race";
pub(crate) const HELP_RACES: &str = "help: this order ends all races";
pub(crate) const HELP_ORDERS: &str = "help: {n} orders end all races, and each of them is needed";
pub(crate) const HELP_CYCLES_FIRST: &str =
    "help: fix the cycles first: the orders that end the races depend on them";
pub(crate) const MORE_REMEDIES: &str = "and {n} more: see `BuildError::remedy`";
pub(crate) const ATTRIBUTE_ON: &str = "`{attribute}` on {system}";
pub(crate) const ORDER_BY_NODES: &str = "`Builder::order` from {first} to {then}, with the `NodeId` that `Builder::last` returned for each";

/// Values of `{conflict}`.
pub(crate) const BOTH_EXCLUSIVE: &str = "{first} and {second} are both exclusive";
pub(crate) const ONE_EXCLUSIVE: &str = "{one} is exclusive, and nothing orders it against {other}";
pub(crate) const BOTH_WRITE: &str = "{first} and {second} both write {subject}";
/// `{accesses}` and `{also}`: `reads`, `writes` or `folds into`.
pub(crate) const CONFLICT: &str = "{first} {accesses} {subject}, {second} {also} it";
pub(crate) const CONFLICT_WITH_READ_ALL: &str =
    "{first} {accesses} {subject}, {second} reads everything";
pub(crate) const READ_ALL_CONFLICT: &str =
    "{first} reads everything, {second} {accesses} {subject}";

/// Values of `{subject}` that are not resources.
pub(crate) const EVERYTHING: &str = "everything";
pub(crate) const EXCLUSIVE_ACCESS: &str = "exclusive access";

/// Values of `{fix}`. `{entry}`: the order, as an entry of `schedule!`. `{attribute}`: `ATTRIBUTE_ON`.
pub(crate) const WRITE_ENTRY: &str = "write {entry} in `schedule!`[, or {attribute}]";
pub(crate) const LIST_CONDITION: &str = "add the entry {entry}[, or {attribute}]";
pub(crate) const LIST_CONDITION_IN_LOOP: &str =
    "add the entry {entry} to the same loop[, or {attribute}]";
pub(crate) const LIST_OUTSIDE: &str = "add the entry `{condition}` outside of the loop, so that it is evaluated once, before the loop";
pub(crate) const NAME_AND_ORDER: &str =
    "give each `{path}` a name of its own with `as`, and order them by these names";

// ---- Groups and loops ----

pub(crate) const GROUP_IN_ITSELF: &str = "\
a group is a member of itself: {path}[; the last membership is declared at {location}]
help: remove a membership of this path";

/// A step of `{path}`.
pub(crate) const IN_GROUP: &str = "{group} in ";

pub(crate) const GROUP_AGAINST_MEMBER: &str = "\
{member} cannot run before or after the group {group}[, as declared at {location}], because it is a member of this group
help: order it before or after other members, or remove this order";

pub(crate) const PLUGIN_AGAINST_MEMBER: &str = "\
{member} cannot run before or after the plugin {plugin}, because it is in this plugin
help: order it before or after other entries of the plugin, or remove this order";

pub(crate) const LOOP_AGAINST_BODY: &str = "\
{node} cannot run before or after the loop {repeat}[, as declared at {location}], because it is in the loop body
help: order it before or after other systems of the loop body, order the loop before or after systems outside, or remove this order";

pub(crate) const GROUP_OVER_LEVELS: &str = "\
the members of the group {group} must all be in the same loop, or all outside of loops: {member} and the first member[, {first},] are not
help: add the whole loop to the group, or use a separate group inside the loop";

pub(crate) const NO_LOOP: &str = "\
`at_most` at {location} does not follow a loop
help: call it right after `.repeat_while::<…>(|…| …)`";

pub(crate) const BODY_WITHOUT_LOOP: &str = "\
{named} is not a loop, so it cannot have the loop body that is declared at {location}
help: pass the condition of a loop, which is also the name of the loop";

// ---- Conditions ----

pub(crate) const CONDITION_DEEPER: &str = "\
{guarded} has the run condition {condition}[ at {location}], which is in a loop that does not contain {guarded}
help: move the condition out of this loop";

pub(crate) const GUARDS_ITSELF: &str = "\
{condition} cannot be its own run condition[, as declared at {location}]
help: use another condition";

pub(crate) const GUARD_IS_LOOP: &str = "\
the loop {condition} cannot be a run condition[, as declared at {location}]
help: use a separate condition[, such as {path}]: the condition of a loop is evaluated before each iteration";

pub(crate) const ANSWERS_NOTHING: &str = "\
{condition} returns no value, but is used as a condition at {location}
help: change its return type to {wanted}";

pub(crate) const WRONG_ANSWER: &str = "\
{condition} returns {answers}, but the condition declared at {location} must return {wanted}
help: change its return type to {wanted}";

// ---- Policies ----

pub(crate) const WRITERS_FIRST: &str = "\
policy `writers first` causes a cycle: {path}{steps}
help: declare an order between the writers, or use another policy";

pub(crate) const TWO_POLICIES: &str = "\
{subject} has two policies: {first}[ at {first_location}] and {second}[ at {second_location}]
help: remove one of these policies";

/// Values of `{subject}`.
pub(crate) const OF_RESOURCE: &str = "resource {resource}";
pub(crate) const OF_PAIR: &str = "the pair of {first} and {second}";
pub(crate) const OF_FAILURE: &str = "the failure of {system}";

// ---- Calls of a builder ----

pub(crate) const BUILT_IN_CHANGE: &str = "\
the builder of a change was built, moved or replaced inside the change
help: declare the change on this builder, and leave it in place: `Schedule::change` builds it";

pub(crate) const EMPTY_NAME: &str = "\
the item that is added at {location} has an empty name, so messages and orders cannot name it
help: give it a name";

pub(crate) const NOTHING_ADDED: &str = "\
the call at {location} has no effect: nothing was added before it
help: call it right after the call that adds the system";

pub(crate) const READER_BETWEEN_WRITERS: &str = "\
{reader} reads {messages} after some of its writers and before others: after {before}, but before {after}
help: a reader runs after all writers, or before all of them: let {short} run {direction} {moved} instead";

pub(crate) const FOLD_AND_USE: &str = "\
{system} folds into {subject}, and also reads or writes it
help: the folded value is in the resource only after the system: remove `.folds::<{argument}>()` or the other access; if that is to all resources, except {subject}";

pub(crate) const NOT_APPLICABLE: &str = "\
{named} cannot have `{call}` at {location}: it applies only to {applies_to}
help: call `.{call}()` right after the call that adds or selects the item that must have it";

pub(crate) const NOT_MEASURED: &str = "\
{named} cannot have limits at {location}: it is a checkpoint or a sync point, whose time is not measured
help: call `set_limits` for a system, a loop or a group";

pub(crate) const NO_ORDER: &str = "\
cannot remove the order {first} -> {then} at {location}: it is not declared
help: `Schedule::why` lists the declared orders that connect these two: remove one of these instead";

pub(crate) const NO_MEMBERSHIP: &str = "\
cannot remove {member} from the group {group} at {location}: it is not a direct member
help: if {member} is a member through another group, call `leave_group` for that group instead";

pub(crate) const NO_GUARD: &str = "\
cannot remove the run condition of {guarded} at {location}: {guarded} does not have it
help: if a group or a loop around it has the run condition, pass this group or loop";

pub(crate) const NO_PAIR_POLICY: &str = "\
cannot remove the policy of {one} and {other} at {location}: none is set
help: if the policy is set for a group, pass the group";

pub(crate) const NO_FAILURE_POLICY: &str = "\
cannot remove the failure policy of {target} at {location}: none is set
help: if the policy is set for a group, pass the group";

pub(crate) const NO_SETTING: &str = "\
cannot clear `{call}` of {target} at {location}: it is not set
help: if a group around it has `{call}`, clear it for the group";

pub(crate) const SAME_GROUP_NAME: &str = "\
two groups have the name {group}: one is given as a type at {of_type}, the other as a text at {of_name}
help: give both as this type, with `in_group`, or rename the group that is given as a text";

// ---- Sweeps ----

pub(crate) const IN_ONE_SWEEP: &str = "\
they run together, chunk by chunk[, with {others}][; they conflict only on {components} of the same entity]";

pub(crate) const APART: &str = "\
they share no sweep: {rule}[; {first} runs chunk by chunk with {with_first}][; {second} runs chunk by chunk with {with_second}]";

/// Values of `{rule}`.
pub(crate) const APART_STORES: &str = "their entities are in {first} and in {second}";
pub(crate) const APART_LOOP: &str = "a loop contains only one of them";
pub(crate) const APART_BY_QUERY: &str = "\
{first} and {second} conflict on {component}, which {system} also accesses of other entities";
pub(crate) const APART_BY_RESOURCE: &str =
    "{first} and {second} conflict on {resource}, which is not a component";
pub(crate) const APART_BY_NODE: &str = "{node} runs after {first} and before {then}";
pub(crate) const APART_BY_FAILURE: &str = "a failure of {failing} skips {skipped}";
pub(crate) const APART_BY_CYCLE: &str =
    "their sweep would have to run both before and after that of {sweep}";
pub(crate) const APART_BY_DELAY: &str =
    "by the model of run times, a run would take longer, because other systems would wait";
pub(crate) const NO_SWEEP_OF_SYSTEM: &str = "{system} has `sweep = false`";
pub(crate) const NO_SWEEP_OF_PLUGIN: &str = "sweeps are turned off for the plugin of {system}";
pub(crate) const NO_SWEEP_OF_SCHEDULE: &str = "sweeps are turned off for the schedule";
pub(crate) const NO_SWEEP_BY_STOP: &str = "a failure of {system} stops the run";
pub(crate) const NO_SWEEP_BY_ALWAYS: &str = "{system} always runs";
pub(crate) const NO_SWEEP_ON_MAIN_THREAD: &str = "{system} runs on the thread that calls `run`";

// ---- Warnings ----

pub(crate) const EMPTY_GROUP: &str =
    "the group {group} has no members: add one, or remove the group";

pub(crate) const READ_OF_WRITTEN: &str = "{system} declares both a read and a write of {resource}, and the write includes the read: remove `.reads({argument})`";

pub(crate) const UNMATCHABLE_QUERY: &str = "{system} has a query that no entity can match: its filter excludes a component that the query also requires; remove one of the two";

pub(crate) const MESSAGES_WITHOUT_READER: &str = "no system of this schedule reads {messages}, but {writers} writes it; add a reader, unless another schedule or the program reads it";

pub(crate) const MESSAGES_WITHOUT_WRITER: &str = "no system of this schedule writes {messages}, but {readers} reads it; add a writer, unless another schedule or the program sends messages";

pub(crate) const UNORDERED_COMMANDS: &str = "{user} uses {change}, which the commands of {writer} change, but no declared order connects the two: the change appears {when}; declare an order after {other}, or one without commands";
/// Values of `{when}`.
pub(crate) const IN_THE_SAME_RUN: &str = "in the same run";
pub(crate) const ONE_RUN_LATE: &str = "one run late";

pub(crate) const UNUSED_POLICY: &str = "the policy of {resource} at {location} has no effect, because no system uses this resource: remove it";

pub(crate) const ABSENT_CHOICE: &str =
    "the pinned choice {choice} has no effect: system {absent} is missing; save the choices again";

pub(crate) const IDLE_CHOICE: &str = "the pinned choice {choice} has no effect: these systems have no race under `optimize`; save the choices again";

pub(crate) const CONTRADICTED_CHOICE: &str =
    "the pinned choice {choice} has no effect: other orders contradict it; save the choices again";

pub(crate) const REDUNDANT_ORDER: &str = "the order {first} -> {then}, declared at {location}, is redundant, because other orders imply it: it can be removed";
