//! Parses clauses of entries, and policies and settings of the whole schedule.

use proc_macro2::TokenTree;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::token::Paren;
use syn::{
    Error, ExprPath, Ident, LitBool, LitInt, LitStr, Path, Token, TypePath, parenthesized,
    parse_quote,
};

use super::super::ahead::{is_empty_brackets, starts, starts_clause, starts_path};
use super::super::syntax::{About, Clause, ClauseValue, Component, Policy, Setting, StateChange};
use crate::clauses::{
    self, Choices, FAILURE_POLICIES, SETTINGS, SettingValue, Value, beginning_with, clause_words,
    parse_words,
};
use crate::guard;
use crate::messages;

impl Clause {
    /// Parses one clause. Returns `None` if no clause starts here.
    pub(super) fn parse(input: ParseStream<'_>) -> syn::Result<Option<Self>> {
        if !starts_clause(input) {
            return Ok(None);
        }
        let Some(row) = clauses::ClauseRow::next(input) else {
            let first = input.call(Ident::parse_any)?;
            let expected = messages::expected(beginning_with(&first, clause_words()));
            return Err(Error::new_spanned(first, expected));
        };
        let form = row.listed.as_ref().expect("the row was found by its words");
        let word = parse_words(input, form.words).expect("the words come next");
        let value = match &row.value {
            Value::Order | Value::Groups => ClauseValue::Names(list(input)?),
            Value::Conditions if is_empty_brackets(input) => {
                return Err(input.error(messages::EXPECTED_CONDITION));
            }
            Value::Conditions => ClauseValue::Conditions(guard::list(input)?),
            Value::Limit if !input.peek(LitInt) => {
                return Err(input.error(messages::EXPECTED_NUMBER));
            }
            Value::Limit => ClauseValue::Limit(input.parse()?),
            Value::State { is_enter } => {
                ClauseValue::State(Box::new(StateChange::parse(*is_enter, input)?))
            }
            Value::OnFailure => ClauseValue::OnFailure(choice(&FAILURE_POLICIES, input)?),
            Value::Mark(mark) => {
                match mark.only {
                    Some((value, default)) => {
                        let message =
                            messages::only_value(row.listed(), form.words, value, default);
                        expect_value(value, &message, input)?;
                    }
                    None if input.peek(Token![=]) || input.peek(Paren) => {
                        return Err(input.error(messages::takes_no_value(form.words)));
                    }
                    None => {}
                }
                ClauseValue::Mark(mark)
            }
            Value::Own { .. } => unreachable!("it is not a clause of `schedule!`"),
        };
        Ok(Some(Self { word, row, value }))
    }
}

impl Setting {
    /// Parses the setting that starts here.
    pub(super) fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let Some(row) = clauses::SettingRow::next(input) else {
            let first: Ident = input.parse()?;
            let settings = SETTINGS.iter().map(|setting| setting.words);
            // Blocks of states begin like clauses.
            let states =
                clause_words().filter(|words| !settings.clone().any(|one| words.starts_with(one)));
            let all = settings.clone().map(str::to_string).chain(states);
            let expected = messages::expected(beginning_with(&first, all));
            return Err(Error::new_spanned(first, expected));
        };
        let word = parse_words(input, row.words).expect("the words come next");
        let value = match row.value {
            SettingValue::False(default) => {
                let message = messages::only_value(row.listed(), row.words, "false", default);
                expect_value("false", &message, input)?;
                None
            }
            SettingValue::OneOf(choices) => {
                let variant = choice(choices, input)?;
                if let Some(reason) = row.arguments
                    && input.peek(Paren)
                {
                    let arguments: TokenTree = input.parse()?;
                    let message = messages::setting_with_arguments(row.words, reason);
                    return Err(Error::new_spanned(arguments, message));
                }
                Some((choices.ty, variant))
            }
        };
        Ok(Self { word, row, value })
    }
}

/// Parses one of several values. Returns its variant.
fn choice(choices: &'static Choices, input: ParseStream<'_>) -> syn::Result<&'static str> {
    if let Some((words, variant)) = choices.next(input) {
        parse_words(input, words);
        return Ok(variant);
    }
    if !input.peek(Ident) {
        return Err(input.error(messages::expected(choices.listed())));
    }
    let word: Ident = input.parse()?;
    let started = choices.values.iter().map(|(words, _)| *words);
    let second = started
        .filter_map(|words| words.split_once(' '))
        .find(|(first, _)| word == first);
    if let Some((_, second)) = second {
        return Err(input.error(messages::expected(format_args!("`{second}`"))));
    }
    let message = messages::unknown_value(choices, &word);
    Err(Error::new_spanned(word, message))
}

