/// Pays.
pub fn transfer(
    #[allow(unused_variables, reason = "keys are made of it")]
    event: &Transfer,
    from: &mut Account,
    to: &mut Account,
    fee: &Fee,
) -> Result<(), Overdrawn> {
    from.take(event.amount + fee.0)?;
    to.put(event.amount)
}
#[doc(hidden)]
#[allow(
    non_camel_case_types,
    dead_code,
    missing_copy_implementations,
    missing_debug_implementations,
    unreachable_pub,
    clippy::exhaustive_enums,
    clippy::trait_duplication_in_bounds,
    reason = "this type has the name of the function of its handler"
)]
pub enum transfer {}
#[allow(
    deprecated,
    irrefutable_let_patterns,
    unused_mut,
    unused_qualifications,
    unused_variables,
    clippy::arbitrary_source_item_ordering,
    clippy::missing_inline_in_public_items,
    clippy::question_mark_used,
    clippy::shadow_reuse,
    clippy::trait_duplication_in_bounds,
    reason = "the function itself is checked; this is generated code with its spans"
)]
const _: () = {
    use ::schedule_stream::__private as __schedule;
    #[automatically_derived]
    impl __schedule::Identity for transfer {
        const ID: __schedule::core::primitive::u128 = {
            const __MODULE: &__schedule::core::primitive::str = __schedule::core::module_path!();
            __schedule::declared_here(__MODULE, "transfer")
        };
        const NAME: __schedule::Name = __schedule::Name::new("pay");
    }
    #[automatically_derived]
    impl __schedule::Handler for transfer {
        type Event = Transfer;
        type Output = Result<(), Overdrawn>;
        const ARGUMENTS: __schedule::Arguments = __ARGUMENTS;
        const ACCESS: __schedule::Access = __schedule::Access::Each(
            &[
                __schedule::Asks::access(&<&mut Account as __schedule::Keyed>::ASKS),
                __schedule::Asks::access(&<&mut Account as __schedule::Keyed>::ASKS),
                __schedule::Asks::access(&<&Fee as __schedule::Unkeyed>::ASKS),
            ],
        );
        const ALIAS: __schedule::Alias = __schedule::Alias::Skip;
        fn recipe() -> impl __schedule::EventRecipe<Self::Event, Output = Self::Output> {
            let __list = ();
            let __list = (<&Fee as __schedule::Unkeyed>::ASKS, __list);
            let __list = (<&mut Account as __schedule::Keyed>::ASKS, __list);
            let __list = (<&mut Account as __schedule::Keyed>::ASKS, __list);
            __schedule::Handling::new(
                __list,
                #[inline(always)]
                |event: &Transfer, __naming| {
                    let __naming = {
                        let __of = __schedule::KeyLookup::key_type(&__naming);
                        __schedule::KeyLookup::key(
                            __naming,
                            __schedule::AsKey::key_of(__of, &event.from),
                        )?
                    };
                    let __naming = {
                        let __of = __schedule::KeyLookup::key_type(&__naming);
                        __schedule::KeyLookup::key(
                            __naming,
                            __schedule::AsKey::key_of(__of, &event.to),
                        )?
                    };
                    let __naming = __schedule::KeyLookup::unkeyed(__naming)?;
                    __schedule::core::result::Result::Ok(__naming)
                },
                #[inline(always)]
                |__event: &Transfer, __items| {
                    let (__items, __param_3) = __items;
                    let (__items, __param_2) = __items;
                    let (__items, __param_1) = __items;
                    transfer(__event, __param_1, __param_2, __param_3)
                },
            )
        }
    }
    const __ARGUMENTS: __schedule::Arguments = __schedule::Arguments::new(
        &[
            __schedule::ArgumentDeclaration::keyed(
                "from",
                <&mut Account as __schedule::Keyed>::ASKS,
            ),
            __schedule::ArgumentDeclaration::keyed(
                "to",
                <&mut Account as __schedule::Keyed>::ASKS,
            ),
            __schedule::ArgumentDeclaration::unkeyed(
                "fee",
                <&Fee as __schedule::Unkeyed>::ASKS,
            ),
        ],
    );
    const _: () = {
        __schedule::Arguments::distinct(&__ARGUMENTS, 0usize, __schedule::Alias::Skip);
        __schedule::Arguments::distinct(&__ARGUMENTS, 1usize, __schedule::Alias::Skip);
        __schedule::Arguments::distinct(&__ARGUMENTS, 2usize, __schedule::Alias::Skip);
    };
};
