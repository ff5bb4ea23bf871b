//! The common rules for functions with an attribute. The body of a function is never parsed.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{
    Attribute, Error, GenericParam, Generics, Ident, Lifetime, LitStr, Meta, Pat, PatType, Path,
    Receiver, ReturnType, Safety, Signature, Token, Type, Visibility,
};

use crate::errors::Errors;
use crate::fallback::Rejected;
use crate::generics::{plain, replace_lifetimes};
use crate::messages;
use crate::spans::{ends, generated, quote, text};

/// The kind of item that an attribute makes from a function.
#[derive(Clone, Copy)]
pub(crate) struct FunctionKind {
    /// The name of the attribute, and of the result.
    pub(crate) noun: &'static str,
    /// The caller of the function, for messages.
    pub(crate) caller: &'static str,
    /// The occasion of each call, for messages.
    pub(crate) call: &'static str,
    /// The attribute that cannot be used together with this one.
    pub(crate) other: &'static str,
}

/// The parts of a function that a schedule needs.
pub(crate) struct FunctionItem {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) signature: Signature,
    pub(crate) body: TokenStream,
}

impl FunctionItem {
    pub(crate) fn parse(item: TokenStream, kind: FunctionKind) -> syn::Result<Self> {
        // The parser visits all tokens that it gets, and a body has most of them.
        let mut head: Vec<_> = item.clone().into_iter().collect();
        let body = head.pop_if(|last| is_braces(last));
        let parse = |input: ParseStream<'_>| Self::parse_from(input, kind);
        match parse.parse2(head.into_iter().collect()) {
            // Without a body, there is a semicolon.
            Ok(parsed) if body.is_none() => Ok(parsed),
            Ok(parsed) => Ok(Self {
                body: body.into_token_stream(),
                ..parsed
            }),
            // The error is that of the whole item.
            Err(_) => parse.parse2(item),
        }
    }

    fn parse_from(input: ParseStream<'_>, kind: FunctionKind) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        if let Some(item) = other_item(input) {
            let noun = kind.noun;
            return Err(input.error(messages::not_a_function(noun, item)));
        }
        Ok(Self {
            attrs,
            vis,
            signature: input.parse()?,
            body: input.parse()?,
        })
    }
}

