#[allow(deprecated, reason = "that is said where the type is used")]
const _: () = {
    use ::schedule_stream::__private as __schedule;
    #[derive(::core::clone::Clone, ::core::marker::Copy)]
    struct __Cases<__R0, __R1, __R2>(__R0, __R1, __R2);
    const __HANDLERS: &[__schedule::HandlerDeclaration] = &[
        <transfer as __schedule::Handler>::DECLARATION,
        <credit<Gold> as __schedule::Handler>::DECLARATION,
        <credit<Silver> as __schedule::Handler>::DECLARATION,
    ];
    #[automatically_derived]
    impl __schedule::Event for Entry {
        type Answer = u64;
        type Error = __schedule::BoxError;
        const ACCESS: __schedule::Access = __schedule::Access::OneOf(
            &[
                <transfer as __schedule::Handler>::ACCESS,
                <credit<Gold> as __schedule::Handler>::ACCESS,
                <credit<Silver> as __schedule::Handler>::ACCESS,
            ],
        );
        const HANDLERS: &'static [__schedule::HandlerDeclaration] = __HANDLERS;
        fn cases() -> impl __schedule::Cases<Self> {
            __Cases(
                <transfer as __schedule::Handler>::recipe(),
                <credit<Gold> as __schedule::Handler>::recipe(),
                <credit<Silver> as __schedule::Handler>::recipe(),
            )
        }
    }
    #[inline(always)]
    const fn __take_0(event: &Transfer) -> &<transfer as __schedule::Handler>::Event {
        event
    }
    #[inline(always)]
    const fn __take_1(event: &Amount) -> &<credit<Gold> as __schedule::Handler>::Event {
        event
    }
    #[inline(always)]
    const fn __take_2(
        event: &Amount,
    ) -> &<credit<Silver> as __schedule::Handler>::Event {
        event
    }
    const __INTO_HANDLED_0: fn(
        <transfer as __schedule::Handler>::Output,
    ) -> __schedule::Handled<Entry> = <<transfer as __schedule::Handler>::Output as __schedule::Returns<
        Entry,
    >>::INTO_HANDLED;
    const __INTO_HANDLED_1: fn(
        <credit<Gold> as __schedule::Handler>::Output,
    ) -> __schedule::Handled<Entry> = <<credit<
        Gold,
    > as __schedule::Handler>::Output as __schedule::Returns<Entry>>::INTO_HANDLED;
    const __INTO_HANDLED_2: fn(
        <credit<Silver> as __schedule::Handler>::Output,
    ) -> __schedule::Handled<Entry> = <<credit<
        Silver,
    > as __schedule::Handler>::Output as __schedule::Returns<Entry>>::INTO_HANDLED;
    __schedule::cases! {
        Entry : __Cases { 0 __R0 : { __schedule::EventRecipe < < transfer as
        __schedule::Handler > ::Event, Output = < transfer as __schedule::Handler >
        ::Output > } Entry::Transfer { 0 : __event } => __event, __take_0,
        __INTO_HANDLED_0; 1 __R1 : { __schedule::EventRecipe < < credit:: < Gold > as
        __schedule::Handler > ::Event, Output = < credit:: < Gold > as
        __schedule::Handler > ::Output > } Entry::Credit { credit : __event } => __event,
        __take_1, __INTO_HANDLED_1; 2 __R2 : { __schedule::EventRecipe < < credit:: <
        Silver > as __schedule::Handler > ::Event, Output = < credit:: < Silver > as
        __schedule::Handler > ::Output > } Entry::Silver { 0 : __event } => __event,
        __take_2, __INTO_HANDLED_2; }
    }
    #[automatically_derived]
    impl ::core::convert::From<Transfer> for Entry {
        #[inline]
        fn from(event: Transfer) -> Self {
            Entry::Transfer { 0: event }
        }
    }
};
