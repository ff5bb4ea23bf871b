//! `#[system]`.

mod analyse;
mod expand;
mod parse;

#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;

use self::parse::{Item, Options};
use crate::fallback;

pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let parsed = match Item::parse(item.clone()) {
        Ok(parsed) => parsed,
        Err(error) => {
            // Whatever this is, it is no function: there is nothing to stand in for.
            let errors = fallback::errors(&error);
            return quote::quote!(#item #errors);
        }
    };
    let mut errors = crate::errors::Errors::new();
    let options = Options::parse(options, &mut errors);
    match analyse::analyse(&parsed, &options, errors) {
        Ok(system) => expand::expand(&item, &system),
        Err(error) => fallback::system(
            &item,
            &parsed.vis,
            options
                .hidden_type
                .as_ref()
                .unwrap_or(&parsed.signature.ident),
            &parsed.signature.generics,
            &options.krate(),
            &error,
        ),
    }
}
