//! The expansion of events.

use quote::quote;

use super::expand;
use crate::expansion::assert_expands;

#[test]
fn expansion_of_an_enum_is_readable() {
    let expansion = expand(quote! {
        #[event(answer = u64)]
        enum Entry {
            #[event(transfer)]
            Transfer(Transfer),
            #[event(credit::<Gold>)]
            Credit { credit: Amount },
            #[event(credit::<Silver>)]
            Silver(Amount),
        }
    });
    assert_expands(expansion, "event/tests/variants.rs");
}

#[test]
fn a_struct_has_one_handler() {
    let expansion = expand(quote! {
        #[event(count, error = Fault)]
        struct Count(u32);
    });
    assert_expands(expansion, "event/tests/whole.rs");
}

#[test]
fn rejected_event_still_implements_event() {
    let expansion = expand(quote! {
        #[event(answer = u64)]
        enum Entry {
            Transfer(Transfer),
        }
    });
    assert_expands(expansion, "event/tests/rejected.rs");
}

#[test]
fn all_broken_rules_are_reported_together() {
    let expansion = expand(quote! {
        enum Entry<T> {
            Transfer,
            #[event(one, two)]
            Credit(u32, T),
            #[event(one, answer = u32)]
            Debit(T),
        }
    });
    let n_errors = expansion.to_string().matches("compile_error").count();
    assert_eq!(n_errors, 5);
}
