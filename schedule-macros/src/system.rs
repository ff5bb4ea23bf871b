//! `#[system]`.

mod analyse;
mod body;
mod expand;
mod for_each;
mod parse;
mod spanning;

#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use syn::Path;

use self::parse::SystemOptions;
use crate::cfg::{self, Conditional, List};
use crate::errors::Errors;
use crate::fallback;
use crate::function::{FunctionItem, FunctionKind};
use crate::spans::{self, quote};

const KIND: FunctionKind = FunctionKind {
    noun: "system",
    caller: "schedule",
    call: "run",
    other: "handler",
};

pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let parsed = match FunctionItem::parse(item.clone(), KIND) {
        Ok(parsed) => parsed,
        // Other items than functions have no replacement.
        Err(error) => return fallback::item(&item, &error),
    };
    spans::for_function(&item, &parsed.signature.ident, || {
        expand_function(options, item.clone(), &parsed)
    })
}

fn expand_function(options: TokenStream, item: TokenStream, parsed: &FunctionItem) -> TokenStream {
    let mut errors = Errors::new();
    let options = match cfg::split(options, List::Names, &mut errors) {
        Ok(conditional) => {
            // The expansion of the enabled case reports errors in the options.
            let options = SystemOptions::parse(conditional.all.clone(), &mut Errors::new());
            return under_cfg(&item, &conditional, &options.krate());
        }
        Err(options) => SystemOptions::parse(options, &mut errors),
    };
    let item = parse::without_resource(parsed).unwrap_or(item);
    match analyse::analyse(parsed, &options, errors) {
        Ok(system) => expand::expand(&item, &system),
        // An `impl` cannot contain the replacement type of a method. If there is another attribute, that one emits the replacement type.
        Err(error) if parsed.signature.receiver().is_some() || parsed.is_given_again() => {
            fallback::item(&item, &error)
        }
        Err(error) => parsed
            .rejected(
                // Otherwise, the compiler would report the missing body of a spanning group, too.
                &if options.is_group() && analyse::has_no_body(parsed) {
                    TokenStream::new()
                } else {
                    item
                },
                options.hidden_type.as_ref(),
                &options.krate(),
                &error,
            )
            .system(),
    }
}

/// Returns the function with the options of both cases.
fn under_cfg(item: &TokenStream, conditional: &Conditional, krate: &Path) -> TokenStream {
    let Conditional {
        predicate, on, off, ..
    } = conditional;
    quote! {
        #[cfg_attr(#predicate, #krate::__private::system(#on))]
        #[cfg_attr(not(#predicate), #krate::__private::system(#off))]
        #item
    }
}
