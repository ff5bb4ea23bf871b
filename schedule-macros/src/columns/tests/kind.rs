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
    #[doc(hidden)]
    #[derive(::core::default::Default)]
    struct __Columns {
        position: __schedule::OwnedColumn<Position>,
        home: __schedule::OwnedColumn<Near<Villager>>,
    }
    #[automatically_derived]
    unsafe impl __schedule::ColumnSet for __Columns {
        type Kind = Villager;
        #[inline]
        fn push(&mut self, entity: Villager) {
            __schedule::OwnedColumn::push(&mut self.position, entity.position);
            __schedule::OwnedColumn::push(&mut self.home, entity.home);
        }
        #[inline]
        fn swap_remove(&mut self, row: ::core::primitive::usize) -> Villager {
            Villager {
                position: __schedule::OwnedColumn::swap_remove(&mut self.position, row),
                home: __schedule::OwnedColumn::swap_remove(&mut self.home, row),
            }
        }
        #[inline]
        fn for_each<'s>(
            &'s self,
            mut visit: impl ::core::ops::FnMut(&'s dyn __schedule::AnyColumn),
        ) {
            visit(&self.position);
            visit(&self.home);
        }
        #[inline]
        fn for_each_mut(
            &mut self,
            mut visit: impl ::core::ops::FnMut(&mut dyn __schedule::AnyColumn),
        ) {
            visit(&mut self.position);
            visit(&mut self.home);
        }
    }
};
