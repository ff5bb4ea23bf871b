//! Closures with typed parameters as systems.

use super::Instance;
use crate::data::output::ClosureOutput;
use crate::data::param::{Fetch, Param, Seeds};

/// A closure that can be a system: all of its parameters are [`Param`]s with explicit types.
///
/// `Signature` is a function pointer type that the compiler infers.
#[diagnostic::on_unimplemented(
    message = "this closure cannot be a system",
    label = "not a system",
    note = "each parameter has a type that a system can take, as in `|time: &Time, position: &mut Position| …`: a reference to a type with `#[derive(Resource)]`, `Local<T>`, `Commands` and others",
    note = "it returns `()`, `bool`, an enum with `#[derive(Branch)]`, or a `Result` of one of these"
)]
pub trait ClosureSystem<Signature>: Send + 'static {
    /// Rejects conflicting parameters. The public functions that take a closure evaluate it, so the compiler reports
    /// the call of the user.
    #[doc(hidden)]
    const DISTINCT: ();

    #[doc(hidden)]
    fn into_instance(self) -> Instance;
}

macro_rules! closure {
    ($($param:ident $item:ident),*) => {
        impl<F, O, $($param),*> ClosureSystem<fn($($param),*) -> O> for F
        where
            F: FnMut($($param),*) -> O
                + FnMut($(<$param::State as Fetch>::Item<'_>),*) -> O
                + Send
                + 'static,
            O: ClosureOutput + 'static,
            $($param: Param,)*
        {
            const DISTINCT: () = <($($param,)*) as Param>::SEED.access().refuse_conflicts();

            fn into_instance(mut self) -> Instance {
                // Selects the bound that holds for every lifetime. The compiler does not select it by itself.
                fn call<O, $($param),*>(
                    mut closure: impl FnMut($($param),*) -> O,
                    ($($item,)*): ($($param,)*),
                ) -> O {
                    closure($($item),*)
                }
                let state = <($($param,)*) as Param>::SEED.grow();
                Instance::new(state, O::ANSWER, move |items| call(&mut self, items))
            }
        }
    };
}

closure!();
closure!(A a);
closure!(A a, B b);
closure!(A a, B b, C c);
closure!(A a, B b, C c, D d);
closure!(A a, B b, C c, D d, E e);
closure!(A a, B b, C c, D d, E e, G g);
closure!(A a, B b, C c, D d, E e, G g, H h);
closure!(A a, B b, C c, D d, E e, G g, H h, I i);
closure!(A a, B b, C c, D d, E e, G g, H h, I i, J j);
closure!(A a, B b, C c, D d, E e, G g, H h, I i, J j, K k);
closure!(A a, B b, C c, D d, E e, G g, H h, I i, J j, K k, L l);
closure!(A a, B b, C c, D d, E e, G g, H h, I i, J j, K k, L l, M m);
