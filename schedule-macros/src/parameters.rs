//! What the expansion of a list of parameters is made of, for systems and for structs of parameters.

use proc_macro2::{Ident, TokenStream};
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
    let calls = types.iter().enumerate();
    let calls = calls.map(|(idx, ty)| distinct_call(ty, "Parameters", &quote!(&#of, #idx)));
    quote!(#(#calls;)*)
}

/// A call of `list::distinct`, all of it at the place of a type.
pub(crate) fn distinct_call(
    ty: &impl ToTokens,
    list: &str,
    arguments: &TokenStream,
) -> TokenStream {
    let (first, last) = ends(&ty.to_token_stream());
    let list = Ident::new(list, first);
    let call = quote_spanned!(first=> __schedule::#list::distinct);
    let arguments = quote_spanned!(last=> (#arguments));
    quote!(#call #arguments)
}
