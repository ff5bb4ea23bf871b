//! The folds and messages of a dynamic system.

use core::any::Any;

use super::{Lookup, Settle};
use crate::data::access::{AccessKind, ResourceType};
use crate::data::resource::Resources;

/// The state of a fold, or of a reader or writer of messages, without its types.
pub(crate) trait DynamicParam: Send {
    /// The resource.
    fn resource(&self) -> &'static ResourceType;

    /// How it accesses the resource.
    fn kind(&self) -> AccessKind;

    /// See [`Fetch::prepare`](super::Fetch::prepare).
    fn prepare(&mut self, lookup: &mut Lookup<'_>);

    /// Begins an execution. The system is declared to access the resource.
    fn begin(&mut self, resources: &Resources);

    /// Returns the record of the last execution that began: a [`Foldable::Partial`](super::Foldable::Partial), a list of written messages,
    /// or an [`UnreadRange`](crate::data::message::UnreadRange).
    fn record(&mut self) -> Option<&mut dyn Any>;

    /// See [`Fetch::settle`](super::Fetch::settle).
    fn settle(&mut self, settle: &mut Settle<'_>);
}
