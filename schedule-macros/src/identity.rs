//! `#[derive(Identity)]`, and the derives that add nothing but a marker to it.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Path, parse_quote};

use crate::errors::Errors;
use crate::fallback;
use crate::generics::ImplGenerics;

/// `markers` are traits without items that are implemented besides.
pub(crate) fn expand(item: TokenStream, attribute: &str, markers: &[&str]) -> TokenStream {
    let result = syn::parse2(item).and_then(|input: DeriveInput| {
        let mut errors = Errors::new();
        let mut krate: Path = parse_quote!(::schedule);
        let is_crate = |meta: syn::meta::ParseNestedMeta<'_>| {
            if meta.path.is_ident("crate") {
                krate = meta.value()?.parse()?;
                Ok(())
            } else {
                Err(meta.error("unknown option; expected `crate`"))
            }
        };
        parse_options(&input, attribute, &mut errors, is_crate);
        analyse(&input, "an identity", &mut errors);
        if !markers.is_empty() && !input.generics.params.is_empty() {
            errors.at(
                &input.generics,
                format_args!("a {attribute} cannot be generic: it is a name"),
            );
        }
        errors.finish()?;
        let identity = implement(&input);
        let ident = &input.ident;
        let markers = markers
            .iter()
            .map(|marker| syn::Ident::new(marker, ident.span()));
        Ok(quote! {
            const _: () = {
                use #krate::__private as __schedule;
                #identity
                #(impl __schedule::#markers for #ident {})*
            };
        })
    });
    result.unwrap_or_else(|error| fallback::errors(&error))
}

/// Runs `option` on every option of the attribute of this name, and collects what it refuses.
pub(crate) fn parse_options(
    input: &DeriveInput,
    attribute: &str,
    errors: &mut Errors,
    mut option: impl FnMut(syn::meta::ParseNestedMeta<'_>) -> syn::Result<()>,
) {
    for attr in &input.attrs {
        if attr.path().is_ident(attribute)
            && let Err(error) = attr.parse_nested_meta(&mut option)
        {
            errors.push(error);
        }
    }
}

/// Refuses what cannot be told apart by type.
pub(crate) fn analyse(input: &DeriveInput, what: &str, errors: &mut Errors) {
    if let Data::Union(data) = &input.data {
        errors.at(
            data.union_token,
            format_args!("a union cannot have {what}: use a struct or an enum"),
        );
    }
    for lifetime in input.generics.lifetimes() {
        errors.at(
            lifetime,
            format_args!("a type that borrows cannot have {what}: it lives longer than any borrow"),
        );
    }
}

/// `Identity` for the type, inside a block in which `__schedule` is known.
pub(crate) fn implement(input: &DeriveInput) -> TokenStream {
    let ident = &input.ident;
    let bound = quote!(__schedule::Identity);
    let generics = ImplGenerics::new(&input.generics, Some(&bound));
    let ImplGenerics { declared, used, .. } = &generics;
    let where_clause = &input.generics.where_clause;
    let name = ident.to_string();
    let name = name.strip_prefix("r#").unwrap_or(&name);
    let body = generics.identity(ident, name);
    quote! {
        #[automatically_derived]
        impl #declared __schedule::Identity for #ident #used #where_clause {
            #body
        }
    }
}
