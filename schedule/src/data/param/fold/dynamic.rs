//! The partial results of a dynamic system.

use core::any::Any;

use super::{Foldable, Partials};
use crate::data::access::{AccessKind, ResourceType};
use crate::data::param::{DynamicParam, Fetch, Lookup, Settle};
use crate::data::resource::Resources;

/// Creates the state of a fold into `R`.
pub(crate) fn dynamic_fold<R: Foldable>() -> Box<dyn DynamicParam> {
    Box::new(Partials::<R, R::Partial>::new())
}

impl<R: 'static, P: Default + Send + 'static> DynamicParam for Partials<R, P> {
    fn resource(&self) -> &'static ResourceType {
        self.resource
    }

    fn kind(&self) -> AccessKind {
        AccessKind::Fold
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        Fetch::prepare(self, lookup);
    }

    fn begin(&mut self, _: &Resources) {
        self.begin_one();
    }

    fn record(&mut self) -> Option<&mut dyn Any> {
        let last = self.pending.partials.last_mut()?;
        Some(&mut **last)
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        Fetch::settle(self, settle);
    }
}
