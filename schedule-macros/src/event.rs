//! `#[derive(Event)]`.

mod analyse;
mod expand;
mod parse;

#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use syn::DeriveInput;

use self::parse::EventOptions;
use crate::errors::Errors;
use crate::fallback;

pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(item) {
        Ok(input) => input,
        Err(error) => return fallback::errors(&error),
    };
    let mut errors = Errors::new();
    let options = EventOptions::parse(&input.attrs, &mut errors);
    match analyse::analyse(&input, &options, errors) {
        Ok(event) => expand::expand(&event),
        Err(error) => fallback::event(&input, options.types(), &options.krate(), &error),
    }
}
