//! Parses the options, and the keys of the parameters.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::meta::ParseNestedMeta;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Expr, FnArg, Ident, LitStr, Meta, Path, Token, parse_quote_spanned};

use crate::errors::Errors;
use crate::function::{FunctionItem, is_named};
use crate::messages;
use crate::spans::{generated, quote};

/// The contents of `#[handler(…)]`.
#[derive(Default)]
pub(super) struct HandlerOptions {
    pub(super) name: Option<LitStr>,
    pub(super) hidden_type: Option<Ident>,
    pub(super) alias: Option<Alias>,
    pub(super) is_atomic: bool,
    krate: Option<Path>,
}

/// The treatment of events that name one record for two parameters.
#[derive(Clone, Copy)]
pub(super) enum Alias {
    Reject,
    Skip,
    First,
}

impl HandlerOptions {
    /// Parses all valid options. Adds errors to `errors`.
    pub(super) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut options = Self::default();
        let parser = syn::meta::parser(|meta| options.parse_one(&meta));
        if let Err(error) = parser.parse2(tokens) {
            errors.push(error);
        }
        options
    }

    fn parse_one(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        let option = meta.path.get_ident().map(Ident::to_string);
        match option.as_deref() {
            Some("name") => set(&mut self.name, meta, |input| input.parse()),
            Some("type") => set(&mut self.hidden_type, meta, |input| input.parse()),
            Some("atomic") => set_flag(&mut self.is_atomic, meta),
            Some("alias") => set(&mut self.alias, meta, alias),
            Some("crate") => set(&mut self.krate, meta, Path::parse_mod_style),
            option => Err(meta.error(messages::unknown_option(option, messages::HANDLER_OPTIONS))),
        }
    }

    pub(super) fn krate(&self) -> Path {
        self.krate
            .clone()
            .unwrap_or_else(|| parse_quote_spanned!(generated()=> ::schedule_stream))
    }
}

fn alias(input: ParseStream<'_>) -> syn::Result<Alias> {
    let expected = messages::EXPECTED_ALIAS;
    let word = input
        .parse::<Ident>()
        .map_err(|error| syn::Error::new(error.span(), expected))?;
    match word.to_string().as_str() {
        "reject" => Ok(Alias::Reject),
        "skip" => Ok(Alias::Skip),
        "first" => Ok(Alias::First),
        _ => Err(syn::Error::new(word.span(), expected)),
    }
}

/// Sets an option that has no value and can be given once.
fn set_flag(option: &mut bool, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
    let name = meta.path.to_token_stream();
    if !meta.input.is_empty() && !meta.input.peek(Token![,]) {
        return Err(meta.input.error(messages::takes_no_value(name)));
    }
    if core::mem::replace(option, true) {
        return Err(syn::Error::new_spanned(
            &meta.path,
            messages::given_twice(name),
        ));
    }
    Ok(())
}

/// Reads `= value` into an option that can be given once.
fn set<T>(
    option: &mut Option<T>,
    meta: &ParseNestedMeta<'_>,
    parse: fn(ParseStream<'_>) -> syn::Result<T>,
) -> syn::Result<()> {
    if !meta.input.peek(Token![=]) {
        let name = meta.path.to_token_stream();
        let message = messages::needs_value(name);
        return Err(syn::Error::new_spanned(&meta.path, message));
    }
    let value = parse(meta.value()?)?;
    if option.is_some() {
        let name = meta.path.to_token_stream();
        let message = messages::given_twice(name);
        return Err(syn::Error::new_spanned(&meta.path, message));
    }
    *option = Some(value);
    Ok(())
}

/// How an event names a parameter.
pub(super) enum Naming {
    /// The parameter has no key: it is a resource.
    Unkeyed,
    Key(Expr),
    Keys(Expr),
}

/// Returns whether the attribute is `#[key]` or `#[keys]`.
pub(super) fn is_key(attr: &Attribute) -> bool {
    attr.path().is_ident("key") || attr.path().is_ident("keys")
}

impl Naming {
    /// Reads the attributes of a parameter. A parameter with an invalid attribute has no key.
    pub(super) fn parse(attrs: &[Attribute], errors: &mut Errors) -> Self {
        let mut naming = Self::Unkeyed;
        let mut first: Option<&Attribute> = None;
        for attr in attrs.iter().filter(|attr| is_key(attr)) {
            let name = attr.path().to_token_stream().to_string();
            if let Some(first) = first {
                let other = first.path().to_token_stream().to_string();
                let message = if other == name {
                    messages::key_given_twice(name.as_str())
                } else {
                    messages::KEY_AND_KEYS.to_string()
                };
                errors.at(attr, message);
                continue;
            }
            first = Some(attr);
            match expr(attr, &name) {
                Ok(expr) if name == "key" => naming = Self::Key(expr),
                Ok(expr) => naming = Self::Keys(expr),
                Err(error) => errors.push(error),
            }
        }
        naming
    }
}

/// Returns the expression in `#[key(…)]` or `#[keys(…)]`.
fn expr(attr: &Attribute, name: &str) -> syn::Result<Expr> {
    match &attr.meta {
        Meta::List(list) if !list.tokens.is_empty() => list.parse_args(),
        _ => {
            let message = match name {
                "key" => messages::KEY_WITHOUT_VALUE,
                _ => messages::KEYS_WITHOUT_VALUE,
            };

            Err(syn::Error::new_spanned(attr, message))
        }
    }
}

/// Returns the function as written, without `#[key]` and `#[keys]`.
pub(super) fn without_keys(item: &FunctionItem) -> TokenStream {
    let FunctionItem {
        attrs,
        vis,
        signature,
        body,
    } = item;
    let mut signature = signature.clone();
    let mut has_keys = false;
    for input in &mut signature.inputs {
        if let FnArg::Typed(typed) = input {
            has_keys |= typed.attrs.iter().any(is_key);
            typed.attrs.retain(|attr| !is_key(attr));
        }
    }
    // The event may be used only in keys, which the function does not contain.
    if has_keys && let Some(FnArg::Typed(event)) = signature.inputs.first_mut() {
        event.attrs.push(parse_quote_spanned!(generated()=>
            #[allow(unused_variables, reason = "keys are made of it")]
        ));
    }
    // A function with both attributes has an error already.
    let attrs = attrs.iter().filter(|attr| !is_named(attr, "system"));
    quote!(#(#attrs)* #vis #signature #body)
}
