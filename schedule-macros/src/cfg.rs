//! `#[cfg(…)]` before elements of lists that only the macros read: entries of `schedule!`, and names in parentheses.
//!
//! Only the compiler can evaluate a predicate. So a macro expands to two calls of itself: one as if the predicate were true, and one as if
//! it were false. The compiler keeps one of them. Each expansion removes one predicate.
//!
//! This module works on tokens before they are parsed. An element ends at a comma, or after a block that does not continue its entry.
//! Closures are not changed, because the compiler handles attributes in their bodies and on their parameters.

#[cfg(test)]
mod tests;

use proc_macro2::{Delimiter, Group, Punct, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::token::Paren;
use syn::{Error, Ident, LitBool, LitStr, Path, Token, parenthesized};

use crate::errors::Errors;
use crate::extent::{self, Depth, is_block, is_punct, starts_arrow};
use crate::messages;
use crate::spans::quote;

/// A list with `#[cfg(…)]` on some elements.
pub(crate) struct Conditional {
    /// The first predicate in the source.
    pub(crate) predicate: TokenStream,
    /// The list if the predicate is true: without the attribute.
    pub(crate) on: TokenStream,
    /// The list if the predicate is false: without the elements of this attribute.
    pub(crate) off: TokenStream,
    /// The list as if all predicates were true.
    pub(crate) all: TokenStream,
}

/// The kind of elements in a list. Messages differ by kind.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    /// Names, or the options of an attribute.
    Names,
    /// Entries of a schedule.
    Entries,
}

/// Splits a list at its first `#[cfg(…)]`. Without a valid attribute, returns the list without attributes as `Err`.
pub(crate) fn split(
    tokens: TokenStream,
    list: List,
    errors: &mut Errors,
) -> Result<Conditional, TokenStream> {
    if !has_attributes(&tokens) {
        return Err(tokens);
    }
    let mut first = None;
    let n_errors = errors.n_found();
    let mut find = |attribute: &Attribute| match attribute.predicate() {
        Ok(predicate) => {
            first.get_or_insert(predicate);
            Decision::On
        }
        Err(error) => {
            errors.push(error);
            Decision::On
        }
    };
    let all = Walk { fate: &mut find }.list(tokens.clone(), list);
    let Some(predicate) = first else {
        return Err(all);
    };
    if errors.n_found() > n_errors {
        return Err(all);
    }
    let text = predicate.to_string();
    let decided = |is_on: bool| {
        let mut fate = |attribute: &Attribute| match attribute.predicate() {
            Ok(other) if other.to_string() != text => Decision::Undecided,
            _ if is_on => Decision::On,
            _ => Decision::Off,
        };
        Walk { fate: &mut fate }.list(tokens.clone(), list)
    };
    Ok(Conditional {
        on: decided(true),
        off: decided(false),
        predicate,
        all,
    })
}

/// Returns whether these tokens contain an attribute outside of closures. Lists without attributes are not changed and keep all spans.
pub(crate) fn has_attributes(tokens: &TokenStream) -> bool {
    let trees: Vec<_> = tokens.clone().into_iter().collect();
    let mut rest = trees.as_slice();
    while let [tree, after @ ..] = rest {
        if let Some(n_trees) = extent::closure(rest) {
            rest = &rest[n_trees..];
            continue;
        }
        let is_found = match tree {
            TokenTree::Punct(punct) => punct.as_char() == '#',
            TokenTree::Group(group) => has_attributes(&group.stream()),
            _ => false,
        };
        if is_found {
            return true;
        }
        rest = after;
    }
    false
}

/// An attribute in a list.
struct Attribute {
    pound: Punct,
    brackets: Group,
    list: List,
    /// Whether it is inside of an element instead of before it.
    is_inside: bool,
    /// Whether it is before a later link of a chain.
    is_of_link: bool,
    /// Whether no element follows.
    is_lost: bool,
}

/// The decision about an attribute and its element.
enum Decision {
    /// Remove the attribute.
    On,
    /// Remove the element.
    Off,
    /// Keep both.
    Undecided,
}

