//! Each row in each place where it may stand, and in the places where it may not. The tables in the documentation contain all rows.

use proc_macro2::TokenStream;

use super::{CLAUSES, ClauseRow, Form, Kind, Mark, SETTINGS, SettingRow, SettingValue, Value};
use crate::messages;

const KINDS: [Kind; 6] = [
    Kind::System,
    Kind::Loop,
    Kind::Checkpoint,
    Kind::ApplyCommands,
    Kind::Group,
    Kind::Plugin,
];

fn tokens(text: &str) -> TokenStream {
    text.parse()
        .unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Returns the texts of the errors in an expansion.
fn errors(expansion: &TokenStream) -> Vec<String> {
    let text = expansion.to_string();
    let errors = text
        .split("compile_error ! { \"")
        .skip(1)
        .map(|rest| rest.split("\" }").next().expect("the literal ends"));
    errors.map(str::to_string).collect()
}

fn errors_of_schedule(entries: &str) -> Vec<String> {
    errors(&crate::schedule::expand(tokens(&format!(
        "Frame {{ {entries} }}"
    ))))
}

fn errors_of_system(options: &str) -> Vec<String> {
    let item = if options.contains("spanning = ") {
        "fn act();"
    } else {
        "fn act(a: &mut A) {}"
    };
    errors(&crate::system::expand(tokens(options), tokens(item)))
}

/// Returns an example of a clause in `schedule!`.
fn listed(clause: &ClauseRow) -> String {
    let words = clause.listed();
    match clause.value {
        Value::Order | Value::Groups | Value::Conditions => format!("{words} other"),
        Value::Limit => format!("{words} 3"),
        Value::State { .. } => format!("{words} Phase::Night"),
        Value::OnFailure => format!("{words} carry on"),
        Value::Mark(_) | Value::Own { .. } => words,
    }
}

/// Returns an entry of this kind with these clauses.
fn entry(kind: Kind, clauses: &str) -> String {
    match kind {
        Kind::System => format!("act: {clauses}"),
        Kind::Loop => format!("repeat while is_open: {clauses} {{ act }}"),
        Kind::Checkpoint => format!("checkpoint Read: {clauses}"),
        Kind::ApplyCommands => format!("apply_commands Loaded: {clauses}"),
        Kind::Group => format!("group Physics: {clauses} {{ act }}"),
        Kind::Plugin => format!("include Weather: {clauses}"),
    }
}

/// Returns the text of a value of a setting.
fn value(setting: &SettingRow) -> &'static str {
    match setting.value {
        SettingValue::False(_) => "false",
        SettingValue::OneOf(choices) => choices.values[0].0,
    }
}

#[test]
fn each_clause_is_accepted_exactly_at_its_bearers() {
    for clause in CLAUSES.iter().filter(|clause| clause.listed.is_some()) {
        for kind in KINDS {
            let found = errors_of_schedule(&entry(kind, &listed(clause)));
            if clause.bearers.include(kind) {
                assert!(
                    found.is_empty(),
                    "{} at {kind:?}: {found:?}",
                    clause.listed()
                );
            } else {
                let nouns = clause.bearers.nouns();
                let expected = messages::wrong_bearer(clause.listed(), nouns, kind.noun());
                assert_eq!(found, [expected], "{kind:?}");
            }
        }
    }
}

#[test]
fn single_clause_is_accepted_only_once() {
    for clause in CLAUSES.iter().filter(|clause| clause.listed.is_some()) {
        let kind = KINDS.into_iter().find(|&kind| clause.bearers.include(kind));
        let once = listed(clause);
        let found = errors_of_schedule(&entry(kind.expect("one"), &format!("{once} {once}")));
        if clause.is_single() {
            assert_eq!(found, [messages::given_twice(clause.listed())]);
        } else {
            assert!(found.is_empty(), "{once}: {found:?}");
        }
    }
}

