//! The parts of a declaration that depend on how often the system runs.

use proc_macro2::TokenStream;
use quote::quote;

use super::analyse::System;
use crate::function::Parameter;
use crate::generics::ImplGenerics;
use crate::parameters::{nest, param_seed, parameters};
use crate::spans::item_of;

/// The parts of the declaration that depend on how often the system runs.
pub(super) struct Body {
    /// Statements that reject single parameters. Conflicts of parameters are rejected afterwards.
    pub(super) accepted: TokenStream,
    /// The parameters with their access.
    pub(super) parameters: TokenStream,
    /// The name of the constructor of `Function`.
    pub(super) constructor: &'static str,
    /// The value that the constructor takes by reference.
    pub(super) recipe: TokenStream,
}

/// Returns the parts of a system that runs once.
pub(super) fn once(system: &System) -> Body {
    let seeds: Vec<_> = system.parameters.iter().map(seed).collect();
    let names = system.parameters.iter().map(|one| one.name.as_str());
    let idents: Vec<_> = system.parameters.iter().map(|one| &one.ident).collect();
    let parameters = parameters("parameter", names, &seeds);
    let (seeds, pattern) = (nest(&seeds), nest(&idents));
    let into_answer = item_of(&system.output, "Output", "INTO_ANSWER");
    let call = call(system);
    Body {
        accepted: quote!(),
        parameters,
        constructor: "new",
        recipe: quote!(__schedule::Call::new(#seeds, #into_answer, |#pattern| #call)),
    }
}

/// Returns the seed of a parameter, which is omitted if its `#[cfg]` is off.
fn seed(parameter: &Parameter) -> TokenStream {
    let seed = param_seed(&parameter.ty);
    under_cfg(parameter, seed, quote!(<() as __schedule::Param>::SEED))
}

/// Returns the expression `on`, or `off` if the `#[cfg]` of the parameter is off.
pub(super) fn under_cfg(parameter: &Parameter, on: TokenStream, off: TokenStream) -> TokenStream {
    match &parameter.cfg {
        None => on,
        Some(cfg) => quote!({
            #[cfg(#cfg)]
            { #on }
            #[cfg(not(#cfg))]
            { #off }
        }),
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
    quote!(#function #turbofish (#(#arguments),*))
}
