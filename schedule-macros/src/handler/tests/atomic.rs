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
    unreachable_pub,
    clippy::exhaustive_enums,
    reason = "this type has the name of the function of its handler"
)]
enum deposit {}
#[allow(
    deprecated,
    unused_variables,
    unused_mut,
    irrefutable_let_patterns,
    reason = "that is said at the function itself"
)]
const _: () = {
    use ::schedule_stream::__private as __schedule;
    #[automatically_derived]
    impl __schedule::Identity for deposit {
        const ID: ::core::primitive::u128 = __schedule::declared_here(
            ::core::module_path!(),
            "deposit",
        );
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
            let list = ();
            let list = (<&Fee as __schedule::Unkeyed>::ASKS, list);
            let list = (<&mut Account as __schedule::Keyed>::ASKS, list);
            __schedule::Handling::new(
                    list,
                    #[inline(always)]
                    |event: &Deposit, naming| {
                        let naming = {
                            let of = __schedule::Naming::key_type(&naming);
                            __schedule::Naming::key(
                                naming,
                                __schedule::AsKey::key_of(of, &event.to),
                            )?
                        };
                        let naming = __schedule::Naming::unkeyed(naming)?;
                        ::core::result::Result::Ok(naming)
                    },
                    #[inline(always)]
                    |event: &Deposit, items| {
                        let (items, __param_2) = items;
                        let (items, __param_1) = items;
                        deposit(event, __param_1, __param_2)
                    },
                )
                .atomic({
                    let copiers = ();
                    let copiers = (
                        copiers,
                        <&mut Account as __schedule::AtomicParameter>::COPIER,
                    );
                    let copiers = (
                        copiers,
                        <&Fee as __schedule::AtomicParameter>::COPIER,
                    );
                    copiers
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
