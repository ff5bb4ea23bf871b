//! The parameter that reads messages.
//!
//! Invariant: that of [`fetch`](crate::data::param::fetch).
#![expect(unsafe_code, reason = "reads messages by the address of their queue")]

use core::fmt;
use core::marker::PhantomData;
use core::mem::replace;
use std::sync::Arc;

use crate::base::place::SystemPlace;
#[cfg(feature = "snapshot")]
use crate::base::snapshot::{Decoder, Encoder, Schema, Snapshot, SnapshotError};
use crate::data::access::{Access, AccessKind, AccessSet, ResourceType};
use crate::data::message::{
    KeepAll, Keeps, Message, Messages, ReaderCursor, Unread, UnreadIter, UnreadRange,
};
use crate::data::param::fetch::Address;
#[cfg(feature = "snapshot")]
use crate::data::param::state::RestoreStep;
use crate::data::param::{Fetch, FetchFrom, Lookup, Param, Seed, Settle};
use crate::data::resource::Resources;

/// Reads messages of type `T`: a parameter of a system.
///
/// An execution of the system sees all kept messages that the system has not seen before, oldest first. They count as seen as soon as the
/// system starts, also if it fails or does not use the parameter. A system that is skipped sees them in a later execution. In a
/// [`for_each`](macro@crate::system) system, the calls for all entities see the same messages.
///
/// A reader runs after all systems that write the messages, or before all of them. In the latter case, it sees the messages of the last
/// run. The schedule refuses a reader between writers. A system that reads and writes the same messages sees its own in its next
/// execution.
///
/// `K` is [`KeepAll`], or [`KeepLatest<N>`](crate::message::KeepLatest) to miss old messages instead of filling the queue.
///
/// ```
/// use schedule::prelude::*;
///
/// #[derive(Message)]
/// struct Damage(u32);
///
/// #[derive(Resource)]
/// struct Health(u32);
///
/// #[system]
/// fn suffer(damage: MessageReader<Damage>, health: &mut Health) {
///     health.0 -= damage.iter().map(|damage| damage.0).sum::<u32>();
/// }
///
/// // A unit test can pass any list.
/// let mut health = Health(10);
/// suffer(MessageReader::new(&[Damage(2), Damage(1)]), &mut health);
/// assert_eq!(health.0, 7);
/// ```
pub struct MessageReader<'r, T, K = KeepAll> {
    unread: Unread<'r, T>,
    n_missed: u64,
    keeps: PhantomData<fn() -> K>,
}

impl<T, K> Clone for MessageReader<'_, T, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, K> Copy for MessageReader<'_, T, K> {}

impl<'r, T, K> MessageReader<'r, T, K> {
    /// Reads a list, to call a system as a plain function.
    pub const fn new(list: &'r [T]) -> Self {
        Self {
            unread: Unread::of_list(list),
            n_missed: 0,
            keeps: PhantomData,
        }
    }

    /// Reads a range of a queue.
    pub(crate) fn of_range(messages: &'r Messages<T>, range: UnreadRange) -> Self {
        Self {
            unread: messages.unread(range),
            n_missed: range.n_missed,
            keeps: PhantomData,
        }
    }

    /// Returns the messages, oldest first. Each call returns the same messages.
    ///
    /// They are in several lists. With `for_each`, `fold` or `sum` of the iterator, the compiler sees one loop per list, which it can
    /// vectorize. It cannot vectorize a `for` loop.
    pub fn iter(&self) -> UnreadIter<'r, T> {
        self.unread.iter()
    }

    /// Returns the number of messages.
    pub fn len(&self) -> usize {
        self.unread.len()
    }

    /// Whether [`len`](Self::len) is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of messages that were dropped before the system saw them, since its last execution. They were dropped
    /// because of [`KeepLatest`](crate::message::KeepLatest), by [`Messages::clear`], or while the system was disabled.
    pub fn n_missed(&self) -> u64 {
        self.n_missed
    }
}

impl<'r, T, K> IntoIterator for MessageReader<'r, T, K> {
    type Item = &'r T;
    type IntoIter = UnreadIter<'r, T>;

