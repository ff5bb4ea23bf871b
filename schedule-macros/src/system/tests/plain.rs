/// Bites.
pub fn poison(counter: &PoisonCounter, health: &mut Health) {
    health.0 -= counter.0;
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
    reason = "this type has the name of the function of its system"
)]
pub enum poison {}
#[allow(
    deprecated,
    unused_imports,
    unused_qualifications,
    unused_variables,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction,
    reason = "the function itself is checked; this is generated code with its spans"
)]
const _: () = {
    use ::schedule::__private as __schedule;
    use ::schedule::__private::System as _;
    #[automatically_derived]
    impl __schedule::Identity for poison {
        const ID: __schedule::core::primitive::u128 = {
            const __MODULE: &__schedule::core::primitive::str = __schedule::core::module_path!();
            __schedule::declared_here(__MODULE, "poison")
        };
        const NAME: __schedule::Name = __schedule::Name::new("venom");
    }
    #[automatically_derived]
    impl __schedule::System for poison {
        const DEFINITION: __schedule::Definition = {
            let _ = poison::a_module_has_this_name__add__type_NewName__to_the_attribute;
            __DEFINITION
        };
        const ORDERS: &'static [__schedule::Order] = &[
            __schedule::Order::after::<spawn>(),
        ];
    }
    const __DEFINITION: __schedule::Definition = __schedule::Definition::once(
        &__schedule::Once::new(
            __schedule::named_2(
                ["counter", "health"],
                (
                    <&PoisonCounter as __schedule::Param>::SEED,
                    <&mut Health as __schedule::Param>::SEED,
                ),
            ),
            <() as __schedule::Output>::INTO_ANSWER,
            |(__param_0, __param_1)| poison(__param_0, __param_1),
        ),
    );
    const __DISTINCT: __schedule::Definition = __schedule::Definition::distinct(
        __schedule::Definition::distinct(__DEFINITION),
    );
};
