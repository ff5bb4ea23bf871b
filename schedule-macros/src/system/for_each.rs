//! Expands a system that runs for each entity.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};
use syn::TypePath;

use super::analyse::{ForEach, System};
use super::body::{Body, call, under_cfg};
use crate::function::Parameter;
use crate::parameters::nest;
use crate::spans::{ends, item_at, item_of, local, quote, text};

/// Returns the parts of the declaration that differ from those of other systems.
pub(super) fn body(system: &System, for_each: &ForEach) -> Body {
    let all = || system.parameters.iter().zip(&for_each.is_resource);
    let of_kind = |is_resource: bool| {
        let all = all().filter(move |(_, kind)| **kind == is_resource);
        all.map(|(one, _)| one)
    };
    let states: Vec<_> = of_kind(false).map(|one| state(one, for_each)).collect();
    let seed = seed(&states, for_each);
    let each = local("each");
    let declared = all().map(|(one, is_resource)| {
        let name = text(&one.name);
        if *is_resource {
            let seed = resource(one);
            quote!(__schedule::Parameter::new(#name, #seed))
        } else {
            let state = state(one, for_each);
            quote!(__schedule::parameter(&#each, #name, &#state))
        }
    });
    let is_per_row = !(for_each.changed.is_empty() && for_each.added.is_empty());
    let of_filter = is_per_row.then(|| quote!(, __schedule::filter(&#each)));
    // The block is a constant of its own, so that the list may refer to `each`.
    let list = quote! {
        const {
            let #each = #seed;
            &[#(#declared,)* __schedule::store(&#each) #of_filter]
        }
    };
    let accepted = all().map(|(one, is_resource)| accept(one, *is_resource, for_each));
    let filters = for_each
        .with
        .iter()
        .chain(&for_each.without)
        .map(|one| accept_filter(one, for_each));
    let changes = for_each
        .changed
        .iter()
        .map(|one| ("changed", one))
        .chain(for_each.added.iter().map(|one| ("added", one)))
        .map(|(option, one)| accept_change(option, one, &seed, for_each));
    let resources: Vec<_> = of_kind(true).map(resource).collect();
    let resources = nest(&resources);
    let idents = |is_resource| {
        let idents = of_kind(is_resource).map(|one| &one.ident);
        nest(&idents.collect::<Vec<_>>())
    };
    let (items, of_resources) = (idents(false), idents(true));
    let into_result = item_of(&system.output, "EachOutput", "into_result");
    let can_fail = item_of(&system.output, "EachOutput", "CAN_FAIL");
    let call = call(system);
    Body {
        accepted: quote!(#(#accepted)* #(#filters)* #(#changes)*),
        constructor: "for_each",
        arguments: quote! {
            #list,
            &__schedule::ForEach::new(
                #seed,
                #resources,
                #can_fail,
                |#items, #of_resources| #into_result(#call),
            )
        },
    }
}

/// Returns the store. If a type is not a store, the only error is about this path.
fn store(for_each: &ForEach) -> TokenStream {
    item_of(&for_each.store, "EntityTables", "Itself")
}

/// Returns a component in a filter. If a type is not a component, the only error is about this path.
fn component(one: &TypePath) -> TokenStream {
    item_of(one, "ComponentType", "Itself")
}

/// Returns the parameters as types. `states`: those of all parameters that are not resources.
fn seed(states: &[TokenStream], for_each: &ForEach) -> TokenStream {
    let ForEach {
        with,
        without,
        changed,
        added,
        ..
    } = for_each;
    let store = store(for_each);
    let with = with
        .iter()
        .map(component)
        .map(|one| quote!(__schedule::With<#one>));
    let without = without
        .iter()
        .map(component)
        .map(|one| quote!(__schedule::Without<#one>));
    let changed = changed
        .iter()
        .map(component)
        .map(|one| quote!(__schedule::Changed<#one>));
    let added = added
        .iter()
        .map(component)
        .map(|one| quote!(__schedule::Added<#one>));
    let all = with.chain(without).chain(changed).chain(added);
    let filter = nest(&all.collect::<Vec<_>>());
    let states = nest(states);
    quote!(__schedule::for_each::<#store, #filter, _>(&#states))
}

/// Returns the state of a parameter that is not a resource.
fn state(parameter: &Parameter, for_each: &ForEach) -> TokenStream {
    let (ty, store) = (&parameter.ty, store(for_each));
    let (first, last) = parameter.ends;
    let open = quote_spanned!(first=> <);
    let close = quote_spanned!(last=> as __schedule::EachParam<#store>>::EACH);
    let absent = quote!(<() as __schedule::EachParam<#store>>::EACH);
    under_cfg(parameter, quote!(#open #ty #close), || absent)
}

/// Returns the seed of a resource.
fn resource(parameter: &Parameter) -> TokenStream {
    let seed = item_at(parameter.ends, &parameter.ty, "EachResource", "READ");
    under_cfg(parameter, seed, || quote!(<() as __schedule::Param>::SEED))
}

/// Returns a statement that rejects a component in a filter if no entity can have it. The error is shown at the type.
fn accept_filter(one: &TypePath, for_each: &ForEach) -> TokenStream {
    let (first, last) = ends(&one.to_token_stream());
    let (component, store) = (component(one), store(for_each));
    let accept = quote_spanned!(first=> __schedule::accept_filter::<#store, #component>);
    let call = quote_spanned!(last=> ());
    quote!(#accept #call;)
}

/// Returns a statement that rejects a filter of changes that no entity can match, or whose component the system writes.
fn accept_change(
    option: &str,
    one: &TypePath,
    seed: &TokenStream,
    for_each: &ForEach,
) -> TokenStream {
    let (first, last) = ends(&one.to_token_stream());
    let (component, store) = (component(one), store(for_each));
    let option = text(option);
    let accept = quote_spanned!(first=> __schedule::accept_change::<#store, #component, _, _>);
    let call = quote_spanned!(last=> (#option, &#seed));
    quote!(#accept #call;)
}

/// Returns a statement that rejects a parameter that other systems can take. The error is shown at the type.
fn accept(parameter: &Parameter, is_resource: bool, for_each: &ForEach) -> TokenStream {
    let (name, (first, last)) = (text(&parameter.name), parameter.ends);
    if is_resource {
        let seed = resource(parameter);
        let accept = quote_spanned!(first=> __schedule::accept_resource);
        let arguments = quote_spanned!(last=> (#name, &#seed));
        quote!(#accept #arguments;)
    } else {
        let (state, store) = (state(parameter, for_each), store(for_each));
        let accept = quote_spanned!(first=> __schedule::accept::<#store, _>);
        let arguments = quote_spanned!(last=> (#name, &#state));
        quote!(#accept #arguments;)
    }
}
