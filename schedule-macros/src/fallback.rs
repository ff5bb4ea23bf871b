//! Expansions after an error: the item as written, the errors, and an inert replacement.
//!
//! Without a replacement, every use of a rejected system would cause another error. Editors could also no longer complete code inside of
//! it.

use proc_macro2::{Ident, TokenStream};
use syn::{DeriveInput, Error, Generics, Path, Visibility};

use crate::generics::{self, ImplGenerics};
use crate::messages;
use crate::spans::{quote, text};

/// Returns only the errors. For most derives, the compiler keeps the item itself.
pub(crate) fn errors(error: &Error) -> TokenStream {
    error.to_compile_error()
}

/// Returns the errors and a `Branch` implementation without names, so that a system may return the type.
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
                const NAMES: &'static [&'static __schedule::core::primitive::str] = &[];

                fn index(self) -> __schedule::core::primitive::u32 {
                    0
                }
            }
        };
    }
}

/// Returns the errors and a `Snapshot` implementation without content, so that the type may be saved.
pub(crate) fn snapshot(input: &DeriveInput, krate: &Path, error: &Error) -> TokenStream {
    let errors = error.to_compile_error();
    if !input.generics.params.is_empty() {
        return errors;
    }
    let ident = &input.ident;
    quote! {
        #errors

        const _: () = {
            use #krate::__private as __schedule;

            impl __schedule::Snapshot for #ident {
                const NAME: &'static __schedule::core::primitive::str = "";
                const VERSION: __schedule::core::primitive::u32 = 1;

                fn save(
                    &self,
                    _: &mut __schedule::Encoder,
                ) -> __schedule::core::result::Result<(), __schedule::SnapshotError> {
                    __schedule::core::unreachable!()
                }

                fn restore(
                    _: &mut __schedule::Decoder<'_>,
                ) -> __schedule::core::result::Result<Self, __schedule::SnapshotError> {
                    __schedule::core::unreachable!()
                }

                fn schema() -> __schedule::Schema {
                    __schedule::core::unreachable!()
                }
            }
        };
    }
}

/// Returns the errors and an event without handlers.
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

            __schedule::cases! { #ident: __Cases {} }
        };
    }
}

/// Returns the item as written and the errors. For items that a replacement cannot improve.
pub(crate) fn item(item: &TokenStream, error: &Error) -> TokenStream {
    let errors = error.to_compile_error();
    quote!(#item #errors)
}

/// A function that was rejected as a system or a handler.
#[derive(Clone, Copy)]
pub(crate) struct Rejected<'a> {
    /// The function as the compiler should see it.
    pub(crate) function: &'a TokenStream,
    pub(crate) vis: &'a Visibility,
    pub(crate) hidden_type: &'a Ident,
    pub(crate) generics: &'a Generics,
    pub(crate) krate: &'a Path,
    pub(crate) error: &'a Error,
}

impl Rejected<'_> {
    /// Returns the function, the errors, and a handler that accesses nothing, does nothing and may return any answer.
    pub(crate) fn handler(self, event: Option<TokenStream>) -> TokenStream {
        let event = event.unwrap_or_else(|| quote!(()));
        let bound = quote!(__schedule::core::marker::Send + 'static);
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
                            |_: &Self::Event, naming| __schedule::core::result::Result::Ok(naming),
                            |_: &Self::Event, ()| __schedule::Rejected,
                        )
                    }
                }
            }
        })
    }

    /// Returns the function, the errors, and a system that accesses nothing, does nothing and may return any answer.
    pub(crate) fn system(self) -> TokenStream {
        self.stand_in("system", &quote!('static), |declared, named| {
            quote! {
                impl #declared __schedule::System for #named {
                    const DEFINITION: __schedule::Definition = __schedule::Definition::once(
                        &__schedule::Once::new(
                            __schedule::named_0([], ()),
                            <__schedule::Rejected as __schedule::Output>::INTO_ANSWER,
                            |()| __schedule::Rejected,
                        ),
                    );
                }
            }
        })
    }

    /// Returns the function, the errors, and a hidden type. `implementation` makes its implementation from its generics and its name.
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
        // The bounds may be wrong, and a replacement needs none.
        let bare = ImplGenerics::bare(generics, None);
        let definition = generics::hidden_type(krate, vis, hidden_type, &bare, None, &reason);
        let ImplGenerics { declared, used, .. } = ImplGenerics::bare(generics, Some(bound));
        let name = text(&generics::plain(hidden_type));
        let implementation = implementation(&declared, &quote!(#hidden_type #used));
        let implementations = quote! {
            const _: () = {
                use #krate::__private as __schedule;

                impl #declared __schedule::Identity for #hidden_type #used {
                    const ID: __schedule::core::primitive::u128 = 0;
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
