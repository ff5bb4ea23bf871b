//! The expansion of saved components.

use quote::quote;

use super::expand;

#[test]
fn macro_is_called_with_the_type() {
    let expansion = expand(quote! {
        #[derive(Clone)]
        struct Position(f32);
    });
    let expected = quote!(::schedule_hecs::saved_component!(Position););
    assert_eq!(expansion.to_string(), expected.to_string());
}

#[test]
fn path_of_the_crate_can_be_given() {
    let expansion = expand(quote! {
        #[saved_component(crate = engine::entities)]
        enum Mood {
            Calm,
        }
    });
    let expected = quote!(engine::entities::saved_component!(Mood););
    assert_eq!(expansion.to_string(), expected.to_string());
}

#[test]
fn all_broken_rules_are_reported_together() {
    let n_errors = |item| {
        let expansion = expand(item).to_string();
        expansion.matches("compile_error").count()
    };
    assert_eq!(n_errors(quote!(union Bits { word: u32 })), 1);
    let faulty = quote! {
        #[saved_component(name = "timer")]
        struct Timer<'a, T>(&'a T);
    };
    assert_eq!(n_errors(faulty), 3);
}
