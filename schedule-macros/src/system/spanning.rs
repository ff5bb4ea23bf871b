//! The definitions of a system whose function runs beside the schedule: the start, and the system that hands over the results.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::TypePath;

use super::analyse::System;
use super::body::{named, under_cfg};
use crate::function::Parameter;
use crate::parameters::nest;
use crate::spans::{ends, generated, item, item_at, item_of, local, quote, text};

/// The definitions of the two systems.
pub(super) struct Definitions {
    /// Copies the parameters, and starts the function.
    pub(super) start: TokenStream,
    /// Hands over the results.
    pub(super) results: TokenStream,
}

impl Definitions {
    pub(super) fn new(system: &System) -> Self {
        let start = quote!(());
        let results = quote!(__schedule::core::result::Result<(), __schedule::BoxError>);
        Self {
            start: definition(system, "COPIED", "COPY", "start", &start),
            results: definition(system, "CHANGED", "HAND_OVER", "visit", &results),
        }
    }
}

/// Returns the order of the start after the results.
pub(super) fn order(system: &System) -> TokenStream {
    quote_spanned!(system.function.span()=> __schedule::Order::after::<__schedule::results<Self>>())
}

/// Returns the check of the output of the function, with the span of its type.
pub(super) fn check_output(system: &System, definition: &TokenStream) -> TokenStream {
    let (first, last) = ends(&system.output);
    let check = quote_spanned!(first=> __schedule::check_output);
    let arguments = quote_spanned!(last=> (&#definition));
    quote!(#check #arguments)
}

/// Returns the definition of the function of a generic system, with the check of its output.
pub(super) fn checked(system: &System, definition: &TokenStream) -> TokenStream {
    let name = local("definition");
    let check = check_output(system, &quote!(#name));
    quote!({
        let #name = #definition;
        #check;
        #name
    })
}

/// Returns the method that creates the work of a group. A generic group is checked here, because its parameters depend on types.
pub(super) fn work_of_group(system: &System, group: &TypePath) -> TokenStream {
    let listing = item_of(group, "ListedPlugin", "LISTING");
    let check = (!system.generics.params.is_empty()).then(|| {
        let definition = quote!(<Self as __schedule::SpanningSystem>::FUNCTION);
        let check = check_group(system, group, &definition);
        quote!(const { #check };)
    });
    item! {
        fn work() -> __schedule::SpanningWork {
            #check
            __schedule::SpanningWork::of_group(#listing)
        }
    }
}

/// Returns the check that the schedule of a group takes no more than the signature, with the span of its path.
pub(super) fn check_group(
    system: &System,
    group: &TypePath,
    definition: &TokenStream,
) -> TokenStream {
    let (first, last) = ends(&group.to_token_stream());
    let (name, listing) = (
        text(&system.name),
        item_of(group, "ListedPlugin", "LISTING"),
    );
    let check = quote_spanned!(first=> __schedule::check_group);
    let arguments = quote_spanned!(last=> (#name, #definition.parameters(), #listing));
    quote!(#check #arguments)
}

/// Returns a definition. `seed` and `function`: items of `SpanningParam`, which each parameter has. `of_work`: the method of `Spanning`
/// that calls the functions.
fn definition(
    system: &System,
    seed: &str,
    function: &str,
    of_work: &str,
    output: &TokenStream,
) -> TokenStream {
    let (work, resources) = (local("work"), local("resources"));
    let of_parameter = |item| {
        move |parameter: &Parameter| item_at(parameter.ends, &parameter.ty, "SpanningParam", item)
    };
    let mut seeds = vec![quote!(
        <&mut __schedule::Spanning<Self> as __schedule::Param>::SEED
    )];
    seeds.extend(system.parameters.iter().map(|parameter| {
        let seed = of_parameter(seed)(parameter);
        under_cfg(parameter, seed, || quote!(<() as __schedule::Param>::SEED))
    }));
    let names = system.parameters.iter().map(|one| one.name.as_str());
    let names: Vec<_> = ["spanning"].into_iter().chain(names).map(text).collect();
    // All tokens have the span of the type, so that several errors about it are one.
    let idents = system.parameters.iter().enumerate().map(|(idx, one)| {
        let (_, last) = one.ends;
        Ident::new(&format!("__value_{idx}"), last)
    });
    let idents: Vec<_> = [work.clone()].into_iter().chain(idents).collect();
    let pattern = nest(&idents);
    let calls = system
        .parameters
        .iter()
        .zip(&idents[1..])
        .map(|(parameter, ident)| {
            let (cfg, (_, last)) = (parameter.cfg(), parameter.ends);
            let function = of_parameter(function)(parameter);
            let arguments = quote_spanned!(last=> (#ident, #resources););
            quote!(#cfg #function #arguments)
        });
    let named = named(&names, &seeds);
    let of_work = Ident::new(of_work, generated());
    let call = quote!(__schedule::Spanning::#of_work(#work, |#resources| { #(#calls)* }));
    let into_answer = item_of(output, "Output", "INTO_ANSWER");
    // The location of both systems is that of the function.
    let new = quote_spanned!(system.function.span()=> __schedule::Definition::once);
    let once = quote!(&__schedule::Once::new(#named, #into_answer, |#pattern| #call));
    let arguments = quote_spanned!(system.function.span()=> (#once));
    quote!(#new #arguments)
}
