//! Every rule that the tokens alone can break. What needs types is left to the compiler, which sees the expansion.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Attribute, FnArg, Generics, Lifetime, Pat, Path, Signature, Type, Visibility, parse_quote,
};

use super::KIND;
use super::parse::{Naming, Options, Twice, is_key};
use crate::errors::Errors;
use crate::function::{
    Item, cfg, names, output, refuse_bounds_with_lifetimes, refuse_qualifiers, refuse_type,
};
use crate::generics::{plain, replace_lifetimes};

const EXPECTED: &str = "a handler returns `()`, a type that implements `Answer`, `Then<Event, …>`, or a `Result` of one of these";
const NEEDS_EVENT: &str =
    "the first parameter of a handler is its event, by reference, as in `event: &Event`";

/// A handler whose rules all hold.
pub(super) struct Handler {
    pub(super) vis: Visibility,
    pub(super) function: Ident,
    pub(super) hidden_type: Ident,
    pub(super) name: String,
    pub(super) generics: Generics,
    /// How the function takes its event apart.
    pub(super) pattern: Pat,
    /// The type of the event, without the `&`.
    pub(super) event: TokenStream,
    /// All parameters but the event.
    pub(super) parameters: Vec<Parameter>,
    pub(super) twice: Twice,
    /// A `#[deprecated]`, which is about the handler as much as about the function.
    pub(super) deprecated: Option<Attribute>,
    /// As the function returns it; `()` where it says nothing.
    pub(super) output: TokenStream,
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
    pub(super) naming: Naming,
    /// The condition of its `#[cfg]`s, if there are any.
    pub(super) cfg: Option<TokenStream>,
}

/// # Errors
///
/// All broken rules together with `errors`.
pub(super) fn analyse(item: &Item, options: &Options, mut errors: Errors) -> syn::Result<Handler> {
    let signature = &item.signature;
    for attr in item.attributes("handler") {
        errors.at(attr, "`#[handler]` is given twice");
    }
    for attr in item.attributes("system") {
        errors.at(
            attr,
            "a handler cannot be a system as well: write another function that calls this one",
        );
    }
    refuse_qualifiers(KIND, signature, &mut errors);
    refuse_bounds_with_lifetimes(KIND, &signature.generics, &mut errors);
    let lifetimes: Vec<&Lifetime> = signature
        .generics
        .lifetimes()
        .map(|param| &param.lifetime)
        .collect();
    let n_found = errors.n_found();
    let output = output(KIND, EXPECTED, &signature.output, &lifetimes, &mut errors);
    if errors.n_found() == n_found {
        refuse_lent(&output, &mut errors);
    }
    let mut inputs = signature.inputs.iter().enumerate();
    let pattern = pattern(signature, inputs.next().map(|first| first.1), &mut errors);
    let mut parameters = Vec::new();
    for (idx, input) in inputs {
        let FnArg::Typed(typed) = input else { continue };
        refuse_type(KIND, &typed.ty, &mut errors);
        let (name, ident) = names(&typed.pat, idx);
        parameters.push(Parameter {
            name,
            ident,
            ty: replace_lifetimes(typed.ty.to_token_stream(), &lifetimes, "_"),
            naming: Naming::parse(&typed.attrs, &mut errors),
            cfg: cfg(&typed.attrs, &mut errors),
        });
    }
    errors.finish()?;

    let function = signature.ident.clone();
    let name = match &options.name {
        Some(name) => name.value(),
        None => plain(&function),
    };
    Ok(Handler {
        deprecated: item.deprecated(),
        vis: item.vis.clone(),
        hidden_type: options.hidden_type.clone().unwrap_or(function.clone()),
        function,
        name,
        generics: signature.generics.clone(),
        pattern: pattern.expect("without one there is an error").clone(),
        event: event(signature).expect("without one there is an error"),
        parameters,
        twice: options.twice.unwrap_or(Twice::Refuse),
        output,
        krate: options.krate(),
    })
}

