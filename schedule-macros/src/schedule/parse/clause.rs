//! Parses clauses of entries, and policies of entries or of the whole schedule.

use proc_macro2::TokenTree;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::token::Paren;
use syn::{
    Error, ExprPath, Ident, LitBool, LitInt, LitStr, Path, Token, TypePath, parenthesized,
    parse_quote,
};

use super::super::ahead::{ORDERS, is_empty_brackets, starts, starts_clause, starts_path};
use super::super::syntax::{
    About, Clause, ClauseKind, Component, Failure, Missing, Policy, StateChange,
};
use crate::guard;
use crate::messages;

impl Clause {
    /// Parses one clause. Returns `None` if no clause starts here.
    pub(super) fn parse(input: ParseStream<'_>) -> syn::Result<Option<Self>> {
        if !starts_clause(input) {
            return Ok(None);
        }
        let word = input.call(Ident::parse_any)?;
        let text = word.to_string();
        let kind = match text.as_str() {
            "in" => ClauseKind::In(list(input)?),
            "if" => {
                if is_empty_brackets(input) {
                    return Err(input.error(messages::EXPECTED_CONDITION));
                }
                ClauseKind::If(guard::list(input)?)
            }
            "at" => {
                expect("most", input)?;
                if !input.peek(LitInt) {
                    return Err(input.error(messages::EXPECTED_NUMBER));
                }
                ClauseKind::AtMost(input.parse()?)
            }
            "on" if starts(input, "enter") || starts(input, "exit") => {
                ClauseKind::State(Box::new(StateChange::parse(input)?))
            }
            "on" if starts(input, "missing") => {
                let policy = Missing::parse(input)?;
                if policy.variant != "Skip" {
                    let message = messages::REFUSE_IN_CLAUSE;
                    return Err(Error::new_spanned(policy.word, message));
                }
                ClauseKind::SkipMissing
            }
            "on" if starts(input, "missed") => {
                return Err(Error::new_spanned(
                    word,
                    messages::MISSED_COMMANDS_IN_CLAUSE,
                ));
            }
            "on" if !starts(input, "failure") => {
                return Err(input.error(messages::EXPECTED_AFTER_ON));
            }
            "on" => ClauseKind::OnFailure(Failure::parse(input)?),
            "main_thread" => {
                if input.peek(Token![=]) || input.peek(Paren) {
                    return Err(input.error(messages::takes_no_value("main_thread")));
                }
                ClauseKind::MainThread
            }
            "always" => {
                if input.peek(Token![=]) || input.peek(Paren) {
                    return Err(input.error(messages::takes_no_value("always")));
                }
                ClauseKind::Always
            }
            "sweep" => {
                expect_no_sweep(input)?;
                ClauseKind::NoSweep
            }
            _ => {
                let order = ORDERS.into_iter().find(|order| *order == text);
                ClauseKind::Order(order.expect("begins a clause"), list(input)?)
            }
        };
        Ok(Some(Self { word, kind }))
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
    /// Parses the tokens after `on`.
    pub(super) fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let word: Ident = input.parse()?;
        let is_enter = word == "enter";
        let example = messages::state_without_type(&word);
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

impl Failure {
    /// Parses the tokens after `on`.
    pub(super) fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        expect("failure", input)?;
        if !input.peek(Ident) {
            return Err(input.error(messages::expected(messages::FAILURES)));
        }
        let first: Ident = input.parse()?;
        Ok(Self(match first.to_string().as_str() {
            "skip" => {
                expect("dependents", input)?;
                "SkipDependents"
            }
            "carry" => {
                expect("on", input)?;
                "CarryOn"
            }
            "stop" => "Stop",
            _ => {
                let message = messages::unknown_failure_policy(&first);
                return Err(Error::new_spanned(first, message));
            }
        }))
    }
}

impl Missing {
    /// Parses the tokens after `on`.
    pub(super) fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        expect("missing", input)?;
        if !input.peek(Ident) {
            return Err(input.error(messages::expected(messages::MISSING_POLICIES)));
        }
        let word: Ident = input.parse()?;
        let variant = match word.to_string().as_str() {
            "skip" => "Skip",
            "refuse" => "Refuse",
            _ => {
                let message = messages::unknown_missing_policy(&word);
                return Err(Error::new_spanned(word, message));
            }
        };
        Ok(Self { word, variant })
    }
}

/// Parses the tokens after `on`. Returns a variant of `MissedCommandPolicy`.
pub(super) fn missed_commands(input: ParseStream<'_>) -> syn::Result<&'static str> {
    expect("missed", input)?;
    expect("commands", input)?;
    if !input.peek(Ident) {
        return Err(input.error(messages::expected(messages::MISSED_COMMAND_POLICIES)));
    }
    let word: Ident = input.parse()?;
    match word.to_string().as_str() {
        "warn" => Ok("Warn"),
        "fail" => Ok("Fail"),
        _ => {
            let message = messages::unknown_missed_command_policy(&word);
            Err(Error::new_spanned(word, message))
        }
    }
}

/// Parses the word after `executor`. Returns a variant of `Executor`.
pub(super) fn executor(input: ParseStream<'_>) -> syn::Result<&'static str> {
    if !input.peek(Ident) {
        return Err(input.error(messages::expected(messages::EXECUTORS)));
    }
    let word: Ident = input.parse()?;
    let variant = match word.to_string().as_str() {
        "serial" => "Serial",
        "parallel" => "Parallel",
        "auto" => "Auto",
        _ => {
            let message = messages::unknown_executor(&word);
            return Err(Error::new_spanned(word, message));
        }
    };
    if input.peek(Paren) {
        let arguments: TokenTree = input.parse()?;
        let message = messages::executor_with_arguments(word);
        return Err(Error::new_spanned(arguments, message));
    }
    Ok(variant)
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

/// Parses the `false` after `sweep`.
pub(super) fn expect_no_sweep(input: ParseStream<'_>) -> syn::Result<()> {
    let message = messages::sweep_value(messages::SWEEP_CLAUSE);
    if !input.peek(LitBool) {
        return Err(input.error(message));
    }
    let value: LitBool = input.parse()?;
    if value.value {
        Err(Error::new_spanned(value, message))
    } else {
        Ok(())
    }
}

fn expect(word: &str, input: ParseStream<'_>) -> syn::Result<Ident> {
    if !starts(input, word) {
        return Err(input.error(messages::expected(format_args!("`{word}`"))));
    }
    input.parse()
}
