//! The expansion of types in snapshots.

use quote::quote;

use super::expand;
use crate::expansion::assert_expands;

#[test]
fn first_version_has_no_migration() {
    let expansion = expand(quote! {
        #[snapshot(name = "account", crate = engine::schedule)]
        struct Account {
            balance: u64,
        }
    });
    assert_expands(expansion, "snapshot/tests/first.rs");
}

#[test]
fn later_version_has_a_migration() {
    let expansion = expand(quote! {
        #[snapshot(name = "account", version = 3, migrate = Self::from_older)]
        enum Account {
            Open(u64),
            Closed,
        }
    });
    assert_expands(expansion, "snapshot/tests/migrated.rs");
}

#[test]
fn rejected_type_still_implements_snapshot() {
    let expansion = expand(quote! {
        #[snapshot(version = 1)]
        struct Account(u64);
    });
    assert_expands(expansion, "snapshot/tests/rejected.rs");
}

#[test]
fn all_broken_rules_are_reported_together() {
    let expansion = expand(quote! {
        #[snapshot(name = "", version = 0, migrate = "older")]
        struct Account<'a, T>(&'a T);
    });
    let n_errors = expansion.to_string().matches("compile_error").count();
    assert_eq!(n_errors, 5);
}

#[test]
fn name_has_at_most_100_bytes() {
    let n_errors = |n: usize| {
        let name = "a".repeat(n);
        let expansion = expand(quote!(
            #[snapshot(name = #name)]
            struct Account;
        ));
        expansion.to_string().matches("compile_error").count()
    };
    assert_eq!([0, 1, 100, 101].map(n_errors), [1, 0, 0, 1]);
}
