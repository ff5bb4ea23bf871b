//! The clauses of systems and of entries, and the settings of schedules: one row for each.
//!
//! The rows drive the parsers, the messages, the tables in the documentation and the tests. A clause that is set or not set has a constant
//! of `Marks` in `schedule`, and a setting has a function of `Settings`. So a new one is a row here, and its meaning there.

use syn::Ident;
use syn::ext::IdentExt;
use syn::parse::ParseStream;

use crate::messages;

mod rows;
#[cfg(test)]
mod tests;

pub(crate) use self::rows::{CLAUSES, FAILURE_POLICIES, SETTINGS};

/// A clause of a system or of an entry.
pub(crate) struct ClauseRow {
    /// The option of `#[system(…)]`. `None` if it is only a clause in `schedule!`.
    pub(crate) option: Option<Form>,
    /// The clause in `schedule!`. `None` if it is only an option.
    pub(crate) listed: Option<Form>,
    /// The entries that can have it.
    pub(crate) bearers: Bearers,
    pub(crate) value: Value,
}

/// A clause as it is written in one place.
pub(crate) struct Form {
    /// The words before its value.
    pub(crate) words: &'static str,
    /// The first column of the table in the documentation.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "a test compares the documentation with it")
    )]
    pub(crate) examples: &'static str,
    /// The second column.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "a test compares the documentation with it")
    )]
    pub(crate) meaning: &'static str,
}

/// The value of a clause, and its effect.
pub(crate) enum Value {
    /// Other items. The option has the name of a function of `Order`.
    Order,
    /// Groups.
    Groups,
    /// Run conditions.
    Conditions,
    /// The maximum number of iterations.
    Limit,
    /// A state that is entered or left.
    State { is_enter: bool },
    /// A failure policy.
    OnFailure,
    /// Sets a constant of `Marks`.
    Mark(Mark),
    /// Has a function of its own in `system/parse.rs`. `true`: the value is a list.
    Own { is_list: bool },
}

/// A clause that is set or not set.
pub(crate) struct Mark {
    /// The constant of `Marks`.
    pub(crate) constant: &'static str,
    /// The only value, and the effect without the clause. `None` if the clause has no value.
    pub(crate) only: Option<(&'static str, &'static str)>,
}

/// The kinds of entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    System,
    Loop,
    Checkpoint,
    ApplyCommands,
    Group,
    Plugin,
}

/// The entries that can have a clause.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bearers {
    All,
    Loops,
    SystemsAndLoops,
    SystemsLoopsAndGroups,
    /// The compiler rejects other systems.
    ForEachSystems,
}

/// A setting of a schedule.
pub(crate) struct SettingRow {
    /// The words before its value.
    pub(crate) words: &'static str,
    /// The function of `Settings`.
    pub(crate) function: &'static str,
    pub(crate) value: SettingValue,
    /// The reason why a value has no arguments, if users may expect some.
    pub(crate) arguments: Option<&'static str>,
    /// An example of a clause with the same words, for messages: the setting may have been meant as a clause.
    pub(crate) clause: Option<&'static str>,
    /// Whether the setting must be before all entries.
    pub(crate) is_before_entries: bool,
    /// As that of [`Form`].
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "a test compares the documentation with it")
    )]
    pub(crate) examples: &'static str,
    /// As that of [`Form`].
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "a test compares the documentation with it")
    )]
    pub(crate) meaning: &'static str,
}

/// The value of a setting.
pub(crate) enum SettingValue {
    /// The literal `false`. The text is the effect without the setting.
    False(&'static str),
    OneOf(&'static Choices),
}

/// The values of an enum of `schedule`.
pub(crate) struct Choices {
    /// The enum.
    pub(crate) ty: &'static str,
    /// A noun for messages.
    pub(crate) noun: &'static str,
    /// The words of each value, and its variant.
    pub(crate) values: &'static [(&'static str, &'static str)],
}

impl ClauseRow {
    /// Returns the clause with this name as an option of `#[system(…)]`.
    pub(crate) fn of_option(name: &str) -> Option<&'static Self> {
        let mut clauses = CLAUSES.iter();
        clauses.find(|clause| {
            clause
                .option
                .as_ref()
                .is_some_and(|form| form.words == name)
        })
    }

    /// Returns the clause of `schedule!` whose words come next.
    pub(crate) fn next(input: ParseStream<'_>) -> Option<&'static Self> {
        let mut clauses = CLAUSES.iter();
        clauses.find(|clause| {
            let form = clause.listed.as_ref();
            form.is_some_and(|form| starts_with(input, form.words))
        })
    }

    /// Parses the words of a change of a state, if they come next. Returns whether the state is entered.
    pub(crate) fn parse_state(input: ParseStream<'_>) -> Option<bool> {
        let row = Self::next(input)?;
        let Value::State { is_enter } = row.value else {
            return None;
        };
        parse_words(input, row.words());
        Some(is_enter)
    }

    /// The words of the clause in `schedule!`, without its value.
    pub(crate) fn words(&self) -> &'static str {
        self.listed.as_ref().map_or("", |form| form.words)
    }

    /// The words of the clause in `schedule!`, with its only value if it has one.
    pub(crate) fn listed(&self) -> String {
        let words = self.words();
        match &self.value {
            Value::Mark(Mark {
                only: Some((value, _)),
                ..
            }) => messages::with_value(words, value),
            _ => words.to_string(),
        }
    }

    /// The words of the clause for a list of clauses.
    pub(crate) fn proposed(&self) -> String {
        match self.value {
            Value::Limit => messages::with_value(self.words(), "N"),
            _ => self.listed(),
        }
    }

    /// Whether only one value is possible, such as `false` of `sweep`.
    pub(crate) fn has_only_value(&self) -> bool {
        matches!(self.value, Value::Mark(Mark { only: Some(_), .. }))
    }

    /// Whether the option takes a list.
    pub(crate) fn is_list(&self) -> bool {
        matches!(
            self.value,
            Value::Order | Value::Groups | Value::Conditions | Value::Own { is_list: true }
        )
    }

    /// Whether an entry can have it only once.
    pub(crate) fn is_single(&self) -> bool {
        matches!(self.value, Value::Limit | Value::OnFailure | Value::Mark(_))
    }
}

/// The clauses of `schedule!`, for lists in messages.
pub(crate) fn clause_words() -> impl Iterator<Item = String> {
    let clauses = CLAUSES.iter().filter(|clause| clause.listed.is_some());
    clauses.map(ClauseRow::proposed)
}

/// The kinds of order: clauses, options, and functions of `Order`.
pub(crate) fn orders() -> impl Iterator<Item = &'static str> {
    let orders = CLAUSES
        .iter()
        .filter(|clause| matches!(clause.value, Value::Order));
    orders
        .filter_map(|clause| clause.listed.as_ref())
        .map(|form| form.words)
}

