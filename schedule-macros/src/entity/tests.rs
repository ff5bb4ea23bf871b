//! The expansion of entities.

use quote::quote;

use super::expand;
use crate::snapshot::assert_expands;

#[test]
fn an_entity_is_found_by_its_key() {
    let expansion = expand(quote! {
        #[entity(key = String)]
        struct Customer {
            n_orders: u32,
        }
    });
    assert_expands(expansion, "entity/tests/hashed.rs");
}

#[test]
fn an_entity_has_a_largest_id() {
    let expansion = expand(quote! {
        #[entity(id = u32, max_id = 2 * N)]
        struct Account(u64);
    });
    assert_expands(expansion, "entity/tests/max_id.rs");
}

#[test]
fn a_generic_entity_is_found_by_a_number() {
    let expansion = expand(quote! {
        #[entity(id = AccountId)]
        struct Account<T: Coin>(Vec<T>);
    });
    assert_expands(expansion, "entity/tests/dense.rs");
}
