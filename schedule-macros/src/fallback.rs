//! What the compiler sees after an error: the item as written, the errors, and inert stand-ins.
//!
//! If a rejected system simply vanished, every use of it would be an error of its own, and an editor could no
//! longer complete inside of it.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Error, Visibility};

/// The errors alone; for derives, whose item the compiler keeps anyway.
pub(crate) fn errors(error: &Error) -> TokenStream {
    error.to_compile_error()
}

/// The function as written, the errors, and a system that touches nothing and does nothing.
pub(crate) fn system(
    item: &TokenStream,
    vis: &Visibility,
    name: &Ident,
    krate: &syn::Path,
    error: &Error,
) -> TokenStream {
    let errors = error.to_compile_error();
    let text = name.to_string();
    quote! {
        #item
        #errors

        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code, reason = "stands in for a rejected system")]
        #vis enum #name {}

        const _: () = {
            use #krate::__private as __schedule;

            impl __schedule::Identity for #name {
                const ID: u128 = 0;
                const NAME: __schedule::Name = __schedule::Name::new(#text);
            }

            impl __schedule::System for #name {
                const LOCATION: &'static ::core::panic::Location<'static> =
                    ::core::panic::Location::caller();
                const PARAMETERS: &'static [__schedule::Parameter] = &[];
                const ORDERS: &'static [__schedule::Order] = &[];
                type Answer = bool;

                fn instance() -> __schedule::Instance {
                    __schedule::Instance::new((), |()| ::core::result::Result::Ok(true))
                }
            }
        };
    }
}
