//! State of one system that is saved with the schedule.
#![expect(
    unsafe_code,
    reason = "implements `Fetch` and `Send` for state that belongs to one node"
)]

use core::mem::replace;
use core::ops::{Deref, DerefMut};

use serde::{Deserialize, Serialize};

use super::{Fetch, FetchFrom, Lookup, Param, Seed, Settle};
use crate::base::panics::{FirstPanic, drop_caught};
use crate::base::snapshot::{Decoder, Encoder, Schema, Snapshot, SnapshotError};
use crate::base::user_value::UserValue;
use crate::data::access::{Access, AccessSet};
use crate::data::resource::watched::Seen;

/// Like [`Local`](super::Local), but [`Schedule::save_state`](crate::Schedule::save_state) saves it.
///
/// ```
/// use schedule::param::SavedLocal;
/// use schedule::prelude::*;
/// use schedule::snapshot::Snapshot;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Default, Snapshot, Serialize, Deserialize)]
/// #[snapshot(name = "filter")]
/// struct Filter {
///     sum: f64,
/// }
///
/// #[derive(Resource)]
/// struct Speed(f64);
///
/// #[system]
/// fn smooth(mut filter: SavedLocal<Filter>, speed: &mut Speed) {
///     filter.sum += 0.5 * (speed.0 - filter.sum);
///     speed.0 = filter.sum;
/// }
///
/// // A unit test can pass any variable.
/// let (mut filter, mut speed) = (Filter { sum: 2.0 }, Speed(4.0));
/// smooth(SavedLocal::new(&mut filter), &mut speed);
/// assert_eq!(speed.0, 3.0);
/// ```
#[derive(Debug)]
pub struct SavedLocal<'r, T>(&'r mut T);

impl<'r, T> SavedLocal<'r, T> {
    /// Borrows state from a variable, to call a system as a plain function.
    pub fn new(state: &'r mut T) -> Self {
        Self(state)
    }

    /// Returns the state with the lifetime of the run.
    ///
    /// This is an associated function, so that it does not hide a method of the state.
    pub fn into_mut(local: Self) -> &'r mut T {
        local.0
    }
}

impl<T> Deref for SavedLocal<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0
    }
}

impl<T> DerefMut for SavedLocal<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0
    }
}

/// The state of `SavedLocal<T>`.
#[derive(Debug)]
pub struct SavedKept<T> {
    /// `None` before the first run.
    value: UserValue<Option<T>>,
    /// A restored value, until all values of the schedule are restored.
    restored: UserValue<Option<Option<T>>>,
    new: fn() -> T,
}

// SAFETY: only `Param::SEED` makes a `SavedKept<T>`, and `SavedLocal<T>` implements `Param` only if `T` is `Send`. The bound is
// not repeated here, so that the compiler reports a type that is not `Send` once.
unsafe impl<T> Send for SavedKept<T> {}

// SAFETY: `fetch` accesses only the state itself, which belongs to one node.
unsafe impl<T: Snapshot + 'static> Fetch for SavedKept<T> {
    type Item<'r> = SavedLocal<'r, T>;

    fn access(&self, _: &mut AccessSet) {}

    fn prepare(&mut self, _: &mut Lookup<'_>) {}

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> SavedLocal<'r, T> {
        SavedLocal(self.value.get_or_insert_with(self.new))
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        match settle {
            Settle::ResetLocals(panics) => panics.drop(self.value.take()),
            Settle::SaveLocals(to) => to.save(self.value.as_ref()),
            Settle::RestoreLocals(from) => match from.step {
                RestoreStep::Decode => {
                    let restored = from.decode();
                    drop_caught(replace(&mut *self.restored, restored));
                }
                RestoreStep::Accept => {
                    if let Some(restored) = self.restored.take() {
                        from.panics.drop(replace(&mut *self.value, restored));
                    }
                }
                RestoreStep::Reject => drop_caught(self.restored.take()),
            },
            _ => {}
        }
    }
}

impl<T: Snapshot + Default + Send + 'static> Param for SavedLocal<'_, T> {
    type State = SavedKept<T>;
    const SEED: Seed<SavedKept<T>> = Seed::new(Access::Each(&[]), || SavedKept {
        value: UserValue::new(None),
        restored: UserValue::new(None),
        new: T::default,
    });
}

/// The versions of a resource that a parameter has seen: at the last execution or start, and at the first look. `None` before that.
#[derive(Serialize, Deserialize)]
struct SeenVersions([Option<u64>; 2]);

