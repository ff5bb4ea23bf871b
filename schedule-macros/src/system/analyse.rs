//! Every rule that the tokens alone can break. What needs types is left to the compiler, which sees the expansion.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{
    Attribute, FnArg, GenericParam, Generics, Lifetime, Meta, Pat, Path, ReturnType, Safety,
    Signature, Token, Type, TypePath, Visibility,
};

use super::parse::{Item, ORDERS, Options, is_system};
use crate::errors::Errors;
use crate::generics::{plain, replace_lifetimes};
use crate::guard::Guard;
use crate::spans::ends;

/// A system whose rules all hold.
pub(super) struct System {
    pub(super) vis: Visibility,
    pub(super) function: Ident,
    pub(super) hidden_type: Ident,
    pub(super) name: String,
    pub(super) generics: Generics,
    pub(super) parameters: Vec<Parameter>,
    /// A `#[deprecated]`, which is about the system as much as about the function.
    pub(super) deprecated: Option<Attribute>,
    /// As the function returns it; `()` where it says nothing.
    pub(super) output: TokenStream,
    pub(super) orders: Vec<Order>,
    pub(super) groups: Vec<TypePath>,
    pub(super) guards: Vec<Guard>,
    /// The resource that there is if it answers `true`.
    pub(super) proves: Option<TypePath>,
    /// The open schedules that collect it.
    pub(super) schedules: Vec<TypePath>,
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
    for attr in item.attrs.iter().filter(|attr| is_system(attr)) {
        errors.at(attr, "`#[system]` is given twice");
    }
    refuse_qualifiers(signature, &mut errors);
    refuse_bounds_with_lifetimes(&signature.generics, &mut errors);
    let lifetimes: Vec<&Lifetime> = signature
        .generics
        .lifetimes()
        .map(|param| &param.lifetime)
        .collect();
    let output = output(&signature.output, &lifetimes, &mut errors);
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
    refuse_own_guard(item, options, &mut errors);
    refuse_to_collect_generic(&signature.generics, options, &mut errors);
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
    let is_deprecated = |attr: &&Attribute| attr.path().is_ident("deprecated");
    Ok(System {
        deprecated: item.attrs.iter().find(is_deprecated).cloned(),
        vis: item.vis.clone(),
        hidden_type: options.hidden_type.clone().unwrap_or(function.clone()),
        function,
        name,
        generics: signature.generics.clone(),
        parameters,
        output,
        orders: orders.collect(),
        groups: options.groups.clone().unwrap_or_default(),
        guards: options.guards.clone().unwrap_or_default(),
        proves: options.proves.clone(),
        schedules: options.schedules.clone().unwrap_or_default(),
        krate: options.krate(),
    })
}

/// Nobody says which instances there are.
fn refuse_to_collect_generic(generics: &Generics, options: &Options, errors: &mut Errors) {
    let is_generic = |param: &GenericParam| !matches!(param, GenericParam::Lifetime(_));
    if let Some(first) = options.schedules.iter().flatten().next()
        && generics.params.iter().any(is_generic)
    {
        errors.at(
            first,
            "a generic system cannot be collected, since each instance has to be named: list them in the schedule",
        );
    }
}

/// Its constants would need each other.
fn refuse_own_guard(item: &Item, options: &Options, errors: &mut Errors) {
    let hidden_type = options.hidden_type.as_ref();
    let own = hidden_type.unwrap_or(&item.signature.ident);
    for guard in options.guards.iter().flatten() {
        guard.for_each_leaf(&mut |leaf| {
            let (Guard::Of(path) | Guard::Is(path, _)) = leaf else {
                return;
            };
            if path.qself.is_none() && path.path.is_ident(own) {
                let own = plain(own);
                let message =
                    format!("`{own}` is guarded by itself; guard it by another condition");
                errors.at(path, message);
            }
        });
    }
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
            match inside(&reference.elem) {
                Type::Slice(_) | Type::TraitObject(_) => errors.at(
                    &reference.elem,
                    "a resource is a value with a size: put this into a struct of your own, behind a `Vec` or a `Box`",
                ),
                elem => refuse_type(elem, errors),
            }
        }
        Type::Tuple(tuple) => tuple.elems.iter().for_each(|ty| refuse_type(ty, errors)),
        Type::Paren(paren) => refuse_type(&paren.elem, errors),
        _ => {}
    }
}

/// The type without brackets around it.
fn inside(ty: &Type) -> &Type {
    match ty {
        Type::Paren(paren) => inside(&paren.elem),
        Type::Group(group) => inside(&group.elem),
        ty => ty,
    }
}

fn output(output: &ReturnType, lifetimes: &[&Lifetime], errors: &mut Errors) -> TokenStream {
    const EXPECTED: &str = "a system returns `()`, `bool`, an enum with `#[derive(Branch)]`, or a `Result` of one of these and `E`";
    let ReturnType::Type(_, ty) = output else {
        return quote!(());
    };
    let tokens = ty.to_token_stream();
    if let Type::Never(ty) = &**ty {
        errors.at(
            ty,
            format_args!("a system has to return, or the run never ends: {EXPECTED}"),
        );
    } else if let Some(token) = find_ident(tokens.clone(), "impl") {
        errors.at(
            token,
            format_args!("a system cannot return `impl Trait`: {EXPECTED}"),
        );
    } else if let Type::Reference(reference) = &**ty {
        errors.at(
            reference.and_token,
            format_args!("a system cannot return a reference: {EXPECTED}"),
        );
    } else if let Some(lifetime) = find_lifetime(tokens.clone(), lifetimes) {
        errors.at(
            lifetime,
            format_args!("a system cannot return what it was lent: {EXPECTED}"),
        );
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

/// What messages and what the expansion call a parameter.
///
/// The name of the user would be nicer to read in the expansion; but it may be the name of a constant there, or stand
/// twice, under different `#[cfg]`s.
fn names(pat: &Pat, idx: usize) -> (String, Ident) {
    let name = match pat {
        Pat::Ident(pat) => plain(&pat.ident),
        other => other.to_token_stream().to_string(),
    };
    let (span, _) = ends(&pat.to_token_stream());
    let span = Span::mixed_site().located_at(span);
    (name, Ident::new(&format!("__param_{idx}"), span))
}

/// All `#[cfg]`s of a parameter as one condition, and those that a `#[cfg_attr]` adds.
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

/// `condition, cfg(x)` is there unless the condition holds and `x` does not.
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
