//! Checks all rules that need only tokens. The compiler checks rules that need types when it compiles the expansion.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, FnArg, Generics, Pat, Path, Signature, Type, Visibility, parse_quote};

use super::KIND;
use super::parse::{Alias, HandlerOptions, Naming, is_key};
use crate::errors::Errors;
use crate::function::{FunctionItem, Parameter, output, refuse_receiver, refuse_type};
use crate::generics::replace_lifetimes;
use crate::messages;

/// A handler that fulfils all rules.
pub(super) struct Handler {
    pub(super) vis: Visibility,
    pub(super) function: Ident,
    pub(super) hidden_type: Ident,
    pub(super) name: String,
    pub(super) generics: Generics,
    /// The pattern of the event parameter.
    pub(super) pattern: Pat,
    /// The type of the event, without the `&`.
    pub(super) event: TokenStream,
    /// All parameters except the event.
    pub(super) arguments: Vec<Argument>,
    pub(super) alias: Alias,
    /// Whether a failed call is undone.
    pub(super) is_atomic: bool,
    /// The `#[deprecated]` attribute, which applies to the handler as well as to the function.
    pub(super) deprecated: Option<Attribute>,
    /// The return type of the function, which is `()` by default.
    pub(super) output: TokenStream,
    pub(super) krate: Path,
}

/// A parameter of the function, and how the event names its record.
pub(super) struct Argument {
    pub(super) parameter: Parameter,
    pub(super) naming: Naming,
}

/// # Errors
///
/// Fails with all broken rules and `errors`.
pub(super) fn analyse(
    item: &FunctionItem,
    options: &HandlerOptions,
    mut errors: Errors,
) -> syn::Result<Handler> {
    let signature = &item.signature;
    item.analyse(KIND, &mut errors);
    let lifetimes = item.lifetimes();
    let n_found = errors.n_found();
    let output = output(
        KIND,
        messages::HANDLER_OUTPUT,
        &signature.output,
        &lifetimes,
        &mut errors,
    );
    if errors.n_found() == n_found {
        refuse_lent(&output, &mut errors);
    }
    let mut inputs = signature.inputs.iter().enumerate();
    let pattern = pattern(signature, inputs.next().map(|first| first.1), &mut errors);
    let mut arguments = Vec::new();
    for (idx, input) in inputs {
        let FnArg::Typed(typed) = input else { continue };
        let argument = Argument {
            parameter: Parameter::analyse(KIND, typed, idx, &lifetimes, &mut errors),
            naming: Naming::parse(&typed.attrs, &mut errors),
        };
        refuse_by_reference(&typed.ty, &argument, &mut errors);
        arguments.push(argument);
    }
    errors.finish()?;

    let function = signature.ident.clone();
    Ok(Handler {
        deprecated: item.deprecated(),
        vis: item.vis.clone(),
        hidden_type: options.hidden_type.clone().unwrap_or(function.clone()),
        function,
        name: item.name(options.name.as_ref()),
        generics: signature.generics.clone(),
        pattern: pattern.expect("without one there is an error").clone(),
        event: event(signature).expect("without one there is an error"),
        arguments,
        alias: options.alias.unwrap_or(Alias::Reject),
        is_atomic: options.is_atomic,
        output,
        krate: options.krate(),
    })
}

/// Returns the type of the event, if it can be guessed.
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
    let mut lifetimes: Vec<_> = signature
        .generics
        .lifetimes()
        .map(|param| &param.lifetime)
        .collect();
    lifetimes.push(&elided);
    replace_lifetimes(ty.to_token_stream(), &lifetimes, "static")
}

/// Returns the pattern of the event parameter.
fn pattern<'i>(
    signature: &Signature,
    first: Option<&'i FnArg>,
    errors: &mut Errors,
) -> Option<&'i Pat> {
    let typed = match first {
        None => {
            errors.at(&signature.ident, messages::HANDLER_WITHOUT_EVENT);
            return None;
        }
        Some(FnArg::Receiver(receiver)) => {
            refuse_receiver(KIND, receiver, errors);
            return None;
        }
        Some(FnArg::Typed(typed)) => typed,
    };
    for attr in &typed.attrs {
        if is_key(attr) {
            errors.at(attr, messages::KEY_OF_EVENT);
        } else if attr.path().is_ident("cfg") || attr.path().is_ident("cfg_attr") {
            errors.at(attr, messages::CFG_OF_EVENT);
        }
    }
    match &*typed.ty {
        Type::Reference(reference) => {
            if let Some(token) = &reference.mutability {
                errors.at(token, messages::MUTABLE_EVENT);
            }
            let n_found = errors.n_found();
            refuse_type(KIND, &typed.ty, errors);
            if let Some(lifetime) = lifetime(reference.elem.to_token_stream())
                && errors.n_found() == n_found
            {
                errors.at(lifetime, messages::borrow_cannot(messages::BE_AN_EVENT));
            }
        }
        Type::ImplTrait(ty) => errors.at(ty.impl_token, messages::HANDLER_WITHOUT_EVENT),
        other => errors.at(other, messages::HANDLER_WITHOUT_EVENT),
    }
    Some(&typed.pat)
}

/// Returns the first lifetime that is not `'static`.
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

/// Rejects a return type with an elided lifetime, because it could only be the lifetime of a parameter.
fn refuse_lent(output: &TokenStream, errors: &mut Errors) {
    let mut trees = output.clone().into_iter().peekable();
    while let Some(tree) = trees.next() {
        match &tree {
            TokenTree::Punct(punct) if punct.as_char() == '\'' => {
                if let Some(TokenTree::Ident(ident)) = trees.peek()
                    && ident == "_"
                {
                    errors.at(
                        ident,
                        messages::returns_borrow(KIND.noun, messages::HANDLER_OUTPUT),
                    );
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == '&' => {
                let is_named =
                    matches!(trees.peek(), Some(TokenTree::Punct(next)) if next.as_char() == '\'');
                if !is_named {
                    errors.at(
                        punct,
                        messages::returns_borrow(KIND.noun, messages::HANDLER_OUTPUT),
                    );
                }
            }
            _ => {}
        }
    }
}

/// Rejects references to types that are passed by value: an `Option`, or a set of records.
fn refuse_by_reference(ty: &Type, argument: &Argument, errors: &mut Errors) {
    let Type::Reference(reference) = ty else {
        return;
    };
    let Type::Path(path) = &*reference.elem else {
        return;
    };
    let Some(last) = path.path.segments.last() else {
        return;
    };
    let is_set = matches!(argument.naming, Naming::Keys(_))
        && (last.ident == "RecordSet" || last.ident == "RecordSetMut");
    if last.ident != "Option" && !is_set {
        return;
    }
    let name = &argument.parameter.name;
    let bound = reference.mutability.as_ref().map_or("", |_| "mut ");
    let message = messages::by_reference(bound, name, &last.ident);
    errors.at(ty, message);
}
