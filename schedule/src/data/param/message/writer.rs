//! The parameter that writes messages.
//!
//! Invariant: that of [`fetch`](crate::data::param::fetch), and that of [`settle`](crate::data::param::settle) for the joins.
#![expect(unsafe_code, reason = "adds messages to their queue by its address")]

use core::fmt;
use core::mem::{swap, take};
use std::sync::Arc;

use crate::base::panics::drop_caught;
use crate::data::access::{Access, AccessKind, AccessSet, ResourceType};
use crate::data::message::{Message, MessageList, Messages};
use crate::data::param::fetch::Address;
use crate::data::param::settle::TakenFolds;
use crate::data::param::{Fetch, FetchFrom, Join, Lookup, Param, Seed, Settle};
use crate::data::resource::Resources;
use crate::data::resource::watched::Watched;

/// Writes messages of type `T`: a parameter of a system.
///
/// Each system has a list of its own, so systems that write the same messages do not conflict, and may run at the same time. The lists
/// are added to the [`Messages`] in the order of a serial run, before the first system that reads them. In a
/// [`for_each`](macro@crate::system) system, the messages are in the order of the entities.
///
/// If the system fails, its messages of this execution are dropped. If they exceed the [bound](Messages::bound), they are dropped, too, and
/// the system fails.
///
/// ```
/// use schedule::prelude::*;
///
/// #[derive(Message, Debug, PartialEq)]
/// struct Damage(u32);
///
/// #[system]
/// fn burn(mut damage: MessageWriter<Damage>) {
///     damage.write(Damage(2));
///     damage.extend([Damage(1), Damage(1)]);
/// }
///
/// // A unit test can pass any list.
/// let mut list = Vec::new();
/// burn(MessageWriter::new(&mut list));
/// assert_eq!(list, [Damage(2), Damage(1), Damage(1)]);
/// ```
pub struct MessageWriter<'r, T>(&'r mut Vec<T>);

impl<'r, T> MessageWriter<'r, T> {
    /// Writes into a list, to call a system as a plain function.
    pub fn new(list: &'r mut Vec<T>) -> Self {
        Self(list)
    }

    /// Writes a message.
    #[inline]
    pub fn write(&mut self, message: T) {
        self.0.push(message);
    }

    /// Moves messages from a list.
    pub(crate) fn append(&mut self, list: &mut Vec<T>) {
        if self.0.is_empty() {
            swap(self.0, list);
        } else {
            self.0.append(list);
        }
    }
}

/// Writes messages.
impl<T> Extend<T> for MessageWriter<'_, T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, messages: I) {
        self.0.extend(messages);
    }
}

impl<T> fmt::Debug for MessageWriter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MessageWriter({} written)", self.0.len())
    }
}

/// Messages that are not in the queue yet.
struct PendingMessages<T> {
    address: Address<Messages<T>>,
    list: MessageList<T>,
    /// The versions of the queue, if it is watched.
    watched: Option<Arc<Watched>>,
}

impl<T: Send + 'static> TakenFolds for PendingMessages<T> {
    fn join(&mut self, join: &mut Join) -> bool {
        if !join.is_into::<Messages<T>>() {
            return false;
        }
        if self.list.is_empty() {
            return true;
        }
        // SAFETY: the system ran, so `prepare` stored the address of the messages for this run. By the invariant of `Join`, no resource
        // was inserted or removed since, and nothing else accesses this one.
        let messages = unsafe { self.address.get_mut() };
        let messages = messages.expect("the system ran, so the resource exists");
        let list = &mut *self.list;
        join.append(|| messages.append(list));
        if list.is_empty()
            && let Some(watched) = &self.watched
        {
            watched.note_write();
        }
        // Not empty after a failure.
        list.drain(..).for_each(drop_caught);
        true
    }
}

/// The state of `MessageWriter<T>`.
pub struct WriterQueue<T> {
    pub(super) resource: &'static ResourceType,
    pending: PendingMessages<T>,
    /// [`Messages::begin_writing_in`]. The bound is not on the type, so that the compiler reports a type that is not a message once.
    begin_run: fn(&mut Resources, &mut Vec<T>),
    /// The number of pending messages of earlier executions, which finished.
    n_kept: usize,
}

impl<T: Message> WriterQueue<T> {
    pub(crate) fn new() -> Self {
        Self {
            resource: const { &ResourceType::of::<Messages<T>>() },
            pending: PendingMessages {
                address: Address::NONE,
                list: MessageList(Vec::new()),
                watched: None,
            },
            begin_run: Messages::begin_writing_in,
            n_kept: 0,
        }
    }
}

impl<T> WriterQueue<T> {
    /// The messages that are not in the queue yet.
    pub(super) fn list_mut(&mut self) -> &mut Vec<T> {
        &mut self.pending.list
    }

    /// Begins an execution, whose messages are added to the list.
    pub(super) fn begin_list(&mut self) -> &mut Vec<T> {
        self.n_kept = self.pending.list.len();
        &mut self.pending.list
    }
}

// SAFETY: `fetch` accesses only the state itself, which belongs to one node.
unsafe impl<T: Send + 'static> Fetch for WriterQueue<T> {
    type Item<'r> = MessageWriter<'r, T>;

    fn access(&self, access: &mut AccessSet) {
        access.push(self.resource, AccessKind::Fold, false);
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        lookup.need(self.resource, &mut self.pending.address.0);
    }

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> MessageWriter<'r, T> {
        MessageWriter(self.begin_list())
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        match settle {
            Settle::BeginRun(resources) => {
                (self.begin_run)(resources, &mut self.pending.list);
                return;
            }
            Settle::NoteWatched(resources) => {
                self.pending.watched = resources.watched(self.resource.type_id);
                return;
            }
            Settle::DropFolds => {
                let failed = self.pending.list.drain(self.n_kept..);
                failed.for_each(drop_caught);
            }
            Settle::JoinFolds(join) => _ = self.pending.join(join),
            Settle::TakeFolds(to) => {
                if !self.pending.list.is_empty() {
                    to.push(Box::new(PendingMessages {
                        address: Address::new(self.pending.address.0),
                        list: MessageList(take(&mut self.pending.list.0)),
                        watched: self.pending.watched.clone(),
                    }));
                }
            }
            _ => return,
        }
        self.n_kept = self.pending.list.len();
    }
}

impl<T> fmt::Debug for WriterQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WriterQueue({} to join)", self.pending.list.len())
    }
}

impl<T: Message> Param for MessageWriter<'_, T> {
    type State = WriterQueue<T>;
    const SEED: Seed<Self::State> = Seed::new(
        Access::Fold(ResourceType::of::<Messages<T>>()),
        WriterQueue::new,
    );
}
