//! Builds code with the spans of the user's tokens, so that errors are shown at these tokens.
//!
//! Generated code, too, has spans of the user's code, not of the expansion. The incremental compiler identifies a span of the user's code
//! by its distance from the start of the item that contains it, but a span of an expansion by its position in the file. With the latter,
//! each edit that moves an item would let the compiler analyse all generated items after it again. So the span of each generated item
//! contains those of all its tokens: see [`item`](crate::spans::item).

use core::cell::Cell;

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::TypePath;

/// Like `quote::quote!`, with the span of generated code.
macro_rules! quote {
    ($($code:tt)*) => {
        ::quote::quote_spanned!($crate::spans::generated()=> $($code)*)
    };
}
pub(crate) use quote;

/// Like [`quote`], for one generated item, written from its keyword to its last token, which is `;` or a block. Its attributes and
/// visibility are not part of it.
macro_rules! item {
    ($keyword:ident $($tokens:tt)*) => {
        $crate::spans::item!(@ $keyword [] $($tokens)*)
    };
    (@ $keyword:ident [$($head:tt)*] ;) => {{
        let first = $crate::spans::first(stringify!($keyword));
        let end = $crate::spans::semicolon();
        $crate::spans::quote!(#first $($head)* #end)
    }};
    (@ $keyword:ident [$($head:tt)*] { $($contents:tt)* }) => {{
        let first = $crate::spans::first(stringify!($keyword));
        let block = $crate::spans::block($crate::spans::quote!($($contents)*));
        $crate::spans::quote!(#first $($head)* #block)
    }};
    (@ $keyword:ident [$($head:tt)*] $next:tt $($rest:tt)*) => {
        $crate::spans::item!(@ $keyword [$($head)* $next] $($rest)*)
    };
}
pub(crate) use item;

thread_local! {
    /// A global, because it replaces `Span::call_site`, which is one, too.
    static GENERATED: Cell<Option<Generated>> = const { Cell::new(None) };
}

/// The spans of generated code.
#[derive(Clone, Copy)]
struct Generated {
    /// Of the first token of an item.
    first: Span,
    /// Of the last token of an item.
    last: Span,
    /// Of all other tokens.
    other: Span,
}

impl Generated {
    /// Returns the spans inside of [`for_function`] or [`for_call`].
    fn current() -> Self {
        GENERATED.get().unwrap_or_else(|| {
            let span = Span::call_site();
            Self {
                first: span,
                last: span,
                other: span,
            }
        })
    }

    fn with<R>(self, expand: impl FnOnce() -> R) -> R {
        let _outer = Outer(GENERATED.replace(Some(self)));
        expand()
    }
}

/// Sets the spans of the surrounding expansion again when it is dropped, also if the expansion panics.
struct Outer(Option<Generated>);

impl Drop for Outer {
    fn drop(&mut self) {
        GENERATED.set(self.0);
    }
}

/// Expands an attribute on a function of this name. Generated items reach from the attribute to the end of the function.
pub(crate) fn for_function<R>(
    function: &TokenStream,
    name: &Ident,
    expand: impl FnOnce() -> R,
) -> R {
    let other = name.span();
    let last = match function.clone().into_iter().last() {
        Some(TokenTree::Group(body)) => body.span_open(),
        Some(tree) => tree.span(),
        None => other,
    };
    let generated = Generated {
        first: in_context_of(Span::call_site(), other),
        last: in_context_of(last, other),
        other,
    };
    generated.with(expand)
}

/// Expands the call of a macro with these tokens. Generated items have the span of the whole call.
pub(crate) fn for_call<R>(tokens: &TokenStream, expand: impl FnOnce() -> R) -> R {
    let call = Span::call_site();
    let inside = tokens.clone().into_iter().next();
    let span = inside.map_or(call, |inside| in_context_of(call, inside.span()));
    let generated = Generated {
        first: span,
        last: span,
        other: span,
    };
    generated.with(expand)
}

/// Returns this place as a span of the same code as `of`.
fn in_context_of(place: Span, of: Span) -> Span {
    // Outside of the compiler, a span cannot have two origins.
    if cfg!(test) {
        of
    } else {
        place.resolved_at(of)
    }
}

/// Returns the span of generated code.
pub(crate) fn generated() -> Span {
    Generated::current().other
}

/// Returns the name of a generated variable, which code of the user does not contain.
pub(crate) fn local(name: &str) -> Ident {
    Ident::new(&format!("__{name}"), generated())
}

/// Returns a generated string. An interpolated `&str` would have the span of the expansion.
pub(crate) fn text(value: &str) -> Literal {
    generated_literal(Literal::string(value))
}

/// Returns a generated number. An interpolated `u32` would have the span of the expansion.
pub(crate) fn number(value: u32) -> Literal {
    generated_literal(Literal::u32_suffixed(value))
}

/// Like [`number`], for a position in a list.
pub(crate) fn position(value: usize) -> Literal {
    generated_literal(Literal::usize_suffixed(value))
}

fn generated_literal(mut literal: Literal) -> Literal {
    literal.set_span(generated());
    literal
}

/// Returns the first token of a generated item.
pub(crate) fn first(keyword: &str) -> Ident {
    Ident::new(keyword, Generated::current().first)
}

/// Returns an `impl` whose keyword has the span of the expansion. Otherwise the compiler would suggest to declare unknown types in it as
/// type parameters, after the keyword. The items in the `impl` have spans of their own.
pub(crate) fn without_suggestions(implementation: TokenStream) -> TokenStream {
    let mut trees = implementation.into_iter();
    let keyword = trees.next().map(|mut keyword| {
        keyword.set_span(Span::call_site());
        keyword
    });
    keyword.into_iter().chain(trees).collect()
}

/// Returns a constant that contains paths of the user: the constant `ALL` of a local type. In a constant without an `impl`, the compiler
/// would suggest to declare unknown types as type parameters of the constant.
pub(crate) fn constant_of(owner: &Ident, ty: &TokenStream, value: &TokenStream) -> TokenStream {
    let definition = item!(enum #owner {});
    let all = item!(const ALL: #ty = #value;);
    let implementation = without_suggestions(item!(impl #owner { #all }));
    quote!(#definition #implementation)
}

/// Returns the semicolon that ends a generated item.
pub(crate) fn semicolon() -> Punct {
    let mut end = Punct::new(';', Spacing::Alone);
    end.set_span(Generated::current().last);
    end
}

/// Returns the block that ends a generated item.
pub(crate) fn block(contents: TokenStream) -> Group {
    let mut block = Group::new(Delimiter::Brace, contents);
    block.set_span(Generated::current().last);
    block
}

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
    let path = text(&written(other));
    quote!(#order.written(#path))
}

/// Returns the constant of a set of marks. `None` if there are none. `constants`: the names of the constants of `Marks`.
pub(crate) fn marks(constants: &[&str]) -> Option<TokenStream> {
    let marks = constants.iter().map(|constant| {
        let constant = Ident::new(constant, generated());
        quote!(__schedule::Marks::#constant)
    });
    marks.reduce(|all, mark| quote!(#all.and(#mark)))
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

/// Returns these tokens with another span.
pub(crate) fn respanned(tokens: &TokenStream, span: Span) -> TokenStream {
    let trees = tokens.clone().into_iter().map(|mut tree| {
        tree.set_span(span);
        tree
    });
    trees.collect()
}

/// Returns the spans of the first and the last token.
pub(crate) fn ends(tokens: &TokenStream) -> (Span, Span) {
    let mut spans = tokens.clone().into_iter().map(|tree| tree.span());
    let first = spans.next().unwrap_or_else(generated);
    (first, spans.last().unwrap_or(first))
}

#[cfg(test)]
mod tests;
