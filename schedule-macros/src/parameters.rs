//! What the expansion of a list of parameters is made of, for systems and for structs of parameters.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

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

/// The seed of a parameter. Every token has the span of the type, so that the same error, found in several
/// places, is the same message at the same place, which the compiler shows once.
pub(crate) fn param_seed(ty: &impl ToTokens) -> TokenStream {
    let ty = ty.to_token_stream();
    let (first, last) = ends(&ty);
    let open = quote_spanned!(first=> <);
    let close = quote_spanned!(last=> as __schedule::Param>::SEED);
    quote!(#open #ty #close)
}

/// A `&'static [Parameter]`.
pub(crate) fn parameters<N: ToTokens>(
    names: impl IntoIterator<Item = N>,
    seeds: &[TokenStream],
) -> TokenStream {
    let names = names.into_iter();
    quote!(&[#(__schedule::Parameter::new(#names, #seeds.access())),*])
}

/// Refuses conflicts between the parameters in the constant `list`, each under the type of the later one.
pub(crate) fn distinct(types: &[impl ToTokens], list: &TokenStream) -> TokenStream {
    let calls = types.iter().enumerate().map(|(idx, ty)| {
        let (first, last) = ends(&ty.to_token_stream());
        let call = quote_spanned!(first=> __schedule::distinct);
        let arguments = quote_spanned!(last=> (#list, #idx));
        quote!(#call #arguments;)
    });
    quote!(#(#calls)*)
}

/// The spans of the first and of the last token.
fn ends(tokens: &TokenStream) -> (Span, Span) {
    let mut spans = tokens.clone().into_iter().map(|tree| tree.span());
    let first = spans.next().unwrap_or_else(Span::call_site);
    (first, spans.last().unwrap_or(first))
}
