//! What the expansion of a list of parameters is made of, for systems and for structs of parameters.

use proc_macro2::{Ident, Span, TokenStream};
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

/// `<ty as Trait>::item`, in which every token has the span of the type: so the same error, found in several places, is
/// the same message at the same place, which the compiler shows once.
pub(crate) fn item_of(ty: &impl ToTokens, of_trait: &str, item: &str) -> TokenStream {
    let ty = ty.to_token_stream();
    let (first, last) = ends(&ty);
    let open = quote_spanned!(first=> <);
    let (of_trait, item) = (Ident::new(of_trait, last), Ident::new(item, last));
    let close = quote_spanned!(last=> as __schedule::#of_trait>::#item);
    quote!(#open #ty #close)
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

/// The spans of the first and of the last token.
pub(crate) fn ends(tokens: &TokenStream) -> (Span, Span) {
    let mut spans = tokens.clone().into_iter().map(|tree| tree.span());
    let first = spans.next().unwrap_or_else(Span::call_site);
    (first, spans.last().unwrap_or(first))
}
