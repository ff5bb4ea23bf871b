::core::compile_error! {
    "a type in a snapshot needs a name that stays the same if the type is renamed or moved: add `#[snapshot(name = \"…\")]`"
}
const _: () = {
    use ::schedule::__private as __schedule;
    impl __schedule::Snapshot for Account {
        const NAME: &'static __schedule::core::primitive::str = "";
        const VERSION: __schedule::core::primitive::u32 = 1;
        fn save(
            &self,
            _: &mut __schedule::Encoder,
        ) -> __schedule::core::result::Result<(), __schedule::SnapshotError> {
            __schedule::core::unreachable!()
        }
        fn restore(
            _: &mut __schedule::Decoder<'_>,
        ) -> __schedule::core::result::Result<Self, __schedule::SnapshotError> {
            __schedule::core::unreachable!()
        }
        fn schema() -> __schedule::Schema {
            __schedule::core::unreachable!()
        }
    }
};
