//! Texts of messages about policies and settings in `schedule!`.

use core::fmt::Display;

use super::POLICIES;
use crate::clauses::{Choices, SettingRow};

// ---- `schedule!`: policies ----

pub(crate) fn unknown_policy(word: impl Display) -> String {
    format!("unknown policy `{word}`; expected {POLICIES}")
}

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
pub(crate) const POLICY_TWICE: &str =
    "the policy of the schedule is given twice: remove one of them";

// ---- `schedule!`: settings ----

/// Returns the right place of a setting.
fn place_of(setting: &SettingRow) -> String {
    match setting.clause {
        Some(clause) => format!(
            "for one entry, use a clause, as in `{clause}`; for all systems of the schedule, write it before all entries"
        ),
        None if setting.is_before_entries => WRITE_BEFORE_ENTRIES.to_string(),
        None => WRITE_OUTSIDE_OF_BLOCKS.to_string(),
    }
}

const WRITE_BEFORE_ENTRIES: &str = "write it before all entries, because it applies to all systems";
const WRITE_OUTSIDE_OF_BLOCKS: &str = "write it as a separate entry outside of blocks";

pub(crate) fn setting_in_block(setting: &SettingRow) -> String {
    format!(
        "`{}` cannot be an entry of a block: {}",
        setting.listed(),
        place_of(setting)
    )
}

pub(crate) fn setting_after_entry(setting: &SettingRow) -> String {
    format!(
        "`{}` cannot follow an entry and `,`: {}",
        setting.listed(),
        place_of(setting)
    )
}

pub(crate) fn setting_in_chain(setting: &SettingRow) -> String {
    format!(
        "`{}` cannot follow `->`: {}",
        setting.listed(),
        place_of(setting)
    )
}

/// `reason`: why there are none.
pub(crate) fn setting_with_arguments(words: impl Display, reason: impl Display) -> String {
    format!("a value of `{words}` takes no arguments: remove the parentheses; {reason}")
}

pub(crate) fn unknown_value(choices: &Choices, word: impl Display) -> String {
    format!(
        "unknown {} `{word}`; expected {}",
        choices.noun,
        choices.listed()
    )
}

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
