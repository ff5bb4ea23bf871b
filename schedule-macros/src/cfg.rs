//! `#[cfg(…)]` before elements of lists that only the macros read: the entries of `schedule!`, and names in brackets.
//!
//! The compiler evaluates a predicate; a macro cannot. So a macro that finds one expands to itself twice, once as if the
//! predicate held and once as if it did not, and the compiler keeps one of the two. Each expansion removes one predicate.
//!
//! Works on tokens, before the grammar is read: an element ends at a comma, or after a block.

#[cfg(test)]
mod tests;

use core::iter::Peekable;

use proc_macro2::{Delimiter, Group, Punct, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::token::Paren;
use syn::{Error, Ident, LitBool, LitStr, Path, Token, parenthesized};

use crate::errors::Errors;

/// A list of which elements stand under a `#[cfg(…)]`.
pub(crate) struct Conditional {
    /// The first predicate in the source.
    pub(crate) predicate: TokenStream,
    /// The list if that holds: without this predicate.
    pub(crate) on: TokenStream,
    /// The list if that does not hold: without the elements under this predicate.
    pub(crate) off: TokenStream,
    /// The list as if all predicates held.
    pub(crate) all: TokenStream,
}

/// What separates the elements of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    /// Commas.
    Names,
    /// Commas, which may be left out after a block.
    Entries,
}

/// Splits a list at its first `#[cfg(…)]`; `Err` holds the list without attributes, if it has none or if one is wrong.
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
            Fate::On
        }
        Err(error) => {
            errors.push(error);
            Fate::On
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
            Ok(other) if other.to_string() != text => Fate::Undecided,
            _ if is_on => Fate::On,
            _ => Fate::Off,
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

/// Whether there may be an attribute in these tokens. Lists without one stay as they are, with all of their spans.
pub(crate) fn has_attributes(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|tree| match tree {
        TokenTree::Punct(punct) => punct.as_char() == '#',
        TokenTree::Group(group) => has_attributes(&group.stream()),
        _ => false,
    })
}

/// An attribute in a list.
struct Attribute {
    pound: Punct,
    brackets: Group,
    list: List,
    /// It stands inside an element, not before it.
    is_inside: bool,
    /// No element follows.
    is_lost: bool,
}

/// What becomes of an attribute, and of its element.
enum Fate {
    /// The attribute goes.
    On,
    /// The element goes.
    Off,
    /// Both stay.
    Undecided,
}

impl Attribute {
    /// What has to hold.
    fn predicate(&self) -> syn::Result<TokenStream> {
        let spanned = |message| {
            let (pound, brackets) = (&self.pound, &self.brackets);
            Error::new_spanned(quote!(#pound #brackets), message)
        };
        let parse = |input: ParseStream<'_>| -> syn::Result<TokenStream> {
            let path: Path = input.parse()?;
            if path.is_ident("cfg_attr") {
                return Err(spanned(
                    "`cfg_attr` adds attributes, and there are none here; write `#[cfg(…)]`",
                ));
            }
            if !path.is_ident("cfg") {
                return Err(spanned(match self.list {
                    List::Entries => {
                        "an entry takes no attribute but `#[cfg(…)]`: write this on the schedule, or on the system itself"
                    }
                    List::Names => "no attribute but `#[cfg(…)]` may stand here",
                }));
            }
            if self.is_inside {
                return Err(spanned(
                    "`#[cfg(…)]` stands before a whole entry, or before an element of a list in brackets",
                ));
            }
            if self.is_lost {
                return Err(spanned(match self.list {
                    List::Entries => "expected an entry after this attribute",
                    List::Names => "expected an element of the list after this attribute",
                }));
            }
            if !input.peek(Paren) {
                return Err(spanned(
                    "expected a predicate, as in `#[cfg(feature = \"sound\")]`",
                ));
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
                return Err(spanned(
                    "`cfg` takes one predicate; of several, write `all(…)` or `any(…)`",
                ));
            }
            Ok(predicate.into_iter().collect())
        };
        parse.parse2(self.brackets.stream()).map_err(|error| {
            // What is missing at the end is missing in the attribute.
            match error.to_string().starts_with("unexpected end of input") {
                true => spanned("expected a predicate, as in `#[cfg(feature = \"sound\")]`"),
                false => error,
            }
        })
    }
}

/// Reads one predicate. The compiler would report a wrong one for either case, and twice all that follows from it.
fn refuse_no_predicate(input: ParseStream<'_>) -> syn::Result<()> {
    if input.peek(LitBool) {
        return input.parse::<LitBool>().map(|_| ());
    }
    if !input.peek(Ident) {
        return Err(input.error("expected a predicate, as in `feature = \"sound\"`"));
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
        return Err(Error::new_spanned(name, "`not` takes one predicate"));
    }
    if !["all", "any", "not"].iter().any(|known| name == known) {
        let message = format!("unknown predicate `{name}`; expected `all`, `any` or `not`");
        return Err(Error::new_spanned(name, message));
    }
    Ok(())
}

/// Goes through lists, and lists inside of them.
struct Walk<'a> {
    fate: &'a mut dyn FnMut(&Attribute) -> Fate,
}

/// What stands between two commas.
#[derive(Default)]
struct Element {
    attributes: Vec<(Punct, Group)>,
    trees: Vec<TokenTree>,
    comma: Option<TokenTree>,
}

