//! The expansion of records.

use quote::quote;

use super::expand;
use crate::expansion::assert_expands;

#[test]
fn a_record_is_found_by_its_key() {
    let expansion = expand(quote! {
        #[record(key = String)]
        struct Customer {
            n_orders: u32,
        }
    });
    assert_expands(expansion, "record/tests/hashed.rs");
}

#[test]
fn a_record_has_a_largest_id() {
    let expansion = expand(quote! {
        #[record(id = u32, max_id = 2 * N)]
        struct Account(u64);
    });
    assert_expands(expansion, "record/tests/max_id.rs");
}

#[test]
fn a_generic_record_is_found_by_a_number() {
    let expansion = expand(quote! {
        #[record(id = AccountId)]
        struct Account<T: Coin>(Vec<T>);
    });
    assert_expands(expansion, "record/tests/dense.rs");
}
