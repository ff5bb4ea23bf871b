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
{name}[, named at {location},][, named by the attribute of {system},] is not in this schedule
help: add it[, or {otherwise}][; or did you mean {nearest}?][; {same_name} has the same name in another module]";

pub(crate) const DANGLING_BESIDE_NAMESAKE: &str = "\
{name}, named at {location}, is not in this schedule
help: the schedule contains a different item of this name; add this one, or name that one";

pub(crate) const DANGLING_STATE: &str = "\
{name}[, named at {location},] is not in this schedule
help: add {name}";

/// Values of `{otherwise}`, depending on the declaration with the name.
pub(crate) const OR_ORDER_IF_PRESENT: &str = "use `after_if_present` or `before_if_present`";
pub(crate) const OR_AFTER_IF_PRESENT: &str = "use `after_if_present`";
pub(crate) const OR_BEFORE_IF_PRESENT: &str = "use `before_if_present`";
pub(crate) const OR_REMOVE_ORDER: &str = "remove this order";
pub(crate) const OR_CONDITION_OF_TYPE: &str =
    "name a condition by its type, as in `Condition::of::<is_alive>()`: it need not be added";
pub(crate) const OR_REMOVE_MEMBERSHIP: &str = "remove this membership";
pub(crate) const OR_REMOVE_POLICY: &str = "remove this policy";

pub(crate) const REMOVED: &str = "\
{removed} was removed, but is named at {location}
help: {fix}";

pub(crate) const REMOVED_EARLIER: &str = "\
the node that is named by its `NodeId` at {location} was removed
help: {fix}";

/// Values of `{fix}`, depending on the declaration with the name.
pub(crate) const REMOVE_STATE_CHANGE: &str =
    "add it again, or remove `on_enter` or `on_exit` as well";
pub(crate) const REMOVE_STRICT_ORDER: &str = "remove this order as well, use `after_if_present` or `before_if_present`, or remove it by `remove_and_bridge`, which keeps \
     the order of its neighbours";
pub(crate) const REMOVE_WEAK_ORDER: &str = "remove this order as well";
pub(crate) const REMOVE_CONDITION: &str = "remove this condition as well";
pub(crate) const REMOVE_MEMBERSHIP: &str = "remove this membership as well";
pub(crate) const REMOVE_POLICY: &str = "remove this policy as well";
pub(crate) const ADD_AGAIN: &str = "add it again";

pub(crate) const AMBIGUOUS: &str = "\
{name}[, named at {location},][, named by the attribute of {system},] matches several nodes of this schedule[:{candidates}]
help: {fix}";

/// An element of `{candidates}`.
pub(crate) const CANDIDATE: &str = "\n{candidate}";

/// Values of `{fix}`.
pub(crate) const NAME_BY_MODULE: &str = "name one of them with its module, as in {candidate}";
pub(crate) const NAME_BY_NODE: &str = "name one of them by the `NodeId` that `Builder::last` returned after it was added: in `Builder::order` or `Condition::added`";
pub(crate) const NAME_EACH: &str =
    "give each a name, as in `{path} as first`, and use one of these names";
pub(crate) const NAME_EACH_AND_ORDER: &str = "give each a name, as in `{path} as first`, and declare this order here with one of these names";

pub(crate) const SAME_IDENTITY: &str = "\
identity: {first} and {second} are different types with the same identity
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

/// Values of `{reason}`. `[as {first} -> {then}, ]`: the declared order, if the step connects other nodes because of loops.
pub(crate) const BY_ORDER: &str = "[as {first} -> {then}, ]declared at {location}";
pub(crate) const BY_WEAK_ORDER: &str =
    "[as {first} -> {then}, ]if they conflict, declared at {location}";
pub(crate) const BY_MEMBERSHIP: &str = "as a member[, declared at {location}]";
pub(crate) const BY_LOOP: &str = "as part of the loop body";
pub(crate) const BY_CONDITION: &str = "as its condition[, declared at {location}]";
pub(crate) const BY_INHERITED_CONDITION: &str =
    "because {from} is a condition of a group that contains everything with the condition {to}";
pub(crate) const BY_COMMANDS: &str =
    "because everything with the condition {to} comes after {from}";
pub(crate) const BY_WRITE: &str = "because {from} writes {subject}";
pub(crate) const BY_WRITE_IN_LOOP: &str = "because a system in {from} writes {subject}";
pub(crate) const BY_EXCLUSIVE: &str = "because {from} is exclusive";
pub(crate) const BY_ADDITION: &str = "insertion order, for {subject}";
pub(crate) const BY_FITTING: &str = "optimize, for {subject}";
pub(crate) const BY_ACCEPTANCE: &str = "insertion order, for {subject}, accepted[: {reason}]";

