//! Run conditions in the option `if` of `#[system]` and in the clause `if` of `schedule!`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseBuffer, ParseStream};
use syn::punctuated::Punctuated;
use syn::token::Paren;
use syn::{Error, ExprPath, Ident, Token, TypePath, parenthesized};

use crate::messages;
use crate::spans::{ends, number, quote};

/// A run condition in postfix order: an operator follows its operands.
#[derive(Clone)]
pub(crate) struct Guard(Vec<Element>);

/// An operand or an operator.
#[derive(Clone)]
pub(crate) enum Element {
    Leaf(Box<Leaf>),
    Not,
    /// All of the last n operands are true.
    All(u32),
    /// At least one of the last n operands is true.
    Any(u32),
}

/// A condition or selector in a run condition.
#[derive(Clone)]
pub(crate) enum Leaf {
    /// A condition that must be true.
    Of(TypePath),
    /// A selector that must answer this branch.
    Is(TypePath, ExprPath),
}

/// Reads one run condition, or several in parentheses, all of which must be true.
pub(crate) fn list(input: ParseStream<'_>) -> syn::Result<Vec<Guard>> {
    let guards = if input.peek(Paren) {
        let inside;
        parenthesized!(inside in input);
        let guards = Punctuated::<Guard, Token![,]>::parse_terminated(&inside)?;
        guards.into_iter().collect()
    } else {
        vec![input.parse()?]
    };
    refuse_operator(input)?;
    Ok(guards)
}

impl Parse for Guard {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut guard = Self(Vec::new());
        let mut open = Vec::new();
        let result = guard.parse_all(input, &mut open);
        // Drops the buffers from the inside out, because the first dropped buffer reports its unread tokens.
        while open.pop().is_some() {}
        result.map(|()| guard)
    }
}

/// Parentheses that are not closed yet.
struct Brackets<'a> {
    /// `not`, `and` or `or`.
    operator: Option<Ident>,
    inside: ParseBuffer<'a>,
    n_operands: u32,
}

impl Guard {
    /// Returns the leaves in the order of the source, each with its position in the guard.
    pub(crate) fn leaves(&self) -> impl Iterator<Item = (u32, &Leaf)> {
        let elements = (0..).zip(&self.0);
        elements.filter_map(|(position, element)| match element {
            Element::Leaf(leaf) => Some((position, &**leaf)),
            _ => None,
        })
    }

    /// Reads one guard. `open`: the parentheses around the next token, from the outside in. Must be empty at first.
    fn parse_all<'a>(
        &mut self,
        input: &ParseBuffer<'a>,
        open: &mut Vec<Brackets<'a>>,
    ) -> syn::Result<()> {
        loop {
            let around = open.last().map_or(input, |open| &open.inside);
            let opened = self.parse_begin(around)?;
            let mut is_whole = opened.is_none();
            open.extend(opened);
            // Closes the parentheses that end here, and continues with the next operand.
            loop {
                let Some(around) = open.last_mut() else {
                    return refuse_operator(input);
                };
                let inside = &around.inside;
                if is_whole {
                    around.n_operands += 1;
                    refuse_operator(inside)?;
                    if !inside.is_empty() {
                        inside.parse::<Token![,]>()?;
                    }
                }
                if !inside.is_empty() {
                    break;
                }
                let operator = around.close()?;
                self.0.push(operator);
                open.pop();
                is_whole = true;
            }
        }
    }

    /// Reads a leaf, or an operator with its opening parenthesis. Returns the parenthesis.
    fn parse_begin<'a>(&mut self, input: &ParseBuffer<'a>) -> syn::Result<Option<Brackets<'a>>> {
        if input.peek(Token![!]) {
            return Err(input.error(messages::NOT_OPERATOR));
        }
        if input.peek(Paren) {
            return Brackets::parse(None, input).map(Some);
        }
        let leaf = if input.peek(Ident) && input.peek2(Paren) {
            let operator: Ident = input.parse()?;
            match operator.to_string().as_str() {
                "not" | "and" | "or" => return Brackets::parse(Some(operator), input).map(Some),
                "is" => Leaf::parse_is(&operator, input)?,
                _ => return Err(no_operator(&operator)),
            }
        } else {
            let path: TypePath = input.parse()?;
            if input.peek(Paren) {
                return Err(no_operator(&path));
            }
            Leaf::Of(path)
        };
        self.0.push(Element::Leaf(Box::new(leaf)));
        Ok(None)
    }
}

impl<'a> Brackets<'a> {
    fn parse(operator: Option<Ident>, input: &ParseBuffer<'a>) -> syn::Result<Self> {
        let inside;
        parenthesized!(inside in input);
        Ok(Self {
            operator,
            inside,
            n_operands: 0,
        })
    }

