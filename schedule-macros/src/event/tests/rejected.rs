::core::compile_error! {
    "a variant needs a handler: add `#[event(handler)]` with the name of its function"
}
const _: () = {
    use ::schedule_stream::__private as __schedule;
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
    unsafe impl __schedule::Cases<Entry> for __Cases {
        fn stores(&self, _: &mut __schedule::Stores) {}
        fn visit<__V: __schedule::Visitor<Entry>>(
            &self,
            _: &Entry,
            _: __V,
        ) -> __V::Output {
            __schedule::core::unreachable!()
        }
    }
};
