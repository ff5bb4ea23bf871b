//! Expands a system to the code that declares it. Cannot fail.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote_spanned};

use super::analyse::{Order, System};
use super::body::{self, Body, once};
use super::{for_each, spanning};
use crate::function::allow_signature;
use crate::generics::{self, ImplGenerics};
use crate::guard::{self, Guard, Leaf, guard};
use crate::messages;
use crate::spans::{
    self, constant, constant_of, ends, generated, item, number, quote, without_suggestions,
};

pub(super) fn expand(item: &TokenStream, system: &System) -> TokenStream {
    let System {
        function,
        hidden_type,
        krate,
        ..
    } = system;
    let bound = quote!(__schedule::Identity + 'static);
    let impl_generics = ImplGenerics::new(&system.generics, Some(&bound));
    let ImplGenerics { declared, used, .. } = &impl_generics;
    let where_clause = &system.generics.where_clause;
    let identity = impl_generics.identity(hidden_type, &system.name);
    let empty_enum = generics::hidden_type(
        krate,
        &system.vis,
        hidden_type,
        &ImplGenerics::new(&system.generics, None),
        where_clause.as_ref(),
        messages::NAMES_SYSTEM,
    );
    let deprecated = &system.deprecated;
    let all: Vec<_> = system.parameters.iter().collect();
    let lints = allow_signature("system", 7, &all);

    let Body {
        accepted,
        constructor,
        arguments,
    } = match &system.for_each {
        None => once(system),
        Some(for_each) => for_each::body(system, for_each),
    };
    let names_others =
        !(system.orders.is_empty() && system.groups.is_empty() && system.guards.is_empty());
    let orders = system
        .orders
        .iter()
        .map(|Order { kind, other }| spans::order(kind, other))
        .chain(system.spanning.as_ref().map(|_| spanning::order(system)));
    let orders = list(quote!(ORDERS), quote!(Order), orders.collect());
    let groups = system
        .groups
        .iter()
        .map(|group| constant("Membership", "of", group));
    let groups = list(quote!(GROUPS), quote!(Membership), groups.collect());
    // The span covers the function from its first to its last token, because it becomes the location of the system.
    let constructor = Ident::new(constructor, function.span());
    let new = quote_spanned!(function.span()=> __schedule::Definition::#constructor);
    let arguments = quote_spanned!(function.span()=> (#arguments));
    let definition = quote!(#new #arguments);
    // Rejects conflicts between the parameters of this definition.
    let distinct = |definition| {
        let all = system.parameters.iter();
        let distinct = all.fold(definition, |definition, one| {
            let (first, last) = one.ends;
            let distinct = quote_spanned!(first=> __schedule::Definition::distinct);
            let arguments = quote_spanned!(last=> (#definition));
            quote!(#distinct #arguments)
        });
        if accepted.is_empty() {
            distinct
        } else {
            quote!({ #accepted #distinct })
        }
    };
    // Suggests a fix if a module has the name of the hidden type. At this place, the name does not count as a use of the type.
    let turbofish = (!used.is_empty()).then(|| quote!(::#used));
    let advice = quote! {
        let _ = #hidden_type #turbofish::a_module_has_this_name__add__type_NewName__to_the_attribute;
    };
    // Conflicts that depend on a type parameter are known only where the system is used.
    let (definition, guards, check) = if !impl_generics.params.is_empty() {
        let guards = system
            .guards
            .iter()
            .map(|guard| self::guard(guard, checked));
        let guards = list(quote!(GUARDS), quote!(Guard), guards.collect());
        (distinct(definition), guards, quote!())
    } else {
        // Answers are also checked separately. Otherwise every evaluation of the guards would report the same error again.
        let guards = system
            .guards
            .iter()
            .map(|guard| self::guard(guard, unchecked));
        let all = (!system.guards.is_empty()).then(|| {
            let owner = Ident::new("__Guards", generated());
            let ty = quote!(&'static [__schedule::Guard]);
            constant_of(&owner, &ty, &quote!(&[#(#guards),*]))
        });
        let guards = all.is_some().then(|| {
            item!(
                const GUARDS: &'static [__schedule::Guard] = __Guards::ALL;
            )
        });
        let refused = refused(&system.guards);
        let has_check = !(system.parameters.is_empty() && accepted.is_empty());
        // The compiler evaluates this constant also if the system is not used. It does not count as a use of the function, because it does
        // not name the hidden type, and is not used itself. Unused constants are not reported if their name starts with an underscore.
        let distinct = has_check.then(|| {
            let distinct = distinct(quote!(__DEFINITION));
            item!(
                const __DISTINCT: __schedule::Definition = #distinct;
            )
        });
        let definition = item!(const __DEFINITION: __schedule::Definition = #definition;);
        let spanning = system.spanning.as_ref().map(|of| {
            let definition = quote!(__DEFINITION);
            let check = match &of.group {
                None => spanning::check_output(system, &definition),
                Some(group) => spanning::check_group(system, group, &definition),
            };
            item!(const _: () = #check;)
        });
        let check = quote! {
            #definition
            #distinct
            #spanning
            #all
            #(#refused)*
        };
        (quote!(__DEFINITION), quote!(#guards), check)
    };
    let proves = system.proves.iter().map(|resource| {
        let proof = constant("Proof", "of", resource);
        item!(const PROVES: __schedule::core::option::Option<__schedule::Proof> = __schedule::core::option::Option::Some(#proof);)
    });
    let marks =
        spans::marks(&system.marks).map(|marks| item!(const MARKS: __schedule::Marks = #marks;));
    let observer = system.observer.iter().map(|resource| {
        let observer = constant("ObserverType", "of", resource);
        item!(const OBSERVER: __schedule::core::option::Option<__schedule::ObserverType> = __schedule::core::option::Option::Some(#observer);)
    });
    let collected = system.schedules.iter().map(|schedule| {
        let (first, last) = ends(&schedule.to_token_stream());
        let by = quote_spanned!(first=> __schedule::Collected::by::<);
        let declaration = quote!(<#hidden_type as __schedule::System>::DECLARATION);
        let arguments = quote_spanned!(last=> >(#declaration));
        quote!(__schedule::submit! { #by #schedule #arguments })
    });
    let private = item!(use #krate::__private as __schedule;);
    let trait_system = item!(
        use #krate::__private::System as _;
    );
    let identity = item! {
        impl #declared __schedule::Identity for #hidden_type #used #where_clause {
            #identity
        }
    };
    let (definition, spanning) = match &system.spanning {
        None => (definition, None),
        Some(of) => {
            let spanning::Definitions { start, results } = spanning::Definitions::new(system);
            let definition = if impl_generics.params.is_empty() {
                definition
            } else {
                spanning::checked(system, &definition)
            };
            let function = item!(const FUNCTION: __schedule::Definition = #definition;);
            let results = item!(const RESULTS: __schedule::Definition = #results;);
            let work = of
                .group
                .as_ref()
                .map(|group| spanning::work_of_group(system, group));
            let implementation = item! {
                impl #declared __schedule::SpanningSystem for #hidden_type #used #where_clause {
                    #function
                    #results
                    #work
                }
            };
            (
                start,
                Some(quote!(#[automatically_derived] #implementation)),
            )
        }
    };
    let definition = item!(const DEFINITION: __schedule::Definition = { #advice #definition };);
    let implementation = item! {
        impl #declared __schedule::System for #hidden_type #used #where_clause {
            #definition
            #orders
            #groups
            #guards
            #(#proves)*
            #marks
            #(#observer)*
        }
    };
    let implementation = if names_others {
        without_suggestions(implementation)
    } else {
        implementation
    };
    let block = item! {
        const _: () = {
            #private
            #trait_system

            #[automatically_derived]
            #identity

            #[automatically_derived]
            #implementation

            #spanning
            #check
            #(#collected)*
        };
    };
    let implementations = quote! {
        #[allow(
            deprecated,
            unused_imports,
            unused_qualifications,
            unused_variables,
            clippy::all,
            clippy::nursery,
            clippy::pedantic,
            clippy::restriction,
            reason = "the function itself is checked; this is generated code with its spans"
        )]
        #block
    };
    let hidden_type = generics::with_implementations(krate, &empty_enum, &implementations);
    // The schedule of a spanning group runs instead of a function.
    let item = (!body::is_group(system)).then(|| quote!(#lints #item));
    quote! {
        #item
        #deprecated
        #hidden_type
    }
}

/// Returns calls that reject systems whose answers do not fit their guards. Each call has the span of its leaf.
fn refused(guards: &[Guard]) -> Vec<TokenStream> {
    let mut refused = Vec::new();
    for (idx, guard) in (0_u32..).zip(guards) {
        for (token, leaf) in guard.leaves() {
            let (first, last) = leaf.ends();
            let guards = quote_spanned!(first=> __schedule::Guard::check_answer);
            let (idx, token) = (number(idx), number(token));
            let ask = quote_spanned!(last=> (__Guards::ALL, #idx, #token));
            refused.push(item!(const _: () = #guards #ask;));
        }
    }
    refused
}

/// Returns the call that makes a leaf and rejects a system that cannot give its answer.
fn checked(leaf: &Leaf) -> TokenStream {
    let call = match leaf {
        Leaf::Of(condition) => constant("Answered", "of", condition),
        Leaf::Is(selector, branch) => {
            let (first, _) = ends(&selector.to_token_stream());
            let open = quote_spanned!(first=> __schedule::Answered::is::<);
            let (first, last) = ends(&branch.to_token_stream());
            let of_type = quote_spanned!(first=> , _>);
            let arguments = quote_spanned!(last=> (#branch, #branch as __schedule::BranchIndex));
            quote!(#open #selector #of_type #arguments)
        }
    };
    // The block prevents a second report: the compiler evaluates a plain call separately from the list around it.
    quote!({ let __guard = #call; __guard })
}

/// Returns the call that makes a leaf.
fn unchecked(leaf: &Leaf) -> TokenStream {
    guard::unchecked(leaf, |path| path)
}

/// Returns a constant list. An empty list is omitted, because it is the default of the trait.
fn list(name: TokenStream, ty: TokenStream, elements: Vec<TokenStream>) -> TokenStream {
    if elements.is_empty() {
        return quote!();
    }
    item!(const #name: &'static [__schedule::#ty] = &[#(#elements),*];)
}
