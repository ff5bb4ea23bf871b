//! Texts of messages about policies and settings in `schedule!`.

use core::fmt::Display;

use super::{EXECUTORS, FAILURES, MISSED_COMMAND_POLICIES, MISSING_POLICIES, POLICIES};

// ---- `schedule!`: policies ----

pub(crate) fn unknown_policy(word: impl Display) -> String {
    format!("unknown policy `{word}`; expected {POLICIES}")
}

pub(crate) fn unknown_failure_policy(word: impl Display) -> String {
    format!("unknown failure policy `{word}`; expected {FAILURES}")
}

pub(crate) fn unknown_missing_policy(word: impl Display) -> String {
    format!("unknown effect of a missing resource `{word}`; expected {MISSING_POLICIES}")
}

pub(crate) fn unknown_missed_command_policy(word: impl Display) -> String {
    format!("unknown effect of missed commands `{word}`; expected {MISSED_COMMAND_POLICIES}")
}

pub(crate) const REFUSE_IN_CLAUSE: &str = "a single entry cannot have `on missing refuse`: remove it, and write `on missing skip` only at the entries that may be skipped";

pub(crate) const EXPECTED_FOR: &str = "expected `for` before the pair";
pub(crate) const EXPECTED_SUBJECT: &str =
    "expected a resource, `component C`, `deferred C`, or a pair of systems in parentheses";
pub(crate) const EXPECTED_COMPONENT: &str =
    "expected a component, as in `for component Position` or `for deferred Position`";
pub(crate) const EXPECTED_STORE: &str =
    "expected a type that stores entities, as in `for component Position in World<Ships>`";
pub(crate) const STORE_OF_A_RESOURCE: &str = "only a component has a store: write `component` or `deferred` before it, as in `for component Position in World<Ships>`";
pub(crate) const NOT_A_PAIR: &str =
    "a pair must be two systems or groups: write `(one, other)`, or a resource without parentheses";

pub(crate) fn entry_as_resource(name: impl Display) -> String {
    format!("`{name}` is an entry, not a resource: for a pair, write `for (one, other)`")
}

pub(crate) const POLICY_IN_BLOCK: &str =
    "a policy applies to the whole schedule: move it out of the block";
pub(crate) const FAILURE_POLICY_IN_BLOCK: &str = "a failure policy cannot be an entry of a block: for the policy of an entry, use a clause, as in `load: on failure stop`; \
     for the policy of the schedule, move it before all entries";

pub(crate) const MISSING_POLICY_IN_BLOCK: &str = "`on missing` cannot be an entry of a block: for one entry, use a clause, as in `film: on missing skip`; \
     for all systems of the schedule, move it before all entries";

pub(crate) const POLICY_TWICE: &str =
    "the policy of the schedule is given twice: remove one of them";
pub(crate) const FAILURE_POLICY_TWICE: &str =
    "the failure policy of the schedule is given twice: remove one of them";
pub(crate) const FAILURE_POLICY_AFTER_ENTRY: &str = "a failure policy cannot follow an entry and `,`: for the policy of an entry, use a clause, as in `load: on failure stop`; \
     for the policy of the schedule, move it before all entries";
pub(crate) const MISSING_POLICY_AFTER_ENTRY: &str = "`on missing` cannot follow an entry and `,`: for one entry, use a clause, as in `film: on missing skip`; \
     for all systems of the schedule, move it before all entries";

pub(crate) const MISSED_COMMANDS_IN_BLOCK: &str =
    "`on missed commands` applies to all systems of the schedule: move it before all entries";
pub(crate) const MISSED_COMMANDS_IN_CLAUSE: &str =
    "`on missed commands` is not a clause: move it before all entries";
pub(crate) const MISSED_COMMANDS_AFTER_ENTRY: &str =
    "`on missed commands` cannot follow an entry: move it before all entries";
pub(crate) const MISSED_COMMANDS_IN_CHAIN: &str =
    "`on missed commands` cannot follow `->`: move it before all entries";

// ---- `schedule!`: sweeps ----

pub(crate) const SWEEP_IN_BLOCK: &str = "`sweep false` cannot be an entry of a block: for one system, use a clause, as in `starve: sweep false`; \
     for all systems of the schedule, move it before all entries";
pub(crate) const SWEEP_AFTER_ENTRY: &str = "`sweep false` cannot follow an entry and `,`: for one system, use a clause, as in `starve: sweep false`; \
     for all systems of the schedule, move it before all entries";
pub(crate) const SWEEP_IN_CHAIN: &str = "`sweep false` cannot follow `->`: for one system, use a clause, as in `starve: sweep false`; \
     for all systems of the schedule, write it before all entries";

// ---- `schedule!`: the executor ----

pub(crate) fn unknown_executor(word: impl Display) -> String {
    format!("unknown executor `{word}`; expected {EXECUTORS}")
}

pub(crate) fn executor_with_arguments(word: impl Display) -> String {
    format!(
        "`{word}` takes no arguments: remove the parentheses; the pool of `Schedule::set_pool` determines the number of threads"
    )
}

pub(crate) const EXECUTOR_IN_BLOCK: &str =
    "`executor` applies to the whole schedule: move it out of the block";
pub(crate) const EXECUTOR_IN_CHAIN: &str =
    "`executor` cannot be in a chain: write it as a separate entry";

// ---- `schedule!`: `accepted` ----

pub(crate) const ACCEPTED_ALONE: &str =
    "`accepted` needs a reason and a subject: write `accepted \"why\" for (one, other)`";
pub(crate) const ACCEPTED_WITHOUT_REASON: &str =
    "`accepted` needs a reason: write `accepted \"why\" for …`";
pub(crate) const ACCEPTED_WITH_EMPTY_REASON: &str =
    "the reason of `accepted` cannot be empty: explain why the order does not matter";
pub(crate) const ACCEPTED_WITHOUT_SUBJECT: &str =
    "`accepted` needs a resource or a pair: write `accepted \"why\" for (one, other)`";
pub(crate) const REASON_OF_POLICY: &str =
    "only policy `accepted` takes a reason: remove the reason";
