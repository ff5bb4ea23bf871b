fn deposit(
    #[allow(unused_variables, reason = "keys are made of it")]
    event: &Deposit,
    to: &mut Account,
    fee: &Fee,
) {
    to.put(event.amount - fee.0)
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
enum deposit {}
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
    impl __schedule::Identity for deposit {
        const ID: __schedule::core::primitive::u128 = {
            const __MODULE: &__schedule::core::primitive::str = __schedule::core::module_path!();
            __schedule::declared_here(__MODULE, "deposit")
        };
        const NAME: __schedule::Name = __schedule::Name::new("deposit");
    }
    #[automatically_derived]
    impl __schedule::Handler for deposit {
        type Event = Deposit;
        type Output = ();
        const ARGUMENTS: __schedule::Arguments = __ARGUMENTS;
        const ACCESS: __schedule::Access = __schedule::Access::Each(
            &[
                __schedule::Asks::access(&<&mut Account as __schedule::Keyed>::ASKS),
                __schedule::Asks::access(&<&Fee as __schedule::Unkeyed>::ASKS),
            ],
        );
        fn recipe() -> impl __schedule::EventRecipe<Self::Event, Output = Self::Output> {
            let __list = ();
            let __list = (<&Fee as __schedule::Unkeyed>::ASKS, __list);
            let __list = (<&mut Account as __schedule::Keyed>::ASKS, __list);
            __schedule::Handling::new(
                    __list,
                    #[inline(always)]
                    |event: &Deposit, __naming| {
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
                    |__event: &Deposit, __items| {
                        let (__items, __param_2) = __items;
                        let (__items, __param_1) = __items;
                        deposit(__event, __param_1, __param_2)
                    },
                )
                .atomic({
                    let __copiers = ();
                    let __copiers = (
                        __copiers,
                        <&mut Account as __schedule::AtomicParameter>::COPIER,
                    );
                    let __copiers = (
                        __copiers,
                        <&Fee as __schedule::AtomicParameter>::COPIER,
                    );
                    __copiers
                })
        }
    }
    const __ARGUMENTS: __schedule::Arguments = __schedule::Arguments::new(
        &[
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
        __schedule::Arguments::distinct(&__ARGUMENTS, 0usize, __schedule::Alias::Reject);
        __schedule::Arguments::distinct(&__ARGUMENTS, 1usize, __schedule::Alias::Reject);
    };
};
