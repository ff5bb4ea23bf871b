#[allow(deprecated, reason = "a use of the type is reported where it is used")]
const _: () = {
    use ::schedule::__private as __schedule;
    #[automatically_derived]
    impl __schedule::Identity for Villager {
        const ID: __schedule::core::primitive::u128 = {
            const __MODULE: &__schedule::core::primitive::str = __schedule::core::module_path!();
            __schedule::declared_here(__MODULE, "Villager")
        };
        const NAME: __schedule::Name = __schedule::Name::new("Villager");
    }
    #[automatically_derived]
    impl __schedule::EntityKind for Villager {
        type Columns = __Columns;
        const COMPONENTS: &'static [__schedule::ComponentId<
            __schedule::Columns<Self>,
        >] = &[
            __schedule::ComponentId::of::<Position>(),
            __schedule::ComponentId::of::<Near<Villager>>(),
        ];
    }
    #[automatically_derived]
    impl __schedule::HasColumn<Position> for Villager {}
    #[automatically_derived]
    impl __schedule::HasColumn<Near<Villager>> for Villager {}
    __schedule::column_set! {
        struct __Columns of Villager { position "position" : Position, home "home" : Near
        < Villager >, }
    }
};