    /// Returns the operator of these parentheses after all operands were read.
    fn close(&self) -> syn::Result<Element> {
        let n_operands = self.n_operands;
        let Some(operator) = &self.operator else {
            return Ok(Element::All(n_operands));
        };
        let operator_text = operator.to_string();
        match (operator_text.as_str(), n_operands) {
            ("not", 1) => Ok(Element::Not),
            ("not", _) => {
                let message = messages::NOT_TAKES_ONE_CONDITION;
                Err(Error::new_spanned(operator, message))
            }
            (_, 0) => {
                let message = messages::needs_condition(operator_text.as_str());
                Err(Error::new_spanned(operator, message))
            }
            ("and", _) => Ok(Element::All(n_operands)),
            _ => Ok(Element::Any(n_operands)),
        }
    }
}

impl Leaf {
    /// Returns the condition or selector.
    pub(crate) fn path(&self) -> &TypePath {
        let (Self::Of(path) | Self::Is(path, _)) = self;
        path
    }

    /// Returns the spans of the first and the last token.
    pub(crate) fn ends(&self) -> (Span, Span) {
        match self {
            Self::Is(selector, branch) => ends(&quote!(#selector #branch)),
            Self::Of(condition) => ends(&condition.to_token_stream()),
        }
    }

    fn parse_is(operator: &Ident, input: ParseStream<'_>) -> syn::Result<Self> {
        let inside;
        parenthesized!(inside in input);
        let too_few = || {
            let message = messages::IS_WITHOUT_BRANCH;
            Error::new_spanned(operator, message)
        };
        if inside.is_empty() {
            return Err(too_few());
        }
        let selector = inside.parse()?;
        if !inside.is_empty() {
            inside.parse::<Token![,]>()?;
        }
        if inside.is_empty() {
            return Err(too_few());
        }
        if !(inside.peek(Ident::peek_any) || inside.peek(Token![::]) || inside.peek(Token![<])) {
            return Err(inside.error(messages::EXPECTED_BRANCH));
        }
        let branch = inside.parse()?;
        if !inside.is_empty() {
            inside.parse::<Token![,]>()?;
        }
        if !inside.is_empty() {
            return Err(inside.error(messages::IS_WITH_BRANCHES));
        }
        Ok(Self::Is(selector, branch))
    }
}

fn no_operator(name: &impl ToTokens) -> Error {
    let shown = name.to_token_stream().to_string().replace(' ', "");
    let message = messages::not_an_operator(shown);
    Error::new_spanned(name, message)
}

/// Rejects Rust operators after a condition.
fn refuse_operator(input: ParseStream<'_>) -> syn::Result<()> {
    let remedy = if input.peek(Token![&&]) || input.peek(Token![&]) {
        messages::WRITE_AND
    } else if input.peek(Token![||]) || input.peek(Token![|]) {
        messages::WRITE_OR
    } else if input.peek(Token![==]) {
        messages::WRITE_IS
    } else if input.peek(Token![!=]) {
        messages::WRITE_IS_NOT
    } else {
        return Ok(());
    };
    Err(input.error(messages::operator_of_rust(remedy)))
}

/// Returns the constant of a guard. `answered` makes the constant of a leaf.
///
/// The list of tokens is in a struct literal, so that it lives as long as the constant. As an argument of a function, it would be a
/// temporary value.
pub(crate) fn guard(guard: &Guard, answered: impl Fn(&Leaf) -> TokenStream) -> TokenStream {
    let tokens = guard.0.iter().map(|element| match element {
        Element::Leaf(leaf) => {
            let answered = answered(leaf);
            quote!(__schedule::Token::Is(#answered))
        }
        Element::Not => quote!(__schedule::Token::Not),
        Element::All(n) => {
            let n = number(*n);
            quote!(__schedule::Token::All(#n))
        }
        Element::Any(n) => {
            let n = number(*n);
            quote!(__schedule::Token::Any(#n))
        }
    });
    quote!(__schedule::Guard { tokens: &[#(#tokens),*] })
}

/// Returns the call that makes a leaf, without a check of the answer. `meant`: returns the type that a path refers to.
pub(crate) fn unchecked<'a>(
    leaf: &'a Leaf,
    meant: impl FnOnce(&'a TypePath) -> &'a TypePath,
) -> TokenStream {
    let path = leaf.path();
    let (first, last) = ends(&path.to_token_stream());
    let of = meant(path);
    let open = quote_spanned!(first=> __schedule::Answered::unchecked::<);
    match leaf {
        Leaf::Is(_, branch) => {
            let (first, last) = ends(&branch.to_token_stream());
            let of_type = quote_spanned!(first=> , _>);
            let arguments = quote_spanned!(last=> (#branch, #branch as __schedule::BranchIndex));
            quote!(#open #of #of_type #arguments)
        }
        Leaf::Of(_) => {
            let close = quote_spanned!(last=> , _>(true, 1));
            quote!(#open #of #close)
        }
    }
}
