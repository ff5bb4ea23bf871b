//! The function of a spanning system, as a schedule of its own that runs on the copies.

use core::fmt;
use core::marker::PhantomData;

use crate::base::identity::{Identity, Name, mix};
use crate::base::text::Text;
use crate::builders::builder::Builder;
use crate::data::executor_choice::Executor;
use crate::data::output::BoxError;
use crate::data::resource::Resources;
use crate::declare::failure::{Cause, Failure, RunError};
use crate::declare::listing::Listing;
use crate::run::schedule::Schedule;
use crate::systems::system::{Definition, System};

/// A system with `#[system(spanning)]`, which implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not span runs",
    label = "not a spanning system",
    note = "write `#[system(spanning)]` at the function"
)]
pub trait SpanningSystem: System {
    /// The function and its parameters.
    #[doc(hidden)]
    const FUNCTION: Definition;

    /// The system that hands over the results.
    #[doc(hidden)]
    const RESULTS: Definition;

    /// Returns the work.
    #[doc(hidden)]
    fn work() -> SpanningWork {
        let mut builder = Schedule::builder();
        builder.name(Self::NAME.to_string()).add::<WorkOf<Self>>();
        let built = builder.build();
        SpanningWork::new(built.expect("one system without declarations can be built"))
    }
}

/// The function as a system.
struct WorkOf<S>(PhantomData<S>);

impl<S: Identity> Identity for WorkOf<S> {
    const ID: u128 = mix(S::ID, 0x574f_524b);
    const NAME: Name = S::NAME;
}

impl<S: SpanningSystem> System for WorkOf<S> {
    const DEFINITION: Definition = S::FUNCTION;
}

/// The work of a spanning system.
pub struct SpanningWork(Schedule);

impl SpanningWork {
    /// The systems of a listed schedule.
    pub fn of_group(listing: &Listing) -> Self {
        Self::new(Builder::verified(listing))
    }

    /// The systems of this schedule, one after the other.
    fn new(mut schedule: Schedule) -> Self {
        schedule.set_executor(Executor::Serial);
        Self(schedule)
    }

    /// Runs it on these copies.
    pub(super) fn run(&mut self, copies: &mut Resources) -> Result<(), BoxError> {
        self.0.run(copies).map_err(|error| match error {
            RunError::Failed { mut failures, .. } if failures.len() == 1 => {
                let failure = failures.pop().expect("there is one");
                match failure {
                    Failure {
                        cause: Cause::Error(error),
                        ..
                    } => error,
                    failure => failure.cause.to_string().into(),
                }
            }
            error => error.into(),
        })
    }
}

impl fmt::Debug for SpanningWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SpanningWork").field(&self.0.name()).finish()
    }
}

/// Rejects a function that returns an answer.
///
/// # Panics
///
/// Panics if it does.
#[doc(hidden)]
#[track_caller]
pub const fn check_output(definition: &Definition) {
    if definition.branches().is_some() {
        let text = Text::new()
            .str("a spanning system has no answer, since its function runs beside the schedule: ")
            .str("return `()` or `Result<(), E>`");
        panic!("{}", text.as_str());
    }
}
