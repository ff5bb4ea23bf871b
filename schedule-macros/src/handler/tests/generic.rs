#[allow(
    clippy::needless_pass_by_value,
    clippy::type_complexity,
    clippy::duplicated_attributes,
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
    missing_copy_implementations,
    missing_debug_implementations,
    unreachable_pub,
    clippy::exhaustive_enums,
    clippy::trait_duplication_in_bounds,
    reason = "this type has the name of the function of its handler"
)]
enum split<T: Coin, const N: usize>
where
    T: Default,
{
    __Never(
        ::schedule_stream::__private::core::convert::Infallible,
        ::schedule_stream::__private::core::marker::PhantomData<T>,
    ),
}
#[allow(
    deprecated,
    irrefutable_let_patterns,
    unused_mut,
    unused_qualifications,
    unused_variables,
    clippy::arbitrary_source_item_ordering,
    clippy::missing_inline_in_public_items,
    clippy::question_mark_used,
    clippy::shadow_reuse,
    clippy::trait_duplication_in_bounds,
    reason = "the function itself is checked; this is generated code with its spans"
)]
const _: () = {
    use ::schedule_stream::__private as __schedule;
    #[automatically_derived]
    impl<T: Coin + __schedule::Identity + 'static, const N: usize> __schedule::Identity
    for split<T, N>
    where
        T: Default,
    {
        const ID: __schedule::core::primitive::u128 = {
            let id = {
                const __MODULE: &__schedule::core::primitive::str = __schedule::core::module_path!();
                __schedule::declared_here(__MODULE, "split")
            };
            let id = __schedule::mix(id, <T as __schedule::Identity>::ID);
            let id = __schedule::mix(id, N as __schedule::core::primitive::u128);
            id
        };
        const NAME: __schedule::Name = __schedule::generic_name(
            "split",
            &[
                __schedule::Argument::Type(<T as __schedule::Identity>::NAME),
                __schedule::Argument::Value(N as __schedule::core::primitive::i128),
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
            let __list = ();
            #[cfg(feature = "log")]
            let __list = (<&mut Log as __schedule::Unkeyed>::ASKS, __list);
            let __list = (
                <RecordSetMut<'_, Purse<T>> as __schedule::KeyedSet>::ASKS,
                __list,
            );
            __schedule::Handling::new(
                __list,
                #[inline(always)]
                |__event: &Split<T>, __naming| {
                    let Split { between, by } = __event else {
                        __schedule::core::unreachable!()
                    };
                    let __naming = {
                        let __of = __schedule::KeyLookup::key_type(&__naming);
                        let mut __set = __schedule::KeyLookup::keys(__naming);
                        #[allow(
                            for_loops_over_fallibles,
                            clippy::all,
                            clippy::nursery,
                            clippy::pedantic,
                            clippy::restriction,
                            reason = "any set of keys is valid, also an `Option` or an array of one"
                        )]
                        for __key in between.iter().take(N) {
                            __schedule::SetLookup::key(
                                &mut __set,
                                __schedule::AsKey::key_of(__of, &__key),
                            )?;
                        }
                        __schedule::SetLookup::end(__set)
                    };
                    #[cfg(feature = "log")]
                    let __naming = __schedule::KeyLookup::unkeyed(__naming)?;
                    __schedule::core::result::Result::Ok(__naming)
                },
                #[inline(always)]
                |__event: &Split<T>, __items| {
                    #[cfg(feature = "log")]
                    let (__items, __param_2) = __items;
                    let (__items, __param_1) = __items;
                    split::<T, N>(__event, __param_1, #[cfg(feature = "log")] __param_2)
                },
            )
        }
    }
};
