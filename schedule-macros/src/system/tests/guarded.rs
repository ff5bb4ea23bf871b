fn look() {}
#[doc(hidden)]
#[allow(
    non_camel_case_types,
    dead_code,
    unreachable_pub,
    reason = "names the system beside its function"
)]
enum look {}
#[allow(deprecated, unused_variables, reason = "that is said at the function itself")]
const _: () = {
    use ::schedule::__private as __schedule;
    #[automatically_derived]
    impl __schedule::Identity for look {
        const ID: ::core::primitive::u128 = __schedule::declared_at(
            ::core::module_path!(),
            "look",
            ::core::line!(),
            ::core::column!(),
        );
        const NAME: __schedule::Name = __schedule::Name::new("look");
    }
    #[automatically_derived]
    impl __schedule::System for look {
        const PARAMETERS: __schedule::Parameters = __PARAMETERS;
        const FUNCTION: __schedule::Function = __schedule::Function::new(
            &__schedule::Call::new(
                (),
                <() as __schedule::Output>::INTO_ANSWER,
                |()| look(),
            ),
        );
        const GROUPS: &'static [__schedule::Membership] = &[
            __schedule::Membership::of::<Sight>(),
        ];
        const GUARDS: &'static [__schedule::Guard] = &[
            {
                let __guard = __schedule::Guard::of::<is_awake>();
                __guard
            },
            __schedule::Guard::Not(
                &__schedule::Guard::Any(
                    &[
                        {
                            let __guard = __schedule::Guard::of::<is_blind>();
                            __guard
                        },
                        {
                            let __guard = __schedule::Guard::of::<is_dark<Cave>>();
                            __guard
                        },
                    ],
                ),
            ),
            __schedule::Guard::All(
                &[
                    {
                        let __guard = __schedule::Guard::is::<
                            gait,
                            _,
                        >(Gait::Run, Gait::Run as ::core::primitive::u32);
                        __guard
                    },
                    {
                        let __guard = __schedule::Guard::of::<has_air>();
                        __guard
                    },
                ],
            ),
        ];
    }
    const __PARAMETERS: __schedule::Parameters = __schedule::Parameters::new(
        "parameter",
        &[],
    );
    const _: () = {};
    const _: __schedule::Guard = __schedule::Guard::of::<is_awake>();
    const _: __schedule::Guard = __schedule::Guard::of::<is_blind>();
    const _: __schedule::Guard = __schedule::Guard::of::<is_dark<Cave>>();
    const _: __schedule::Guard = __schedule::Guard::is::<
        gait,
        _,
    >(Gait::Run, Gait::Run as ::core::primitive::u32);
    const _: __schedule::Guard = __schedule::Guard::of::<has_air>();
};
