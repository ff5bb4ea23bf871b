//! The load of each lane, as the dispatcher knows it. It determines the lane of an event, and how long lanes should be.
//!
//! Lanes should be as short as possible: the longer they are, the more records are in use, and the more arriving events
//! must wait. If all events of the dispatcher wait, it lets a few more arrive, and lanes become shorter. If a helper
//! has run out of events, lanes become longer. An event never changes its lane, so lanes are also shorter if events
//! take longer. Then no thread has much left when another one has finished.

use crate::engine::dispatch::DISPATCHER;
use crate::engine::lane_tails::Until;

/// The minimum and maximum number of spare events in a lane, in addition to the number that the dispatcher handles in a
/// turn.
pub(super) const SPARE: [u64; 2] = if cfg!(any(loom, test, miri)) {
    [0, 0]
} else {
    [2, 32]
};
/// Maximum number of spare events, in turns of the dispatcher.
const TURNS_SPARE: u64 = 4;
/// Maximum number of events in all lanes of helpers.
const AHEAD_IN_ALL: u64 = 128;
/// The increase of spare events when the lane of a helper was found empty. If all events of the dispatcher wait, the
/// number is halved.
const MORE_SPARE: u64 = 2;
/// The number of arrivals before the next look, if all events of the dispatcher wait.
const FEW: u32 = 8;

/// See the module.
#[derive(Debug)]
pub(super) struct Loads {
    /// The loads, by lane.
    loads: Box<[Load]>,
    /// The number of spare events in a lane, and its minimum and maximum.
    spare: u64,
    spare_limits: [u64; 2],
    /// The number of events added to all lanes when `spare` last changed.
    n_come_then: u64,
    /// The number of events in a lane that is enough, up to `most_ahead`: those of a turn of the dispatcher, and the
    /// spare ones.
    length: u64,
    most_ahead: u64,
    /// The number of further events for lanes of helpers until all have enough, as last seen.
    room: u64,
}

/// The load of a lane.
#[derive(Clone, Copy, Debug, Default)]
struct Load {
    n_come: u64,
    /// As last seen.
    n_done: u64,
}

impl Load {
    #[inline(always)]
    fn rest(&self) -> u64 {
        self.n_come - self.n_done
    }
}

impl Loads {
    /// Creates the loads of `n_lanes` lanes.
    pub(super) fn new(n_lanes: usize, spare_limits: [u64; 2]) -> Self {
        let n_helpers = n_lanes as u64 - 1;
        let [spare, _] = spare_limits;
        Self {
            loads: vec![Load::default(); n_lanes].into(),
            spare,
            spare_limits,
            n_come_then: 0,
            length: spare + 1,
            most_ahead: AHEAD_IN_ALL / n_helpers.max(1),
            room: (spare + 1) * n_helpers,
        }
    }

    /// Returns the number of events in a lane that is enough.
    #[inline(always)]
    fn ahead(&self) -> u64 {
        self.length.min(self.most_ahead)
    }

    /// Returns the number of further free events that go to helpers.
    #[inline(always)]
    pub(super) fn room(&self) -> u64 {
        self.room
    }

    /// Returns the lanes that have not reached the progress `until`, as bits.
    #[inline(always)]
    pub(super) fn waits(&self, until: &Until) -> u32 {
        let each = self.loads.iter().zip(until).enumerate();
        each.fold(0, |bits, (lane, (load, until))| {
            bits | u32::from(*until > load.n_done) << lane
        })
    }

    /// Returns the lane for an event that waits for nothing. `None` if the dispatcher should handle it immediately.
    #[inline(always)]
    pub(super) fn lane_for_free(&self) -> Option<usize> {
        if self.room == 0 {
            return None;
        }
        (DISPATCHER + 1..self.loads.len()).min_by_key(|lane| self.loads[*lane].rest())
    }

    /// Returns the lane for an event that waits for the progress `until`. A wait for another lane counts as longer by
    /// the intended length of a lane: its thread may be late. The dispatcher is, because it also handles free events.
    #[inline(always)]
    pub(super) fn lane_for(&self, until: &Until) -> usize {
        // The longest wait, and the second longest.
        let (mut most, mut second, mut of_most) = (0, 0, 0);
        for (lane, (load, until)) in self.loads.iter().zip(until).enumerate() {
            let wait = until.saturating_sub(load.n_done);
            if wait > most {
                (most, second, of_most) = (wait, most, lane);
            } else {
                second = second.max(wait);
            }
        }
        let start = |lane: usize| {
            let wait = if lane == of_most { second } else { most };
            let wait = if wait > 0 { wait + self.ahead() } else { 0 };
            self.loads[lane].rest().max(wait)
        };
        // Of two equal lanes, prefer that of a helper: the dispatcher has more to do.
        let lanes = (0..self.loads.len()).rev();
        lanes.min_by_key(|lane| start(*lane)).unwrap_or(DISPATCHER)
    }

