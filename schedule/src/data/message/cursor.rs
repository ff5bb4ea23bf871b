//! The positions of readers, and their registration.

use core::fmt;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;

use crate::base::escape::shown;
use crate::base::identity::Name;
use crate::base::place::SystemPlace;

/// The position of a reader in one queue: the number of messages, of all that were ever appended, that it has seen or missed.
///
/// All orderings are relaxed. The reader and the systems that append messages conflict, so the executor orders their accesses.
#[derive(Debug)]
pub(crate) struct ReaderCursor {
    position: AtomicU64,
    is_enabled: AtomicBool,
    /// The number of messages that the reader missed since its last look.
    n_missed: AtomicU64,
    /// The largest number of unread messages that are kept for the reader. `None`: all, up to the bound.
    keep: Option<u64>,
    reader: Arc<SystemPlace>,
    /// Whether the reader is a system.
    is_of_system: bool,
}

impl ReaderCursor {
    pub(crate) fn new(keep: Option<u64>, reader: Arc<SystemPlace>, is_of_system: bool) -> Self {
        Self {
            position: AtomicU64::new(0),
            is_enabled: AtomicBool::new(true),
            n_missed: AtomicU64::new(0),
            keep,
            reader,
            is_of_system,
        }
    }

    #[inline]
    pub(crate) fn position(&self) -> u64 {
        self.position.load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn set_position(&self, position: u64) {
        self.position.store(position, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn is_enabled(&self) -> bool {
        self.is_enabled.load(Ordering::Relaxed)
    }

    pub(crate) fn set_enabled(&self, is_enabled: bool) {
        self.is_enabled.store(is_enabled, Ordering::Relaxed);
    }

    /// Whether an unread message of this reader is kept up to the bound.
    #[inline]
    pub(crate) fn keeps_all(&self) -> bool {
        self.keep.is_none()
    }

    /// Moves the position to `first`, if the messages before it are dropped, and counts those that the reader has not seen.
    #[inline]
    pub(crate) fn miss_before(&self, first: u64) {
        let position = self.position();
        if position < first {
            self.n_missed.fetch_add(first - position, Ordering::Relaxed);
            self.set_position(first);
        }
    }

    /// Limits the number of messages that are kept for the reader. `end`: the position after the last message.
    #[inline]
    pub(crate) fn limit(&self, end: u64) {
        if let Some(keep) = self.keep {
            self.miss_before(end.saturating_sub(keep));
        }
    }

    /// Begins at a position that is not before the first kept message.
    pub(crate) fn begin(&self, position: u64, n_missed: u64) {
        self.set_position(position);
        self.n_missed.store(n_missed, Ordering::Relaxed);
    }

    #[cfg(feature = "snapshot")]
    pub(crate) fn n_missed(&self) -> u64 {
        self.n_missed.load(Ordering::Relaxed)
    }

    /// Returns the number of missed messages, and begins to count again.
    #[inline]
    pub(crate) fn take_missed(&self) -> u64 {
        self.n_missed.swap(0, Ordering::Relaxed)
    }

    pub(crate) fn is_of_system(&self) -> bool {
        self.is_of_system
    }

    pub(crate) fn reader(&self) -> &Arc<SystemPlace> {
        &self.reader
    }
}

/// The number of unread messages that are kept for a reader: [`KeepAll`] or [`KeepLatest`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number of messages to keep",
    label = "not `KeepAll` or `KeepLatest`",
    note = "write `MessageReader<T>`, or `MessageReader<T, KeepLatest<100>>`"
)]
pub trait Keeps: sealed::SealedKeeps + 'static {
    #[doc(hidden)]
    const LIMIT: Option<u64>;
}

/// Keeps each unread message. If the queue is full, the writing system fails with [`MessagesFull`].
#[derive(Clone, Copy, Debug)]
pub struct KeepAll(());

/// Keeps the latest `N` unread messages. The reader misses older ones, and [counts](crate::param::MessageReader::n_missed) them. `N` is at
/// least 1.
#[derive(Clone, Copy, Debug)]
pub struct KeepLatest<const N: usize>(());

mod sealed {
    #[expect(unnameable_types, reason = "only this module may implement it")]
    pub trait SealedKeeps {}
}

impl sealed::SealedKeeps for KeepAll {}

impl Keeps for KeepAll {
    const LIMIT: Option<u64> = None;
}

impl<const N: usize> sealed::SealedKeeps for KeepLatest<N> {}

impl<const N: usize> Keeps for KeepLatest<N> {
    const LIMIT: Option<u64> = Some(N as u64);
}

/// A queue of messages is full: a reader has too many unread messages.
///
/// A writing system fails with it as [`Cause::Full`](crate::error::Cause::Full).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MessagesFull {
    /// The name of the queue.
    pub messages: Name,
    /// The maximum number of unread messages: see [`Messages::set_bound`](super::Messages::set_bound).
    pub bound: usize,
    /// The largest number of unread messages of a reader, or of messages that wait for the next run.
    pub n_unread: usize,
    /// The number of new messages.
    pub n_new: usize,
    /// The reader. `None` if `n_unread` is 0: then the new messages alone exceed the bound. Also `None` for a
    /// [`MessageSender`](super::MessageSender) whose messages wait for the next run.
    pub reader: Option<Arc<SystemPlace>>,
}

impl std::error::Error for MessagesFull {}

impl fmt::Display for MessagesFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            messages,
            bound,
            n_unread,
            n_new,
            reader,
        } = self;
        write!(f, "`{}` is full: ", shown(messages))?;
        match reader {
            Some(reader) => write!(
                f,
                "{n_unread} messages that {reader} has not read and {n_new} new ones exceed the bound of {bound}; run the reader more \
                 often, raise the bound, or read with `KeepLatest`"
            ),
            None if *n_unread == 0 => write!(
                f,
                "{n_new} new messages exceed the bound of {bound}; raise the bound"
            ),
            None => write!(
                f,
                "{n_unread} messages of other threads wait for the next run, and the bound is {bound}; run a schedule more often, or \
                 raise the bound"
            ),
        }
    }
}