/// Parses the only value of a clause or setting, which is a word or `false`.
fn expect_value(value: &str, message: &str, input: ParseStream<'_>) -> syn::Result<()> {
    if !input.peek(Ident) && !input.peek(LitBool) {
        return Err(input.error(message));
    }
    let found = input.call(Ident::parse_any)?;
    if found == value {
        Ok(())
    } else {
        Err(Error::new_spanned(found, message))
    }
}

impl Policy {
    /// Parses `policy …`.
    pub(super) fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let word: Ident = input.parse()?;
        let first = input.call(Ident::parse_any)?;
        let (variant, second) = match first.to_string().as_str() {
            "reject" => ("Reject", None),
            "writers" => ("WritersFirst", Some("first")),
            "insertion" => ("InsertionOrder", Some("order")),
            "optimize" => ("Optimize", None),
            "accepted" => ("Accepted", None),
            _ => {
                let message = messages::unknown_policy(&first);
                return Err(Error::new_spanned(first, message));
            }
        };
        let last = match second {
            Some(second) => expect(second, input)?,
            None => first,
        };
        let reason = if input.peek(LitStr) {
            Some(input.parse()?)
        } else {
            None
        };
        if input.peek(Paren) {
            return Err(input.error(messages::EXPECTED_FOR));
        }
        let about = if input.peek(Token![for]) {
            input.parse::<Token![for]>()?;
            Some(About::parse(input)?)
        } else {
            None
        };
        Ok(Self {
            word,
            last,
            variant,
            reason,
            about,
        })
    }
}

impl About {
    /// Parses the tokens after `for`.
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if !starts_path(input) && !input.peek(Paren) {
            return Err(input.error(messages::EXPECTED_SUBJECT));
        }
        if starts_component(input) {
            return Component::parse(input).map(Self::Component);
        }
        Ok(match paths(input)? {
            (Some(brackets), paths) => Self::Pair(brackets, paths),
            (None, _) if input.peek(Token![in]) => {
                return Err(input.error(messages::STORE_OF_A_RESOURCE));
            }
            (None, mut paths) => Self::Resource(paths.remove(0)),
        })
    }
}

/// Returns whether the word `component` or `deferred` comes next, and not a path that begins with it.
fn starts_component(input: ParseStream<'_>) -> bool {
    (starts(input, "component") || starts(input, "deferred"))
        && !input.peek2(Token![::])
        && !input.peek2(Token![<])
}

impl Component {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let word: Ident = input.parse()?;
        if !starts_path(input) {
            return Err(input.error(messages::EXPECTED_COMPONENT));
        }
        let component = input.parse()?;
        let store = if input.peek(Token![in]) {
            input.parse::<Token![in]>()?;
            if !starts_path(input) {
                return Err(input.error(messages::EXPECTED_STORE));
            }
            Some(input.parse()?)
        } else {
            None
        };
        Ok(Self {
            word,
            component,
            store,
        })
    }
}

impl StateChange {
    /// Parses the tokens after `on enter` or `on exit`.
    pub(super) fn parse(is_enter: bool, input: ParseStream<'_>) -> syn::Result<Self> {
        let example = messages::state_without_type(if is_enter { "enter" } else { "exit" });
        if !starts_path(input) {
            return Err(input.error(example));
        }
        let state: ExprPath = input.parse()?;
        let mut segments = state.path.segments.clone();
        segments.pop();
        // Parses the path again, without its last `::`.
        let Some(last) = segments.pop() else {
            return Err(Error::new_spanned(state, example));
        };
        segments.push_value(last);
        let ty = Path {
            leading_colon: state.path.leading_colon,
            segments,
        };
        let ty = parse_quote!(#ty);
        Ok(Self {
            is_enter,
            state,
            ty,
        })
    }
}

/// Parses one path, or several in parentheses.
fn paths(input: ParseStream<'_>) -> syn::Result<(Option<Paren>, Vec<TypePath>)> {
    if input.peek(Paren) {
        let content;
        let brackets = parenthesized!(content in input);
        let paths = Punctuated::<TypePath, Token![,]>::parse_terminated(&content)?;
        return Ok((Some(brackets), paths.into_iter().collect()));
    }
    if !starts_path(input) {
        return Err(input.error(messages::EXPECTED_NAMES));
    }
    Ok((None, vec![TypePath::parse(input)?]))
}

/// The same without the brackets, which hold at least one.
fn list(input: ParseStream<'_>) -> syn::Result<Vec<TypePath>> {
    if is_empty_brackets(input) {
        return Err(input.error(messages::EXPECTED_ONE_NAME));
    }
    paths(input).map(|(_, paths)| paths)
}

fn expect(word: &str, input: ParseStream<'_>) -> syn::Result<Ident> {
    if !starts(input, word) {
        return Err(input.error(messages::expected(format_args!("`{word}`"))));
    }
    input.parse()
}
