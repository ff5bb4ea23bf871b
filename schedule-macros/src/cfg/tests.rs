use proc_macro2::TokenStream;
use quote::quote;

use super::{Conditional, List, split};
use crate::errors::Errors;

/// Returns the errors of a list of entries.
fn errors(entries: TokenStream) -> Vec<String> {
    let mut errors = Errors::new();
    drop(split(entries, List::Entries, &mut errors));
    let errors = errors.finish().err().into_iter().flatten();
    errors.map(|error| error.to_string()).collect()
}

/// Returns the two cases of a list of entries.
fn cases(entries: TokenStream) -> [String; 2] {
    let Ok(Conditional { on, off, .. }) = split(entries, List::Entries, &mut Errors::new()) else {
        panic!("there is a predicate");
    };
    [on, off].map(|case| case.to_string())
}

fn assert_cases(entries: TokenStream, on: TokenStream, off: TokenStream) {
    assert_eq!(cases(entries), [on, off].map(|case| case.to_string()));
}

#[test]
fn an_entry_ends_at_a_comma_or_after_a_block() {
    assert_cases(
        quote!(a, #[cfg(x)] b<C, D>: after (c, d), e),
        quote!(a, b<C, D>: after (c, d), e),
        quote!(a, e),
    );
    assert_cases(
        quote!(#[cfg(x)] group G { a } b, c),
        quote!(group G { a } b, c),
        quote!(b, c),
    );
    assert_cases(
        quote!(#[cfg(x)] repeat while a { b }, c),
        quote!(repeat while a { b }, c),
        quote!(c),
    );
    assert_cases(
        quote!(#[cfg(x)] a<B> -> c, d),
        quote!(a<B> -> c, d),
        quote!(d),
    );
}

#[test]
fn elements_of_nested_lists_are_removed() {
    assert_cases(
        quote!(group G { a: after (b, #[cfg(x)] c), #[cfg(x)] d } e),
        quote!(group G { a: after (b, c), d } e),
        quote!(group G { a: after (b,), } e),
    );
}

#[test]
fn clause_without_remaining_names_is_removed() {
    assert_cases(
        quote!(a: after (#[cfg(x)] b) if c, d),
        quote!(a: after (b) if c, d),
        quote!(a: if c, d),
    );
    assert_cases(
        quote!(a: if or(#[cfg(x)] b), d),
        quote!(a: if or(b), d),
        quote!(a, d),
    );
    assert_cases(
        quote!(group self::G: in (#[cfg(x)] B) {}),
        quote!(group self::G: in (B) {}),
        quote!(group self::G {}),
    );
    assert_cases(
        quote!(a -> (#[cfg(x)] b) -> c),
        quote!(a -> (b) -> c),
        quote!(a -> c),
    );
    assert_cases(quote!((#[cfg(x)] a) -> b), quote!((a) -> b), quote!(b));
    assert_cases(
        quote!(after = (#[cfg(x)] a), if = not(#[cfg(x)] b), c = d),
        quote!(after = (a), if = not(b), c = d),
        quote!(c = d),
    );
}

#[test]
fn first_predicate_is_evaluated_at_any_position() {
    assert_cases(
        quote!(
            #[cfg(x)]
            a,
            #[cfg(y)]
            b,
            #[cfg(y)]
            #[cfg(x)]
            c,
            #[cfg(x)]
            d
        ),
        quote!(
            a,
            #[cfg(y)]
            b,
            #[cfg(y)]
            c,
            d
        ),
        quote!(
            #[cfg(y)]
            b,
        ),
    );
}

#[test]
fn list_without_a_predicate_is_unchanged() {
    let entries = quote!(a: after (b, c), group G { d });
    let found = split(entries.clone(), List::Entries, &mut Errors::new());
    assert_eq!(found.err().unwrap().to_string(), entries.to_string());
}

#[test]
fn every_wrong_attribute_is_an_error() {
    let entries = quote!(#[cfg] a, #[inline] b, c: after (#[cfg(x y)] d), #[cfg(z)] e, #[cfg(z)]);
    let mut errors = Errors::new();
    let cleaned = split(entries, List::Entries, &mut errors).err().unwrap();
    assert_eq!(
        cleaned.to_string(),
        quote!(a, b, c: after (d), e,).to_string()
    );
    assert_eq!(errors.n_found(), 4);
}

#[test]
fn attributes_in_a_closure_are_unchanged() {
    let closure = quote! {
        |#[cfg(x)] log: &mut Log, #[allow(unused)] n: &N| -> Result<Several<{ 1 }>, Error> {
            #[cfg(x)]
            println!("x");
            #[allow(unused)]
            let all = ["x", "y"];
            match all { #[cfg(not(x))] _ => {} #[cfg(x)] _ => {} }
            Ok(())
        } as draw: after a
    };
    for entries in [
        quote!(#closure),
        quote!(a -> move #closure),
        quote!(group G { #closure } b),
        quote!(a -> (#closure -> b, c)),
    ] {
        let found = split(entries.clone(), List::Entries, &mut Errors::new());
        assert_eq!(found.err().unwrap().to_string(), entries.to_string());
        assert_eq!(errors(entries), [""; 0]);
    }
    assert_cases(
        quote!(#[cfg(y)] #closure, #[cfg(x)] || { #[cfg(y)] f(); } as e, d: after (#[cfg(y)] draw)),
        quote!(#closure, #[cfg(x)] || { #[cfg(y)] f(); } as e, d: after (draw)),
        quote!(
            #[cfg(x)]
            || {
                #[cfg(y)]
                f();
            } as e,
            d
        ),
    );
}

#[test]
fn predicate_on_a_closure_removes_all_of_it() {
    for closure in [
        quote!(|log: &mut Log| { f() } as draw: after a),
        quote!(move |log: &mut Log, n: &N| {
            f();
        } as draw),
        quote!(|| -> Result<A, { 1 }> { f() } as draw -> e),
        quote!(|(a, b): (A, B), _: &N<C, D>,| { f() } as draw: in G -> group H { e } -> f: after a),
    ] {
        assert_cases(
            quote!(a, #[cfg(x)] #closure, b),
            quote!(a, #closure, b),
            quote!(a, b),
        );
        assert_cases(
            quote!(a -> (#[cfg(x)] #closure, b), c),
            quote!(a -> (#closure, b), c),
            quote!(a -> (b), c),
        );
    }
}

#[test]
fn predicate_on_a_chain_with_a_block_removes_all_of_it() {
    for chain in [
        quote!(group G { b } -> c: after a),
        quote!(a -> group G: if d { b } -> c),
        quote!(repeat while x { y } -> z),
        quote!(cure<4, B>: after a),
        quote!(cure<{ 4 }, fn() -> B>: after a),
    ] {
        assert_cases(
            quote!(a, #[cfg(x)] #chain, ::b::c),
            quote!(a, #chain, ::b::c),
            quote!(a, ::b::c),
        );
    }
    assert_cases(
        quote!(#[cfg(x)] group G { b } ::c::d, e),
        quote!(group G { b } ::c::d, e),
        quote!(::c::d, e),
    );
    assert_cases(
        quote!(a -> (#[cfg(x)] group G { b } c, group H { d } #[cfg(x)] e) -> f),
        quote!(a -> (group G { b } c, group H { d } e) -> f),
        quote!(a -> (c, group H { d }) -> f),
    );
}

#[test]
fn arrow_after_a_removed_clause_is_kept() {
    assert_cases(
        quote!(a: after (#[cfg(x)] b) -> c -> d: main_thread if not(#[cfg(x)] b) -> e),
        quote!(a: after (b) -> c -> d: main_thread if not(b) -> e),
        quote!(a -> c -> d: main_thread -> e),
    );
    assert_cases(
        quote!(a -> group G: in (#[cfg(x)] b) after (#[cfg(x)] c) { d } -> e),
        quote!(a -> group G: in (b) after (c) { d } -> e),
        quote!(a -> group G { d } -> e),
    );
}

#[test]
fn error_for_a_predicate_before_a_link_suggests_brackets() {
    for entries in [
        quote!(a -> #[cfg(x)] b -> c),
        quote!(a -> (b -> #[cfg(x)] c)),
    ] {
        let errors = errors(entries);
        assert_eq!(errors.len(), 1);
        assert!(
            errors[0].contains("`a -> (#[cfg(…)] b) -> c`"),
            "{errors:?}"
        );
    }
}