fn is_braces(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

/// The data of a parameter that all kinds of functions have.
pub(crate) struct Parameter {
    /// The name in messages.
    pub(crate) name: String,
    /// The name in the expansion.
    pub(crate) ident: Ident,
    /// The type with its lifetimes elided, for use in expressions.
    pub(crate) ty: TokenStream,
    /// The spans of the first and the last token of the type.
    pub(crate) ends: (Span, Span),
    is_reference: bool,
    /// Whether the type has generic arguments.
    has_generics: bool,
    /// The combined condition of its `#[cfg]`s, if there are any.
    pub(crate) cfg: Option<TokenStream>,
}

impl Parameter {
    /// Reads the parameter at index `idx`.
    pub(crate) fn analyse(
        kind: FunctionKind,
        typed: &PatType,
        idx: usize,
        lifetimes: &[&Lifetime],
        errors: &mut Errors,
    ) -> Self {
        refuse_type(kind, &typed.ty, errors);
        let (name, ident) = names(&typed.pat, idx);
        let ty = replace_lifetimes(typed.ty.to_token_stream(), lifetimes, "_");
        let mut has_generics = false;
        let mut trees = ty.clone().into_iter().inspect(|tree| {
            has_generics |= matches!(tree, TokenTree::Punct(punct) if punct.as_char() == '<')
                || matches!(tree, TokenTree::Group(group) if self::has_generics(group.stream()));
        });
        let first = trees.next().expect("a type has a token").span();
        let last = trees.last().map_or(first, |tree| tree.span());
        Self {
            name,
            ident,
            ty,
            ends: (first, last),
            is_reference: matches!(*typed.ty, Type::Reference(_)),
            has_generics,
            cfg: cfg(&typed.attrs, errors),
        }
    }

    /// Returns an attribute that disables generated code together with the parameter.
    pub(crate) fn cfg(&self) -> Option<TokenStream> {
        let cfg = self.cfg.as_ref()?;
        Some(quote!(#[cfg(#cfg)]))
    }
}

/// Returns an attribute that silences lints about a signature, because the signature declares accesses.
///
/// `n_most`: the maximum number of parameters that the lint allows.
pub(crate) fn allow_signature(
    noun: &str,
    n_most: usize,
    parameters: &[&Parameter],
) -> Option<TokenStream> {
    let many = (parameters.len() > n_most).then(|| quote!(clippy::too_many_arguments,));
    let values = parameters
        .iter()
        .any(|one| !one.is_reference)
        .then(|| quote!(clippy::needless_pass_by_value,));
    // A query is a type in which the lint counts each component.
    let complex = parameters
        .iter()
        .any(|one| one.has_generics)
        .then(|| quote!(clippy::type_complexity,));
    let has_lints = many.is_some() || values.is_some() || complex.is_some();
    let reason = messages::takes_parameters(noun);
    let reason = text(&reason);
    // The user may allow the same lint.
    let repeated = quote!(clippy::duplicated_attributes,);
    has_lints.then(|| quote!(#[allow(#many #values #complex #repeated reason = #reason)]))
}

/// Returns whether a type has generic arguments.
fn has_generics(ty: TokenStream) -> bool {
    ty.into_iter().any(|tree| match tree {
        TokenTree::Punct(punct) => punct.as_char() == '<',
        TokenTree::Group(group) => has_generics(group.stream()),
        _ => false,
    })
}

impl FunctionItem {
    /// Rejects functions with repeated attributes, with both kinds of attributes, and with signatures that cannot be called.
    pub(crate) fn analyse(&self, kind: FunctionKind, errors: &mut Errors) {
        let FunctionKind { noun, other, .. } = kind;
        for attr in self.attributes(noun) {
            errors.at(attr, messages::given_twice(format_args!("#[{noun}]")));
        }
        for attr in self.attributes(other) {
            errors.at(attr, messages::two_kinds(noun, other));
        }
        refuse_qualifiers(kind, &self.signature, errors);
        refuse_bounds_with_lifetimes(kind, &self.signature.generics, errors);
    }

    /// Returns the lifetimes that the function declares.
    pub(crate) fn lifetimes(&self) -> Vec<&Lifetime> {
        let lifetimes = self.signature.generics.lifetimes();
        lifetimes.map(|param| &param.lifetime).collect()
    }

    /// Returns the name in messages: the name that was `given`, or else the name of the function.
    pub(crate) fn name(&self, given: Option<&LitStr>) -> String {
        given.map_or_else(|| plain(&self.signature.ident), LitStr::value)
    }

    /// Returns the data for the replacement of a function with an error.
    pub(crate) fn rejected<'a>(
        &'a self,
        function: &'a TokenStream,
        hidden_type: Option<&'a Ident>,
        krate: &'a Path,
        error: &'a Error,
    ) -> Rejected<'a> {
        Rejected {
            function,
            vis: &self.vis,
            hidden_type: hidden_type.unwrap_or(&self.signature.ident),
            generics: &self.signature.generics,
            krate,
            error,
        }
    }

    /// Returns the remaining attributes of this name.
    pub(crate) fn attributes(&self, name: &str) -> impl Iterator<Item = &Attribute> {
        self.attrs.iter().filter(move |attr| is_named(attr, name))
    }

    /// Returns whether another attribute makes a system or a handler from the function.
    pub(crate) fn is_given_again(&self) -> bool {
        let mut attributes = self.attributes("system").chain(self.attributes("handler"));
        attributes.next().is_some()
    }

    /// Returns the `#[deprecated]` attribute, which also applies to the generated items.
    pub(crate) fn deprecated(&self) -> Option<Attribute> {
        let mut attributes = self.attributes("deprecated");
        attributes.next().cloned()
    }
}

/// Compares only the last segment, because the attribute may be imported or written with its path.
pub(crate) fn is_named(attr: &Attribute, name: &str) -> bool {
    let last = attr.path().segments.last();
    last.is_some_and(|segment| segment.ident == name)
}

/// Returns a description of the item if it is not a function.
fn other_item(input: ParseStream<'_>) -> Option<&'static str> {
    if input.peek(Token![struct]) {
        Some(messages::A_STRUCT)
    } else if input.peek(Token![enum]) {
        Some(messages::AN_ENUM)
    } else if input.peek(Token![mod]) {
        Some(messages::A_MODULE)
    } else if input.peek(Token![impl]) {
        Some(messages::AN_IMPL)
    } else if input.peek(Token![trait]) {
        Some(messages::A_TRAIT)
    } else if input.peek(Token![type]) {
        Some(messages::A_TYPE_ALIAS)
    } else if input.peek(Token![use]) {
        Some(messages::A_USE)
    } else if input.peek(Token![static]) {
        Some(messages::A_STATIC)
    } else if input.peek(Token![const]) && input.peek2(Ident) && input.peek3(Token![:]) {
        Some(messages::A_CONSTANT)
    } else if is_function(input) {
        None
    } else {
        Some(messages::ANOTHER_ITEM)
    }
}

/// Returns whether the next token can start a function.
fn is_function(input: ParseStream<'_>) -> bool {
    input.peek(Token![fn])
        || input.peek(Token![const])
        || input.peek(Token![async])
        || input.peek(Token![unsafe])
        || input.peek(Token![extern])
}

pub(crate) fn refuse_receiver(kind: FunctionKind, receiver: &Receiver, errors: &mut Errors) {
    let noun = kind.noun;
    let message = messages::takes_self(noun);
    errors.at(receiver, message);
}

fn refuse_qualifiers(kind: FunctionKind, signature: &Signature, errors: &mut Errors) {
    let FunctionKind { noun, caller, .. } = kind;
    if let Some(token) = &signature.asyncness {
        errors.at(token, messages::is_async(noun));
    }
    if let Safety::Unsafe(token) = &signature.safety {
        errors.at(token, messages::is_unsafe(noun, caller));
    }
    if let Some(variadic) = &signature.variadic {
        errors.at(variadic, messages::is_variadic(noun));
    }
}

/// Rejects bounds that contain a lifetime of the function, because the generated items do not have this lifetime.
fn refuse_bounds_with_lifetimes(kind: FunctionKind, generics: &Generics, errors: &mut Errors) {
    let lifetimes: Vec<&Lifetime> = generics.lifetimes().map(|param| &param.lifetime).collect();
    if lifetimes.is_empty() {
        return;
    }
    let FunctionKind { noun, call, .. } = kind;
    let types = generics.params.iter().filter_map(|param| match param {
        GenericParam::Type(param) => Some(param.to_token_stream()),
        _ => None,
    });
    let predicates = generics.where_clause.iter().map(ToTokens::to_token_stream);
    for tokens in types.chain(predicates) {
        if let Some(ident) = find_lifetime(tokens, &lifetimes) {
            errors.at(&ident, messages::bound_with_lifetime(noun, &ident, call));
        }
    }
}

fn find_lifetime(tokens: TokenStream, lifetimes: &[&Lifetime]) -> Option<Ident> {
    let mut after_quote = false;
    for tree in tokens {
        let is_lifetime = core::mem::replace(&mut after_quote, false);
        match tree {
            TokenTree::Ident(ident)
                if is_lifetime && lifetimes.iter().any(|one| one.ident == ident) =>
            {
                return Some(ident);
            }
            TokenTree::Group(group) => {
                if let Some(found) = find_lifetime(group.stream(), lifetimes) {
                    return Some(found);
                }
            }
            TokenTree::Punct(punct) => after_quote = punct.as_char() == '\'',
            _ => {}
        }
    }
    None
}

pub(crate) fn refuse_type(kind: FunctionKind, ty: &Type, errors: &mut Errors) {
    let FunctionKind { noun, call, .. } = kind;
    match ty {
        Type::ImplTrait(ty) => errors.at(ty.impl_token, messages::takes_impl_trait(noun)),
        Type::Reference(reference) => {
            if let Some(lifetime) = &reference.lifetime
                && lifetime.ident == "static"
            {
                errors.at(lifetime, messages::static_reference(noun, call));
            }
            match inside(&reference.elem) {
                Type::Slice(_) | Type::TraitObject(_) => {
                    errors.at(&reference.elem, messages::UNSIZED)
                }
                Type::Reference(inner) => {
                    errors.at(inner.and_token, messages::REFERENCE_TO_REFERENCE)
                }
                elem => refuse_type(kind, elem, errors),
            }
        }
        Type::Tuple(tuple) => tuple
            .elems
            .iter()
            .for_each(|ty| refuse_type(kind, ty, errors)),
        Type::Paren(paren) => refuse_type(kind, &paren.elem, errors),
        _ => {}
    }
}

/// Returns the type without parentheses around it.
fn inside(ty: &Type) -> &Type {
    match ty {
        Type::Paren(paren) => inside(&paren.elem),
        Type::Group(group) => inside(&group.elem),
        ty => ty,
    }
}

/// Returns the return type of the function, which is `()` by default.
pub(crate) fn output(
    kind: FunctionKind,
    expected: &str,
    output: &ReturnType,
    lifetimes: &[&Lifetime],
    errors: &mut Errors,
) -> TokenStream {
    let FunctionKind { noun, call, .. } = kind;
    let ReturnType::Type(_, ty) = output else {
        return quote!(());
    };
    let tokens = ty.to_token_stream();
    if let Type::Never(ty) = &**ty {
        errors.at(ty, messages::never_returns(noun, call, expected));
    } else if let Some(token) = find_ident(tokens.clone(), "impl") {
        errors.at(token, messages::returns_impl_trait(noun, expected));
    } else if let Type::Reference(reference) = &**ty {
        errors.at(
            reference.and_token,
            messages::returns_reference(noun, expected),
        );
    } else if let Some(lifetime) = find_lifetime(tokens.clone(), lifetimes) {
        errors.at(lifetime, messages::returns_borrow(noun, expected));
    }
    tokens
}

fn find_ident(tokens: TokenStream, text: &str) -> Option<Ident> {
    tokens.into_iter().find_map(|tree| match tree {
        TokenTree::Ident(ident) if ident == text => Some(ident),
        TokenTree::Group(group) => find_ident(group.stream(), text),
        _ => None,
    })
}

/// Returns the name of a parameter in messages, and its name in the expansion.
///
/// The expansion does not use the user's name. That name may also be the name of a constant, or occur twice under different `#[cfg]`s.
fn names(pat: &Pat, idx: usize) -> (String, Ident) {
    let name = match pat {
        Pat::Ident(pat) => plain(&pat.ident),
        other => other.to_token_stream().to_string(),
    };
    let (span, _) = ends(&pat.to_token_stream());
    (
        name,
        Ident::new(&format!("__param_{idx}"), span.resolved_at(generated())),
    )
}

/// Combines all `#[cfg]`s of a parameter, including those in `#[cfg_attr]`, to one condition.
fn cfg(attrs: &[Attribute], errors: &mut Errors) -> Option<TokenStream> {
    let mut conditions = Vec::new();
    for attr in attrs {
        let condition = match &attr.meta {
            Meta::List(list) if list.path.is_ident("cfg") => Ok(vec![list.tokens.clone()]),
            Meta::List(list) if list.path.is_ident("cfg_attr") => list.parse_args_with(cfg_attr),
            _ => continue,
        };
        match condition {
            Ok(condition) => conditions.extend(condition),
            Err(error) => errors.push(error),
        }
    }
    match conditions.as_slice() {
        [] => None,
        [only] => Some(only.clone()),
        several => Some(quote!(all(#(#several),*))),
    }
}

/// With `condition, cfg(x)`, a parameter exists unless `condition` is true and `x` is false.
fn cfg_attr(input: ParseStream<'_>) -> syn::Result<Vec<TokenStream>> {
    let condition: Meta = input.parse()?;
    input.parse::<Token![,]>()?;
    let attrs = Punctuated::<Meta, Token![,]>::parse_terminated(input)?;
    let cfgs = attrs.into_iter().filter_map(|attr| match attr {
        Meta::List(list) if list.path.is_ident("cfg") => Some(list.tokens),
        _ => None,
    });
    Ok(cfgs
        .map(|inner| quote!(any(not(#condition), #inner)))
        .collect())
}
