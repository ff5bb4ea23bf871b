fn look() {}
#[doc(hidden)]
#[allow(
    non_camel_case_types,
    dead_code,
    missing_copy_implementations,
    missing_debug_implementations,
    unreachable_pub,
    clippy::exhaustive_enums,
    clippy::trait_duplication_in_bounds,
    reason = "this type has the name of the function of its system"
)]
enum look {}
#[allow(
    deprecated,
    unused_imports,
    unused_qualifications,
    unused_variables,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction,
    reason = "the function itself is checked; this is generated code with its spans"
)]
const _: () = {
    use ::schedule::__private as __schedule;
    use ::schedule::__private::System as _;
    #[automatically_derived]
    impl __schedule::Identity for look {
        const ID: __schedule::core::primitive::u128 = {
            const __MODULE: &__schedule::core::primitive::str = __schedule::core::module_path!();
            __schedule::declared_here(__MODULE, "look")
        };
        const NAME: __schedule::Name = __schedule::Name::new("look");
    }
    #[automatically_derived]
    impl __schedule::System for look {
        const DEFINITION: __schedule::Definition = {
            let _ = look::a_module_has_this_name__add__type_NewName__to_the_attribute;
            __DEFINITION
        };
        const GROUPS: &'static [__schedule::Membership] = &[
            __schedule::Membership::of::<Sight>(),
        ];
        const GUARDS: &'static [__schedule::Guard] = __Guards::ALL;
    }
    const __DEFINITION: __schedule::Definition = __schedule::Definition::once(
        &__schedule::Once::new(
            __schedule::named_0([], ()),
            <() as __schedule::Output>::INTO_ANSWER,
            |()| look(),
        ),
    );
    enum __Guards {}
    impl __Guards {
        const ALL: &'static [__schedule::Guard] = &[
            __schedule::Guard {
                tokens: &[
                    __schedule::Token::Is(
                        __schedule::Answered::unchecked::<is_awake, _>(true, 1),
                    ),
                ],
            },
            __schedule::Guard {
                tokens: &[
                    __schedule::Token::Is(
                        __schedule::Answered::unchecked::<is_blind, _>(true, 1),
                    ),
                    __schedule::Token::Is(
                        __schedule::Answered::unchecked::<is_dark<Cave>, _>(true, 1),
                    ),
                    __schedule::Token::Any(2u32),
                    __schedule::Token::Not,
                ],
            },
            __schedule::Guard {
                tokens: &[
                    __schedule::Token::Is(
                        __schedule::Answered::unchecked::<
                            gait,
                            _,
                        >(Gait::Run, Gait::Run as __schedule::BranchIndex),
                    ),
                    __schedule::Token::Is(
                        __schedule::Answered::unchecked::<has_air, _>(true, 1),
                    ),
                    __schedule::Token::All(2u32),
                ],
            },
        ];
    }
    const _: () = __schedule::Guard::check_answer(__Guards::ALL, 0u32, 0u32);
    const _: () = __schedule::Guard::check_answer(__Guards::ALL, 1u32, 0u32);
    const _: () = __schedule::Guard::check_answer(__Guards::ALL, 1u32, 1u32);
    const _: () = __schedule::Guard::check_answer(__Guards::ALL, 2u32, 0u32);
    const _: () = __schedule::Guard::check_answer(__Guards::ALL, 2u32, 1u32);
};
