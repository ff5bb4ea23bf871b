//! The expansion of events.

use quote::quote;

use super::expand;
use crate::snapshot::assert_expands;

#[test]
fn an_enum_expands_to_what_a_person_can_read() {
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
fn a_rejected_event_is_an_event_all_the_same() {
    let expansion = expand(quote! {
        #[event(answer = u64)]
        enum Entry {
            Transfer(Transfer),
        }
    });
    assert_expands(expansion, "event/tests/rejected.rs");
}

#[test]
fn all_broken_rules_are_told_at_once() {
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
