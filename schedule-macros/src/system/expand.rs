//! A system to the code that declares it. Cannot fail.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::Ident;
use syn::spanned::Spanned;

use super::analyse::{Order, Parameter, System};
use crate::generics::ImplGenerics;
use crate::parameters::{distinct, nest, param_state, parameters};

pub(super) fn expand(item: &TokenStream, system: &System) -> TokenStream {
    let System {
        function,
        hidden_type,
        krate,
        output,
        ..
    } = system;
    let bound = quote!(__schedule::Identity + 'static);
    let generics = ImplGenerics::new(&system.generics, Some(&bound));
    let ImplGenerics { declared, used, .. } = &generics;
    let where_clause = &system.generics.where_clause;
    let identity = generics.identity(hidden_type, &system.name);
    let definition = define(system);

    let types: Vec<_> = system.parameters.iter().map(|one| &one.ty).collect();
    let states: Vec<_> = system.parameters.iter().map(state).collect();
    let names = system.parameters.iter().map(|one| one.name.as_str());
    let parameters = parameters(names, &states);
    let states = nest(&states);
    let idents: Vec<_> = system.parameters.iter().map(|one| &one.ident).collect();
    let pattern = nest(&idents);
    let call = call(system);
    let orders = system.orders.iter().map(|Order { direction, other }| {
        let direction = Ident::new(direction, other.span());
        let order = quote_spanned!(other.span()=> __schedule::Order::#direction);
        let call = quote_spanned!(other.span()=> ());
        quote!(#order::<#other> #call)
    });
    // What hangs on a type parameter is known only where the system is used; there its constants are evaluated.
    let (parameters, check) = if generics.params.is_empty() {
        let list = quote!(<#hidden_type as __schedule::System>::PARAMETERS);
        let distinct = distinct(&types, &list);
        (parameters, quote!(const _: () = { #distinct };))
    } else {
        (quote!(__schedule::all_distinct(#parameters)), quote!())
    };
    let location = Ident::new("caller", function.span());
    let location = quote_spanned!(function.span()=> ::core::panic::Location::#location());

    quote! {
        #item
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
                const LOCATION: &'static ::core::panic::Location<'static> = #location;
                const PARAMETERS: &'static [__schedule::Parameter] = #parameters;
                const ORDERS: &'static [__schedule::Order] = &[#(#orders),*];
                type Answer = <#output as __schedule::Output>::Answer;

                fn instance() -> __schedule::Instance {
                    __schedule::Instance::new(#states, |#pattern| {
                        <#output as __schedule::Output>::into_answer(#call)
                    })
                }
            }

            #check
        };
    }
}

/// The hidden type: a name without values, with the parameters of the function.
fn define(system: &System) -> TokenStream {
    let (vis, hidden_type) = (&system.vis, &system.hidden_type);
    let ImplGenerics {
        declared, params, ..
    } = ImplGenerics::new(&system.generics, None);
    let where_clause = &system.generics.where_clause;
    let types = params.iter().filter(|param| !param.is_const);
    let types: Vec<_> = types.map(|param| &param.ident).collect();
    let variant = (!types.is_empty()).then(
        || quote!(__Never(::core::convert::Infallible #(, ::core::marker::PhantomData<#types>)*)),
    );
    quote! {
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code, reason = "names the system beside its function")]
        #vis enum #hidden_type #declared #where_clause { #variant }
    }
}

/// What the node keeps for a parameter; nothing, where its `#[cfg]` is off.
fn state(parameter: &Parameter) -> TokenStream {
    let state = param_state(&parameter.ty);
    match &parameter.cfg {
        None => state,
        Some(cfg) => quote!({
            #[cfg(#cfg)]
            { #state }
            #[cfg(not(#cfg))]
            { () }
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