    /// Sets the load of a lane.
    #[cfg(all(test, not(loom)))]
    pub(super) fn set(&mut self, lane: usize, n_come: u64, n_done: u64) {
        self.loads[lane] = Load { n_come, n_done };
    }

    /// Adds an event to a lane. Returns its index in the lane.
    #[inline(always)]
    pub(super) fn come(&mut self, lane: usize) -> u64 {
        let ahead = self.ahead();
        let load = &mut self.loads[lane];
        if lane != DISPATCHER && load.rest() < ahead {
            self.room = self.room.saturating_sub(1);
        }
        load.n_come += 1;
        load.n_come - 1
    }

    /// Returns whether a lane has reached a progress. Calls `look` if that is not known.
    #[inline(always)]
    pub(super) fn has_come(
        &mut self,
        lane: usize,
        so_far: u64,
        look: impl FnOnce() -> u64,
    ) -> bool {
        let load = &mut self.loads[lane];
        if so_far > load.n_done {
            load.n_done = look();
        }
        so_far <= load.n_done
    }

    /// Updates the progress of all lanes.
    #[inline]
    pub(super) fn see(&mut self, n_done: impl Iterator<Item = u64>) {
        for (load, n_done) in self.loads.iter_mut().zip(n_done) {
            load.n_done = n_done;
        }
    }

    /// Returns the maximum number of arrivals before the next call. `turn` is the number of events in a turn of the
    /// dispatcher. It is 0 if all lanes have enough, unless all events of the dispatcher wait.
    #[inline]
    pub(super) fn wanted(&mut self, turn: u32, all_waits: impl FnOnce() -> bool) -> u32 {
        let n_come = self.loads.iter().map(|load| load.n_come).sum();
        // Adapt only if events have arrived since the last change.
        let may_learn = n_come != self.n_come_then;
        let [least, most] = self.spare_limits;
        let of_helpers = || self.loads.iter().skip(DISPATCHER + 1);
        if may_learn && of_helpers().any(|load| load.rest() == 0) {
            self.spare = (self.spare + MORE_SPARE).min(most);
            self.n_come_then = n_come;
        }
        let turn = u64::from(turn);
        self.length = self.spare.min((TURNS_SPARE * turn).max(least)) + turn;
        let ahead = self.ahead();
        let room = |load: &Load| ahead.saturating_sub(load.rest());
        self.room = of_helpers().map(room).sum();
        if self.room > 0 || room(&self.loads[DISPATCHER]) > 0 {
            return u32::MAX;
        }
        if !all_waits() {
            return 0;
        }
        if may_learn {
            // Shorter lanes leave more records free for arriving events.
            self.spare = (self.spare / 2).max(least);
            self.n_come_then = n_come;
        }
        FEW
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn length_of_lanes_adapts() {
        let mut loads = Loads::new(2, [0, 5]);
        let never = || panic!("lanes have room");
        assert_eq!(loads.wanted(2, never), u32::MAX);
        assert_eq!(loads.spare, 0, "no event has arrived");
        let spare = [1, 2, 3, 4].map(|n_done| {
            loads.come(1);
            // The helper has run out.
            loads.see([0, n_done].into_iter());
            assert_eq!(loads.wanted(2, never), u32::MAX);
            loads.spare
        });
        assert_eq!(spare, [2, 4, 5, 5]);
        for _ in 0..7 {
            loads.come(1);
        }
        assert_eq!(
            loads.wanted(2, never),
            u32::MAX,
            "the dispatcher has no events"
        );
        for _ in 0..7 {
            loads.come(DISPATCHER);
        }
        for _ in 0..2 {
            assert_eq!(loads.wanted(2, || true), FEW, "the dispatcher has to wait");
            assert_eq!(loads.spare, 2, "halved once");
        }
        assert_eq!(loads.wanted(2, || false), 0, "the dispatcher has an event");
        assert_eq!(loads.spare, 2);
    }

    #[test]
    fn lanes_are_shorter_if_events_take_longer() {
        let mut loads = Loads::new(2, [0, 50]);
        for n_done in 1..=20 {
            loads.come(1);
            loads.see([0, n_done].into_iter());
            loads.wanted(8, || false);
        }
        assert_eq!(loads.length, 32 + 8);
        loads.wanted(1, || false);
        assert_eq!(loads.length, 4 + 1);
        loads.wanted(8, || false);
        assert_eq!(loads.length, 32 + 8, "`spare` is kept");
    }
}