    fn into_iter(self) -> UnreadIter<'r, T> {
        self.iter()
    }
}

impl<'r, T, K> IntoIterator for &MessageReader<'r, T, K> {
    type Item = &'r T;
    type IntoIter = UnreadIter<'r, T>;

    fn into_iter(self) -> UnreadIter<'r, T> {
        self.iter()
    }
}

impl<T: fmt::Debug, K> fmt::Debug for MessageReader<'_, T, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

/// The state of `MessageReader<T, K>`.
pub struct Reading<T, K = KeepAll> {
    pub(super) resource: &'static ResourceType,
    address: Address<Messages<T>>,
    keep: Option<u64>,
    is_enabled: bool,
    /// The cursor in each queue from which the system has read, with the [`Messages::id`]. The last one is in use.
    cursors: Vec<(u64, Arc<ReaderCursor>)>,
    /// The system. Known since the first run.
    place: Option<Arc<SystemPlace>>,
    /// Returns the queue. The bound is not on the type, so that the compiler reports a type that is not a message once.
    find: fn(&mut Resources) -> Option<&mut Messages<T>>,
    /// [`Messages::begin_run_in`].
    begin_run: fn(&mut Resources),
    /// The messages of the last execution.
    last: UnreadRange,
    /// Whether the last execution was undone, because the system was skipped.
    is_undone: bool,
    /// A saved position that is decoded, until all values of the schedule are decoded.
    #[cfg(feature = "snapshot")]
    decoded: Option<Option<ReaderPosition>>,
    /// A restored position, until the next registration. `Some(None)`: the system had not read.
    restored: Option<Option<(u64, u64)>>,
    keeps: PhantomData<fn() -> K>,
}

impl<T: Message, K: Keeps> Reading<T, K> {
    fn new() -> Self {
        Self::keeping(K::LIMIT)
    }
}

impl<T: Message, K> Reading<T, K> {
    pub(crate) fn keeping(limit: Option<u64>) -> Self {
        Self {
            resource: const { &ResourceType::of::<Messages<T>>() },
            address: Address::NONE,
            keep: limit,
            is_enabled: true,
            cursors: Vec::new(),
            place: None,
            find: Messages::find,
            begin_run: Messages::<T>::begin_run_in,
            last: UnreadRange::default(),
            is_undone: false,
            #[cfg(feature = "snapshot")]
            decoded: None,
            restored: None,
            keeps: PhantomData,
        }
    }
}

impl<T, K> Reading<T, K> {
    /// Returns the cursor in these messages, and registers it if it is not registered.
    #[inline]
    fn cursor(&mut self, messages: &Messages<T>) -> &Arc<ReaderCursor> {
        let is_last = matches!(self.cursors.last(), Some((id, _)) if *id == messages.id());
        if !is_last || self.restored.is_some() {
            self.register(messages);
        }
        let (_, cursor) = self.cursors.last().expect("it is registered");
        cursor
    }

    #[cold]
    fn register(&mut self, messages: &Messages<T>) {
        // Other queues may be gone.
        self.cursors
            .retain(|(id, cursor)| *id == messages.id() || Arc::strong_count(cursor) > 1);
        let known = self.cursors.iter().position(|(id, _)| *id == messages.id());
        let (id, cursor) = match known {
            Some(idx) => self.cursors.remove(idx),
            None => {
                let place = self.place.clone();
                let place = place.unwrap_or_else(|| Arc::new(SystemPlace::new("a system")));
                (
                    messages.id(),
                    Arc::new(ReaderCursor::new(self.keep, place, true)),
                )
            }
        };
        cursor.set_enabled(self.is_enabled);
        match self.restored.take() {
            Some(saved) => messages.register(&cursor, saved),
            None if known.is_none() => messages.register(&cursor, None),
            None => {}
        }
        self.cursors.push((id, cursor));
    }

    /// Takes the messages that the system has not seen.
    #[inline]
    pub(super) fn take(&mut self, messages: &Messages<T>) -> UnreadRange {
        // An exclusive system may have replaced the messages in this run.
        let cursor = self.cursor(messages);
        self.last = messages.take_unread(cursor);
        self.is_undone = false;
        self.last
    }

