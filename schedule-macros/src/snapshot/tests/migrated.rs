#[allow(deprecated, reason = "a use of the type is reported where it is used")]
const _: () = {
    use ::schedule::__private as __schedule;
    const __METHODS: __schedule::SerdeMethods<Account> = __schedule::serde_methods::<
        Account,
    >();
    #[automatically_derived]
    impl __schedule::Snapshot for Account {
        const NAME: &'static ::core::primitive::str = "account";
        const VERSION: ::core::primitive::u32 = 3;
        fn save(
            &self,
            to: &mut __schedule::Encoder,
        ) -> ::core::result::Result<(), __schedule::SnapshotError> {
            (__METHODS.save)(self, to)
        }
        fn restore(
            from: &mut __schedule::Decoder<'_>,
        ) -> ::core::result::Result<Self, __schedule::SnapshotError> {
            (__METHODS.restore)(from)
        }
        fn schema() -> __schedule::Schema {
            (__METHODS.schema)()
        }
        fn migrate(
            version: ::core::primitive::u32,
            from: &mut __schedule::Decoder<'_>,
        ) -> ::core::result::Result<Self, __schedule::SnapshotError> {
            let migrate: __schedule::Migration<Self> = Self::from_older;
            migrate(version, from)
        }
    }
};
