//! What the expansion of a list of parameters is made of, for systems and for structs of parameters.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};

use crate::spans::{ends, item_of};

/// How many elements a tuple of parameters may have; longer lists become tuples of tuples.
const TUPLE: usize = 12;

/// A tuple of these, of any length. The same nesting for types, patterns and expressions.
pub(crate) fn nest(parts: &[impl ToTokens]) -> TokenStream {
    if parts.len() <= TUPLE {
        return quote!((#(#parts,)*));
    }
    let mut chunk = TUPLE;
    while chunk * TUPLE < parts.len() {
        chunk *= TUPLE;
    }
    let chunks = parts.chunks(chunk).map(nest);
    quote!((#(#chunks,)*))
}

/// The seed of a parameter.
pub(crate) fn param_seed(ty: &impl ToTokens) -> TokenStream {
    item_of(ty, "Param", "SEED")
}

/// A list of parameters, or of what else `noun` calls them.
pub(crate) fn parameters<N: ToTokens>(
    noun: &str,
    names: impl IntoIterator<Item = N>,
    seeds: &[TokenStream],
) -> TokenStream {
    let names = names.into_iter();
    quote! {
        __schedule::Parameters::new(
            #noun,
            &[#(__schedule::Parameter::new(#names, #seeds)),*],
        )
    }
}

/// Statements that refuse conflicts in the list that the expression `of` names, each under the type of the later one.
pub(crate) fn distinct(types: &[impl ToTokens], of: &TokenStream) -> TokenStream {
    let calls = types.iter().enumerate().map(|(idx, ty)| {
        let (first, last) = ends(&ty.to_token_stream());
        let call = quote_spanned!(first=> __schedule::Parameters::distinct);
        let arguments = quote_spanned!(last=> (&#of, #idx));
        quote!(#call #arguments;)
    });
    quote!(#(#calls)*)
}
