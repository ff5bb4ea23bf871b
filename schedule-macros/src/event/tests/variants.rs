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
    #[automatically_derived]
    unsafe impl<__R0, __R1, __R2> __schedule::Cases<Entry> for __Cases<__R0, __R1, __R2>
    where
        __R0: __schedule::EventRecipe<
            <transfer as __schedule::Handler>::Event,
            Output = <transfer as __schedule::Handler>::Output,
        >,
        __R1: __schedule::EventRecipe<
            <credit<Gold> as __schedule::Handler>::Event,
            Output = <credit<Gold> as __schedule::Handler>::Output,
        >,
        __R2: __schedule::EventRecipe<
            <credit<Silver> as __schedule::Handler>::Event,
            Output = <credit<Silver> as __schedule::Handler>::Output,
        >,
    {
        fn stores(&self, stores: &mut __schedule::Stores) {
            stores.add(&self.0);
            stores.add(&self.1);
            stores.add(&self.2);
        }
        #[inline(always)]
        fn visit<__V: __schedule::Visitor<Entry>>(
            &self,
            event: &Entry,
            visitor: __V,
        ) -> __V::Output {
            match event {
                Entry::Transfer { 0: __event } => {
                    let __event = __take_0(__event);
                    visitor
                        .visit(
                            __schedule::EventCase::new(
                                0usize,
                                &self.0,
                                __event,
                                __INTO_HANDLED_0,
                            ),
                        )
                }
                Entry::Credit { credit: __event } => {
                    let __event = __take_1(__event);
                    visitor
                        .visit(
                            __schedule::EventCase::new(
                                1usize,
                                &self.1,
                                __event,
                                __INTO_HANDLED_1,
                            ),
                        )
                }
                Entry::Silver { 0: __event } => {
                    let __event = __take_2(__event);
                    visitor
                        .visit(
                            __schedule::EventCase::new(
                                2usize,
                                &self.2,
                                __event,
                                __INTO_HANDLED_2,
                            ),
                        )
                }
            }
        }
    }
    #[automatically_derived]
    impl ::core::convert::From<Transfer> for Entry {
        #[inline]
        fn from(event: Transfer) -> Self {
            Entry::Transfer { 0: event }
        }
    }
};
