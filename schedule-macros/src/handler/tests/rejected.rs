async fn deposit(
    #[allow(unused_variables, reason = "keys are made of it")]
    event: &Deposit,
    to: &mut Account,
) {}
::core::compile_error! {
    "a handler cannot be `async`, because it runs to completion in one call: remove `async`"
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
    reason = "replaces a rejected handler"
)]
enum deposit {}
const _: () = {
    use ::schedule_stream::__private as __schedule;
    impl __schedule::Identity for deposit {
        const ID: __schedule::core::primitive::u128 = 0;
        const NAME: __schedule::Name = __schedule::Name::new("deposit");
    }
    impl __schedule::Handler for deposit {
        type Event = Deposit;
        type Output = __schedule::Rejected;
        const ACCESS: __schedule::Access = __schedule::Access::Each(&[]);
        const ARGUMENTS: __schedule::Arguments = __schedule::Arguments::new(&[]);
        fn recipe() -> impl __schedule::EventRecipe<Self::Event, Output = Self::Output> {
            __schedule::Handling::new(
                (),
                |_: &Self::Event, naming| __schedule::core::result::Result::Ok(naming),
                |_: &Self::Event, ()| __schedule::Rejected,
            )
        }
    }
};
