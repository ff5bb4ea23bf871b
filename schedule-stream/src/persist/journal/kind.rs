//! The kinds of entries of a journal.

use core::fmt::{self, Display, Formatter};

/// The kind of an entry of a journal: its number, and whether a reader that does not know it may skip it.
///
/// A journal with an entry of an unknown kind that may not be skipped cannot be opened: see
/// [`JournalError::UnknownEntry`](super::JournalError::UnknownEntry). Other unknown entries are not visited.
///
/// ```
/// use schedule_stream::journal::EntryKind;
///
/// assert_eq!(EntryKind::BATCH.to_string(), "batch");
/// assert!(!EntryKind::BATCH.is_optional());
/// let later = EntryKind::optional(900);
/// assert!(!later.is_known() && later.is_optional());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EntryKind {
    number: u16,
    is_optional: bool,
}

impl EntryKind {
    /// The events of the input of a batch. Only these entries have a batch of their own.
    pub const BATCH: Self = Self::required(1);
    /// Another maximum of pending follow-up events, from the next batch on. The body is the maximum, 4 bytes, little-endian.
    pub const MAX_PENDING: Self = Self::required(2);
    /// The digests of the outcomes of an earlier batch, one for each outcome. `docs/journal-format.md` describes the body.
    pub const OUTCOME_DIGESTS: Self = Self::optional(3);
    /// A new history: the outcomes of earlier batches were replaced by others. `docs/journal-format.md` describes the body.
    pub const NEW_HISTORY: Self = Self::required(4);
    /// An event that has failed, because processes have ended while they applied it. The body is a
    /// [`DeadLetterEntry`](super::DeadLetterEntry).
    pub const DEAD_LETTER: Self = Self::required(5);

    /// The kind with this number, which a reader must know.
    pub const fn required(number: u16) -> Self {
        Self {
            number,
            is_optional: false,
        }
    }

    /// The kind with this number, which a reader that does not know it skips.
    pub const fn optional(number: u16) -> Self {
        Self {
            number,
            is_optional: true,
        }
    }

    /// The kind as it is stored: the number, and flags. Bit 0 of the flags: whether the entry may be skipped.
    #[doc(hidden)]
    pub const fn from_stored(number: u16, flags: u16) -> Self {
        Self {
            number,
            is_optional: flags & 1 != 0,
        }
    }

    /// The inverse of [`from_stored`](Self::from_stored).
    #[doc(hidden)]
    pub const fn to_stored(self) -> (u16, u16) {
        (self.number, self.is_optional as u16)
    }

    /// The number.
    pub const fn number(self) -> u16 {
        self.number
    }

    /// Whether a reader that does not know this kind may skip the entry.
    pub const fn is_optional(self) -> bool {
        self.is_optional
    }

    /// Whether an entry of this kind concerns only batches before its number, so that it is not needed without them.
    pub(crate) const fn concerns_earlier(self) -> bool {
        self.number == Self::OUTCOME_DIGESTS.number
    }

    /// Whether this version of the crate knows the kind.
    pub const fn is_known(self) -> bool {
        self.name().is_some()
    }

    /// Whether this version of the crate can neither use nor skip the entry.
    pub const fn must_be_known(self) -> bool {
        !self.is_known() && !self.is_optional
    }

    const fn name(self) -> Option<&'static str> {
        match self.number {
            1 => Some("batch"),
            2 => Some("maximum of pending follow-ups"),
            3 => Some("digests of outcomes"),
            4 => Some("new history"),
            5 => Some("dead letter"),
            _ => None,
        }
    }
}

impl Display for EntryKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "kind {}", self.number),
        }
    }
}
