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
    __schedule::cases! {
        Entry : __Cases {}
    }
};
