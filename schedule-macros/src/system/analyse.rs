//! Every rule that the tokens alone can break. What needs types is left to the compiler, which sees the expansion.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    Attribute, FnArg, GenericParam, Generics, Lifetime, Pat, Path, ReturnType, Safety, Signature,
    Type, TypePath, Visibility,
};

use super::parse::{Item, ORDERS, Options};
use crate::errors::Errors;
use crate::generics::replace_lifetimes;

/// A system whose rules all hold.
pub(super) struct System {
    pub(super) vis: Visibility,
    pub(super) function: Ident,
    pub(super) hidden_type: Ident,
    pub(super) name: String,
    pub(super) generics: Generics,
    pub(super) parameters: Vec<Parameter>,
    /// As the function returns it; `()` where it says nothing.
    pub(super) output: TokenStream,
    pub(super) orders: Vec<Order>,
    pub(super) groups: Vec<TypePath>,
    pub(super) krate: Path,
}

/// A parameter of the function.
pub(super) struct Parameter {
    /// What messages call it.
    pub(super) name: String,
    /// What the expansion calls it.
    pub(super) ident: Ident,
    /// With elided lifetimes, as it may stand inside an expression.
    pub(super) ty: TokenStream,
    /// The condition of its `#[cfg]`s, if there are any.
    pub(super) cfg: Option<TokenStream>,
}

/// An order in the attribute.
pub(super) struct Order {
    /// A function of `Order`.
    pub(super) kind: &'static str,
    pub(super) other: TypePath,
}

/// # Errors
///
/// All broken rules together with `errors`.
pub(super) fn analyse(item: &Item, options: &Options, mut errors: Errors) -> syn::Result<System> {
    let signature = &item.signature;
    refuse_qualifiers(signature, &mut errors);
    refuse_bounds_with_lifetimes(&signature.generics, &mut errors);
    let output = output(&signature.output, &mut errors);
    let lifetimes: Vec<&Lifetime> = signature
        .generics
        .lifetimes()
        .map(|param| &param.lifetime)
        .collect();
    let mut parameters = Vec::new();
    for (idx, input) in signature.inputs.iter().enumerate() {
        match input {
            FnArg::Receiver(receiver) => errors.at(
                receiver,
                "a system cannot take `self`: it is a free function, and its parameters are what it touches",
            ),
            FnArg::Typed(typed) => {
                refuse_type(&typed.ty, &mut errors);
                let (name, ident) = names(&typed.pat, idx);
                parameters.push(Parameter {
                    name,
                    ident,
                    ty: replace_lifetimes(typed.ty.to_token_stream(), &lifetimes, "_"),
                    cfg: cfg(&typed.attrs, &mut errors),
                });
            }
        }
    }
    errors.finish()?;

    let function = signature.ident.clone();
    let name = match &options.name {
        Some(name) => name.value(),
        None => plain(&function),
    };
    let orders = ORDERS
        .iter()
        .zip(&options.orders)
        .flat_map(|(kind, others)| {
            let others = others.iter().flatten().cloned();
            others.map(move |other| Order { kind, other })
        });
    Ok(System {
        vis: item.vis.clone(),
        hidden_type: options.hidden_type.clone().unwrap_or(function.clone()),
        function,
        name,
        generics: signature.generics.clone(),
        parameters,
        output,
        orders: orders.collect(),
        groups: options.groups.clone().unwrap_or_default(),
        krate: options.krate(),
    })
}

fn refuse_qualifiers(signature: &Signature, errors: &mut Errors) {
    if let Some(token) = &signature.asyncness {
        errors.at(
            token,
            "a system cannot be `async`: it runs to completion on a worker thread",
        );
    }
    if let Safety::Unsafe(token) = &signature.safety {
        errors.at(
            token,
            "a system cannot be `unsafe`: a schedule calls it, and cannot promise what it asks for",
        );
    }
    if let Some(variadic) = &signature.variadic {
        errors.at(
            variadic,
            "a system cannot be variadic: its parameters are what it touches",
        );
    }
}

/// A bound that speaks of a lifetime of the function would have to hold outside of it.
fn refuse_bounds_with_lifetimes(generics: &Generics, errors: &mut Errors) {
    let lifetimes: Vec<&Lifetime> = generics.lifetimes().map(|param| &param.lifetime).collect();
    if lifetimes.is_empty() {
        return;
    }
    let types = generics.params.iter().filter_map(|param| match param {
        GenericParam::Type(param) => Some(param.to_token_stream()),
        _ => None,
    });
    let predicates = generics.where_clause.iter().map(ToTokens::to_token_stream);
    for tokens in types.chain(predicates) {
        if let Some(ident) = find_lifetime(tokens, &lifetimes) {
            errors.at(
                &ident,
                format_args!(
                    "a bound of a system cannot speak of a lifetime: `'{ident}` is another one at every run"
                ),
            );
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

fn refuse_type(ty: &Type, errors: &mut Errors) {
    match ty {
        Type::ImplTrait(ty) => errors.at(
            ty.impl_token,
            "a parameter of a system cannot be `impl Trait`: it has no name to fetch it by; use a type parameter, \
             `fn system<T: Trait>`",
        ),
        Type::Reference(reference) => {
            if let Some(lifetime) = &reference.lifetime
                && lifetime.ident == "static"
            {
                errors.at(
                    lifetime,
                    "a system cannot hold on to a reference: it is lent for one run; remove `'static`",
                );
            }
            refuse_type(&reference.elem, errors);
        }
        Type::Tuple(tuple) => tuple.elems.iter().for_each(|ty| refuse_type(ty, errors)),
        Type::Paren(paren) => refuse_type(&paren.elem, errors),
        _ => {}
    }
}

fn output(output: &ReturnType, errors: &mut Errors) -> TokenStream {
    const EXPECTED: &str = "a system returns `()`, `bool`, `Result<(), E>` or `Result<bool, E>`";
    match output {
        ReturnType::Default => quote!(()),
        ReturnType::Type(_, ty) => {
            match &**ty {
                Type::ImplTrait(ty) => errors.at(ty.impl_token, EXPECTED),
                Type::Never(ty) => errors.at(
                    ty,
                    format_args!("a system has to return, or the run never ends: {EXPECTED}"),
                ),
                _ => {}
            }
            ty.to_token_stream()
        }
    }
}

/// What messages and what the expansion call a parameter.
fn names(pat: &Pat, idx: usize) -> (String, Ident) {
    // Hygiene keeps these apart from whatever the user's names mean where the attribute stands.
    let span = proc_macro2::Span::mixed_site();
    match pat {
        Pat::Ident(pat) => {
            let mut ident = pat.ident.clone();
            ident.set_span(span);
            (plain(&pat.ident), ident)
        }
        other => {
            let name = other.to_token_stream().to_string();
            (name, Ident::new(&format!("param_{idx}"), span))
        }
    }
}

/// An identifier without `r#`.
fn plain(ident: &Ident) -> String {
    let text = ident.to_string();
    text.strip_prefix("r#").unwrap_or(&text).to_string()
}

/// All `#[cfg]`s of a parameter as one condition.
fn cfg(attrs: &[Attribute], errors: &mut Errors) -> Option<TokenStream> {
    let mut conditions = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("cfg")) {
        match attr.meta.require_list() {
            Ok(list) => conditions.push(&list.tokens),
            Err(error) => errors.push(error),
        }
    }
    match conditions.as_slice() {
        [] => None,
        [only] => Some(only.to_token_stream()),
        several => Some(quote!(all(#(#several),*))),
    }
}
