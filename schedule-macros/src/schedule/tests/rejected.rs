::core::compile_error! {
    "unknown word `unless`; expected `,`, or `:` and a clause, which starts with `after`, `before`, `after_if_present`, `before_if_present`, `after_if_conflicting`, `before_if_conflicting`, `after_without_commands`, `before_without_commands`, `in`, `if`, `at most N`, `main_thread`, `always`, `sweep false`, `on failure`, `on missing skip`, `on missed commands fail`, `on enter` or `on exit`"
}
::core::compile_error! {
    "the clause `at most` applies only to loops, but this is a system"
}
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
    use ::schedule::__private as __schedule;
    static __LISTING: __schedule::Listing = __schedule::Listing::rejected("Frame");
    const _: () = {
        let _ = __schedule::core::marker::PhantomData::<poison>;
        let _ = __schedule::core::marker::PhantomData::<heal>;
        let _ = __schedule::core::marker::PhantomData::<walk>;
        let _ = __schedule::core::marker::PhantomData::<heal>;
        let _ = __schedule::core::marker::PhantomData::<gait>;
        let _ = Gait::Run;
    };
    #[allow(deprecated, reason = "that is said where the schedule is named")]
    impl Frame {
        /// Returns the [`Schedule`]. It was verified at compile time, so this cannot fail.
        ///
        ///[`Schedule`]: ::schedule::Schedule
        #[allow(clippy::new_ret_no_self, reason = "the type stands for the schedule")]
        fn new() -> __schedule::Schedule {
            __schedule::Builder::verified(&__LISTING)
        }
        /// Returns a [`Builder`] with the same contents, for additions that are known only at run time. [`build`] verifies the
        /// result.
        ///
        ///[`Builder`]: ::schedule::Builder
        ///[`build`]: ::schedule::Builder::build
        fn builder() -> __schedule::Builder {
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
            const LISTED: &'static __schedule::Listing = &__LISTING;
        }
    };
};
