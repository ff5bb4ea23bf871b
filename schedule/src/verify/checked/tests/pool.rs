//! The functions and types of random systems.

use core::any::TypeId;

use crate::base::identity::{Identity, Name};
use crate::data::access::{Parameter, ResourceType};
use crate::data::entity::{
    Component, ComponentType, Components, DeferredWrites, EntityStore, Or, With, Without,
};
use crate::data::message::Message;
use crate::data::output::{Branch, BranchType, Output};
use crate::data::param::{
    Commands, Fold, Foldable, Inserts, Local, MessageReader, MessageWriter, NonSend, NonSendMut,
    Param,
};
use crate::data::resource::{Resource, Resources};
use crate::systems::system::{Definition, NamedParameters, Once};

/// The parameters and the answer of a system, in the form that both verifiers read.
pub(super) struct Work {
    /// The parameters as written.
    pub(super) takes: &'static str,
    pub(super) definition: Definition,
}

macro_rules! resources {
    ($($name:ident = $id:literal),*) => {
        $(
            struct $name;

            impl Identity for $name {
                const ID: u128 = $id;
                const NAME: Name = Name::new(stringify!($name));
            }

            impl Resource for $name {}

            impl Foldable for $name {
                type Partial = ();

                fn join(&mut self, (): ()) {}
            }
        )*

        /// All resources that a policy can name.
        pub(super) const RESOURCES: &[&ResourceType] = &[$(&ResourceType::of::<$name>()),*];
    };
}

resources!(A = 1, B = 2, C = 3, D = 4, E = 5, F = 6);

macro_rules! components {
    ($($name:ident),*) => {
        $(
            impl ComponentType for $name {
                type Itself = Self;
            }

            impl Component for $name {}
        )*
    };
}

components!(A, B, C);

impl Message for A {}

impl Message for B {}

impl EntityStore for D {}

/// A query of the entities in `D`: it reads the store, and accesses components.
type Query<Q, F = ()> = (&'static D, Components<'static, D, Q, F>);

/// The answer of a selector.
#[derive(Clone, Copy)]
enum Gait {
    Crawl,
}

impl Branch for Gait {
    const NAMES: &'static [&'static str] = &["crawl", "walk", "run"];
    const DECLARED: Option<&'static BranchType> = Some(&BranchType {
        id: 7,
        name: "Gait",
    });

    fn index(self) -> u32 {
        self as u32
    }
}

macro_rules! works {
    ($answer:expr => $output:ty; $([$($param:ty),*])*) => {
        &[$(Work {
            takes: stringify!($($param),*),
            definition: Definition::once(const {
                &Once::new(
                    NamedParameters::new(
                        [$(Parameter::new("it", <$param as Param>::SEED)),*],
                        ($(<$param as Param>::SEED,)*),
                    ),
                    <$output as Output>::INTO_ANSWER,
                    |_| $answer,
                )
            }),
        }),*]
    };
}

/// Systems with few conflicts.
pub(super) const LIGHT: &[Work] = works! {
    () => ();
    [] [] [] [Local<u32>] [Commands] [Commands<Inserts<A>>] [Commands<DeferredWrites<A, D>>]
    [&A] [&B] [&C] [&D] [&E] [&F]
    [&A, &B] [&C, &D, &E] [Option<&F>] [(&A, Option<&C>)] [NonSend<A>] [&A, NonSend<A>]
    [Query<&'static A>] [Query<(), With<A>>] [Query<&'static A, With<B>>, Query<&'static mut A, Without<B>>]
    [Query<&'static mut A, (With<B>, Without<C>)>] [Query<&'static mut A, Without<B>>]
    [Query<(&'static B, Option<&'static mut C>), Without<A>>]
    [Query<&'static mut B, Or<(With<A>, With<C>)>>] [Query<&'static mut B, (Without<A>, Without<C>)>]
    [MessageWriter<A>] [MessageReader<A>] [MessageWriter<A>, MessageReader<B>] [MessageWriter<B>, MessageReader<B>]
    [Fold<A>] [Fold<B>] [Fold<C>] [Fold<A>, &D] [(Fold<B>, &A)] [Fold<A>, Fold<B>, NonSend<A>] [Query<&'static A>, Fold<C>]
};

/// A writer and a reader of the same messages.
pub(super) const MESSAGES: &[Work] = works! {
    () => ();
    [MessageWriter<A>] [MessageReader<A>]
};

/// Systems that write resources, some of which also fold.
pub(super) const HEAVY: &[Work] = works! {
    () => ();
    [&mut A] [&mut B] [&mut C] [&mut D] [&mut E] [&mut F]
    [&A, &mut B] [&mut A, &B] [&C, &mut D] [&mut E, &mut F] [&D, &mut E, Local<u32>]
    [Option<&mut F>] [(&mut A, (&B, Option<&mut C>))] [NonSendMut<A>] [NonSendMut<B>, &B]
    [Query<&'static mut A>] [Query<(&'static mut A, &'static mut B)>] [Query<&'static mut B>, &mut A]
    [&mut A, Commands<DeferredWrites<A, D>>] [Commands<(DeferredWrites<A, D>, DeferredWrites<B, D>)>, Commands<DeferredWrites<B, D>>]
    [&mut A, Fold<B>] [Fold<A>, Option<&mut C>] [&mut D, (Fold<F>, &E)]
};

/// Systems that access all resources.
pub(super) const WHOLE: &[Work] = works! {
    () => ();
    [&Resources] [&Resources, NonSendMut<A>] [&Resources, &A] [&mut Resources]
};

/// Conditions with few conflicts.
pub(super) const CONDITIONS: &[Work] = works! {
    true => bool;
    [] [] [] [] [Local<u32>] [&A] [&B] [&E] [&C, Option<&D>] [NonSend<A>] [Fold<A>] [Fold<B>, &C] [MessageReader<A>]
    [Query<&'static A, Without<B>>] [Query<&'static mut A, With<B>>]
};

/// Conditions that write, or that access all resources.
pub(super) const HEAVY_CONDITIONS: &[Work] = works! {
    true => bool;
    [&mut A] [&mut C] [&mut F] [&A, &mut B] [NonSendMut<A>] [&Resources] [&mut Resources]
};

pub(super) const SELECTORS: &[Work] = works! {
    Gait::Crawl => Gait;
    [] [] [&A] [&F] [&mut E]
};

/// Returns the type of the system or checkpoint of this number.
pub(super) fn ty(number: usize) -> TypeId {
    struct Tag<const TENS: usize, const ONES: usize>;

    fn ten<const TENS: usize>() -> [TypeId; 10] {
        [
            TypeId::of::<Tag<TENS, 0>>(),
            TypeId::of::<Tag<TENS, 1>>(),
            TypeId::of::<Tag<TENS, 2>>(),
            TypeId::of::<Tag<TENS, 3>>(),
            TypeId::of::<Tag<TENS, 4>>(),
            TypeId::of::<Tag<TENS, 5>>(),
            TypeId::of::<Tag<TENS, 6>>(),
            TypeId::of::<Tag<TENS, 7>>(),
            TypeId::of::<Tag<TENS, 8>>(),
            TypeId::of::<Tag<TENS, 9>>(),
        ]
    }

    let tens = [
        ten::<0>, ten::<1>, ten::<2>, ten::<3>, ten::<4>, ten::<5>, ten::<6>, ten::<7>, ten::<8>,
        ten::<9>, ten::<10>, ten::<11>, ten::<12>, ten::<13>, ten::<14>, ten::<15>,
    ];
    tens[number / 10]()[number % 10]
}
