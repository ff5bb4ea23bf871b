//! The expansion of handlers.

use quote::quote;

use super::expand;
use crate::expansion::assert_expands;

#[test]
fn expansion_of_a_handler_is_readable() {
    let expansion = expand(
        quote!(name = "pay", alias = skip),
        quote! {
            /// Pays.
            pub fn transfer(
                event: &Transfer,
                #[key(event.from)] from: &mut Account,
                #[key(event.to)] to: &mut Account,
                fee: &Fee,
            ) -> Result<(), Overdrawn> {
                from.take(event.amount + fee.0)?;
                to.put(event.amount)
            }
        },
    );
    assert_expands(expansion, "handler/tests/plain.rs");
}

#[test]
fn atomic_handler_lists_the_copiers_of_its_parameters() {
    let expansion = expand(
        quote!(atomic),
        quote! {
            fn deposit(event: &Deposit, #[key(event.to)] to: &mut Account, fee: &Fee) {
                to.put(event.amount - fee.0)
            }
        },
    );
    assert_expands(expansion, "handler/tests/atomic.rs");
}

#[test]
fn a_generic_handler_keeps_its_parameters() {
    let expansion = expand(
        quote!(),
        quote! {
            fn split<'e, T: Coin, const N: usize>(
                Split { between, by }: &'e Split<T>,
                #[keys(between.iter().take(N))] all: RecordSetMut<'e, Purse<T>>,
                #[cfg(feature = "log")] log: &mut Log,
            )
            where
                T: Default,
            {
                all.share(by, N)
            }
        },
    );
    assert_expands(expansion, "handler/tests/generic.rs");
}

#[test]
fn rejected_handler_expands_to_an_inert_handler_of_its_name() {
    let expansion = expand(
        quote!(),
        quote! {
            async fn deposit(event: &Deposit, #[key(event.to)] to: &mut Account) {}
        },
    );
    assert_expands(expansion, "handler/tests/rejected.rs");
}

#[test]
fn all_broken_rules_are_reported_together() {
    let expansion = expand(
        quote!(speed = 3),
        quote! {
            async unsafe fn deposit(
                #[key(3)] event: &mut Deposit<'_>,
                #[key] to: &mut impl Trait,
                #[keys(3)] #[key(4)] time: &'static Time,
            ) -> ! {}
        },
    );
    let n_errors = expansion.to_string().matches("compile_error").count();
    assert_eq!(n_errors, 11);
}
