//! The function of a spanning system, as a schedule of its own that runs on the copies.

use core::fmt;
use core::marker::PhantomData;

use super::Cancellation;
use crate::access::{Access, AccessKind, ResourceId, ResourceUse};
use crate::executor::Executor;
use crate::failure::{Cause, Failure, RunError};
use crate::identity::{Identity, Name, mix};
use crate::output::BoxError;
use crate::resource::Resources;
use crate::schedule::Schedule;
use crate::system::{Definition, System};
use crate::text::Text;

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
    fn work() -> Work {
        let mut builder = Schedule::builder();
        builder.name(Self::NAME.to_string()).add::<WorkOf<Self>>();
        let built = builder.build();
        let mut schedule = built.expect("one system without declarations can be built");
        schedule.set_executor(Executor::Serial);
        Work(schedule)
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
pub struct Work(Schedule);

impl Work {
    /// The systems of a schedule, which must take no more than the parameters of the spanning group `S`.
    ///
    /// # Panics
    ///
    /// Panics if one of them does.
    pub fn of_group<S: SpanningSystem>(mut schedule: Schedule) -> Self {
        let mut taken = vec![(ResourceId::of::<Cancellation>(), false)];
        for parameter in S::FUNCTION.parameters.list() {
            parameter.access.for_each(&mut |leaf, _| match leaf {
                Access::Read(resource) => taken.push((ResourceId::of_type(resource), false)),
                Access::Write(resource) => taken.push((ResourceId::of_type(resource), true)),
                _ => {}
            });
        }
        let group = S::NAME;
        for (system, access) in schedule.accesses() {
            assert!(
                !access.is_exclusive && !access.is_main_thread && access.all.is_empty(),
                "{system} of spanning group `{group}` accesses what cannot be copied: take only resources, by `&T` or `&mut T`"
            );
            assert!(
                !access.has_commands,
                "{system} of spanning group `{group}` has commands, which would change only the copies: remove them"
            );
            for ResourceUse { resource, kind, .. } in &access.uses {
                let is_written = !matches!(kind, AccessKind::Read);
                let is_taken = |(id, can_write): &(ResourceId, bool)| {
                    id == resource && (*can_write || !is_written)
                };
                let (verb, reference) = match is_written {
                    true => ("writes", "&mut "),
                    false => ("reads", "&"),
                };
                assert!(
                    taken.iter().any(is_taken),
                    "{system} of spanning group `{group}` {verb} {resource:?}: add it to the signature of `{group}`, as `{reference}{resource}`"
                );
            }
        }
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

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Work").field(&self.0.name()).finish()
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
    if definition.function.branches().is_some() {
        let text = Text::new()
            .str("a spanning system has no answer, since its function runs beside the schedule: ")
            .str("return `()` or `Result<(), E>`");
        panic!("{}", text.as_str());
    }
}
