#[allow(
    missing_debug_implementations,
    missing_copy_implementations,
    clippy::exhaustive_enums,
    reason = "there is no value of it"
)]
enum Frame {}
#[allow(
    unused_qualifications,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction,
    reason = "this is generated code with spans of the listing"
)]
const _: () = {
    use crate::renamed::__private as __schedule;
    fn __closure_0(health: &Health) {
        mend(health)
    }
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
    enum __closure_0 {}
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
        use crate::renamed::__private as __schedule;
        use crate::renamed::__private::System as _;
        #[automatically_derived]
        impl __schedule::Identity for __closure_0 {
            const ID: __schedule::core::primitive::u128 = {
                const __MODULE: &__schedule::core::primitive::str = __schedule::core::module_path!();
                __schedule::declared_here(__MODULE, "__closure_0")
            };
            const NAME: __schedule::Name = __schedule::Name::new("mend");
        }
        #[automatically_derived]
        impl __schedule::System for __closure_0 {
            const DEFINITION: __schedule::Definition = {
                let _ = __closure_0::a_module_has_this_name__add__type_NewName__to_the_attribute;
                __DEFINITION
            };
        }
        const __DEFINITION: __schedule::Definition = __schedule::Definition::once(
            &__schedule::Once::new(
                __schedule::named_1(["health"], (<&Health as __schedule::Param>::SEED,)),
                <() as __schedule::Output>::INTO_ANSWER,
                |(__param_0,)| __closure_0(__param_0),
            ),
        );
        const __DISTINCT: __schedule::Definition = __schedule::Definition::distinct(
            __DEFINITION,
        );
    };
    enum __Listed {}
    impl __Listed {
        const ALL: (&'static [__schedule::Entry], &'static [__schedule::Rule]) = (
            &[
                __schedule::Entry {
                    clauses: &[
                        __schedule::Clause::Order(
                            __schedule::Order::before_if_present::<heal>(),
                        ),
                        __schedule::Clause::If(__schedule::Guard {
                            tokens: &[
                                __schedule::Token::Is(
                                    __schedule::Answered::unchecked::<
                                        gait,
                                        _,
                                    >(Gait::Run, Gait::Run as __schedule::BranchIndex)
                                        .written("gait"),
                                ),
                                __schedule::Token::Is(
                                    __schedule::Answered::unchecked::<visible, _>(true, 1)
                                        .written("visible"),
                                ),
                                __schedule::Token::Any(2u32),
                                __schedule::Token::Not,
                            ],
                        }),
                    ],
                    ..__schedule::Entry::system::<spawn<Villager>>()
                        .written("spawn<Villager>")
                        .named("first")
                },
                __schedule::Entry::system::<read>().written("read"),
                __schedule::Entry {
                    clauses: &[
                        __schedule::Clause::Order(
                            __schedule::Order::after::<read>().at(1u32),
                        ),
                    ],
                    ..__schedule::Entry::system::<parse>().written("parse")
                },
                __schedule::Entry {
                    clauses: &[
                        __schedule::Clause::Order(
                            __schedule::Order::after::<read>().at(1u32),
                        ),
                    ],
                    ..__schedule::Entry::system::<scan>().written("scan").named("second")
                },
                __schedule::Entry {
                    clauses: &[
                        __schedule::Clause::Order(
                            __schedule::Order::after::<parse>().at(2u32),
                        ),
                        __schedule::Clause::Order(
                            __schedule::Order::after::<scan>().at(3u32),
                        ),
                    ],
                    ..__schedule::Entry::system::<judge>().written("judge")
                },
                __schedule::Entry::checkpoint::<InputRead>().written("InputRead"),
                __schedule::Entry {
                    clauses: &[
                        __schedule::Clause::Order(
                            __schedule::Order::after::<InputRead>(),
                        ),
                        __schedule::Clause::If(__schedule::Guard {
                            tokens: &[
                                __schedule::Token::Is(
                                    __schedule::Answered::unchecked::<visible, _>(true, 1)
                                        .written("visible"),
                                ),
                            ],
                        }),
                    ],
                    ..__schedule::Entry::include::<weather::Weather>()
                        .written("weather::Weather")
                },
                __schedule::Entry {
                    clauses: &[
                        __schedule::Clause::In(__schedule::Membership::of::<Outer>()),
                    ],
                    ..__schedule::Entry::group::<Physics>().written("Physics")
                },
                __schedule::Entry {
                    clauses: &[
                        __schedule::Clause::AtMost(100),
                        __schedule::Clause::Order(
                            __schedule::Order::after::<spawn<Villager>>().at(0u32),
                        ),
                        __schedule::Clause::OnFailure(__schedule::FailurePolicy::Stop),
                        __schedule::Clause::In(__schedule::Membership::of::<Physics>()),
                    ],
                    ..__schedule::Entry::repeat::<step_pending>().written("step_pending")
                },
                __schedule::Entry::system::<step>().written("step").inside(8u32),
                __schedule::Entry {
                    clauses: &[
                        __schedule::Clause::Order(__schedule::Order::after::<step>()),
                    ],
                    ..__schedule::Entry::apply_commands::<Loaded>()
                        .written("Loaded")
                        .inside(8u32)
                },
                __schedule::Entry::system::<walk>()
                    .written("walk")
                    .marked(__schedule::Marks::NO_SWEEP),
                __schedule::Entry {
                    clauses: &[
                        __schedule::Clause::Order(
                            __schedule::Order::after::<walk>().at(11u32),
                        ),
                    ],
                    ..__schedule::Entry::group::<Late>()
                        .written("Late")
                        .marked(
                            __schedule::Marks::ALWAYS
                                .and(__schedule::Marks::SKIP_IF_MISSING),
                        )
                },
                __schedule::Entry {
                    clauses: &[
                        __schedule::Clause::In(__schedule::Membership::of::<Late>()),
                    ],
                    ..__schedule::Entry::system::<run>()
                        .written("run")
                        .marked(
                            __schedule::Marks::MAIN_THREAD
                                .and(__schedule::Marks::ALWAYS)
                                .and(__schedule::Marks::SKIP_IF_MISSING),
                        )
                },
                __schedule::Entry {
                    clauses: &[
                        __schedule::Clause::Order(
                            __schedule::Order::after::<walk>().at(11u32),
                        ),
                    ],
                    ..__schedule::Entry::system::<__closure_0>()
                        .written("mend")
                        .named("mend")
                },
                __schedule::Entry {
                    clauses: &[
                        __schedule::Clause::Order(
                            __schedule::StateChange::exit::<
                                Phase,
                            >(Phase::Day, Phase::Day as __schedule::core::primitive::u32)
                                .order,
                        ),
                        __schedule::Clause::If(__schedule::Guard {
                            tokens: &[
                                __schedule::Token::Is(
                                    __schedule::StateChange::exit::<
                                        Phase,
                                    >(
                                            Phase::Day,
                                            Phase::Day as __schedule::core::primitive::u32,
                                        )
                                        .changes
                                        .written("changes<Phase>"),
                                ),
                                __schedule::Token::Is(
                                    __schedule::StateChange::exit::<
                                        Phase,
                                    >(
                                            Phase::Day,
                                            Phase::Day as __schedule::core::primitive::u32,
                                        )
                                        .is_state
                                        .written("leaves<Phase>"),
                                ),
                                __schedule::Token::All(2u32),
                            ],
                        }),
                        __schedule::Clause::Order(
                            __schedule::StateChange::enter::<
                                Phase,
                            >(
                                    Phase::Night,
                                    Phase::Night as __schedule::core::primitive::u32,
                                )
                                .order,
                        ),
                        __schedule::Clause::If(__schedule::Guard {
                            tokens: &[
                                __schedule::Token::Is(
                                    __schedule::StateChange::enter::<
                                        Phase,
                                    >(
                                            Phase::Night,
                                            Phase::Night as __schedule::core::primitive::u32,
                                        )
                                        .changes
                                        .written("changes<Phase>"),
                                ),
                                __schedule::Token::Is(
                                    __schedule::StateChange::enter::<
                                        Phase,
                                    >(
                                            Phase::Night,
                                            Phase::Night as __schedule::core::primitive::u32,
                                        )
                                        .is_state
                                        .written("enters<Phase>"),
                                ),
                                __schedule::Token::All(2u32),
                            ],
                        }),
                    ],
                    ..__schedule::Entry::system::<sleep>().written("sleep")
                },
            ],
            &[
                __schedule::Rule::resource::<
                    Score,
                >(__schedule::ListedPolicy::of(__schedule::Policy::WritersFirst)),
                __schedule::Rule::resource::<
                    Pace,
                >(__schedule::ListedPolicy::of(__schedule::Policy::Optimize)),
                __schedule::Rule::component::<
                    Position,
                    ::schedule_hecs::World,
                >(__schedule::ListedPolicy::of(__schedule::Policy::Optimize)),
                __schedule::Rule::deferred::<
                    Target,
                    World<Ships>,
                >(__schedule::ListedPolicy::accepted("both only aim")),
                __schedule::Rule::pair(
                    __schedule::RuleTarget::of::<heal>(),
                    __schedule::RuleTarget::of::<scan>().at(3u32),
                    __schedule::ListedPolicy::accepted("their order does not matter"),
                ),
            ],
        );
    }
    static __LISTING: __schedule::Listing = __schedule::Listing::new(
        "Frame",
        __Listed::ALL.0,
        __Listed::ALL.1,
        __schedule::Settings::NONE
            .on_failure(__schedule::FailurePolicy::CarryOn)
            .on_missing(__schedule::MissingPolicy::Skip)
            .on_missed_commands(__schedule::MissedCommandPolicy::Fail)
            .sweep(false)
            .executor(__schedule::Executor::Serial)
            .policy(__schedule::Policy::InsertionOrder),
    );
    static __PARTS: __schedule::Whole<
        { __LISTING.n_entries() },
        { __LISTING.n_rules() },
        { __LISTING.n_plugins() },
        { __LISTING.n_numbers() },
    > = __schedule::Whole::of(&__LISTING);
    static __WHOLE: __schedule::Listing = __PARTS.listing();
    const _: () = __LISTING.check_answer(0u32, 2u32, 0u32);
    const _: () = __LISTING.check_answer(0u32, 2u32, 1u32);
    const _: () = __LISTING.check_answer(6u32, 2u32, 0u32);
    const _: () = __LISTING.check_answer(8u32, 0u32, 0u32);
    const _: () = __LISTING.check_for_each(11u32);
    #[allow(deprecated, reason = "that is said where the schedule is named")]
    impl Frame {
        /// Builds the [`Schedule`] of all listed and collected items.
        ///
        /// # Errors
        ///
        /// Fails with a [`BuildError`] that contains all problems.
        ///
        ///[`Schedule`]: crate::renamed::Schedule
        ///[`BuildError`]: crate::renamed::BuildError
        #[allow(clippy::new_ret_no_self, reason = "the type stands for the schedule")]
        fn new() -> __schedule::core::result::Result<
            __schedule::Schedule,
            __schedule::BuildError,
        > {
            Self::builder().build()
        }
        /// Returns a [`Builder`] with the same contents, for additions that are known only at run time. [`build`] verifies the
        /// result.
        ///
        ///[`Builder`]: crate::renamed::Builder
        ///[`build`]: crate::renamed::Builder::build
        fn builder() -> __schedule::Builder {
            __schedule::Builder::collected::<Self>(&__WHOLE)
        }
    }
    #[allow(deprecated, reason = "that is said where the schedule is named")]
    const _: () = {
        #[automatically_derived]
        impl __schedule::Identity for Frame {
            const ID: __schedule::core::primitive::u128 = {
                const __MODULE: &__schedule::core::primitive::str = __schedule::core::module_path!();
                __schedule::declared_here(__MODULE, "Frame")
            };
            const NAME: __schedule::Name = __schedule::Name::new("Frame");
        }
        impl __schedule::Open for Frame {}
        __schedule::submit! {
            __schedule::Opened::new("Frame", Frame::new)
        }
    };
};
