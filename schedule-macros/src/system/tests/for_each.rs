#[allow(
    clippy::needless_pass_by_value,
    clippy::type_complexity,
    clippy::duplicated_attributes,
    reason = "the signature of a system lists the data that it uses"
)]
fn integrate<T: Axis>(
    position: &mut Position<T>,
    #[cfg(feature = "wind")]
    wind: Option<&Wind>,
    step: &Step,
) -> Result<(), Lost> {
    position.0 += step.0;
    Ok(())
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
enum integrate<T: Axis> {
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
    impl<T: Axis + __schedule::Identity + 'static> __schedule::Identity
    for integrate<T> {
        const ID: __schedule::core::primitive::u128 = {
            let id = {
                const __MODULE: &__schedule::core::primitive::str = __schedule::core::module_path!();
                __schedule::declared_here(__MODULE, "integrate")
            };
            let id = __schedule::mix(id, <T as __schedule::Identity>::ID);
            id
        };
        const NAME: __schedule::Name = __schedule::generic_name(
            "integrate",
            &[__schedule::Argument::Type(<T as __schedule::Identity>::NAME)],
        );
    }
    #[automatically_derived]
    impl<T: Axis + __schedule::Identity + 'static> __schedule::System for integrate<T> {
        const DEFINITION: __schedule::Definition = {
            let _ = integrate::<
                T,
            >::a_module_has_this_name__add__type_NewName__to_the_attribute;
            {
                __schedule::accept::<
                    <::schedule_hecs::World as __schedule::EntityTables>::Itself,
                    _,
                >(
                    "position",
                    &<&mut Position<
                        T,
                    > as __schedule::EachParam<
                        <::schedule_hecs::World as __schedule::EntityTables>::Itself,
                    >>::EACH,
                );
                __schedule::accept::<
                    <::schedule_hecs::World as __schedule::EntityTables>::Itself,
                    _,
                >(
                    "wind",
                    &{
                        #[cfg(feature = "wind")]
                        {
                            <Option<
                                &Wind,
                            > as __schedule::EachParam<
                                <::schedule_hecs::World as __schedule::EntityTables>::Itself,
                            >>::EACH
                        }
                        #[cfg(not(feature = "wind"))]
                        {
                            <() as __schedule::EachParam<
                                <::schedule_hecs::World as __schedule::EntityTables>::Itself,
                            >>::EACH
                        }
                    },
                );
                __schedule::accept_resource(
                    "step",
                    &<&Step as __schedule::EachResource>::READ,
                );
                __schedule::accept_filter::<
                    <::schedule_hecs::World as __schedule::EntityTables>::Itself,
                    <Alive as __schedule::ComponentType>::Itself,
                >();
                __schedule::accept_filter::<
                    <::schedule_hecs::World as __schedule::EntityTables>::Itself,
                    <Frozen as __schedule::ComponentType>::Itself,
                >();
                __schedule::accept_filter::<
                    <::schedule_hecs::World as __schedule::EntityTables>::Itself,
                    <Hidden<T> as __schedule::ComponentType>::Itself,
                >();
                __schedule::Definition::distinct(
                    __schedule::Definition::distinct(
                        __schedule::Definition::distinct(
                            __schedule::Definition::for_each(
                                const {
                                    let __each = __schedule::for_each::<
                                        <::schedule_hecs::World as __schedule::EntityTables>::Itself,
                                        (
                                            __schedule::With<
                                                <Alive as __schedule::ComponentType>::Itself,
                                            >,
                                            __schedule::Without<
                                                <Frozen as __schedule::ComponentType>::Itself,
                                            >,
                                            __schedule::Without<
                                                <Hidden<T> as __schedule::ComponentType>::Itself,
                                            >,
                                        ),
                                        _,
                                    >(
                                        &(
                                            <&mut Position<
                                                T,
                                            > as __schedule::EachParam<
                                                <::schedule_hecs::World as __schedule::EntityTables>::Itself,
                                            >>::EACH,
                                            {
                                                #[cfg(feature = "wind")]
                                                {
                                                    <Option<
                                                        &Wind,
                                                    > as __schedule::EachParam<
                                                        <::schedule_hecs::World as __schedule::EntityTables>::Itself,
                                                    >>::EACH
                                                }
                                                #[cfg(not(feature = "wind"))]
                                                {
                                                    <() as __schedule::EachParam<
                                                        <::schedule_hecs::World as __schedule::EntityTables>::Itself,
                                                    >>::EACH
                                                }
                                            },
                                        ),
                                    );
                                    &[
                                        __schedule::parameter(
                                            &__each,
                                            "position",
                                            &<&mut Position<
                                                T,
                                            > as __schedule::EachParam<
                                                <::schedule_hecs::World as __schedule::EntityTables>::Itself,
                                            >>::EACH,
                                        ),
                                        __schedule::parameter(
                                            &__each,
                                            "wind",
                                            &{
                                                #[cfg(feature = "wind")]
                                                {
                                                    <Option<
                                                        &Wind,
                                                    > as __schedule::EachParam<
                                                        <::schedule_hecs::World as __schedule::EntityTables>::Itself,
                                                    >>::EACH
                                                }
                                                #[cfg(not(feature = "wind"))]
                                                {
                                                    <() as __schedule::EachParam<
                                                        <::schedule_hecs::World as __schedule::EntityTables>::Itself,
                                                    >>::EACH
                                                }
                                            },
                                        ),
                                        __schedule::Parameter::new(
                                            "step",
                                            <&Step as __schedule::EachResource>::READ,
                                        ),
                                        __schedule::store(&__each),
                                    ]
                                },
                                &__schedule::ForEach::new(
                                    __schedule::for_each::<
                                        <::schedule_hecs::World as __schedule::EntityTables>::Itself,
                                        (
                                            __schedule::With<
                                                <Alive as __schedule::ComponentType>::Itself,
                                            >,
                                            __schedule::Without<
                                                <Frozen as __schedule::ComponentType>::Itself,
                                            >,
                                            __schedule::Without<
                                                <Hidden<T> as __schedule::ComponentType>::Itself,
                                            >,
                                        ),
                                        _,
                                    >(
                                        &(
                                            <&mut Position<
                                                T,
                                            > as __schedule::EachParam<
                                                <::schedule_hecs::World as __schedule::EntityTables>::Itself,
                                            >>::EACH,
                                            {
                                                #[cfg(feature = "wind")]
                                                {
                                                    <Option<
                                                        &Wind,
                                                    > as __schedule::EachParam<
                                                        <::schedule_hecs::World as __schedule::EntityTables>::Itself,
                                                    >>::EACH
                                                }
                                                #[cfg(not(feature = "wind"))]
                                                {
                                                    <() as __schedule::EachParam<
                                                        <::schedule_hecs::World as __schedule::EntityTables>::Itself,
                                                    >>::EACH
                                                }
                                            },
                                        ),
                                    ),
                                    (<&Step as __schedule::EachResource>::READ,),
                                    <Result<(), Lost> as __schedule::EachOutput>::CAN_FAIL,
                                    |(__param_0, __param_1), (__param_2,)| <Result<
                                        (),
                                        Lost,
                                    > as __schedule::EachOutput>::into_result(
                                        integrate::<
                                            T,
                                        >(__param_0, #[cfg(feature = "wind")] __param_1, __param_2),
                                    ),
                                ),
                            ),
                        ),
                    ),
                )
            }
        };
        const GUARDS: &'static [__schedule::Guard] = &[
            __schedule::Guard {
                tokens: &[
                    __schedule::Token::Is({
                        let __guard = __schedule::Answered::of::<is_running>();
                        __guard
                    }),
                ],
            },
        ];
    }
};
