::core::compile_error! {
    "a variant needs a handler: add `#[event(handler)]` with the name of its function"
}
const _: () = {
    use ::schedule::__private as __schedule;
    #[derive(::core::clone::Clone, ::core::marker::Copy)]
    struct __Cases;
    impl __schedule::Event for Entry {
        type Answer = u64;
        type Error = __schedule::BoxError;
        const ACCESS: __schedule::Access = __schedule::Access::OneOf(&[]);
        const HANDLERS: &'static [__schedule::HandlerDeclaration] = &[];
        fn cases() -> impl __schedule::Cases<Self> {
            __Cases
        }
    }
    impl __schedule::Cases<Entry> for __Cases {
        fn stores(&self, _: &mut __schedule::Stores) {}
        fn name(
            &self,
            _: &Entry,
            _: __schedule::Desk<'_>,
        ) -> ::core::result::Result<(), __schedule::NotThere> {
            ::core::unreachable!()
        }
        fn handle(
            &self,
            _: &Entry,
            _: __schedule::Granted<'_>,
        ) -> ::core::result::Result<__schedule::Handled<Entry>, __schedule::NotThere> {
            ::core::unreachable!()
        }
        fn run(
            &self,
            _: &Entry,
            _: __schedule::Alone<'_>,
        ) -> (
            ::core::primitive::u16,
            ::core::result::Result<__schedule::Handled<Entry>, __schedule::Reason>,
        ) {
            ::core::unreachable!()
        }
    }
};
