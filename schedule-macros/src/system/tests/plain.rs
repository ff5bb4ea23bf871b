/// Bites.
pub fn poison(counter: &PoisonCounter, health: &mut Health) {
    health.0 -= counter.0;
}
#[doc(hidden)]
#[allow(
    non_camel_case_types,
    dead_code,
    unreachable_pub,
    clippy::exhaustive_enums,
    reason = "this type has the name of the function of its system"
)]
pub enum poison {}
#[allow(
    deprecated,
    unused_variables,
    clippy::as_conversions,
    reason = "that is said at the function itself; a branch is cast to its index"
)]
const _: () = {
    use ::schedule::__private as __schedule;
    use __schedule::System as _;
    #[automatically_derived]
    impl __schedule::Identity for poison {
        const ID: ::core::primitive::u128 = __schedule::declared_at(
            ::core::module_path!(),
            "poison",
            ::core::line!(),
            ::core::column!(),
        );
        const NAME: __schedule::Name = __schedule::Name::new("venom");
    }
    #[automatically_derived]
    impl __schedule::System for poison {
        const PARAMETERS: __schedule::Parameters = __PARAMETERS;
        const FUNCTION: __schedule::Function = {
            let _ = poison::a_module_has_this_name__add__type_NewName__to_the_attribute;
            __schedule::Function::new(
                &__schedule::Call::new(
                    (
                        <&PoisonCounter as __schedule::Param>::SEED,
                        <&mut Health as __schedule::Param>::SEED,
                    ),
                    <() as __schedule::Output>::INTO_ANSWER,
                    |(__param_0, __param_1)| poison(__param_0, __param_1),
                ),
            )
        };
        const ORDERS: &'static [__schedule::Order] = &[
            __schedule::Order::after::<spawn>(),
        ];
    }
    const __PARAMETERS: __schedule::Parameters = __schedule::Parameters::new(
        "parameter",
        &[
            __schedule::Parameter::new(
                "counter",
                <&PoisonCounter as __schedule::Param>::SEED,
            ),
            __schedule::Parameter::new(
                "health",
                <&mut Health as __schedule::Param>::SEED,
            ),
        ],
    );
    const _: () = {
        __schedule::Parameters::distinct(&__PARAMETERS, 0usize);
        __schedule::Parameters::distinct(&__PARAMETERS, 1usize);
    };
};
