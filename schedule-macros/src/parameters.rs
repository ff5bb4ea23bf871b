//! Common parts in the expansion of parameter lists, for systems and for structs of parameters.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote_spanned};

use crate::spans::{ends, item_of, position, quote};

/// Maximum length of a tuple of parameters. Longer lists become nested tuples.
pub(crate) const TUPLE: usize = 12;

/// Returns a tuple of these elements, of any length. Types, patterns and expressions get the same nesting.
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

/// Returns the seed of a parameter.
pub(crate) fn param_seed(ty: &impl ToTokens) -> TokenStream {
    item_of(ty, "Param", "SEED")
}

/// Returns a list of parameters. `noun`: the word for one of them in messages.
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

/// Returns statements that reject conflicts in the parameter list `of`. Each error is shown at the type of the later parameter.
pub(crate) fn distinct(types: &[impl ToTokens], of: &TokenStream) -> TokenStream {
    let calls = types.iter().enumerate().map(|(idx, ty)| {
        let idx = position(idx);
        distinct_call(ty, "Parameters", &quote!(&#of, #idx))
    });
    quote!(#(#calls;)*)
}

/// Returns a call of `list::distinct` with the span of a type.
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
