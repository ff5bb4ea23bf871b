//! `schedule!`.

mod ahead;
mod analyse;
mod expand;
mod parse;
mod syntax;

#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser};

use self::syntax::Declared;
use crate::errors::Errors;
use crate::fallback;

pub(crate) fn expand(tokens: TokenStream) -> TokenStream {
    let mut errors = Errors::new();
    let mut declared = None;
    let parse = |input: ParseStream<'_>| {
        match Declared::parse(input, &mut errors) {
            Ok(parsed) => declared = Some(parsed),
            Err(error) => errors.push(error),
        }
        Ok(())
    };
    // What was passed over is told of already; the parser would tell of it as unexpected.
    let _ = parse.parse2(tokens);
    let Some(declared) = declared else {
        // Without a name there is nothing to stand in for.
        return errors
            .finish()
            .map_or_else(|error| fallback::errors(&error), |()| TokenStream::new());
    };
    match analyse::analyse(&declared, errors) {
        Ok(schedule) => expand::expand(&declared, &schedule),
        Err(error) => expand::stand_in(&declared, &error),
    }
}