impl Attribute {
    /// Returns the predicate.
    fn predicate(&self) -> syn::Result<TokenStream> {
        let spanned = |message| {
            let (pound, brackets) = (&self.pound, &self.brackets);
            Error::new_spanned(quote!(#pound #brackets), message)
        };
        let parse = |input: ParseStream<'_>| -> syn::Result<TokenStream> {
            let path: Path = input.parse()?;
            if path.is_ident("cfg_attr") {
                return Err(spanned(messages::CFG_ATTR));
            }
            if !path.is_ident("cfg") {
                return Err(spanned(match self.list {
                    List::Entries => messages::ATTRIBUTE_OF_ENTRY,
                    List::Names => messages::ATTRIBUTE_OF_ELEMENT,
                }));
            }
            if self.is_of_link {
                return Err(spanned(messages::CFG_OF_LINK));
            }
            if self.is_inside {
                return Err(spanned(messages::CFG_INSIDE));
            }
            if self.is_lost {
                return Err(spanned(match self.list {
                    List::Entries => messages::CFG_WITHOUT_ENTRY,
                    List::Names => messages::CFG_WITHOUT_ELEMENT,
                }));
            }
            if !input.peek(Paren) {
                return Err(spanned(messages::EXPECTED_PREDICATE));
            }
            let content;
            parenthesized!(content in input);
            let predicate = content.fork();
            refuse_no_predicate(&content)?;
            let mut predicate: Vec<TokenTree> =
                predicate.parse::<TokenStream>()?.into_iter().collect();
            predicate
                .pop_if(|tree| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == ','));
            content.parse::<Option<Token![,]>>()?;
            if !content.is_empty() || !input.is_empty() {
                return Err(spanned(messages::SEVERAL_PREDICATES));
            }
            Ok(predicate.into_iter().collect())
        };
        parse.parse2(self.brackets.stream()).map_err(|error| {
            // The missing token belongs to the attribute.
            if error.to_string().starts_with("unexpected end of input") {
                spanned(messages::EXPECTED_PREDICATE)
            } else {
                error
            }
        })
    }
}

/// Reads one predicate. Otherwise the compiler would report an invalid predicate twice, and also all errors that follow from it.
fn refuse_no_predicate(input: ParseStream<'_>) -> syn::Result<()> {
    if input.peek(LitBool) {
        return input.parse::<LitBool>().map(|_| ());
    }
    if !input.peek(Ident) {
        return Err(input.error(messages::EXPECTED_INNER_PREDICATE));
    }
    let name: Ident = input.parse()?;
    if input.peek(Token![=]) {
        input.parse::<Token![=]>()?;
        return input.parse::<LitStr>().map(|_| ());
    }
    if !input.peek(Paren) {
        return Ok(());
    }
    let content;
    parenthesized!(content in input);
    let refuse = |input: ParseStream<'_>| refuse_no_predicate(input);
    let n_predicates = Punctuated::<(), Token![,]>::parse_terminated_with(&content, refuse)?.len();
    if name == "not" && n_predicates != 1 {
        return Err(Error::new_spanned(name, messages::NOT_TAKES_ONE_PREDICATE));
    }
    if !["all", "any", "not"].iter().any(|known| name == known) {
        let message = messages::unknown_predicate(&name);
        return Err(Error::new_spanned(name, message));
    }
    Ok(())
}

/// Walks through lists and nested lists.
struct Walk<'a> {
    fate: &'a mut dyn FnMut(&Attribute) -> Decision,
}

/// The tokens between two commas.
#[derive(Default)]
struct ListElement {
    attributes: Vec<(Punct, Group)>,
    trees: Vec<TokenTree>,
    comma: Option<TokenTree>,
}

impl Walk<'_> {
    fn list(&mut self, tokens: TokenStream, list: List) -> TokenStream {
        let mut kept = TokenStream::new();
        for element in elements(tokens) {
            let mut is_off = false;
            let has_attributes = !element.attributes.is_empty();
            let mut undecided = TokenStream::new();
            for (pound, brackets) in element.attributes {
                let attribute = Attribute {
                    pound,
                    brackets,
                    list,
                    is_inside: false,
                    is_of_link: false,
                    is_lost: element.trees.is_empty(),
                };
                match (self.fate)(&attribute) {
                    Decision::On => {}
                    Decision::Off => is_off = true,
                    Decision::Undecided => {
                        attribute.pound.to_tokens(&mut undecided);
                        attribute.brackets.to_tokens(&mut undecided);
                    }
                }
            }
            if is_off {
                continue;
            }
            let was_empty = element.trees.is_empty() && !has_attributes;
            let trees = self.element(element.trees, list);
            if trees.is_empty() && !was_empty {
                continue;
            }
            kept.extend(undecided);
            kept.extend(trees);
            kept.extend(element.comma);
        }
        kept
    }

    /// Removes disabled elements from the brackets in an element. If brackets become empty, removes them with the word before them.
    fn element(&mut self, trees: Vec<TokenTree>, list: List) -> Vec<TokenTree> {
        let mut kept: Vec<TokenTree> = Vec::new();
        let mut depth = Depth::default();
        let mut rest = trees.as_slice();
        while let [tree, after @ ..] = rest {
            if let Some(n_trees) = extent::closure(rest) {
                kept.extend_from_slice(&rest[..n_trees]);
                rest = &rest[n_trees..];
                continue;
            }
            let is_outside = depth.is_outside(tree);
            let here = rest;
            rest = after;
            if let Some((pound, brackets)) = attribute(here) {
                rest = &rest[1..];
                let attribute = Attribute {
                    pound,
                    brackets,
                    list,
                    is_inside: true,
                    is_of_link: ends_in_arrow(&kept),
                    is_lost: false,
                };
                (self.fate)(&attribute);
                continue;
            }
            let group = match tree {
                TokenTree::Group(group) if has_attributes(&group.stream()) => group,
                tree => {
                    kept.push(tree.clone());
                    continue;
                }
            };
            let inside = match group.delimiter() {
                Delimiter::Parenthesis => self.list(group.stream(), List::Names),
                Delimiter::Brace if is_outside => self.list(group.stream(), List::Entries),
                Delimiter::Brace | Delimiter::Bracket | Delimiter::None => group.stream(),
            };
            let is_emptied = group.delimiter() == Delimiter::Parenthesis
                && inside.is_empty()
                && !group.stream().is_empty();
            if !is_emptied || ends_in_word(&kept, "for") {
                let mut replaced = Group::new(group.delimiter(), inside);
                replaced.set_span(group.span());
                kept.push(TokenTree::Group(replaced));
                continue;
            }
            if kept.is_empty() && starts_arrow(rest) {
                rest = &rest[2..];
                continue;
            }
            if pop_arrow(&mut kept) {
                continue;
            }
            // An operator of conditions has another word before it.
            while let Some(word) = pop_word(&mut kept)
                && ["and", "or", "not"].iter().any(|operator| word == operator)
            {}
            if rest.first().is_none_or(is_block) || starts_arrow(rest) {
                pop_colon(&mut kept);
            }
        }
        kept
    }
}