impl Walk<'_> {
    fn list(&mut self, tokens: TokenStream, list: List) -> TokenStream {
        let mut kept = TokenStream::new();
        for element in elements(tokens, list) {
            let mut is_off = false;
            let has_attributes = !element.attributes.is_empty();
            let mut undecided = TokenStream::new();
            for (pound, brackets) in element.attributes {
                let attribute = Attribute {
                    pound,
                    brackets,
                    list,
                    is_inside: false,
                    is_lost: element.trees.is_empty(),
                };
                match (self.fate)(&attribute) {
                    Fate::On => {}
                    Fate::Off => is_off = true,
                    Fate::Undecided => {
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

    /// An element without what is off in its brackets. Brackets that become empty go, and the word before them.
    fn element(&mut self, trees: Vec<TokenTree>, list: List) -> Vec<TokenTree> {
        let mut kept: Vec<TokenTree> = Vec::new();
        let mut has_emptied = false;
        let mut trees = trees.into_iter().peekable();
        while let Some(tree) = trees.next() {
            let group = match tree {
                TokenTree::Punct(pound) if pound.as_char() == '#' => {
                    if let Some(brackets) = next_brackets(&mut trees) {
                        let attribute = Attribute {
                            pound,
                            brackets,
                            list,
                            is_inside: true,
                            is_lost: false,
                        };
                        (self.fate)(&attribute);
                    } else {
                        kept.push(TokenTree::Punct(pound));
                    }
                    continue;
                }
                TokenTree::Group(group) if has_attributes(&group.stream()) => group,
                tree => {
                    kept.push(tree);
                    continue;
                }
            };
            let inside = match group.delimiter() {
                Delimiter::Parenthesis => self.list(group.stream(), List::Names),
                Delimiter::Brace => self.list(group.stream(), List::Entries),
                Delimiter::Bracket | Delimiter::None => group.stream(),
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
            has_emptied = true;
            if pop_arrow(&mut kept) {
                continue;
            }
            if matches!(trees.peek(), Some(TokenTree::Punct(minus)) if minus.as_char() == '-') {
                trees.nth(1);
                continue;
            }
            // An operator of conditions has a word of its own before it.
            while let Some(word) = pop_word(&mut kept)
                && ["and", "or", "not"].iter().any(|operator| word == operator)
            {}
        }
        if has_emptied {
            pop_colon(&mut kept);
        }
        kept
    }
}

/// Takes square brackets, if they come next.
fn next_brackets(trees: &mut Peekable<impl Iterator<Item = TokenTree>>) -> Option<Group> {
    let brackets = match trees.peek() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket => group.clone(),
        _ => return None,
    };
    trees.next();
    Some(brackets)
}

fn elements(tokens: TokenStream, list: List) -> Vec<Element> {
    let mut elements = Vec::new();
    let mut element = Element::default();
    // Of angle brackets: a comma inside of them separates arguments.
    let mut depth = 0_u32;
    let mut is_after_minus = false;
    let mut trees = tokens.into_iter().peekable();
    while let Some(tree) = trees.next() {
        let was_after_minus = core::mem::replace(&mut is_after_minus, false);
        let ends = match &tree {
            TokenTree::Punct(punct) => {
                match punct.as_char() {
                    '<' => depth += 1,
                    '>' if !was_after_minus => depth = depth.saturating_sub(1),
                    '-' | '=' => is_after_minus = true,
                    '#' if element.trees.is_empty() => {
                        if let Some(brackets) = next_brackets(&mut trees) {
                            element.attributes.push((punct.clone(), brackets));
                            continue;
                        }
                    }
                    _ => {}
                }
                depth == 0 && punct.as_char() == ','
            }
            TokenTree::Group(group) => {
                let is_block = group.delimiter() == Delimiter::Brace;
                if depth == 0 && is_block && list == List::Entries {
                    element.trees.push(tree);
                    element.comma = trees.next_if(
                        |tree| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == ','),
                    );
                    elements.push(core::mem::take(&mut element));
                    continue;
                }
                false
            }
            _ => false,
        };
        if ends {
            element.comma = Some(tree);
            elements.push(core::mem::take(&mut element));
        } else {
            element.trees.push(tree);
        }
    }
    if !element.trees.is_empty() || !element.attributes.is_empty() {
        elements.push(element);
    }
    elements
}

/// Removes a word at the end, and the `=` after it.
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

/// Removes a `->` at the end.
fn pop_arrow(trees: &mut Vec<TokenTree>) -> bool {
    let is_arrow = matches!(
        trees.as_slice(),
        [.., TokenTree::Punct(minus), TokenTree::Punct(than)]
            if minus.as_char() == '-' && than.as_char() == '>'
    );
    if is_arrow {
        trees.truncate(trees.len() - 2);
    }
    is_arrow
}

/// Removes a `:` after which no clause is left, at the end or before a block.
fn pop_colon(trees: &mut Vec<TokenTree>) {
    let block = trees.pop_if(
        |tree| matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace),
    );
    let is_colon = |tree: Option<&TokenTree>| matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    let n_trees = trees.len();
    if is_colon(trees.last()) && !is_colon(trees.get(n_trees.wrapping_sub(2))) {
        trees.pop();
    }
    trees.extend(block);
}