impl Snapshot for SeenVersions {
    const NAME: &'static str = "seen-versions";
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

/// A saved value of a system, with the name and version of its type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SavedValue {
    name: String,
    version: u32,
    /// `None` in a state that an older release has saved.
    schema: Option<Schema>,
    /// `None` if the system has not run.
    bytes: Option<Vec<u8>>,
}

/// A saved value of a release without schemas.
#[derive(Deserialize)]
pub(crate) struct FirstSavedValue {
    name: String,
    version: u32,
    bytes: Option<Vec<u8>>,
}

impl From<FirstSavedValue> for SavedValue {
    fn from(saved: FirstSavedValue) -> Self {
        Self {
            name: saved.name,
            version: saved.version,
            schema: None,
            bytes: saved.bytes,
        }
    }
}

impl SavedValue {
    fn restore<T: Snapshot>(&self) -> Result<Option<T>, SnapshotError> {
        let Some(bytes) = &self.bytes else {
            return Ok(None);
        };
        if let Some(schema) = &self.schema {
            schema.check::<T>(self.version)?;
        }
        let mut decoder = Decoder::new(bytes);
        let value = decoder.restore(self.version)?;
        decoder.finish()?;
        Ok(Some(value))
    }
}

/// Saves the values of a system.
#[derive(Debug, Default)]
pub struct LocalsSaver {
    pub(crate) values: Vec<SavedValue>,
    /// The number of [`Local`](super::Local) values, which are not saved.
    pub(crate) n_other: usize,
    /// Whether values are decoded and encoded again.
    pub(crate) checks_values: bool,
    /// The number of values that then gave other bytes.
    pub(crate) n_unstable: usize,
    /// The number of closures with variables of their own, which are not saved.
    pub(crate) n_captures: usize,
    /// The number of parameters that find changes of components, which is not saved.
    pub(crate) n_looks: usize,
    /// The first error.
    pub(crate) error: Option<SnapshotError>,
}

impl LocalsSaver {
    /// Saves what a parameter has seen of a resource.
    pub(super) fn save_seen(&mut self, seen: [Seen; 2]) {
        self.save(Some(&SeenVersions(seen.map(Seen::saved))));
    }

    pub(super) fn save<T: Snapshot>(&mut self, value: Option<&T>) {
        let bytes = value.map(|value| {
            let mut encoder = Encoder::new();
            encoder.save(value)?;
            if self.checks_values {
                let mut from = Decoder::new(encoder.as_bytes());
                let mut again = Encoder::new();
                again.save(&from.restore::<T>(T::VERSION)?)?;
                from.finish()?;
                self.n_unstable += usize::from(again.as_bytes() != encoder.as_bytes());
            }
            Ok(encoder.into_bytes())
        });
        match bytes.transpose() {
            Ok(bytes) => self.values.push(SavedValue {
                name: T::NAME.to_string(),
                version: T::VERSION,
                schema: Some(Schema::of_saved::<T>()),
                bytes,
            }),
            Err(error) => _ = self.error.get_or_insert(error),
        }
    }
}

/// Restores the values of a system.
pub struct LocalsRestorer {
    pub(crate) step: RestoreStep,
    /// The values that are not decoded.
    pub(crate) values: std::vec::IntoIter<SavedValue>,
    pub(crate) panics: FirstPanic,
    pub(crate) error: Option<LocalError>,
}

/// What happens to the values. Values change only after all values of all systems were decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RestoreStep {
    Decode,
    Accept,
    Reject,
}

/// The reason why the values of a system cannot be restored.
#[derive(Debug)]
pub(crate) enum LocalError {
    /// The system has other parameters than when it was saved.
    OtherTypes,
    Value(SnapshotError),
}

impl LocalsRestorer {
    pub(crate) fn new(step: RestoreStep, values: Vec<SavedValue>) -> Self {
        Self {
            step,
            values: values.into_iter(),
            panics: FirstPanic::NONE,
            error: None,
        }
    }

    /// Restores what a parameter has seen of a resource.
    pub(super) fn decode_seen(&mut self) -> Option<[Seen; 2]> {
        let SeenVersions(seen) = self.decode()??;
        Some(seen.map(Seen::restored))
    }

    pub(super) fn decode<T: Snapshot>(&mut self) -> Option<Option<T>> {
        let saved = self.values.next().filter(|saved| saved.name == T::NAME);
        let Some(saved) = saved else {
            self.error.get_or_insert(LocalError::OtherTypes);
            return None;
        };
        match saved.restore() {
            Ok(value) => Some(value),
            Err(error) => {
                self.error.get_or_insert(LocalError::Value(error));
                None
            }
        }
    }
}

impl core::fmt::Debug for LocalsRestorer {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("LocalsRestorer")
            .field("step", &self.step)
            .finish_non_exhaustive()
    }
}