impl Kind {
    /// Returns the noun for messages.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::System => messages::A_SYSTEM,
            Self::Loop => messages::A_LOOP,
            Self::Checkpoint => messages::A_CHECKPOINT,
            Self::ApplyCommands => messages::A_SYNC_POINT,
            Self::Group => messages::A_GROUP,
            Self::Plugin => messages::A_PLUGIN,
        }
    }
}

impl Bearers {
    pub(crate) fn include(self, kind: Kind) -> bool {
        match self {
            Self::All => true,
            Self::Loops => kind == Kind::Loop,
            Self::SystemsAndLoops => matches!(kind, Kind::System | Kind::Loop),
            Self::SystemsLoopsAndGroups => {
                matches!(kind, Kind::System | Kind::Loop | Kind::Group)
            }
            Self::ForEachSystems => kind == Kind::System,
        }
    }

    /// Returns the nouns for messages.
    pub(crate) fn nouns(self) -> &'static str {
        match self {
            Self::All => messages::ENTRIES_OF_ALL_KINDS,
            Self::Loops => messages::LOOPS,
            Self::SystemsAndLoops => messages::SYSTEMS_AND_LOOPS,
            Self::SystemsLoopsAndGroups => messages::SYSTEMS_LOOPS_AND_GROUPS,
            Self::ForEachSystems => messages::FOR_EACH_SYSTEMS,
        }
    }
}

impl SettingRow {
    /// Returns the setting whose words come next.
    pub(crate) fn next(input: ParseStream<'_>) -> Option<&'static Self> {
        SETTINGS
            .iter()
            .find(|setting| starts_with(input, setting.words))
    }

    /// The words of the setting, with its only value if it has one.
    pub(crate) fn listed(&self) -> String {
        match self.value {
            SettingValue::False(_) => messages::with_value(self.words, "false"),
            SettingValue::OneOf(_) => self.words.to_string(),
        }
    }
}

impl Choices {
    /// Returns the variant of the value whose words come next, and the words.
    pub(crate) fn next(&self, input: ParseStream<'_>) -> Option<(&'static str, &'static str)> {
        let mut values = self.values.iter().copied();
        values.find(|(words, _)| starts_with(input, words))
    }

    /// Lists the words of all values.
    pub(crate) fn listed(&self) -> String {
        messages::one_of(self.values.iter().map(|(words, _)| *words))
    }
}

/// Lists those of these clauses or settings that begin with a word.
pub(crate) fn beginning_with(first: &Ident, all: impl Iterator<Item = String>) -> String {
    let is_first = |words: &String| words.split(' ').next().is_some_and(|word| first == word);
    messages::one_of(all.filter(is_first))
}

/// Returns the message that a clause lacks its only value, if this word is such a clause.
pub(crate) fn lacks_value(word: &Ident) -> Option<String> {
    let clause = CLAUSES.iter().find(|clause| word == clause.words())?;
    let Value::Mark(Mark {
        only: Some((value, default)),
        ..
    }) = clause.value
    else {
        return None;
    };
    let words = clause.words();
    Some(messages::only_value(clause.listed(), words, value, default))
}

/// Returns whether these words come next.
pub(crate) fn starts_with(input: ParseStream<'_>, words: &str) -> bool {
    parse_words(&input.fork(), words).is_some()
}

/// Parses these words. Returns the first one, or `None` if other tokens come next.
pub(crate) fn parse_words(input: ParseStream<'_>, words: &str) -> Option<Ident> {
    let mut first = None;
    for expected in words.split(' ') {
        let word = input.call(Ident::parse_any).ok()?;
        if word != expected {
            return None;
        }
        first.get_or_insert(word);
    }
    first
}
