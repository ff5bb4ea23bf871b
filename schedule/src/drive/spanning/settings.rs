//! The settings and counts of a spanning system, and its cancellation.

use super::worker::Flag;
use crate::base::identity::{Identity, Name, declared_here};
use crate::data::resource::Resource;

/// What happens to a start before the results of the last one have appeared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum OverrunPolicy {
    /// It is skipped.
    #[default]
    Skip,
    /// It waits. The start copies the resources immediately, so the copies do not contain the results of earlier starts. Its work
    /// begins in the run in which the previous results appear. At most this number of starts wait. A start beyond that is skipped.
    Queue(usize),
    /// The running work is [cancelled](Cancellation), and its results never appear. The new work begins in the next run of
    /// [`results`](super::results) after the function has returned.
    ///
    /// Results that wait for their run because of [`Spanning::appear_after`](super::Spanning::appear_after) are replaced, too. If
    /// each start comes before the results of the start before it, no results appear.
    Restart,
}

/// Tells a spanning system whether its results will never appear: a later start has replaced it, or the
/// [`Spanning`](super::Spanning) was dropped.
///
/// Take it as `&Cancellation`. Do not insert it into [`Resources`](crate::Resources).
///
/// ```
/// use schedule::prelude::*;
/// use schedule::spanning::Cancellation;
///
/// #[derive(Resource, Clone)]
/// struct Path(Vec<u32>);
///
/// #[system(spanning)]
/// fn plan(cancellation: &Cancellation, path: &mut Path) {
///     for step in 0..1_000 {
///         if cancellation.is_cancelled() {
///             return;
///         }
///         path.0.push(step);
///     }
/// }
/// ```
#[derive(Debug)]
pub struct Cancellation(pub(super) Flag);

impl Identity for Cancellation {
    const ID: u128 = declared_here(module_path!(), "Cancellation");
    const NAME: Name = Name::new("Cancellation");
}

#[diagnostic::do_not_recommend]
impl Resource for Cancellation {}

impl Cancellation {
    /// Whether the results will not appear.
    pub fn is_cancelled(&self) -> bool {
        self.0.get()
    }
}

/// The number of starts of a spanning system by their outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SpanningCounts {
    /// Starts whose results have appeared.
    pub appeared: u64,
    /// Starts whose function returned an error or panicked.
    pub failed: u64,
    /// Starts that were skipped.
    pub skipped: u64,
    /// Starts that a later one has replaced.
    pub replaced: u64,
    /// Starts whose results appeared later than [`Spanning::appear_after`](super::Spanning::appear_after) says, or that failed later.
    /// They are also counted above.
    pub late: u64,
}
