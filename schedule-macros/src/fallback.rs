//! What the compiler sees after an error: the item as written, the errors, and inert stand-ins.
//!
//! If a rejected system simply vanished, every use of it would be an error of its own, and an editor could no
//! longer complete inside of it.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{DeriveInput, Error, Generics, Path, Visibility};

use crate::generics::{self, ImplGenerics};
use crate::messages;

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

            // SAFETY: there is no event to be shown.
            unsafe impl __schedule::Cases<#ident> for __Cases {
                fn stores(&self, _: &mut __schedule::Stores) {}

                fn visit<__V: __schedule::Visitor<#ident>>(&self, _: &#ident, _: __V) -> __V::Output {
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

/// A function that was rejected as a system or a handler.
#[derive(Clone, Copy)]
pub(crate) struct Rejected<'a> {
    /// As the compiler is to see it.
    pub(crate) function: &'a TokenStream,
    pub(crate) vis: &'a Visibility,
    pub(crate) hidden_type: &'a Ident,
    pub(crate) generics: &'a Generics,
    pub(crate) krate: &'a Path,
    pub(crate) error: &'a Error,
}

impl Rejected<'_> {
    /// The function, the errors, and a handler that touches nothing, does nothing and answers whatever is asked.
    pub(crate) fn handler(self, event: Option<TokenStream>) -> TokenStream {
        let event = event.unwrap_or_else(|| quote!(()));
        let bound = quote!(::core::marker::Send + 'static);
        self.stand_in("handler", &bound, |declared, named| {
            quote! {
                impl #declared __schedule::Handler for #named {
                    type Event = #event;
                    type Output = __schedule::Rejected;
                    const ACCESS: __schedule::Access = __schedule::Access::Each(&[]);
                    const ARGUMENTS: __schedule::Arguments = __schedule::Arguments::new(&[]);

                    fn recipe() -> impl __schedule::EventRecipe<Self::Event, Output = Self::Output> {
                        __schedule::Handling::new(
                            (),
                            |_: &Self::Event, naming| ::core::result::Result::Ok(naming),
                            |_: &Self::Event, ()| __schedule::Rejected,
                        )
                    }
                }
            }
        })
    }

    /// The function, the errors, and a system that touches nothing, does nothing and answers whatever is asked.
    pub(crate) fn system(self) -> TokenStream {
        self.stand_in("system", &quote!('static), |declared, named| {
            quote! {
                impl #declared __schedule::System for #named {
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
            }
        })
    }

    /// The function, the errors, and a hidden type which is what `implementation` makes of its parameters and its name.
    fn stand_in(
        self,
        noun: &str,
        bound: &TokenStream,
        implementation: impl Fn(&TokenStream, &TokenStream) -> TokenStream,
    ) -> TokenStream {
        let Self {
            function,
            vis,
            hidden_type,
            generics,
            krate,
            error,
        } = self;
        let errors = error.to_compile_error();
        let reason = messages::stands_in(noun);
        // Its bounds may be the fault; a stand-in needs none.
        let bare = ImplGenerics::bare(generics, None);
        let definition = generics::hidden_type(vis, hidden_type, &bare, None, &reason);
        let ImplGenerics { declared, used, .. } = ImplGenerics::bare(generics, Some(bound));
        let name = hidden_type.to_string();
        let implementation = implementation(&declared, &quote!(#hidden_type #used));
        let implementations = quote! {
            const _: () = {
                use #krate::__private as __schedule;

                impl #declared __schedule::Identity for #hidden_type #used {
                    const ID: ::core::primitive::u128 = 0;
                    const NAME: __schedule::Name = __schedule::Name::new(#name);
                }

                #implementation
            };
        };
        let hidden_type = generics::with_implementations(krate, &definition, &implementations);
        quote! {
            #function
            #errors
            #hidden_type
        }
    }
}
