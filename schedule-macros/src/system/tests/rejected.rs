async fn poison(health: &mut Health) {}
::core::compile_error! {
    "a system cannot be `async`, because it runs to completion in one call: remove `async`"
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
    reason = "replaces a rejected system"
)]
enum poison {}
const _: () = {
    use ::schedule::__private as __schedule;
    impl __schedule::Identity for poison {
        const ID: __schedule::core::primitive::u128 = 0;
        const NAME: __schedule::Name = __schedule::Name::new("poison");
    }
    impl __schedule::System for poison {
        const DEFINITION: __schedule::Definition = __schedule::Definition::once(
            &__schedule::Once::new(
                __schedule::named_0([], ()),
                <__schedule::Rejected as __schedule::Output>::INTO_ANSWER,
                |()| __schedule::Rejected,
            ),
        );
    }
};
