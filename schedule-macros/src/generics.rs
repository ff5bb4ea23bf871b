//! The generics of an item, in the forms that its implementations need.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{GenericParam, Generics, Ident, Lifetime, Path, Visibility, WhereClause};

use crate::spans::{ends, generated, item, quote, respanned, text};

/// The generics without lifetimes and defaults, and with a bound on every type parameter.
pub(crate) struct ImplGenerics {
    /// As in `impl<…>`, brackets included.
    pub(crate) declared: TokenStream,
    /// As in `Type<…>`, brackets included.
    pub(crate) used: TokenStream,
    /// The parameters in order, without lifetimes.
    pub(crate) params: Vec<Param>,
}

/// A type or `const` parameter.
pub(crate) struct Param {
    pub(crate) ident: Ident,
    pub(crate) is_const: bool,
}

impl ImplGenerics {
    /// `bound`: the trait that each type parameter must implement in addition to its own bounds.
    pub(crate) fn new(generics: &Generics, bound: Option<&TokenStream>) -> Self {
        Self::with(generics, bound, true)
    }

    /// Like [`new`](Self::new), but without the declared bounds.
    pub(crate) fn bare(generics: &Generics, bound: Option<&TokenStream>) -> Self {
        Self::with(generics, bound, false)
    }

    fn with(generics: &Generics, bound: Option<&TokenStream>, has_bounds: bool) -> Self {
        let mut params = Vec::new();
        let mut declared = Vec::new();
        for param in &generics.params {
            match param {
                GenericParam::Lifetime(_) => {}
                GenericParam::Type(param) => {
                    let ident = &param.ident;
                    let bounds = param.bounds.iter().filter(|_| has_bounds);
                    let bound = bound.iter();
                    // The compiler suggests further bounds after the last one, which must be a place in the user's code.
                    let (_, last) = ends(&param.to_token_stream());
                    let bound = bound.map(|bound| respanned(bound, last.resolved_at(generated())));
                    declared.push(quote!(#ident: #(#bounds +)* #(#bound)*));
                    params.push(Param {
                        ident: ident.clone(),
                        is_const: false,
                    });
                }
                GenericParam::Const(param) => {
                    let (ident, ty) = (&param.ident, &param.ty);
                    declared.push(quote!(const #ident: #ty));
                    params.push(Param {
                        ident: ident.clone(),
                        is_const: true,
                    });
                }
            }
        }
        let idents = params.iter().map(|param| &param.ident);
        let (declared, used) = if params.is_empty() {
            (TokenStream::new(), TokenStream::new())
        } else {
            (quote!(<#(#declared),*>), quote!(<#(#idents),*>))
        };
        Self {
            declared,
            used,
            params,
        }
    }

    /// Returns the body of the `Identity` implementation for a type of this name.
    pub(crate) fn identity(&self, ident: &Ident, name: &str) -> TokenStream {
        // The identity depends on the name in the source, not on the name in reports.
        let (source, name) = (text(&plain(ident)), text(name));
        let module = item!(
            const __MODULE: &__schedule::core::primitive::str = __schedule::core::module_path!();
        );
        let id = quote!({ #module __schedule::declared_here(__MODULE, #source) });
        if self.params.is_empty() {
            let id = item!(const ID: __schedule::core::primitive::u128 = #id;);
            let name = item!(const NAME: __schedule::Name = __schedule::Name::new(#name););
            return quote!(#id #name);
        }
        let ids = self.params.iter().map(|Param { ident, is_const }| {
            if *is_const {
                quote!(#ident as __schedule::core::primitive::u128)
            } else {
                quote!(<#ident as __schedule::Identity>::ID)
            }
        });
        let arguments = self.params.iter().map(|Param { ident, is_const }| {
            if *is_const {
                quote!(__schedule::Argument::Value(#ident as __schedule::core::primitive::i128))
            } else {
                quote!(__schedule::Argument::Type(<#ident as __schedule::Identity>::NAME))
            }
        });
        let id = item! {
            const ID: __schedule::core::primitive::u128 = {
                let id = #id;
                #(let id = __schedule::mix(id, #ids);)*
                id
            };
        };
        let name = item! {
            const NAME: __schedule::Name = __schedule::generic_name(#name, &[#(#arguments),*]);
        };
        quote!(#id #name)
    }
}

/// Returns the hidden type of a system or handler: an empty enum with the generic parameters of the function.
///
/// Emits `generics` unchanged. `where_clause` belongs to them.
pub(crate) fn hidden_type(
    krate: &Path,
    vis: &Visibility,
    ident: &Ident,
    generics: &ImplGenerics,
    where_clause: Option<&WhereClause>,
    reason: &str,
) -> TokenStream {
    let ImplGenerics {
        declared, params, ..
    } = generics;
    let types: Vec<_> = params
        .iter()
        .filter(|param| !param.is_const)
        .map(|param| &param.ident)
        .collect();
    let variant = (!types.is_empty()).then(
        || quote!(__Never(#krate::__private::core::convert::Infallible #(, #krate::__private::core::marker::PhantomData<#types>)*)),
    );
    let reason = text(reason);
    let definition = item!(enum #ident #declared #where_clause { #variant });
    quote! {
        #[doc(hidden)]
        #[allow(
            non_camel_case_types,
            dead_code,
            missing_copy_implementations,
            missing_debug_implementations,
            unreachable_pub,
            clippy::exhaustive_enums,
            clippy::trait_duplication_in_bounds,
            reason = #reason
        )]
        #vis #definition
    }
}

/// Returns a hidden type and its implementations.
///
/// The compiler sees a single item, which becomes two when the attribute is expanded. In an `impl`, which cannot contain a type, the
/// compiler drops the item. So it reports only one error, and no errors about missing names in the implementations.
pub(crate) fn with_implementations(
    krate: &Path,
    definition: &TokenStream,
    implementations: &TokenStream,
) -> TokenStream {
    if cfg!(test) {
        // Snapshots are easier to read without the attribute.
        return quote!(#definition #implementations);
    }
    quote! {
        #[#krate::__private::beside { #implementations }]
        #definition
    }
}

/// Returns an identifier without `r#`.
pub(crate) fn plain(ident: &Ident) -> String {
    let text = ident.to_string();
    text.strip_prefix("r#").unwrap_or(&text).to_string()
}

/// Returns `tokens` with each of these lifetimes replaced by `new`, which is `_` or `static`.
pub(crate) fn replace_lifetimes(tokens: TokenStream, old: &[&Lifetime], new: &str) -> TokenStream {
    if old.is_empty() {
        return tokens;
    }
    let mut after_quote = false;
    let replaced = tokens.into_iter().map(|tree| {
        let is_lifetime = core::mem::replace(&mut after_quote, false);
        match tree {
            TokenTree::Ident(ident) if is_lifetime && old.iter().any(|old| old.ident == ident) => {
                TokenTree::Ident(Ident::new(new, ident.span()))
            }
            TokenTree::Group(group) => {
                let inside = replace_lifetimes(group.stream(), old, new);
                let mut replaced = Group::new(group.delimiter(), inside);
                replaced.set_span(group.span());
                TokenTree::Group(replaced)
            }
            TokenTree::Punct(punct) => {
                after_quote = punct.as_char() == '\'';
                TokenTree::Punct(punct)
            }
            other => other,
        }
    });
    replaced.collect()
}
