#[allow(
    missing_debug_implementations,
    missing_copy_implementations,
    clippy::exhaustive_enums,
    reason = "there is no value of it"
)]
/// One frame.
pub enum Frame {}
#[allow(
    unused_qualifications,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction,
    reason = "this is generated code with spans of the listing"
)]
const _: () = {
    use ::schedule::__private as __schedule;
    enum __Listed {}
    impl __Listed {
        const ALL: (&'static [__schedule::Entry], &'static [__schedule::Rule]) = (
            &[
                __schedule::Entry::system::<poison>().written("poison"),
                __schedule::Entry {
                    clauses: &[
                        __schedule::Clause::Order(__schedule::Order::after::<poison>()),
                        __schedule::Clause::If(__schedule::Guard {
                            tokens: &[
                                __schedule::Token::Is(
                                    __schedule::Answered::unchecked::<visible, _>(true, 1)
                                        .written("visible"),
                                ),
                            ],
                        }),
                    ],
                    ..__schedule::Entry::system::<game_over>().written("game_over")
                },
            ],
            &[],
        );
    }
    static __LISTING: __schedule::Listing = __schedule::Listing::new(
        "Frame",
        __Listed::ALL.0,
        __Listed::ALL.1,
        __schedule::Settings::NONE,
    );
    const _: () = __LISTING.check_answer(1u32, 2u32, 0u32);
    #[allow(long_running_const_eval, reason = "there is an end to it")]
    const __SIZES: __schedule::Sizes = __schedule::Sizes::of(&__LISTING);
    #[allow(long_running_const_eval, reason = "there is an end to it")]
    const __VERDICT: &__schedule::Verdict = &__schedule::verify::<
        { __SIZES.words },
        { __SIZES.blocks },
        { __SIZES.edges },
        { __SIZES.uses },
        { __SIZES.needed },
        { __SIZES.nodes },
        { __SIZES.clauses },
    >(&__LISTING, __SIZES);
    const _: () = {
        __VERDICT.report(0u32, 0u32, 0u32);
    };
    const _: () = {
        __VERDICT.report(1u32, 0u32, 0u32);
    };
    const _: () = {
        __VERDICT.report(1u32, 1u32, 0u32);
    };
    const _: () = {
        __VERDICT.report(1u32, 2u32, 0u32);
    };
    #[allow(deprecated, reason = "that is said where the schedule is named")]
    impl Frame {
        /// Returns the [`Schedule`]. It was verified at compile time, so this cannot fail.
        ///
        ///[`Schedule`]: ::schedule::Schedule
        #[allow(clippy::new_ret_no_self, reason = "the type stands for the schedule")]
        pub fn new() -> __schedule::Schedule {
            __schedule::Builder::verified(&__LISTING)
        }
        /// Returns a [`Builder`] with the same contents, for additions that are known only at run time. [`build`] verifies the
        /// result.
        ///
        ///[`Builder`]: ::schedule::Builder
        ///[`build`]: ::schedule::Builder::build
        pub fn builder() -> __schedule::Builder {
            __schedule::Builder::listed(&__LISTING)
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
        impl __schedule::Anchor for Frame {}
        impl __schedule::Lists for Frame {
            const LISTED: &'static __schedule::Listing = &__VERDICT
                .with_reported(&__LISTING);
        }
    };
};
