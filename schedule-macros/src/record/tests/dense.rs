#[allow(deprecated, reason = "that is said where the type is used")]
const _: () = {
    use ::schedule_stream::__private as __schedule;
    #[automatically_derived]
    impl<T: Coin + __schedule::Identity> __schedule::Identity for Account<T> {
        const ID: __schedule::core::primitive::u128 = {
            let id = {
                const __MODULE: &__schedule::core::primitive::str = __schedule::core::module_path!();
                __schedule::declared_here(__MODULE, "Account")
            };
            let id = __schedule::mix(id, <T as __schedule::Identity>::ID);
            id
        };
        const NAME: __schedule::Name = __schedule::generic_name(
            "Account",
            &[__schedule::Argument::Type(<T as __schedule::Identity>::NAME)],
        );
    }
    #[automatically_derived]
    impl<T: Coin + __schedule::Identity> __schedule::Record for Account<T>
    where
        Account<T>: ::core::marker::Send + ::core::marker::Sync + 'static,
    {
        type Key = AccountId;
        type Index = __schedule::Dense;
    }
};
