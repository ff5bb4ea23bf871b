//! Messages of dynamic systems.

use core::any::Any;

use super::{Reading, WriterQueue};
use crate::data::access::{AccessKind, ResourceType};
use crate::data::message::{KeepAll, Message, Messages, UnreadRange};
use crate::data::param::{DynamicParam, Fetch, Lookup, Settle};
use crate::data::resource::Resources;

/// Creates the state of a writer.
pub(crate) fn dynamic_writer<T: Message>() -> Box<dyn DynamicParam> {
    Box::new(WriterQueue::<T>::new())
}

/// Creates the state of a reader. `keep`: the number of unread messages that are kept for it, or `None` for all.
pub(crate) fn dynamic_reader<T: Message>(keep: Option<u64>) -> Box<dyn DynamicParam> {
    Box::new(DynamicReading::<T> {
        state: Reading::keeping(keep),
        range: UnreadRange::default(),
    })
}

impl<T: Message> DynamicParam for WriterQueue<T> {
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
        self.begin_list();
    }

    fn record(&mut self) -> Option<&mut dyn Any> {
        Some(self.list_mut())
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        Fetch::settle(self, settle);
    }
}

struct DynamicReading<T: Message> {
    state: Reading<T, KeepAll>,
    /// The messages of the last execution that began.
    range: UnreadRange,
}

impl<T: Message> DynamicParam for DynamicReading<T> {
    fn resource(&self) -> &'static ResourceType {
        self.state.resource
    }

    fn kind(&self) -> AccessKind {
        AccessKind::Read
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        Fetch::prepare(&mut self.state, lookup);
    }

    fn begin(&mut self, resources: &Resources) {
        if let Some(messages) = resources.get::<Messages<T>>() {
            self.range = self.state.take(messages);
        }
    }

    fn record(&mut self) -> Option<&mut dyn Any> {
        Some(&mut self.range)
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        Fetch::settle(&mut self.state, settle);
    }
}
