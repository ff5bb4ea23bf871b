#[allow(
    clippy::needless_pass_by_value,
    clippy::type_complexity,
    reason = "the signature of a handler lists the data that it uses"
)]
fn split<'e, T: Coin, const N: usize>(
    #[allow(unused_variables, reason = "keys are made of it")]
    Split { between, by }: &'e Split<T>,
    all: RecordSetMut<'e, Purse<T>>,
    #[cfg(feature = "log")]
    log: &mut Log,
)
where
    T: Default,
{
    all.share(by, N)
}
#[doc(hidden)]
#[allow(
    non_camel_case_types,
    dead_code,
    unreachable_pub,
    clippy::exhaustive_enums,
    reason = "this type has the name of the function of its handler"
)]
enum split<T: Coin, const N: usize>
where
    T: Default,
{
    __Never(::core::convert::Infallible, ::core::marker::PhantomData<T>),
}
#[allow(
    deprecated,
    unused_variables,
    unused_mut,
    irrefutable_let_patterns,
    reason = "that is said at the function itself"
)]
const _: () = {
    use ::schedule_stream::__private as __schedule;
    #[automatically_derived]
    impl<T: Coin + __schedule::Identity + 'static, const N: usize> __schedule::Identity
    for split<T, N>
    where
        T: Default,
    {
        const ID: ::core::primitive::u128 = {
            let id = __schedule::declared_here(::core::module_path!(), "split");
            let id = __schedule::mix(id, <T as __schedule::Identity>::ID);
            let id = __schedule::mix(id, N as ::core::primitive::u128);
            id
        };
        const NAME: __schedule::Name = __schedule::generic_name(
            "split",
            &[
                __schedule::Argument::Type(<T as __schedule::Identity>::NAME),
                __schedule::Argument::Value(N as ::core::primitive::i128),
            ],
        );
    }
    #[automatically_derived]
    impl<T: Coin + __schedule::Identity + 'static, const N: usize> __schedule::Handler
    for split<T, N>
    where
        T: Default,
    {
        type Event = Split<T>;
        type Output = ();
        const ARGUMENTS: __schedule::Arguments = {
            let arguments = __schedule::Arguments::new(
                &[
                    __schedule::ArgumentDeclaration::keyed(
                        "all",
                        <RecordSetMut<'_, Purse<T>> as __schedule::KeyedSet>::ASKS,
                    ),
                    #[cfg(feature = "log")]
                    __schedule::ArgumentDeclaration::unkeyed(
                        "log",
                        <&mut Log as __schedule::Unkeyed>::ASKS,
                    ),
                ],
            );
            let nth = 0;
            __schedule::Arguments::distinct(&arguments, nth, __schedule::Alias::Reject);
            let nth = nth + 1;
            #[cfg(feature = "log")]
            __schedule::Arguments::distinct(&arguments, nth, __schedule::Alias::Reject);
            #[cfg(feature = "log")]
            let nth = nth + 1;
            arguments
        };
        const ACCESS: __schedule::Access = __schedule::Access::Each(
            &[
                __schedule::Asks::access(
                    &<RecordSetMut<'_, Purse<T>> as __schedule::KeyedSet>::ASKS,
                ),
                #[cfg(feature = "log")]
                __schedule::Asks::access(&<&mut Log as __schedule::Unkeyed>::ASKS),
            ],
        );
        fn recipe() -> impl __schedule::EventRecipe<Self::Event, Output = Self::Output> {
            let list = ();
            #[cfg(feature = "log")]
            let list = (<&mut Log as __schedule::Unkeyed>::ASKS, list);
            let list = (
                <RecordSetMut<'_, Purse<T>> as __schedule::KeyedSet>::ASKS,
                list,
            );
            __schedule::Handling::new(
                list,
                #[inline(always)]
                |event: &Split<T>, naming| {
                    let Split { between, by } = event else { ::core::unreachable!() };
                    let naming = {
                        let of = __schedule::Naming::key_type(&naming);
                        let mut set = __schedule::Naming::keys(naming);
                        #[allow(
                            for_loops_over_fallibles,
                            reason = "an `Option` is a set, too"
                        )]
                        for __key in between.iter().take(N) {
                            __schedule::NamingSet::key(
                                &mut set,
                                __schedule::AsKey::key_of(of, &__key),
                            )?;
                        }
                        __schedule::NamingSet::end(set)
                    };
                    #[cfg(feature = "log")]
                    let naming = __schedule::Naming::unkeyed(naming)?;
                    ::core::result::Result::Ok(naming)
                },
                #[inline(always)]
                |event: &Split<T>, items| {
                    #[cfg(feature = "log")]
                    let (items, __param_2) = items;
                    let (items, __param_1) = items;
                    split::<T, N>(event, __param_1, #[cfg(feature = "log")] __param_2)
                },
            )
        }
    }
};
