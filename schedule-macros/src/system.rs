//! `#[system]`.

mod analyse;
mod expand;
mod parse;

#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;

use self::parse::Options;
use crate::errors::Errors;
use crate::fallback;
use crate::function::{Item, Kind};

const KIND: Kind = Kind {
    noun: "system",
    caller: "schedule",
    call: "run",
    other: "handler",
};

pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let parsed = match Item::parse(item.clone(), KIND) {
        Ok(parsed) => parsed,
        // Whatever this is, it is no function: there is nothing to stand in for.
        Err(error) => return fallback::item(&item, &error),
    };
    let mut errors = Errors::new();
    let options = Options::parse(options, &mut errors);
    match analyse::analyse(&parsed, &options, errors) {
        Ok(system) => expand::expand(&item, &system),
        // A method stands where no type can, and the other attribute leaves a type of this name.
        Err(error) if parsed.signature.receiver().is_some() || parsed.is_given_again() => {
            fallback::item(&item, &error)
        }
        Err(error) => parsed
            .rejected(
                &item,
                options.hidden_type.as_ref(),
                &options.krate(),
                &error,
            )
            .system(),
    }
}
