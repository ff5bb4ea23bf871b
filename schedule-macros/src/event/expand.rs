//! Expands an event to the code that finds its handler. Cannot fail.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote_spanned};

use super::analyse::{Case, Event, OfVariant};
use crate::spans::{ends, item_of, local, quote};

pub(super) fn expand(event: &Event) -> TokenStream {
    let Event {
        ident,
        cases,
        answer,
        error,
        krate,
    } = event;
    let declarations = cases
        .iter()
        .map(|case| item_of(&case.handler, "Handler", "DECLARATION"));
    let accesses = cases
        .iter()
        .map(|case| item_of(&case.handler, "Handler", "ACCESS"));
    let recipes = cases.iter().map(|case| {
        let recipe = item_of(&case.handler, "Handler", "recipe");
        let (_, last) = ends(&case.handler.to_token_stream());
        quote_spanned!(last=> #recipe())
    });
    let types: Vec<_> = (0..cases.len())
        .map(|idx| format_ident!("__R{idx}"))
        .collect();
    let bounds = cases.iter().map(|case| {
        let event = item_of(&case.handler, "Handler", "Event");
        let output = item_of(&case.handler, "Handler", "Output");
        let (first, last) = ends(&case.handler.to_token_stream());
        let recipe = quote_spanned!(first=> __schedule::EventRecipe<);
        let close = quote_spanned!(last=> >);
        quote!(#recipe #event, Output = #output #close)
    });
    let checks = cases
        .iter()
        .enumerate()
        .map(|(idx, case)| check(idx, case, ident));
    let one = local("event");
    let into_handled = |idx: usize| format_ident!("__INTO_HANDLED_{idx}");
    // Constants, so that the compiler reports a wrong output only once.
    let conversions = cases.iter().enumerate().map(|(idx, case)| {
        let name = into_handled(idx);
        let output = item_of(&case.handler, "Handler", "Output");
        let (first, last) = ends(&case.handler.to_token_stream());
        let open = quote_spanned!(first=> <);
        let item = quote_spanned!(last=> as __schedule::Returns<#ident>>::INTO_HANDLED);
        quote!(const #name: fn(#output) -> __schedule::Handled<#ident> = #open #output #item;)
    });
    let arms = cases.iter().enumerate().map(|(idx, case)| {
        let into_handled = into_handled(idx);
        let pattern = match &case.variant {
            None => quote!(#one),
            Some(OfVariant {
                ident: variant,
                member,
                ..
            }) => quote!(#ident::#variant { #member: #one }),
        };
        let take = format_ident!("__take_{idx}");
        quote!(#pattern => #one, #take, #into_handled)
    });
    let numbers = (0..cases.len()).map(syn::Index::from);
    let from = cases.iter().filter_map(|case| {
        let OfVariant {
            ident: variant,
            member,
            ty,
            ..
        } = case.variant.as_ref().filter(|variant| variant.is_only)?;
        Some(quote! {
            #[automatically_derived]
            impl ::core::convert::From<#ty> for #ident {
                #[inline]
                fn from(event: #ty) -> Self {
                    #ident::#variant { #member: event }
                }
            }
        })
    });
    quote! {
        #[allow(deprecated, reason = "that is said where the type is used")]
        const _: () = {
            use #krate::__private as __schedule;

            #[derive(::core::clone::Clone, ::core::marker::Copy)]
            struct __Cases<#(#types),*>(#(#types),*);

            const __HANDLERS: &[__schedule::HandlerDeclaration] = &[#(#declarations),*];

            #[automatically_derived]
            impl __schedule::Event for #ident {
                type Answer = #answer;
                type Error = #error;
                const ACCESS: __schedule::Access = __schedule::Access::OneOf(&[#(#accesses),*]);
                const HANDLERS: &'static [__schedule::HandlerDeclaration] = __HANDLERS;

                fn cases() -> impl __schedule::Cases<Self> {
                    __Cases(#(#recipes),*)
                }
            }

            #(#checks)*
            #(#conversions)*

            __schedule::cases! {
                #ident: __Cases {
                    #(#numbers #types: { #bounds } #arms;)*
                }
            }

            #(#from)*
        };
    }
}

/// Returns a function that converts the value of a variant to the event of its handler. If the types differ, the compiler reports it once.
fn check(idx: usize, case: &Case, event: &Ident) -> TokenStream {
    let take = format_ident!("__take_{idx}");
    let taken = item_of(&case.handler, "Handler", "Event");
    let (ty, value) = match &case.variant {
        None => (event.to_token_stream(), Ident::new("event", event.span())),
        Some(variant) => {
            let ty = variant.ty.to_token_stream();
            let (first, _) = ends(&ty);
            (ty, Ident::new("event", first))
        }
    };
    let (first, _) = ends(&case.handler.to_token_stream());
    let lent = quote_spanned!(first=> &);
    quote! {
        #[inline(always)]
        const fn #take(#value: &#ty) -> #lent #taken {
            #value
        }
    }
}
