//! Peeks at the next tokens without consuming them.

use syn::parse::ParseStream;
use syn::token::Paren;
use syn::{Ident, LitBool, Token, TypePath, parenthesized};

use crate::clauses::{self, CLAUSES, SETTINGS, starts_with};

/// Returns whether this word comes next.
pub(super) fn starts(input: ParseStream<'_>, word: &str) -> bool {
    input.peek(Ident)
        && input
            .fork()
            .parse::<Ident>()
            .is_ok_and(|ident| ident == word)
}

/// Returns whether a clause comes next, or words that begin like one.
pub(super) fn starts_clause(input: ParseStream<'_>) -> bool {
    let mut words = CLAUSES
        .iter()
        .filter_map(|clause| Some((clause, clause.listed.as_ref()?.words)));
    words.any(|(clause, words)| match words.split_once(' ') {
        Some((first, _)) => starts(input, first) && input.peek2(Ident),
        None => starts_with(input, words) && (!clause.has_only_value() || has_value(input)),
    })
}

/// Returns whether the next tokens can only be a clause, at the place of an entry. `on failure` can be either.
pub(super) fn starts_lost_clause(input: ParseStream<'_>) -> bool {
    let names_something = starts_path_2(input) || input.peek2(Paren);
    let is_order = || clauses::orders().any(|order| starts(input, order));
    names_something && (input.peek(Token![in]) || input.peek(Token![if]) || is_order())
        || starts(input, "at") && input.peek2(Ident)
}

/// Returns whether a setting comes next, or words that begin like one, and not a system of this name.
pub(super) fn starts_setting(input: ParseStream<'_>) -> bool {
    let mut words = SETTINGS.iter().map(|setting| setting.words);
    words.any(|words| match words.split_once(' ') {
        Some((first, _)) => starts(input, first) && input.peek2(Ident),
        None => starts(input, words) && has_value(input),
    })
}

/// Returns whether the token after a word can be its value, or an equals sign.
fn has_value(input: ParseStream<'_>) -> bool {
    input.peek2(LitBool) || input.peek2(Ident) || input.peek2(Token![=])
}

/// Returns whether the next tokens can only start an entry: a word, and a token that cannot follow it in a clause.
pub(super) fn starts_entry(input: ParseStream<'_>) -> bool {
    let is_word = |word| starts(input, word);
    if [
        "group",
        "repeat",
        "include",
        "checkpoint",
        "apply_commands",
        "policy",
    ]
    .into_iter()
    .any(is_word)
    {
        return true;
    }
    if starts_setting(input) && !starts(input, "on") {
        return true;
    }
    if input.peek(Paren) {
        return input.peek2(Token![->]);
    }
    if starts_closure(input) {
        return true;
    }
    let ahead = input.fork();
    starts_path(input)
        && ahead.parse::<TypePath>().is_ok()
        && (ahead.is_empty()
            || ahead.peek(Token![,])
            || ahead.peek(Token![:])
            || ahead.peek(Token![as])
            || ahead.peek(Token![->]))
}

/// Returns whether a single word comes next, and not a path or a word that begins a longer entry.
pub(super) fn is_single_word(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    let is_word = ahead.parse::<Ident>().is_ok();
    is_word && (ahead.is_empty() || ahead.peek(Token![,]) || ahead.peek(Token![->]))
}

pub(super) fn starts_path(input: ParseStream<'_>) -> bool {
    input.peek(Ident)
        || input.peek(Token![::])
        || input.peek(Token![<])
        || input.peek(Token![crate])
        || input.peek(Token![self])
        || input.peek(Token![super])
        || input.peek(Token![Self])
}

/// Returns whether a closure comes next.
pub(super) fn starts_closure(input: ParseStream<'_>) -> bool {
    input.peek(Token![|]) || input.peek(Token![||]) || input.peek(Token![move])
}

/// Returns whether the second token can start a path.
pub(super) fn starts_path_2(input: ParseStream<'_>) -> bool {
    input.peek2(Ident)
        || input.peek2(Token![crate])
        || input.peek2(Token![self])
        || input.peek2(Token![super])
}

/// Returns whether a policy comes next.
pub(super) fn starts_policy(input: ParseStream<'_>) -> bool {
    starts(input, "policy") && input.peek2(Ident)
}

/// Returns whether empty parentheses come next.
pub(super) fn is_empty_brackets(input: ParseStream<'_>) -> bool {
    let is_empty = |input: ParseStream<'_>| -> syn::Result<bool> {
        let content;
        parenthesized!(content in input);
        Ok(content.is_empty())
    };
    input.peek(Paren) && is_empty(&input.fork()).unwrap_or(false)
}
