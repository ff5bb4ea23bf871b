#[allow(
    clippy::needless_pass_by_value,
    clippy::type_complexity,
    clippy::duplicated_attributes,
    reason = "the signature of a system lists the data that it uses"
)]
fn spawn<'r, T: Component, const N: usize>(
    assets: &'r mut Assets<T>,
    #[cfg(feature = "log")]
    mut log: Commands,
) -> Result<bool, Error>
where
    T: Default,
{
    assets.fill(N)
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
enum spawn<T: Component, const N: usize>
where
    T: Default,
{
    __Never(
        ::schedule::__private::core::convert::Infallible,
        ::schedule::__private::core::marker::PhantomData<T>,
    ),
}
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
    impl<
        T: Component + __schedule::Identity + 'static,
        const N: usize,
    > __schedule::Identity for spawn<T, N>
    where
        T: Default,
    {
        const ID: __schedule::core::primitive::u128 = {
            let id = {
                const __MODULE: &__schedule::core::primitive::str = __schedule::core::module_path!();
                __schedule::declared_here(__MODULE, "spawn")
            };
            let id = __schedule::mix(id, <T as __schedule::Identity>::ID);
            let id = __schedule::mix(id, N as __schedule::core::primitive::u128);
            id
        };
        const NAME: __schedule::Name = __schedule::generic_name(
            "spawn",
            &[
                __schedule::Argument::Type(<T as __schedule::Identity>::NAME),
                __schedule::Argument::Value(N as __schedule::core::primitive::i128),
            ],
        );
    }
    #[automatically_derived]
    impl<
        T: Component + __schedule::Identity + 'static,
        const N: usize,
    > __schedule::System for spawn<T, N>
    where
        T: Default,
    {
        const DEFINITION: __schedule::Definition = {
            let _ = spawn::<
                T,
                N,
            >::a_module_has_this_name__add__type_NewName__to_the_attribute;
            __schedule::Definition::distinct(
                __schedule::Definition::distinct(
                    __schedule::Definition::once(
                        &__schedule::Once::new(
                            __schedule::named_2(
                                ["assets", "log"],
                                (
                                    <&'_ mut Assets<T> as __schedule::Param>::SEED,
                                    {
                                        #[cfg(feature = "log")]
                                        { <Commands as __schedule::Param>::SEED }
                                        #[cfg(not(feature = "log"))]
                                        { <() as __schedule::Param>::SEED }
                                    },
                                ),
                            ),
                            <Result<bool, Error> as __schedule::Output>::INTO_ANSWER,
                            |(__param_0, __param_1)| spawn::<
                                T,
                                N,
                            >(__param_0, #[cfg(feature = "log")] __param_1),
                        ),
                    ),
                ),
            )
        };
    }
};
