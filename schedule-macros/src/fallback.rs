//! What the compiler sees after an error: the item as written, the errors, and inert stand-ins.
//!
//! If a rejected system simply vanished, every use of it would be an error of its own, and an editor could no
//! longer complete inside of it.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{DeriveInput, Error, Generics, Path, Visibility};

use crate::generics::{self, ImplGenerics};

/// The errors alone; for most derives, whose item the compiler keeps anyway.
pub(crate) fn errors(error: &Error) -> TokenStream {
    error.to_compile_error()
}

/// The errors, and branches of no name, so that a system may return them.
pub(crate) fn branch(input: &DeriveInput, krate: &Path, error: &Error) -> TokenStream {
    let errors = error.to_compile_error();
    if !input.generics.params.is_empty() {
        return errors;
    }
    let ident = &input.ident;
    quote! {
        #errors

        const _: () = {
            use #krate::__private as __schedule;

            impl __schedule::Branch for #ident {
                const NAMES: &'static [&'static ::core::primitive::str] = &[];

                fn index(self) -> ::core::primitive::u32 {
                    0
                }
            }
        };
    }
}

/// The errors, and an event that nobody handles.
pub(crate) fn event(
    input: &DeriveInput,
    [answer, error_type]: [TokenStream; 2],
    krate: &Path,
    error: &Error,
) -> TokenStream {
    let errors = error.to_compile_error();
    if !input.generics.params.is_empty() {
        return errors;
    }
    let ident = &input.ident;
    quote! {
        #errors

        const _: () = {
            use #krate::__private as __schedule;

            #[derive(::core::clone::Clone, ::core::marker::Copy)]
            struct __Cases;

            impl __schedule::Event for #ident {
                type Answer = #answer;
                type Error = #error_type;
                const ACCESS: __schedule::Access = __schedule::Access::OneOf(&[]);
                const HANDLERS: &'static [__schedule::HandlerDeclaration] = &[];

                fn cases() -> impl __schedule::Cases<Self> {
                    __Cases
                }
            }

            impl __schedule::Cases<#ident> for __Cases {
                fn stores(&self, _: &mut __schedule::Stores) {}

                fn name(
                    &self,
                    _: &#ident,
                    _: __schedule::Desk<'_>,
                ) -> ::core::result::Result<(), __schedule::NotThere> {
                    ::core::unreachable!()
                }

                fn handle(
                    &self,
                    _: &#ident,
                    _: __schedule::Granted<'_>,
                ) -> ::core::result::Result<__schedule::Handled<#ident>, __schedule::NotThere> {
                    ::core::unreachable!()
                }
            }
        };
    }
}

/// The item as written, and the errors; for what a stand-in would only make worse.
pub(crate) fn item(item: &TokenStream, error: &Error) -> TokenStream {
    let errors = error.to_compile_error();
    quote!(#item #errors)
}

/// The function, the errors, and a handler that touches nothing, does nothing and answers whatever is asked.
pub(crate) fn handler(
    function: &TokenStream,
    vis: &Visibility,
    hidden_type: &Ident,
    generics: &Generics,
    event: Option<TokenStream>,
    krate: &Path,
    error: &Error,
) -> TokenStream {
    let errors = error.to_compile_error();
    let reason = "stands in for a rejected handler";
    let bare = ImplGenerics::bare(generics, None);
    let definition = generics::hidden_type(vis, hidden_type, &bare, None, reason);
    let static_bound = quote!(::core::marker::Send + 'static);
    let ImplGenerics { declared, used, .. } = ImplGenerics::bare(generics, Some(&static_bound));
    let name = hidden_type.to_string();
    let event = event.unwrap_or_else(|| quote!(()));
    quote! {
        #function
        #errors
        #definition

        const _: () = {
            use #krate::__private as __schedule;

            impl #declared __schedule::Identity for #hidden_type #used {
                const ID: ::core::primitive::u128 = 0;
                const NAME: __schedule::Name = __schedule::Name::new(#name);
            }

            impl #declared __schedule::Handler for #hidden_type #used {
                type Event = #event;
                type Output = __schedule::Rejected;
                const ACCESS: __schedule::Access = __schedule::Access::Each(&[]);
                const ARGUMENTS: __schedule::Arguments = __schedule::Arguments::new(&[]);

                fn recipe() -> impl __schedule::EventRecipe<Self::Event, Output = Self::Output> {
                    __schedule::Handling::new(
                        (),
                        |_: &Self::Event, naming| naming,
                        |_: &Self::Event, ()| __schedule::Rejected,
                    )
                }
            }
        };
    }
}

/// The function as written, the errors, and a system that touches nothing, does nothing and answers whatever is asked.
pub(crate) fn system(
    item: &TokenStream,
    vis: &Visibility,
    hidden_type: &Ident,
    generics: &Generics,
    krate: &Path,
    error: &Error,
) -> TokenStream {
    let errors = error.to_compile_error();
    let reason = "stands in for a rejected system";
    // Its bounds may be the fault; a stand-in needs none.
    let bare = ImplGenerics::bare(generics, None);
    let definition = generics::hidden_type(vis, hidden_type, &bare, None, reason);
    let ImplGenerics { declared, used, .. } = ImplGenerics::bare(generics, Some(&quote!('static)));
    let name = hidden_type.to_string();
    quote! {
        #item
        #errors
        #definition

        const _: () = {
            use #krate::__private as __schedule;

            impl #declared __schedule::Identity for #hidden_type #used {
                const ID: ::core::primitive::u128 = 0;
                const NAME: __schedule::Name = __schedule::Name::new(#name);
            }

            impl #declared __schedule::System for #hidden_type #used {
                const PARAMETERS: __schedule::Parameters =
                    __schedule::Parameters::new("parameter", &[]);
                const FUNCTION: __schedule::Function = __schedule::Function::new(
                    &__schedule::Call::new(
                        (),
                        <__schedule::Rejected as __schedule::Output>::INTO_ANSWER,
                        |()| __schedule::Rejected,
                    ),
                );
            }
        };
    }
}