/// The type of the event, as far as it can be guessed.
pub(super) fn event(signature: &Signature) -> Option<TokenStream> {
    match signature.inputs.first()? {
        FnArg::Receiver(_) => None,
        FnArg::Typed(typed) => match &*typed.ty {
            Type::ImplTrait(_) => None,
            Type::Reference(reference) => Some(without_lifetimes(signature, &reference.elem)),
            other => Some(without_lifetimes(signature, other)),
        },
    }
}

fn without_lifetimes(signature: &Signature, ty: &Type) -> TokenStream {
    let elided = parse_quote!('_);
    let lifetimes = signature.generics.lifetimes();
    let mut lifetimes: Vec<_> = lifetimes.map(|param| &param.lifetime).collect();
    lifetimes.push(&elided);
    replace_lifetimes(ty.to_token_stream(), &lifetimes, "static")
}

/// How the event is taken apart.
fn pattern<'i>(
    signature: &Signature,
    first: Option<&'i FnArg>,
    errors: &mut Errors,
) -> Option<&'i Pat> {
    let typed = match first {
        None => {
            errors.at(&signature.ident, NEEDS_EVENT);
            return None;
        }
        Some(FnArg::Receiver(receiver)) => {
            errors.at(
                receiver,
                "a handler cannot take `self`: it is a free function, and its parameters are what it touches",
            );
            return None;
        }
        Some(FnArg::Typed(typed)) => typed,
    };
    for attr in &typed.attrs {
        if is_key(attr) {
            errors.at(
                attr,
                "the event has no key: it gives the keys of what comes after it",
            );
        } else if attr.path().is_ident("cfg") || attr.path().is_ident("cfg_attr") {
            errors.at(
                attr,
                "a handler always takes its event: remove this, or put it on the function",
            );
        }
    }
    match &*typed.ty {
        Type::Reference(reference) => {
            if let Some(token) = &reference.mutability {
                errors.at(
                    token,
                    "a handler cannot change its event: it is told in the outcome as it arrived; remove `mut`",
                );
            }
            let n_found = errors.n_found();
            refuse_type(KIND, &typed.ty, errors);
            if let Some(lifetime) = lifetime(reference.elem.to_token_stream())
                && errors.n_found() == n_found
            {
                errors.at(
                    lifetime,
                    "an event cannot borrow: it may wait for others; own the value, or share it in an `Arc`",
                );
            }
        }
        Type::ImplTrait(ty) => errors.at(ty.impl_token, NEEDS_EVENT),
        other => errors.at(other, NEEDS_EVENT),
    }
    Some(&typed.pat)
}

/// The first lifetime that is not `'static`.
fn lifetime(tokens: TokenStream) -> Option<Ident> {
    let mut after_quote = false;
    tokens.into_iter().find_map(|tree| {
        let is_lifetime = core::mem::replace(&mut after_quote, false);
        match tree {
            TokenTree::Ident(ident) if is_lifetime && ident != "static" => Some(ident),
            TokenTree::Group(group) => lifetime(group.stream()),
            TokenTree::Punct(punct) => {
                after_quote = punct.as_char() == '\'';
                None
            }
            _ => None,
        }
    })
}

/// Refuses what is returned with a lifetime that is left out: it could only be that of a parameter.
fn refuse_lent(output: &TokenStream, errors: &mut Errors) {
    let mut trees = output.clone().into_iter().peekable();
    while let Some(tree) = trees.next() {
        match &tree {
            TokenTree::Punct(punct) if punct.as_char() == '\'' => {
                if let Some(TokenTree::Ident(ident)) = trees.peek()
                    && ident == "_"
                {
                    errors.at(ident, format_args!("{LENT}: {EXPECTED}"));
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == '&' => {
                let is_named =
                    matches!(trees.peek(), Some(TokenTree::Punct(next)) if next.as_char() == '\'');
                if !is_named {
                    errors.at(punct, format_args!("{LENT}: {EXPECTED}"));
                }
            }
            _ => {}
        }
    }
}

const LENT: &str = "a handler cannot return what it was lent";
