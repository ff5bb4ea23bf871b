//! `#[derive(Component)]` and `#[derive(Message)]`: an identity, and traits without items.

use proc_macro2::{Span, TokenStream};
use syn::{Data, DeriveInput, Ident};

use crate::errors::Errors;
use crate::generics::ImplGenerics;
use crate::messages;
use crate::spans::quote;
use crate::{fallback, identity};

pub(crate) fn expand(item: TokenStream) -> TokenStream {
    derive(
        item,
        "component",
        messages::BE_A_COMPONENT,
        &[("ComponentType", true), ("Component", false)],
    )
}

pub(crate) fn expand_message(item: TokenStream) -> TokenStream {
    derive(
        item,
        "message",
        messages::BE_A_MESSAGE,
        &[("Message", false)],
    )
}

/// `traits`: the traits that are implemented, and whether each has a type `Itself`, which is the type itself.
fn derive(item: TokenStream, attribute: &str, what: &str, traits: &[(&str, bool)]) -> TokenStream {
    let result = syn::parse2(item).and_then(|input: DeriveInput| {
        let mut errors = Errors::new();
        let options = identity::parse_options(&input, attribute, &[], &mut errors);
        if let Data::Union(data) = &input.data {
            errors.at(data.union_token, messages::union_cannot(what));
        }
        for lifetime in input.generics.lifetimes() {
            errors.at(lifetime, messages::borrow_cannot(what));
        }
        errors.finish()?;
        let krate = options.krate;
        let ident = &input.ident;
        let identity = identity::implement(&input);
        let bound = quote!(__schedule::Identity);
        let ImplGenerics { declared, used, .. } = ImplGenerics::new(&input.generics, Some(&bound));
        let where_clause = identity::shared_where(&input);
        let traits = traits.iter().map(|&(name, has_itself)| {
            let name = Ident::new(name, Span::call_site());
            let itself = has_itself.then(|| {
                quote!(
                    type Itself = Self;
                )
            });
            quote! {
                #[automatically_derived]
                impl #declared __schedule::#name for #ident #used #where_clause {
                    #itself
                }
            }
        });
        Ok(quote! {
            #[allow(deprecated, reason = "a use of the type is reported where it is used")]
            const _: () = {
                use #krate::__private as __schedule;
                #identity
                #(#traits)*
            };
        })
    });
    result.unwrap_or_else(|error| fallback::errors(&error))
}
