#[allow(deprecated, reason = "that is said where the type is used")]
const _: () = {
    use ::schedule_stream::__private as __schedule;
    #[automatically_derived]
    impl __schedule::Identity for Customer {
        const ID: __schedule::core::primitive::u128 = {
            const __MODULE: &__schedule::core::primitive::str = __schedule::core::module_path!();
            __schedule::declared_here(__MODULE, "Customer")
        };
        const NAME: __schedule::Name = __schedule::Name::new("Customer");
    }
    #[automatically_derived]
    impl __schedule::Record for Customer {
        type Key = String;
        type Index = __schedule::Hashed<String>;
    }
};