#[test]
fn each_pair_of_clauses_can_follow_each_other() {
    let listed_clauses = || CLAUSES.iter().filter(|clause| clause.listed.is_some());
    for first in listed_clauses() {
        for second in listed_clauses().filter(|second| !core::ptr::eq(*second, first)) {
            let both = format!("{} {}", listed(first), listed(second));
            let at = |kind: &Kind| first.bearers.include(*kind) && second.bearers.include(*kind);
            let Some(kind) = KINDS.into_iter().find(at) else {
                continue;
            };
            let found = errors_of_schedule(&entry(kind, &both));
            assert!(found.is_empty(), "{both}: {found:?}");
        }
    }
}

#[test]
fn mark_accepts_only_its_value() {
    for clause in CLAUSES {
        let Value::Mark(Mark { only, .. }) = clause.value else {
            continue;
        };
        let words = clause.words();
        let kind = KINDS
            .into_iter()
            .find(|&kind| clause.bearers.include(kind))
            .expect("one");
        if let Some((value, default)) = only {
            let wrong = errors_of_schedule(&entry(kind, &format!("{words} other")));
            let message = messages::only_value(clause.listed(), words, value, default);
            assert_eq!(wrong, [message]);
        } else {
            let wrong = errors_of_schedule(&entry(kind, &format!("{words} = true")));
            assert_eq!(wrong, [messages::takes_no_value(words)]);
        }
        if let Some(Form { words, .. }) = clause.option {
            let wrong = errors_of_system(&format!("for_each, {words} = other"));
            let found = wrong.first().expect("the value is wrong");
            match only {
                Some((value, default)) => {
                    let example = format!("{words} = {value}");
                    let message = messages::only_value(example, words, value, default);
                    assert_eq!(*found, message);
                }
                None => assert_eq!(*found, messages::takes_no_value(words)),
            }
        }
    }
}

#[test]
fn each_option_is_listed_and_can_be_given_once() {
    let unknown = errors_of_system("unknown");
    for clause in CLAUSES {
        let Some(Form { words, .. }) = clause.option else {
            continue;
        };
        assert!(
            unknown[0].contains(&format!("`{words}`")),
            "{words}: {unknown:?}"
        );
        let value = match clause.value {
            Value::Mark(Mark { only, .. }) => only.map(|(value, _)| value),
            _ if words == "name" => Some("\\\"other\\\""),
            _ => Some("other"),
        };
        let option = match value {
            Some(value) => format!("{words} = {}", value.replace('\\', "")),
            None => words.to_string(),
        };
        let found = errors_of_system(&format!("{option}, {option}"));
        let twice = if clause.is_list() {
            messages::list_given_twice(words)
        } else {
            messages::given_twice(words)
        };
        assert!(found.contains(&twice), "{option}: {found:?}");
    }
}

#[test]
fn each_setting_is_accepted_only_at_its_places() {
    for setting in SETTINGS {
        let text = format!("{} {}", setting.words, value(setting));
        assert_eq!(
            errors_of_schedule(&format!("{text}, act")),
            [""; 0],
            "{text}"
        );
        let after = errors_of_schedule(&format!("act, {text}"));
        if setting.is_before_entries {
            assert_eq!(after, [messages::setting_after_entry(setting)]);
        } else {
            assert_eq!(after, [""; 0], "{text}");
        }
        let inside = errors_of_schedule(&format!("group Physics {{ act, {text} }}"));
        assert_eq!(inside, [messages::setting_in_block(setting)]);
        let in_chain = errors_of_schedule(&format!("act -> {text}"));
        assert_eq!(in_chain, [messages::setting_in_chain(setting)]);
        let twice = errors_of_schedule(&format!("{text}, {text}, act"));
        assert_eq!(twice.len(), 1, "{twice:?}");
        assert!(twice[0].contains("is given twice"), "{twice:?}");
    }
}

#[test]
fn only_the_value_of_an_executor_is_rejected_with_arguments() {
    for setting in SETTINGS {
        let text = format!("{} {} (a, b) -> c", setting.words, value(setting));
        let expected = match setting.arguments {
            Some(reason) => messages::setting_with_arguments(setting.words, reason),
            None => messages::EXPECTED_COMMA.to_string(),
        };
        let found = errors_of_schedule(&text);
        assert!(found[0].starts_with(&expected), "{text}: {found:?}");
    }
}

