//! States in snapshots.

use serde::{Deserialize, Serialize};

use super::{NextState, Overruled, State, StateRequest};
use crate::base::snapshot::{ComposedName, Decoder, Encoder, Schema, Snapshot, SnapshotError};

/// Save [`NextState`], too: it has whether the state was entered.
impl<B: Snapshot> Snapshot for State<B> {
    const NAME: &'static str = const { ComposedName::new("state", B::NAME) }.as_str();
    const VERSION: u32 = 1;

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        to.write(&B::VERSION)?;
        to.save(&self.0)
    }

    fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        let version = from.read()?;
        from.restore(version).map(Self)
    }

    fn schema() -> Schema {
        Schema::of_saved::<B>()
    }
}

impl<B: Snapshot> Snapshot for NextState<B> {
    const NAME: &'static str = const { ComposedName::new("next-state", B::NAME) }.as_str();
    const VERSION: u32 = 1;

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        to.write(&B::VERSION)?;
        to.write(&SavedNext {
            is_first: self.is_first,
            n_overruled: self.n_overruled,
            request: self.request.as_ref().map(|request| SavedRequest {
                priority: request.priority,
                enters_again: request.enters_again,
            }),
            has_overruled: self.overruled.is_some(),
        })?;
        if let Some(request) = &self.request {
            to.save(&request.state)?;
        }
        if let Some(Overruled { state, by }) = &self.overruled {
            to.save(state)?;
            to.save(by)?;
        }
        Ok(())
    }

    fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        let version = from.read()?;
        let saved: SavedNext = from.read()?;
        let request = match saved.request {
            None => None,
            Some(request) => Some(StateRequest {
                state: from.restore(version)?,
                priority: request.priority,
                enters_again: request.enters_again,
            }),
        };
        let overruled = if saved.has_overruled {
            Some(Overruled {
                state: from.restore(version)?,
                by: from.restore(version)?,
            })
        } else {
            None
        };
        Ok(Self {
            request,
            is_first: saved.is_first,
            overruled,
            n_overruled: saved.n_overruled,
        })
    }

    fn schema() -> Schema {
        let parts = [
            ("next", Schema::of::<SavedNext>()),
            ("state", Schema::of_saved::<B>()),
        ];
        Schema::of_parts("NextState", parts)
    }
}

/// A [`NextState`] without its states, which follow.
#[derive(Serialize, Deserialize)]
struct SavedNext {
    is_first: bool,
    n_overruled: u64,
    request: Option<SavedRequest>,
    has_overruled: bool,
}

/// A request without its state.
#[derive(Serialize, Deserialize)]
struct SavedRequest {
    priority: i32,
    enters_again: bool,
}
