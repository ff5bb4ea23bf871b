//! Code that is shown at the tokens of the user that it is about.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::TypePath;

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

/// `ty::function::<of>()`, all of it at the place of what it is about: a list that it stands in tells where that was
/// declared, and an error is shown there.
pub(crate) fn constant(ty: &str, function: &str, of: &TypePath) -> TokenStream {
    constant_at(ends(&of.to_token_stream()), ty, function, of)
}

/// The same, at another place.
pub(crate) fn constant_at(
    (first, last): (Span, Span),
    ty: &str,
    function: &str,
    of: &TypePath,
) -> TokenStream {
    let (ty, function) = (Ident::new(ty, first), Ident::new(function, first));
    let open = quote_spanned!(first=> __schedule::#ty::#function::<);
    let close = quote_spanned!(last=> >());
    quote!(#open #of #close)
}

/// An order of this kind. It keeps the path, if that has more than one word.
pub(crate) fn order(kind: &str, other: &TypePath) -> TokenStream {
    let order = constant("Order", kind, other);
    if other.path.segments.len() < 2 {
        return order;
    }
    let path = written(other);
    quote!(#order.written(#path))
}

/// A path as text.
pub(crate) fn written(path: &TypePath) -> String {
    let mut text = path.to_token_stream().to_string();
    for (spaced, plain) in [
        (" :: ", "::"),
        (":: ", "::"),
        (" ::", "::"),
        (" <", "<"),
        ("< ", "<"),
        (" >", ">"),
        (" ,", ","),
    ] {
        text = text.replace(spaced, plain);
    }
    text
}

/// The spans of the first and of the last token.
pub(crate) fn ends(tokens: &TokenStream) -> (Span, Span) {
    let mut spans = tokens.clone().into_iter().map(|tree| tree.span());
    let first = spans.next().unwrap_or_else(Span::call_site);
    (first, spans.last().unwrap_or(first))
}
