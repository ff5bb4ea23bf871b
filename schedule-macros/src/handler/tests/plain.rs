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
    unreachable_pub,
    clippy::exhaustive_enums,
    reason = "this type has the name of the function of its handler"
)]
pub enum transfer {}
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
    impl __schedule::Identity for transfer {
        const ID: ::core::primitive::u128 = __schedule::declared_here(
            ::core::module_path!(),
            "transfer",
        );
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
            let list = ();
            let list = (<&Fee as __schedule::Unkeyed>::ASKS, list);
            let list = (<&mut Account as __schedule::Keyed>::ASKS, list);
            let list = (<&mut Account as __schedule::Keyed>::ASKS, list);
            __schedule::Handling::new(
                list,
                #[inline(always)]
                |event: &Transfer, naming| {
                    let naming = {
                        let of = __schedule::Naming::key_type(&naming);
                        __schedule::Naming::key(
                            naming,
                            __schedule::AsKey::key_of(of, &event.from),
                        )?
                    };
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
                |event: &Transfer, items| {
                    let (items, __param_3) = items;
                    let (items, __param_2) = items;
                    let (items, __param_1) = items;
                    transfer(event, __param_1, __param_2, __param_3)
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
