//! hand-expanded
use schedule::__private as __schedule;
use schedule::{Handler, Identity, Refusal, prelude::*};
#[derive(schedule::Identity)]
struct Account(u64);
impl schedule::Entity for Account {
    type Key = u32;
    type Index = schedule::Dense;
}
struct Transfer {
    from: u32,
    to: u32,
    amount: u64,
}
fn transfer(event: &Transfer, from: &mut Account, to: &mut Account) -> Result<(), String> {
    from.0 = from.0.checked_sub(event.amount).ok_or("overdrawn")?;
    to.0 += event.amount;
    Ok(())
}
#[allow(non_camel_case_types)]
enum transfer {}
const _: () = {
    impl __schedule::Identity for transfer {
        const ID: u128 = 7;
        const NAME: __schedule::Name = __schedule::Name::new("transfer");
    }
    const __ARGUMENTS: __schedule::Arguments = __schedule::Arguments::new(&[
        __schedule::ArgumentDeclaration::keyed("from", <&mut Account as __schedule::Keyed>::ASKS),
        __schedule::ArgumentDeclaration::keyed("to", <&mut Account as __schedule::Keyed>::ASKS),
    ]);
    const _: () = {
        __schedule::Arguments::distinct(&__ARGUMENTS, 0, __schedule::Twice::Refuse);
        __schedule::Arguments::distinct(&__ARGUMENTS, 1, __schedule::Twice::Refuse);
    };
    impl __schedule::Handler for transfer {
        type Event = Transfer;
        type Output = Result<(), String>;
        const ARGUMENTS: __schedule::Arguments = __ARGUMENTS;
        fn recipe() -> impl __schedule::EventRecipe<Transfer, Output = Self::Output> {
            __schedule::Handling::new(
                (
                    <&mut Account as __schedule::Keyed>::ASKS,
                    (<&mut Account as __schedule::Keyed>::ASKS, ()),
                ),
                |event: &Transfer, __naming| {
                    __schedule::Naming::key(__schedule::Naming::key(__naming, event.from), event.to)
                },
                |__event: &Transfer, (from, (to, ()))| transfer(__event, from, to),
            )
        }
    }
};
enum Entry {
    Transfer(Transfer),
}
const _: () = {
    #[derive(Clone, Copy)]
    struct __Cases<R0>(R0);
    impl __schedule::Event for Entry {
        type Answer = ();
        type Error = schedule::BoxError;
        const HANDLERS: &'static [__schedule::HandlerDeclaration] =
            &[__schedule::HandlerDeclaration::of::<transfer>()];
        fn cases() -> impl __schedule::Cases<Self> {
            __Cases(<transfer as __schedule::Handler>::recipe())
        }
    }
    impl<R0> __schedule::Cases<Entry> for __Cases<R0>
    where
        R0: __schedule::EventRecipe<Transfer, Output = <transfer as __schedule::Handler>::Output>,
    {
        fn stores(&self, stores: &mut __schedule::Stores) {
            stores.add(&self.0);
        }
        #[inline]
        fn name(
            &self,
            event: &Entry,
            desk: __schedule::Desk<'_>,
        ) -> Result<(), __schedule::NotThere> {
            match event {
                Entry::Transfer(event) => desk.name(0, &self.0, event),
            }
        }
        #[inline]
        fn handle(
            &self,
            event: &Entry,
            granted: __schedule::Granted<'_>,
        ) -> Result<__schedule::Handled<Entry>, __schedule::NotThere> {
            match event {
                Entry::Transfer(event) => granted.handle(&self.0, event),
            }
        }
    }
};

#[test]
fn works() {
    let mut resources = Resources::new();
    resources.insert(Entities::from_iter([(0, Account(10)), (1, Account(0))]));
    let mut stream = Stream::<Entry>::new();
    let mut all = Vec::new();
    let t = |from, to, amount| Entry::Transfer(Transfer { from, to, amount });
    stream
        .process(
            &mut resources,
            [t(0, 1, 4), t(0, 1, 9), t(0, 0, 1), t(0, 5, 1)],
            |outcome| all.push(format!("{:?}", outcome.result)),
        )
        .unwrap();
    assert_eq!(all.join(", "), "");
}
