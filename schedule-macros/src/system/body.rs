//! The parts of a definition that depend on how often the system runs.

use proc_macro2::{Ident, Literal, TokenStream};

use super::analyse::System;
use crate::function::Parameter;
use crate::generics::ImplGenerics;
use crate::parameters::{TUPLE, nest};
use crate::spans::{generated, item_at, item_of, quote, text};

/// The parts of a definition that depend on how often the system runs.
pub(super) struct Body {
    /// Statements that reject single parameters. Conflicts of parameters are rejected afterwards.
    pub(super) accepted: TokenStream,
    /// The name of the constructor of `Definition`.
    pub(super) constructor: &'static str,
    /// The arguments of the constructor.
    pub(super) arguments: TokenStream,
}

/// Returns the parts of a system that is not a per-entity system.
pub(super) fn once(system: &System) -> Body {
    let is_spanning = system.spanning.is_some();
    let seeds: Vec<_> = system
        .parameters
        .iter()
        .map(|one| seed(one, is_spanning))
        .collect();
    let names: Vec<_> = system
        .parameters
        .iter()
        .map(|one| text(&one.name))
        .collect();
    let into_answer = item_of(&system.output, "Output", "INTO_ANSWER");
    let idents: Vec<_> = system.parameters.iter().map(|one| &one.ident).collect();
    let (pattern, call) = (nest(&idents), call(system));
    // The schedule of a spanning group runs instead of the function.
    let call = if is_group(system) { quote!(()) } else { call };
    let named = named(&names, &seeds);
    let once = quote!(__schedule::Once::new(#named, #into_answer, |#pattern| #call));
    Body {
        accepted: quote!(),
        constructor: "once",
        arguments: quote!(&#once),
    }
}

/// Whether a schedule runs instead of the function.
pub(super) fn is_group(system: &System) -> bool {
    system
        .spanning
        .as_ref()
        .is_some_and(|spanning| spanning.group.is_some())
}

/// Returns the parameters with these names and seeds.
pub(super) fn named(names: &[Literal], seeds: &[TokenStream]) -> TokenStream {
    if seeds.len() <= TUPLE {
        let named = Ident::new(&format!("named_{}", seeds.len()), generated());
        return quote!(__schedule::#named([#(#names),*], (#(#seeds,)*)));
    }
    let nested = nest(seeds);
    quote! {
        __schedule::NamedParameters::new([#(__schedule::Parameter::new(#names, #seeds)),*], #nested)
    }
}

/// Returns the seed of a parameter, which is omitted if its `#[cfg]` is off. All items of a parameter of a spanning system are those of one
/// trait, so that the compiler reports a wrong type once.
fn seed(parameter: &Parameter, is_spanning: bool) -> TokenStream {
    let (of, item) = if is_spanning {
        ("SpanningParam", "FUNCTION")
    } else {
        ("Param", "SEED")
    };
    let seed = item_at(parameter.ends, &parameter.ty, of, item);
    under_cfg(parameter, seed, || quote!(<() as __schedule::Param>::SEED))
}

/// Returns the expression `on`, or `off` if the `#[cfg]` of the parameter is off.
pub(super) fn under_cfg(
    parameter: &Parameter,
    on: TokenStream,
    off: impl FnOnce() -> TokenStream,
) -> TokenStream {
    match &parameter.cfg {
        None => on,
        Some(cfg) => {
            let off = off();
            quote!({
                #[cfg(#cfg)]
                { #on }
                #[cfg(not(#cfg))]
                { #off }
            })
        }
    }
}

/// Returns the call of the function with the fetched parameters. A parameter is omitted if its `#[cfg]` is off.
pub(super) fn call(system: &System) -> TokenStream {
    let function = &system.function;
    let ImplGenerics { used, .. } = ImplGenerics::new(&system.generics, None);
    let turbofish = (!used.is_empty()).then(|| quote!(::#used));
    let arguments = system.parameters.iter().map(|parameter| {
        let (cfg, ident) = (parameter.cfg(), &parameter.ident);
        quote!(#cfg #ident)
    });
    quote!(#function #turbofish(#(#arguments),*))
}
