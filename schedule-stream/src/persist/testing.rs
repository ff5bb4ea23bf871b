//! Checks for the tests of programs with durable streams.

use schedule::Resources;

pub use crate::persist::durable::determinism::NotDeterministic;
use crate::persist::durable::{Durable, DurableEvent, determinism};

/// Checks that handlers are deterministic: the same batches give the same outcomes and the same state.
///
/// Four streams process each batch: two on one thread, one on 2 threads and one on 4. Each has its own resources, so its hash maps have
/// other seeds. All have the same batch times, but run at other times of the system clock. After each batch, all outcomes and all declared
/// resources are compared. A batch of more than 2,048 events is processed as several ones.
///
/// ```
/// use schedule::prelude::*;
/// use schedule::snapshot::Snapshot;
/// use schedule_stream::durable::Durable;
/// use schedule_stream::prelude::*;
/// use schedule_stream::testing::check_deterministic;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Resource, Snapshot, Serialize, Deserialize, Default)]
/// #[snapshot(name = "sum")]
/// struct Sum(u64);
///
/// #[derive(Event, Snapshot, Serialize, Deserialize)]
/// #[event(add, answer = u64)]
/// #[snapshot(name = "add")]
/// struct Add(u64);
///
/// #[handler]
/// fn add(event: &Add, sum: &mut Sum) -> u64 {
///     sum.0 += event.0;
///     sum.0
/// }
///
/// let program = || Durable::<Add>::new("counter", 1).state::<Sum>();
/// let resources = || {
///     let mut resources = Resources::new();
///     resources.insert_default::<Sum>();
///     resources
/// };
/// check_deterministic(program, resources, [vec![Add(1), Add(2)], vec![Add(3)]])?;
/// # Ok::<(), schedule_stream::testing::NotDeterministic>(())
/// ```
///
/// # Errors
///
/// Fails at the first outcome that differs, or else at the first batch after which the states differ. Fails also if a stream fails.
pub fn check_deterministic<E: DurableEvent>(
    program: impl Fn() -> Durable<E>,
    resources: impl Fn() -> Resources,
    batches: impl IntoIterator<Item = Vec<E>>,
) -> Result<(), NotDeterministic> {
    determinism::check(&program, &resources, &mut batches.into_iter())
}
