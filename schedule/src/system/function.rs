//! A function as a constant.
//!
//! Invariant: `instantiate` is made for a closure type of which [`Function::new`] was given a value, which has no
//! size and can be copied; so another value of that type may be taken from nowhere. That lets one expression in the
//! generated code, evaluated by the compiler, hold both what a system touches and how it is called.
#![expect(unsafe_code, reason = "takes a value without a size from nowhere")]

use core::fmt;
use core::panic::Location;
use core::ptr::NonNull;

use super::Instance;
use crate::access::{Access, Parameters, all_distinct};
use crate::output::BoxError;
use crate::param::{Fetch, States};

/// A function that a schedule can call: where it stands, what it takes, and how it is called.
#[derive(Clone, Copy)]
pub struct Function {
    location: &'static Location<'static>,
    parameters: Parameters,
    instantiate: fn() -> Instance,
}

impl Function {
    /// The function that `call` calls with what these states fetch.
    ///
    /// `names` holds the name of each parameter. `states` holds the `PARAM::STATE` of each, as a tuple; longer lists
    /// as tuples of tuples, twelve at most in each. `call` captures nothing.
    #[track_caller]
    pub const fn new<S, F>(names: &'static [&'static str], states: S, call: F) -> Self
    where
        S: States,
        F: Fn(<S::State as Fetch>::Item<'_>) -> Result<bool, BoxError> + Copy + Send + 'static,
    {
        const { assert!(size_of::<F>() == 0, "the function captures nothing") };
        let _ = call;
        Self {
            location: Location::caller(),
            parameters: Parameters::of(names, states),
            instantiate: instantiate::<S::State, F>,
        }
    }

    /// The same, if no two of its parameters conflict.
    ///
    /// # Panics
    ///
    /// If two parameters conflict, with a message that names both.
    #[track_caller]
    pub const fn checked(self) -> Self {
        all_distinct(self.parameters);
        self
    }

    /// Where the function stands in the source.
    pub const fn location(&self) -> &'static Location<'static> {
        self.location
    }

    /// The parameters, with what they touch.
    pub const fn parameters(&self) -> Parameters {
        self.parameters
    }

    /// What it touches.
    pub const fn access(&self) -> Access {
        self.parameters.access()
    }

    /// A new instance, with local state of its own.
    pub fn instantiate(&self) -> Instance {
        (self.instantiate)()
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Function")
            .field("location", &self.location)
            .field("parameters", &self.parameters)
            .finish_non_exhaustive()
    }
}

fn instantiate<S, F>() -> Instance
where
    S: Fetch,
    F: Fn(S::Item<'_>) -> Result<bool, BoxError> + Copy + Send + 'static,
{
    // SAFETY: `F` has no size, and a value of it exists, of which this is a copy.
    let call = unsafe { NonNull::<F>::dangling().read() };
    Instance::new(S::NEW, call)
}
