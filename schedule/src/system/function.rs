//! A function as a constant, and the instances of a system that it creates.

use core::fmt;
use core::panic::Location;

use super::{ForEach, Instance};
use crate::output::{Branches, IntoAnswer};
use crate::param::{Fetch, Seeds};

/// A function that a schedule can call: its source location, and how to call it.
#[derive(Clone, Copy)]
pub struct Function {
    location: &'static Location<'static>,
    recipe: &'static dyn Recipe,
    branches: Option<Branches>,
}

impl Function {
    /// Creates the constant for `call`.
    #[track_caller]
    pub const fn new<S, O, F>(call: &'static Call<S, O, F>) -> Self
    where
        Call<S, O, F>: Recipe,
    {
        Self {
            location: Location::caller(),
            recipe: call,
            branches: call.into_answer.branches,
        }
    }

    /// Creates the constant for a function that is called for each entity.
    #[track_caller]
    pub const fn for_each<S, F, P, R, G>(each: &'static ForEach<S, F, P, R, G>) -> Self
    where
        ForEach<S, F, P, R, G>: Recipe,
    {
        Self {
            location: Location::caller(),
            recipe: each,
            branches: None,
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
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Function")
            .field("location", &self.location)
            .finish_non_exhaustive()
    }
}

/// Creates instances of a function.
pub trait Recipe: Sync {
    /// Creates an instance.
    fn instantiate(&self) -> Instance;
}

/// A function with the seeds of its parameters. Each run fetches the parameters and calls `call` with them.
#[derive(Clone, Copy)]
pub struct Call<S, O, F> {
    seeds: S,
    into_answer: IntoAnswer<O>,
    call: F,
}

impl<S, O, F> Call<S, O, F>
where
    S: Seeds,
    O: 'static,
    F: Fn(<S::State as Fetch>::Item<'_>) -> O + Copy + Send + Sync + 'static,
{
    /// Creates a call from a closure that captures nothing.
    pub const fn new(seeds: S, into_answer: IntoAnswer<O>, call: F) -> Self {
        Self {
            seeds,
            into_answer,
            call,
        }
    }
}

impl<S, O, F> Recipe for Call<S, O, F>
where
    S: Seeds,
    O: 'static,
    F: Fn(<S::State as Fetch>::Item<'_>) -> O + Copy + Send + Sync + 'static,
{
    fn instantiate(&self) -> Instance {
        Instance::new(self.seeds.grow(), self.into_answer, self.call)
    }
}

impl<S, O, F> fmt::Debug for Call<S, O, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Call")
    }
}
