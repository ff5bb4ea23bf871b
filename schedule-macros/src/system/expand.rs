//! A system to the code that declares it. Cannot fail.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, TypePath};

use super::analyse::{Order, Parameter, System};
use crate::generics::{self, ImplGenerics};
use crate::parameters::{distinct, item_of, nest, param_seed, parameters};

pub(super) fn expand(item: &TokenStream, system: &System) -> TokenStream {
    let System {
        function,
        hidden_type,
        krate,
        output,
        ..
    } = system;
    let bound = quote!(__schedule::Identity + 'static);
    let impl_generics = ImplGenerics::new(&system.generics, Some(&bound));
    let ImplGenerics { declared, used, .. } = &impl_generics;
    let where_clause = &system.generics.where_clause;
    let identity = impl_generics.identity(hidden_type, &system.name);
    let definition = generics::hidden_type(
        &system.vis,
        hidden_type,
        &ImplGenerics::new(&system.generics, None),
        where_clause.as_ref(),
        "names the system beside its function",
    );
    let deprecated = &system.deprecated;
    // The signature of a system is its access; that it is long is nothing to be told about each one.
    let many = (system.parameters.len() > 7).then(
        || quote!(#[allow(clippy::too_many_arguments, reason = "a system takes what it touches")]),
    );

    let types: Vec<_> = system.parameters.iter().map(|one| &one.ty).collect();
    let seeds: Vec<_> = system.parameters.iter().map(seed).collect();
    let names = system.parameters.iter().map(|one| one.name.as_str());
    let parameters = parameters("parameter", names, &seeds);
    let seeds = nest(&seeds);
    let idents: Vec<_> = system.parameters.iter().map(|one| &one.ident).collect();
    let pattern = nest(&idents);
    let call = call(system);
    let into_answer = item_of(output, "Output", "INTO_ANSWER");
    let orders = system.orders.iter().map(|Order { kind, other }| {
        let kind = Ident::new(kind, other.span());
        constant(
            quote_spanned!(other.span()=> __schedule::Order::#kind),
            other,
        )
    });
    let orders = list(quote!(ORDERS), quote!(Order), orders.collect());
    let groups = system.groups.iter().map(|group| {
        constant(
            quote_spanned!(group.span()=> __schedule::Membership::of),
            group,
        )
    });
    let groups = list(quote!(GROUPS), quote!(Membership), groups.collect());
    // What hangs on a type parameter is known only where the system is used; there the function is evaluated, and with it the check.
    let is_generic = !impl_generics.params.is_empty();
    let (parameters, check) = if is_generic {
        let distinct = distinct(&types, &quote!(parameters));
        let parameters = quote!({ let parameters = #parameters; #distinct parameters });
        (parameters, quote!())
    } else {
        // The check does not name the hidden type: it would count as used, and the function with it.
        let distinct = distinct(&types, &quote!(__PARAMETERS));
        let check = quote! {
            const __PARAMETERS: __schedule::Parameters = #parameters;
            const _: () = { #distinct };
        };
        (quote!(__PARAMETERS), check)
    };
    // Where the function stands is where it is made: from the first to the last token.
    let new = quote_spanned!(function.span()=> __schedule::Function::new);
    let recipe = quote! {
        &__schedule::Call::new(#seeds, #into_answer, |#pattern| #call)
    };
    let recipe = quote_spanned!(function.span()=> (#recipe));
    let made = if is_generic {
        quote!({ let _ = <Self as __schedule::System>::PARAMETERS; #new #recipe })
    } else {
        quote!(#new #recipe)
    };

    quote! {
        #many
        #item
        #deprecated
        #definition

        #[allow(deprecated, unused_variables, reason = "that is said at the function itself")]
        const _: () = {
            use #krate::__private as __schedule;

            #[automatically_derived]
            impl #declared __schedule::Identity for #hidden_type #used #where_clause {
                #identity
            }

            #[automatically_derived]
            impl #declared __schedule::System for #hidden_type #used #where_clause {
                const PARAMETERS: __schedule::Parameters = #parameters;
                const FUNCTION: __schedule::Function = #made;
                #orders
                #groups
            }

            #check
        };
    }
}

/// `function::<of>()`, at the place of what it is about: a list that it stands in tells where that was declared.
fn constant(function: TokenStream, of: &TypePath) -> TokenStream {
    let call = quote_spanned!(of.span()=> ());
    quote!(#function::<#of> #call)
}

/// A constant list, unless it is empty: the trait has that already.
fn list(name: TokenStream, ty: TokenStream, elements: Vec<TokenStream>) -> TokenStream {
    if elements.is_empty() {
        return quote!();
    }
    quote!(const #name: &'static [__schedule::#ty] = &[#(#elements),*];)
}

/// The seed of a parameter; nothing, where its `#[cfg]` is off.
fn seed(parameter: &Parameter) -> TokenStream {
    let seed = param_seed(&parameter.ty);
    match &parameter.cfg {
        None => seed,
        Some(cfg) => quote!({
            #[cfg(#cfg)]
            { #seed }
            #[cfg(not(#cfg))]
            { <() as __schedule::Param>::SEED }
        }),
    }
}

/// The call of the function with what was fetched; parameters are left out as their `#[cfg]` says.
fn call(system: &System) -> TokenStream {
    let function = &system.function;
    let ImplGenerics { used, .. } = ImplGenerics::new(&system.generics, None);
    let turbofish = (!used.is_empty()).then(|| quote!(::#used));
    let arguments = system.parameters.iter().map(|parameter| {
        let ident = &parameter.ident;
        let cfg = parameter.cfg.iter();
        quote!(#(#[cfg(#cfg)])* #ident)
    });
    quote!(#function #turbofish (#(#arguments),*))
}
