//! The expansion of kinds of entity.

use quote::quote;

use super::expand;
use crate::expansion::assert_expands;

#[test]
fn a_kind_has_a_column_for_each_field() {
    let expansion = expand(quote! {
        struct Villager {
            position: Position,
            home: Near<Self>,
        }
    });
    assert_expands(expansion, "columns/tests/kind.rs");
}