/// Returns the attribute at the start of these tokens.
fn attribute(trees: &[TokenTree]) -> Option<(Punct, Group)> {
    match trees {
        [TokenTree::Punct(pound), TokenTree::Group(brackets), ..]
            if pound.as_char() == '#' && brackets.delimiter() == Delimiter::Bracket =>
        {
            Some((pound.clone(), brackets.clone()))
        }
        _ => None,
    }
}

fn elements(tokens: TokenStream) -> Vec<ListElement> {
    let trees: Vec<_> = tokens.into_iter().collect();
    let mut elements = Vec::new();
    let mut element = ListElement::default();
    let mut depth = Depth::default();
    let mut rest = trees.as_slice();
    while let [tree, after @ ..] = rest {
        if element.trees.is_empty()
            && let Some(attribute) = attribute(rest)
        {
            element.attributes.push(attribute);
            rest = &rest[2..];
            continue;
        }
        let is_outside = depth.is_outside(tree);
        if is_outside && is_punct(Some(tree), ',') {
            rest = after;
            element.comma = Some(tree.clone());
            elements.push(core::mem::take(&mut element));
            continue;
        }
        // Either all tokens of a closure, the last of which is its body, or a single other token.
        let n_trees = extent::closure(rest).unwrap_or(1);
        let (these, after) = rest.split_at(n_trees);
        rest = after;
        element.trees.extend_from_slice(these);
        let ends_in_block = is_outside && these.last().is_some_and(is_block);
        if ends_in_block && !extent::continues(rest) {
            if is_punct(rest.first(), ',') {
                element.comma = rest.first().cloned();
                rest = &rest[1..];
            }
            elements.push(core::mem::take(&mut element));
        }
    }
    if !element.trees.is_empty() || !element.attributes.is_empty() {
        elements.push(element);
    }
    elements
}

/// Removes a word at the end, and an `=` after it.
fn pop_word(trees: &mut Vec<TokenTree>) -> Option<Ident> {
    trees.pop_if(|tree| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == '='));
    match trees.pop_if(|tree| matches!(tree, TokenTree::Ident(_)))? {
        TokenTree::Ident(word) => Some(word),
        _ => None,
    }
}

fn ends_in_word(trees: &[TokenTree], word: &str) -> bool {
    matches!(trees.last(), Some(TokenTree::Ident(ident)) if ident == word)
}

fn ends_in_arrow(trees: &[TokenTree]) -> bool {
    trees.len() >= 2 && starts_arrow(&trees[trees.len() - 2..])
}

/// Removes a `->` at the end.
fn pop_arrow(trees: &mut Vec<TokenTree>) -> bool {
    let is_arrow = ends_in_arrow(trees);
    if is_arrow {
        trees.truncate(trees.len() - 2);
    }
    is_arrow
}

/// Removes a `:` at the end that no clause follows.
fn pop_colon(trees: &mut Vec<TokenTree>) {
    let n_trees = trees.len();
    if is_punct(trees.last(), ':') && !is_punct(trees.get(n_trees.wrapping_sub(2)), ':') {
        trees.pop();
    }
}
