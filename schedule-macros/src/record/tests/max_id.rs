#[allow(deprecated, reason = "that is said where the type is used")]
const _: () = {
    use ::schedule_stream::__private as __schedule;
    #[automatically_derived]
    impl __schedule::Identity for Account {
        const ID: __schedule::core::primitive::u128 = {
            const __MODULE: &__schedule::core::primitive::str = __schedule::core::module_path!();
            __schedule::declared_here(__MODULE, "Account")
        };
        const NAME: __schedule::Name = __schedule::Name::new("Account");
    }
    #[automatically_derived]
    impl __schedule::Record for Account {
        type Key = u32;
        type Index = __schedule::Dense;
        const MAX_ID: ::core::primitive::u32 = 2 * N;
    }
};