// ---- Races ----

/// A race of two systems, at a token of `schedule!`. `{others}`: further resources on which they conflict.
pub(crate) const RACE: &str =
    "{conflict}[ (and conflict on {others})] and nothing orders them; {fix}";
/// The same if one system reads and the other writes, and only one resource is shared.
pub(crate) const RACE_MIXED: &str = "{conflict}, and nothing orders them; {fix}";
pub(crate) const RACE_EXCLUSIVE: &str =
    "{one} is exclusive, and nothing orders it against {other}; {fix}";

/// Several races of `schedule!`, with the first pairs.
pub(crate) const RACES: &str = "{n} pairs conflict[ on {resource}] and nothing orders them:";
pub(crate) const PAIR: &str = "\n  {conflict}[ (and conflict on {others})]";
pub(crate) const PAIR_EXCLUSIVE: &str = "\n  {one} is exclusive and conflicts with {other}";
pub(crate) const MORE_OF_RACES: &str = "\n  and {n} more";

/// The orders that resolve several races of `schedule!`.
pub(crate) const ONE_ORDER: &str = "\nthis order ends all of them:";
pub(crate) const THESE_ORDERS: &str = "\nthese orders end all of them:";
pub(crate) const OTHER_ORDERS: &str = "\nthe orders that end the other races also end these";
pub(crate) const CYCLES_FIRST: &str =
    "\nend the cycles first: the orders that end these races depend on them";
pub(crate) const ORDER_OF_RACES: &str = "\n  {system}: {fix}";
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
    "help: end the cycles first: the orders that end the races depend on them";
pub(crate) const MORE_REMEDIES: &str = "and {n} more: see `BuildError::remedy`";
pub(crate) const ATTRIBUTE_ON: &str = "`{attribute}` on {system}";
pub(crate) const ORDER_BY_NODES: &str = "`Builder::order` of {first} and {then}, with the `NodeId` that `Builder::last` returned for each";

/// Values of `{conflict}`.
pub(crate) const BOTH_EXCLUSIVE: &str = "{first} and {second} are both exclusive";
pub(crate) const ONE_EXCLUSIVE: &str = "{one} is exclusive, and nothing orders it against {other}";
pub(crate) const BOTH_WRITE: &str = "{first} and {second} both write {subject}";
pub(crate) const WRITE_AND_READ: &str = "{first} writes {subject}, {second} reads it";
pub(crate) const READ_AND_WRITE: &str = "{first} reads {subject}, {second} writes it";
pub(crate) const WRITE_AND_READ_ALL: &str = "{first} writes {subject}, {second} reads everything";
pub(crate) const READ_ALL_AND_WRITE: &str = "{first} reads everything, {second} writes {subject}";

/// Values of `{subject}` that are not resources.
pub(crate) const EVERYTHING: &str = "everything";
pub(crate) const EXCLUSIVE_ACCESS: &str = "running alone";

/// Values of `{fix}`: the order, as code of `schedule!`.
pub(crate) const ADD_CLAUSE: &str = "add `{clause} {name}`";
pub(crate) const ADD_CLAUSE_TO: &str = "add `{clause} {name}` to {system}";
pub(crate) const ADD_CLAUSE_TO_OTHER: &str = "add `{clause} {name}` to the other `{system}`";
pub(crate) const LIST_CONDITION: &str = "list `{condition}: {clause} {name}`";
pub(crate) const LIST_CONDITION_IN_LOOP: &str =
    "list `{condition}: {clause} {name}` in the same loop";
pub(crate) const LIST_OUTSIDE: &str =
    "list `{condition}` outside of the loop, so that it is evaluated once before the loop";
pub(crate) const NAME_AND_ORDER: &str =
    "give each `{path}` a name, as in `{path} as first`, and order them";

// ---- Groups and loops ----

pub(crate) const GROUP_IN_ITSELF: &str = "\
a group is inside itself: {path}[; the last membership is declared at {location}]
help: remove one of these memberships";

/// A step of `{path}`.
pub(crate) const IN_GROUP: &str = "{group} in ";

pub(crate) const GROUP_AGAINST_MEMBER: &str = "\
{member} is in group {group} and is ordered against it[ at {location}]
help: order it against the other members, or remove this order";

pub(crate) const PLUGIN_AGAINST_MEMBER: &str = "\
{member} is in the plugin {plugin} and is ordered against it
help: order it against the other members, or remove this order";

pub(crate) const LOOP_AGAINST_BODY: &str = "\
{node} is in the loop {repeat} and is ordered against it[ at {location}]
help: order it against other systems of the loop body, order the loop against systems outside, or remove this order";

