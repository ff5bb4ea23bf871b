//! `#[derive(SavedComponent)]`: the call of `saved_component!` for the type.

#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::{Data, DeriveInput, parse_quote};

use crate::errors::Errors;
use crate::{fallback, identity, messages};

pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let result = syn::parse2(item).and_then(|input: DeriveInput| {
        let mut errors = Errors::new();
        let none: [&[&str]; 3] = [&[], &[], &[]];
        let krate = parse_quote!(::schedule_hecs);
        let options = identity::parse_all(&input, "saved_component", none, krate, &mut errors);
        if let Data::Union(data) = &input.data {
            let message = messages::union_cannot(messages::BE_A_COMPONENT);
            errors.at(data.union_token, message);
        }
        for lifetime in input.generics.lifetimes() {
            errors.at(lifetime, messages::borrow_cannot(messages::BE_A_COMPONENT));
        }
        let generics = &input.generics;
        if generics.lifetimes().count() < generics.params.len() {
            errors.at(generics, messages::GENERIC_SAVED_COMPONENT);
        }
        errors.finish()?;
        let (krate, ident) = (options.krate, &input.ident);
        Ok(quote_spanned!(ident.span()=> #krate::saved_component!(#ident);))
    });
    result.unwrap_or_else(|error| fallback::errors(&error))
}
