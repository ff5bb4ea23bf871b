//! The parameters of a system together with its function, as one constant.
//!
//! A system expands to few items and few tokens, because the compiler expands, resolves and lowers all of them again after each edit of a
//! crate. So the functions here contain what all systems have in common.

use core::fmt;
use core::panic::Location;

use super::{ForEach, Instance};
use crate::data::access::{Parameter, Parameters};
use crate::data::output::{Branches, IntoAnswer};
use crate::data::param::{Fetch, Seed, Seeds};

/// The part of a [`Declaration`](super::Declaration) that each system has: its parameters, and how to call its function.
#[derive(Clone, Copy)]
pub struct Definition {
    pub(crate) parameters: Parameters,
    location: &'static Location<'static>,
    recipe: &'static dyn Recipe,
    branches: Option<Branches>,
    /// The number of parameters that were compared with the earlier ones.
    n_distinct: usize,
}

/// Creates instances of a function.
pub trait Recipe: Sync {
    /// Creates an instance with its own local state.
    fn instantiate(&self) -> Instance;
}

impl Definition {
    /// The definition of a system that is not a per-entity system.
    #[track_caller]
    pub const fn once<const N: usize, S, O, F>(once: &'static Once<N, S, O, F>) -> Self
    where
        Once<N, S, O, F>: Recipe,
    {
        let parameters = Parameters::new("parameter", &once.parameters);
        Self::new(parameters, once, once.into_answer.branches)
    }

    /// The definition of a function that is called for each entity. `list`: its parameters.
    #[track_caller]
    pub const fn for_each<S, F, P, R, G>(
        list: &'static [Parameter],
        each: &'static ForEach<S, F, P, R, G>,
    ) -> Self
    where
        ForEach<S, F, P, R, G>: Recipe,
    {
        Self::new(Parameters::for_each(list), each, None)
    }

    #[track_caller]
    const fn new(
        parameters: Parameters,
        recipe: &'static dyn Recipe,
        branches: Option<Branches>,
    ) -> Self {
        Self {
            parameters,
            location: Location::caller(),
            recipe,
            branches,
            n_distinct: 0,
        }
    }

    /// The source location of the function.
    pub const fn location(&self) -> &'static Location<'static> {
        self.location
    }

    /// The possible answers. `None` if the function returns no answer.
    pub(crate) const fn branches(&self) -> Option<Branches> {
        self.branches
    }

    /// Creates an instance with its own local state.
    pub fn instantiate(&self) -> Instance {
        self.recipe.instantiate()
    }

    /// Rejects the next parameter if it conflicts with an earlier one or with itself. Called once for each parameter, with the span of its
    /// type.
    ///
    /// # Panics
    ///
    /// Panics with a message that names both parameters if they conflict.
    #[must_use]
    #[track_caller]
    pub const fn distinct(mut self) -> Self {
        self.parameters.distinct(self.n_distinct);
        self.n_distinct += 1;
        self
    }

    /// The parameters.
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }
}

impl fmt::Debug for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Definition")
            .field("parameters", &self.parameters)
            .field("location", &self.location)
            .finish_non_exhaustive()
    }
}

/// A function that is called once in each execution, with its parameters and their seeds. Each execution fetches the parameters.
pub struct Once<const N: usize, S, O, F> {
    parameters: [Parameter; N],
    seeds: S,
    into_answer: IntoAnswer<O>,
    call: F,
}

impl<const N: usize, S, O, F> Once<N, S, O, F>
where
    S: Seeds,
    O: 'static,
    F: Fn(<S::State as Fetch>::Item<'_>) -> O + Copy + Send + Sync + 'static,
{
    /// `call`: a closure that captures nothing.
    pub const fn new(named: NamedParameters<N, S>, into_answer: IntoAnswer<O>, call: F) -> Self {
        Self {
            parameters: named.parameters,
            seeds: named.seeds,
            into_answer,
            call,
        }
    }
}

impl<const N: usize, S, O, F> Recipe for Once<N, S, O, F>
where
    S: Seeds,
    O: 'static,
    F: Fn(<S::State as Fetch>::Item<'_>) -> O + Copy + Send + Sync + 'static,
{
    fn instantiate(&self) -> Instance {
        Instance::new(self.seeds.grow(), self.into_answer, self.call)
    }
}

impl<const N: usize, S, O, F> fmt::Debug for Once<N, S, O, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Once")
    }
}

/// The parameters of a function: their names and accesses, and their seeds `S`.
pub struct NamedParameters<const N: usize, S> {
    parameters: [Parameter; N],
    seeds: S,
}

impl<const N: usize, S> fmt::Debug for NamedParameters<N, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamedParameters")
            .field("parameters", &self.parameters)
            .finish_non_exhaustive()
    }
}

impl<const N: usize, S> NamedParameters<N, S> {
    /// Creates the list for any number of parameters.
    pub const fn new(parameters: [Parameter; N], seeds: S) -> Self {
        Self { parameters, seeds }
    }
}

macro_rules! named {
    ($($named:ident $n:literal [$($param:ident $name:ident $index:tt),*];)*) => {$(
        /// Creates the list for the number of parameters in the name of this function. `names`: the names in the source.
        pub const fn $named<$($param),*>(
            names: [&'static str; $n],
            seeds: ($(Seed<$param>,)*),
        ) -> NamedParameters<$n, ($(Seed<$param>,)*)> {
            let [$($name,)*] = names;
            NamedParameters {
                parameters: [$(Parameter::new($name, seeds.$index)),*],
                seeds,
            }
        }
    )*};
}

named! {
    named_0 0 [];
    named_1 1 [A a 0];
    named_2 2 [A a 0, B b 1];
    named_3 3 [A a 0, B b 1, C c 2];
    named_4 4 [A a 0, B b 1, C c 2, D d 3];
    named_5 5 [A a 0, B b 1, C c 2, D d 3, E e 4];
    named_6 6 [A a 0, B b 1, C c 2, D d 3, E e 4, G g 5];
    named_7 7 [A a 0, B b 1, C c 2, D d 3, E e 4, G g 5, H h 6];
    named_8 8 [A a 0, B b 1, C c 2, D d 3, E e 4, G g 5, H h 6, I i 7];
    named_9 9 [A a 0, B b 1, C c 2, D d 3, E e 4, G g 5, H h 6, I i 7, J j 8];
    named_10 10 [A a 0, B b 1, C c 2, D d 3, E e 4, G g 5, H h 6, I i 7, J j 8, K k 9];
    named_11 11 [A a 0, B b 1, C c 2, D d 3, E e 4, G g 5, H h 6, I i 7, J j 8, K k 9, L l 10];
    named_12 12 [A a 0, B b 1, C c 2, D d 3, E e 4, G g 5, H h 6, I i 7, J j 8, K k 9, L l 10, M m 11];
}
