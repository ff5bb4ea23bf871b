//! `#[handler]`.

mod analyse;
mod expand;
mod parse;

#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;

use self::parse::HandlerOptions;
use crate::errors::Errors;
use crate::fallback;
use crate::function::{FunctionItem, FunctionKind};
use crate::spans;

const KIND: FunctionKind = FunctionKind {
    noun: "handler",
    caller: "stream",
    call: "event",
    other: "system",
};

pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let parsed = match FunctionItem::parse(item.clone(), KIND) {
        Ok(parsed) => parsed,
        // Other items than functions have no replacement.
        Err(error) => return fallback::item(&item, &error),
    };
    spans::for_function(&item, &parsed.signature.ident, || {
        expand_function(options, &item, &parsed)
    })
}

fn expand_function(options: TokenStream, item: &TokenStream, parsed: &FunctionItem) -> TokenStream {
    let mut errors = Errors::new();
    let options = HandlerOptions::parse(options, &mut errors);
    let is_method = parsed.signature.receiver().is_some();
    let is_given_again = parsed.attributes("handler").next().is_some();
    let function = parse::without_keys(parsed);
    match analyse::analyse(parsed, &options, errors) {
        Ok(handler) => expand::expand(&function, &handler),
        // The other attribute reads the keys and emits the replacement type.
        Err(error) if is_given_again => fallback::item(item, &error),
        // An `impl` cannot contain the replacement type of a method.
        Err(error) if is_method => fallback::item(&function, &error),
        Err(error) => parsed
            .rejected(
                &function,
                options.hidden_type.as_ref(),
                &options.krate(),
                &error,
            )
            .handler(analyse::event(&parsed.signature)),
    }
}
