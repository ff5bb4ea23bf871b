//! The partial results of a dynamic system.

use core::any::Any;

use super::{Foldable, Partials};
use crate::data::access::ResourceType;
use crate::data::param::{Fetch, Lookup, Settle};

/// The state of a fold of a dynamic system, without its types.
pub(crate) trait DynamicFold: Send {
    /// The resource.
    fn resource(&self) -> &'static ResourceType;

    /// [`Fetch::prepare`].
    fn prepare(&mut self, lookup: &mut Lookup<'_>);

    /// Begins an execution.
    fn begin(&mut self);

    /// Returns the partial result of the last execution that began, which is a [`Foldable::Partial`].
    fn partial(&mut self) -> Option<&mut dyn Any>;

    /// [`Fetch::settle`].
    fn settle(&mut self, settle: &mut Settle<'_>);
}

/// Creates the state of a fold into `R`.
pub(crate) fn dynamic_fold<R: Foldable>() -> Box<dyn DynamicFold> {
    Box::new(Partials::<R, R::Partial>::new())
}

impl<R: 'static, P: Default + Send + 'static> DynamicFold for Partials<R, P> {
    fn resource(&self) -> &'static ResourceType {
        self.resource
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        Fetch::prepare(self, lookup);
    }

    fn begin(&mut self) {
        self.begin_one();
    }

    fn partial(&mut self) -> Option<&mut dyn Any> {
        let last = self.pending.partials.last_mut()?;
        Some(&mut **last)
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        Fetch::settle(self, settle);
    }
}
