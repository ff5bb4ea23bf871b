//! Builds code with the spans of the user's tokens, so that errors are shown at these tokens.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::TypePath;

/// Returns `<ty as Trait>::item`, in which every token has the span of the type. If several places cause the same error, all messages are
/// equal and have the same location, so the compiler shows only one.
pub(crate) fn item_of(ty: &impl ToTokens, of_trait: &str, item: &str) -> TokenStream {
    let ty = ty.to_token_stream();
    item_at(ends(&ty), &ty, of_trait, item)
}

/// Like [`item_of`], with the spans of the first and the last token of the type.
pub(crate) fn item_at(
    (first, last): (Span, Span),
    ty: &TokenStream,
    of_trait: &str,
    item: &str,
) -> TokenStream {
    let (of_trait, item) = (Ident::new(of_trait, last), Ident::new(item, last));
    let mut tokens = quote_spanned!(first=> <);
    tokens.extend(ty.clone());
    tokens.extend(quote_spanned!(last=> as __schedule::#of_trait>::#item));
    tokens
}

/// Returns `ty::function::<of>()` with the span of `of`. The span sets the location that `#[track_caller]` records, and the place of
/// errors.
pub(crate) fn constant(ty: &str, function: &str, of: &TypePath) -> TokenStream {
    constant_at(ends(&of.to_token_stream()), ty, function, of)
}

/// Like [`constant`], with another span.
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

/// Returns an order of this kind. It stores the path if the path has more than one segment.
pub(crate) fn order(kind: &str, other: &TypePath) -> TokenStream {
    let order = constant("Order", kind, other);
    if other.path.segments.len() < 2 {
        return order;
    }
    let path = written(other);
    quote!(#order.written(#path))
}

/// Returns a path as text.
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

/// Returns the spans of the first and the last token.
pub(crate) fn ends(tokens: &TokenStream) -> (Span, Span) {
    let mut spans = tokens.clone().into_iter().map(|tree| tree.span());
    let first = spans.next().unwrap_or_else(Span::call_site);
    (first, spans.last().unwrap_or(first))
}
