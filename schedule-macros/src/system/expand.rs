//! A system to the code that declares it. Cannot fail.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{Ident, TypePath};

use super::analyse::{Order, Parameter, System};
use super::guard::Guard;
use crate::generics::{self, ImplGenerics};
use crate::parameters::{distinct, ends, item_of, nest, param_seed, parameters};

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
    let orders = system.orders.iter();
    let orders = orders.map(|Order { kind, other }| constant("Order", kind, other));
    let orders = list(quote!(ORDERS), quote!(Order), orders.collect());
    let groups = system.groups.iter();
    let groups = groups.map(|group| constant("Membership", "of", group));
    let groups = list(quote!(GROUPS), quote!(Membership), groups.collect());
    let guards = system.guards.iter().map(guard).collect();
    let guards = list(quote!(GUARDS), quote!(Guard), guards);
    // What hangs on a type parameter is known only where the system is used; there the function is evaluated, and with it the check.
    let is_generic = !impl_generics.params.is_empty();
    let (parameters, check) = if is_generic {
        let distinct = distinct(&types, &quote!(parameters));
        let parameters = quote!({ let parameters = #parameters; #distinct parameters });
        (parameters, quote!())
    } else {
        // The check does not name the hidden type: it would count as used, and the function with it.
        let distinct = distinct(&types, &quote!(__PARAMETERS));
        let mut asked = Vec::new();
        for guard in &system.guards {
            guard.for_each_leaf(&mut |leaf| asked.push(self::asked(leaf)));
        }
        let check = quote! {
            const __PARAMETERS: __schedule::Parameters = #parameters;
            const _: () = { #distinct };
            #(const _: __schedule::Guard = #asked;)*
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
                #guards
            }

            #check
        };
    }
}

/// `ty::function::<of>()`, all of it at the place of what it is about: a list that it stands in tells where that was
/// declared, and an error is shown there.
fn constant(ty: &str, function: &str, of: &TypePath) -> TokenStream {
    let (first, last) = ends(&of.to_token_stream());
    let (ty, function) = (Ident::new(ty, first), Ident::new(function, first));
    let open = quote_spanned!(first=> __schedule::#ty::#function::<);
    let close = quote_spanned!(last=> >());
    quote!(#open #of #close)
}

/// The constant that a guard is.
fn guard(guard: &Guard) -> TokenStream {
    match guard {
        Guard::Of(_) | Guard::Is(..) => {
            // The compiler evaluates a mere call apart from the list that it stands in, and tells an error a second time.
            let asked = asked(guard);
            quote!({ let __guard = #asked; __guard })
        }
        Guard::Not(inner) => {
            let inner = self::guard(inner);
            quote!(__schedule::Guard::Not(&#inner))
        }
        Guard::All(guards) => {
            let guards = guards.iter().map(self::guard);
            quote!(__schedule::Guard::All(&[#(#guards),*]))
        }
        Guard::Any(guards) => {
            let guards = guards.iter().map(self::guard);
            quote!(__schedule::Guard::Any(&[#(#guards),*]))
        }
    }
}

/// The call that makes a leaf, and refuses a system that does not answer so; nothing for what is made of others.
fn asked(leaf: &Guard) -> TokenStream {
    match leaf {
        Guard::Of(condition) => constant("Guard", "of", condition),
        Guard::Is(selector, branch) => {
            let (first, _) = ends(&selector.to_token_stream());
            let open = quote_spanned!(first=> __schedule::Guard::is::<);
            let (first, last) = ends(&branch.to_token_stream());
            let of_type = quote_spanned!(first=> , _>);
            let arguments = quote_spanned!(last=> (#branch, #branch as ::core::primitive::u32));
            quote!(#open #selector #of_type #arguments)
        }
        Guard::Not(_) | Guard::All(_) | Guard::Any(_) => quote!(),
    }
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