pub(crate) const GROUP_OVER_LEVELS: &str = "\
{member} is not in the same loop as[ {first},] the first member of group {group}
help: make the whole loop a member, or use one group for each loop level";

pub(crate) const NO_LOOP: &str = "\
`at_most` at {location} applies only to loops
help: call it right after `.repeat_while::<…>(|…| …)`";

pub(crate) const BODY_WITHOUT_LOOP: &str = "\
{named} cannot have a loop body, as declared at {location}: it is not a loop
help: name a loop by its condition, as in orders";

// ---- Conditions ----

pub(crate) const CONDITION_DEEPER: &str = "\
{guarded} has the run condition {condition}[ at {location}], which is in a loop that does not contain {guarded}
help: move the condition out of this loop";

pub(crate) const GUARDS_ITSELF: &str = "\
{condition} cannot be its own run condition[, as declared at {location}]
help: use another condition";

pub(crate) const GUARD_IS_LOOP: &str = "\
the loop {condition} cannot be a run condition[, as declared at {location}]
help: use a separate condition[, such as {path}]: the condition of a loop is evaluated before each pass";

pub(crate) const ANSWERS_NOTHING: &str = "\
{condition} returns no value, but is declared as a condition at {location}
help: let it return {wanted}";

pub(crate) const WRONG_ANSWER: &str = "\
{condition} returns {answers}, but the condition declared at {location} must return {wanted}
help: let it return {wanted}";

// ---- Policies ----

pub(crate) const WRITERS_FIRST: &str = "\
writers first cannot order these: {path}{steps}
help: order the writers, or choose another policy";

pub(crate) const TWO_POLICIES: &str = "\
{subject} has two policies: {first}[ at {first_location}] and {second}[ at {second_location}]
help: remove one of them";

/// Values of `{subject}`.
pub(crate) const OF_RESOURCE: &str = "resource {resource}";
pub(crate) const OF_PAIR: &str = "the pair of {first} and {second}";
pub(crate) const OF_FAILURE: &str = "the failure of {system}";

// ---- Calls of a builder ----

pub(crate) const BUILT_IN_CHANGE: &str = "\
the builder of a change must not be built or replaced
help: leave it in place: `Schedule::change` builds it";

pub(crate) const NOTHING_ADDED: &str = "\
the call at {location} has no effect: nothing was added before it
help: call this right after adding the system that it applies to";

pub(crate) const NOT_BOUND: &str = "\
{named} cannot be bound to the main thread at {location}: `on_main_thread` applies only to systems and loops
help: call `.on_main_thread()` right after each system that must run there";

pub(crate) const NO_ORDER: &str = "\
the order of {first} before {then}, removed at {location}, was not declared
help: remove the orders that `Schedule::why` lists for these two";

pub(crate) const NO_MEMBERSHIP: &str = "\
the membership of {member} in the group {group}, removed at {location}, was not declared
help: name the member that was declared to be in this group: it may be another group";

pub(crate) const NO_GUARD: &str = "\
{guarded} does not have the run condition that is removed at {location}
help: to remove a run condition of a group or a loop around it, name that group or loop";

pub(crate) const NO_PAIR_POLICY: &str = "\
the policy of {one} and {other}, removed at {location}, was not set
help: to remove the policy of a group, name the group";

pub(crate) const NO_FAILURE_POLICY: &str = "\
the failure policy of {target}, removed at {location}, was not set
help: to remove the failure policy of a group, name the group";

pub(crate) const SAME_GROUP_NAME: &str = "\
two groups have the name {group}: one is a type, named at {of_type}, and one is a text, named at {of_name}
help: use `in_group` to join the group of the type, or rename the other group";

// ---- Warnings ----

pub(crate) const EMPTY_GROUP: &str = "group {group} is empty";

pub(crate) const READ_OF_WRITTEN: &str = "{system} declares both a read and a write of {resource}, and the write includes the read: remove `.reads({argument})`";

pub(crate) const UNUSED_POLICY: &str =
    "the policy of {resource} at {location} has no effect: no system uses this resource";

pub(crate) const ABSENT_CHOICE: &str =
    "the pinned choice {choice} has no effect: system {absent} is missing; save the choices again";

pub(crate) const IDLE_CHOICE: &str = "the pinned choice {choice} has no effect: these systems have no race under `optimize`; save the choices again";

pub(crate) const CONTRADICTED_CHOICE: &str =
    "the pinned choice {choice} has no effect: other orders contradict it; save the choices again";

pub(crate) const REDUNDANT_ORDER: &str =
    "the order {first} -> {then}, declared at {location}, follows from others";

pub(crate) const ONLY_READ: &str =
    "no system writes or inserts {resource}, which is read by {readers}[ and {n} others]";