#[test]
fn second_word_of_a_clause_is_suggested_for_its_first_word() {
    let expected = |words: &[&str]| messages::expected(messages::one_of(words.iter()));
    let found = errors_of_schedule("repeat while is_open at least 3 { act }");
    assert_eq!(found, [expected(&["at most N"])]);
    let words = [
        "on failure",
        "on missing skip",
        "on missed commands fail",
        "on enter",
        "on exit",
    ];
    let found = errors_of_schedule("act: on leave Phase::Night");
    assert_eq!(found, [expected(&words)]);
    let words = [
        "on failure",
        "on missing",
        "on missed commands",
        "on enter",
        "on exit",
    ];
    let found = errors_of_schedule("on leave Phase::Night, act");
    assert_eq!(found, [expected(&words)]);
}

#[test]
fn word_after_a_clause_is_an_entry_without_a_comma_or_a_misspelled_clause() {
    let found = errors_of_schedule("start, act: after start awlays");
    assert_eq!(found, [messages::expected_comma_before("awlays")]);
    let value = "`sweep` has only the value `false`: write `sweep false`";
    for text in ["start, act: after start sweep", "act: sweep"] {
        let found = errors_of_schedule(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert!(found[0].starts_with(value), "{text}: {found:?}");
    }
    for text in [
        "start act",
        "start, act: after start physics::step",
        "start, act: after start group Physics { step }",
    ] {
        let found = errors_of_schedule(text);
        assert_eq!(found, [messages::EXPECTED_COMMA_BEFORE], "{text}");
    }
}

#[test]
fn each_value_of_a_setting_is_accepted_and_others_are_not() {
    for setting in SETTINGS {
        let SettingValue::OneOf(choices) = setting.value else {
            continue;
        };
        for (value, _) in choices.values {
            let found = errors_of_schedule(&format!("{} {value}, act", setting.words));
            assert_eq!(found, [""; 0], "{value}");
        }
        let found = errors_of_schedule(&format!("{} other, act", setting.words));
        assert_eq!(found, [messages::unknown_value(choices, "other")]);
    }
}

/// Returns the rows of a table of clauses.
fn rows(form: impl Fn(&ClauseRow) -> Option<&Form>) -> String {
    let rows = CLAUSES.iter().filter_map(|clause| {
        let Form {
            words,
            examples,
            meaning,
        } = form(clause)?;
        Some(match *examples {
            "" => format!("| `{words} other` | {meaning} |\n"),
            examples => format!("| {examples} | {meaning} |\n"),
        })
    });
    rows.collect()
}

/// Compares a table in the documentation with these rows. `head`: its first line. With `BLESS=1`, replaces it.
fn assert_table(file: &str, head: &str, rows: &str) {
    let path = format!("{}/docs/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("it is there");
    let head = format!("{head}\n|---|---|\n");
    let start = text.find(&head).expect("there is the table") + head.len();
    let length = text[start..].find("\n\n").expect("the table ends") + 1;
    if std::env::var_os("BLESS").is_some() {
        let (before, after) = (&text[..start], &text[start + length..]);
        std::fs::write(&path, [before, rows, after].concat()).expect("it can be written");
    } else {
        assert_eq!(
            &text[start..start + length],
            rows,
            "{file}; with BLESS=1 this is accepted"
        );
    }
}

#[test]
fn documentation_has_the_tables_of_all_rows() {
    assert_table(
        "system.md",
        "| option | meaning |",
        &rows(|clause| clause.option.as_ref()),
    );
    assert_table(
        "schedule.md",
        "| clause | meaning |",
        &rows(|clause| clause.listed.as_ref()),
    );
    let settings = SETTINGS.iter();
    let settings =
        settings.map(|setting| format!("| {} | {} |\n", setting.examples, setting.meaning));
    assert_table(
        "schedule.md",
        "| setting | meaning |",
        &settings.collect::<String>(),
    );
}