    fn set_enabled(&mut self, is_enabled: bool) {
        self.is_enabled = is_enabled;
        for (_, cursor) in &self.cursors {
            cursor.set_enabled(is_enabled);
        }
    }
}

// SAFETY: `fetch` reads only the resource that `access` declares as read, and the state, which belongs to one node.
unsafe impl<T: Send + Sync + 'static, K: 'static> Fetch for Reading<T, K> {
    type Item<'r> = MessageReader<'r, T, K>;

    fn access(&self, access: &mut AccessSet) {
        access.push(self.resource, AccessKind::Read, false);
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        lookup.need(self.resource, &mut self.address.0);
    }

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> MessageReader<'r, T, K> {
        // SAFETY: `prepare` stored the address of live messages in the resources of this run, and none was inserted or removed since.
        // `access` declares a read, so the caller guarantees that nothing that writes them is in use.
        let messages: Option<&'r Messages<T>> = unsafe { self.address.get() };
        let messages = messages.expect("`prepare` missed nothing");
        let range = self.take(messages);
        MessageReader::of_range(messages, range)
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        match settle {
            Settle::Register { resources, place } => {
                if self.place.is_none() {
                    self.place = Some(Arc::clone(place));
                }
                if let Some(messages) = (self.find)(resources) {
                    self.cursor(messages);
                }
            }
            Settle::BeginRun(resources) => (self.begin_run)(resources),
            Settle::UndoLook => {
                if let Some((_, cursor)) = self.cursors.last() {
                    cursor.begin(self.last.position, self.last.n_missed);
                    self.is_undone = true;
                }
            }
            // The system has failed, so it was not skipped.
            Settle::DropFolds if replace(&mut self.is_undone, false) => {
                if let Some((_, cursor)) = self.cursors.last() {
                    cursor.begin(self.last.position + self.last.len as u64, 0);
                }
            }
            Settle::NoteEnabled(is_enabled) => self.set_enabled(*is_enabled),
            #[cfg(feature = "snapshot")]
            Settle::SaveLocals(to) => {
                let position = match (&self.restored, self.cursors.last()) {
                    (Some(restored), _) => restored.map(ReaderPosition::of),
                    (None, None) => None,
                    (None, Some((_, cursor))) => {
                        Some(ReaderPosition::of((cursor.position(), cursor.n_missed())))
                    }
                };
                to.save(position.as_ref());
            }
            #[cfg(feature = "snapshot")]
            Settle::RestoreLocals(from) => match from.step {
                RestoreStep::Decode => self.decoded = from.decode(),
                RestoreStep::Accept => {
                    if let Some(decoded) = self.decoded.take() {
                        let position = decoded.map(|saved| (saved.position, saved.n_missed));
                        self.restored = Some(position);
                    }
                }
                RestoreStep::Reject => self.decoded = None,
            },
            _ => {}
        }
    }
}

/// The saved position of a reader.
#[cfg(feature = "snapshot")]
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct ReaderPosition {
    position: u64,
    n_missed: u64,
}

#[cfg(feature = "snapshot")]
impl ReaderPosition {
    fn of((position, n_missed): (u64, u64)) -> Self {
        Self { position, n_missed }
    }
}

#[cfg(feature = "snapshot")]
impl Snapshot for ReaderPosition {
    const NAME: &'static str = "schedule/message-reader";
    const VERSION: u32 = 1;

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        to.write(self)
    }

    fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        from.read()
    }

    fn schema() -> Schema {
        Schema::of::<Self>()
    }
}

impl<T, K> fmt::Debug for Reading<T, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let position = self.cursors.last().map(|(_, cursor)| cursor.position());
        f.debug_tuple("Reading").field(&position).finish()
    }
}

impl<T: Message, K: Keeps> Param for MessageReader<'_, T, K> {
    type State = Reading<T, K>;
    const SEED: Seed<Self::State> = {
        assert!(
            !matches!(K::LIMIT, Some(0)),
            "`KeepLatest<0>` keeps no messages; keep at least 1"
        );
        Seed::new(
            Access::Read(ResourceType::of::<Messages<T>>()),
            Reading::new,
        )
    };
}
