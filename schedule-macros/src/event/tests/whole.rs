#[allow(deprecated, reason = "that is said where the type is used")]
const _: () = {
    use ::schedule_stream::__private as __schedule;
    #[derive(::core::clone::Clone, ::core::marker::Copy)]
    struct __Cases<__R0>(__R0);
    const __HANDLERS: &[__schedule::HandlerDeclaration] = &[
        <count as __schedule::Handler>::DECLARATION,
    ];
    #[automatically_derived]
    impl __schedule::Event for Count {
        type Answer = ();
        type Error = Fault;
        const ACCESS: __schedule::Access = __schedule::Access::OneOf(
            &[<count as __schedule::Handler>::ACCESS],
        );
        const HANDLERS: &'static [__schedule::HandlerDeclaration] = __HANDLERS;
        fn cases() -> impl __schedule::Cases<Self> {
            __Cases(<count as __schedule::Handler>::recipe())
        }
    }
    #[inline(always)]
    const fn __take_0(event: &Count) -> &<count as __schedule::Handler>::Event {
        event
    }
    const __INTO_HANDLED_0: fn(
        <count as __schedule::Handler>::Output,
    ) -> __schedule::Handled<Count> = <<count as __schedule::Handler>::Output as __schedule::Returns<
        Count,
    >>::INTO_HANDLED;
    __schedule::cases! {
        Count : __Cases { 0 __R0 : { __schedule::EventRecipe < < count as
        __schedule::Handler > ::Event, Output = < count as __schedule::Handler > ::Output
        > } __event => __event, __take_0, __INTO_HANDLED_0; }
    }
};
