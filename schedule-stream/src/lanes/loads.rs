//! How much there is to do in each lane, as the dispatcher knows: where an event is to go, and how long lanes are to be.
//!
//! Lanes are no longer than they have to be: what is in a lane is in use, so that the longer they are, the more of what arrives has
//! to wait for it, and the less is free. Where the dispatcher has enough, all of which waits, it lets a few more arrive, and lanes are to be
//! shorter; where a helper has run out, longer. What is in a lane stays there, too: so the longer events take, the shorter the lanes,
//! that no thread has much to do yet when another one has done all.

use crate::dispatch::DISPATCHER;
use crate::lane_tails::Until;

/// As many events in a lane are enough as the dispatcher handles in a turn, and so many to spare: at least, and at most.
pub(super) const SPARE: [u64; 2] = match cfg!(any(loom, test, miri)) {
    true => [0, 0],
    false => [2, 32],
};
/// But no more than the dispatcher handles in so many turns.
const TURNS_SPARE: u64 = 4;
/// Fewer if there are many lanes, since there are so many in all.
const AHEAD_IN_ALL: u64 = 128;
/// So many more are spare when the lane of a helper was found empty; half as many, when all that the dispatcher has waits.
const MORE_SPARE: u64 = 2;
/// So few arrive then before it looks again.
const FEW: u32 = 8;

/// See the module.
#[derive(Debug)]
pub(super) struct Loads {
    /// By lane.
    loads: Box<[Load]>,
    /// How many events in a lane are spare; at least, and at most.
    spare: u64,
    spare_limits: [u64; 2],
    /// How many had come into all lanes when that was changed last.
    n_come_then: u64,
    /// As many as the dispatcher handles in a turn, and those to spare: so many are enough, if they are no more than the most.
    length: u64,
    most_ahead: u64,
    /// So many more may go into the lanes of helpers until there is enough in all of them, by what was seen last.
    room: u64,
}

/// Of a lane.
#[derive(Clone, Copy, Debug, Default)]
struct Load {
    n_come: u64,
    /// As was seen last.
    n_done: u64,
}

impl Load {
    #[inline(always)]
    fn rest(&self) -> u64 {
        self.n_come - self.n_done
    }
}

impl Loads {
    /// Of so many lanes.
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

    /// So many events in a lane are enough.
    #[inline(always)]
    fn ahead(&self) -> u64 {
        self.length.min(self.most_ahead)
    }

    /// So many events that wait for nothing are for helpers yet.
    #[inline(always)]
    pub(super) fn room(&self) -> u64 {
        self.room
    }

    /// For which lanes an event has to wait that waits for them to come so far: bits.
    #[inline(always)]
    pub(super) fn waits(&self, until: &Until) -> u32 {
        let each = self.loads.iter().zip(until).enumerate();
        each.fold(0, |bits, (lane, (load, until))| {
            bits | u32::from(*until > load.n_done) << lane
        })
    }

    /// Where an event is to go that has to wait for nothing, if not to the dispatcher at once.
    #[inline(always)]
    pub(super) fn lane_for_free(&self) -> Option<usize> {
        if self.room == 0 {
            return None;
        }
        (DISPATCHER + 1..self.loads.len()).min_by_key(|lane| self.loads[*lane].rest())
    }

    /// Where an event is to go that has to wait for lanes to come so far. To wait for another lane is taken to last longer by what
    /// is to be in a lane: for who is there is late at times, as the dispatcher is, which handles what is free besides.
    #[inline(always)]
    pub(super) fn lane_for(&self, until: &Until) -> usize {
        // The longest wait, and the longest of the other lanes.
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
        // Of two that are as good, that of a helper: the dispatcher has more to do.
        let lanes = (0..self.loads.len()).rev();
        lanes.min_by_key(|lane| start(*lane)).unwrap_or(DISPATCHER)
    }

    /// As if so many had come into a lane, and so many were completed.
    #[cfg(all(test, not(loom)))]
    pub(super) fn set(&mut self, lane: usize, n_come: u64, n_done: u64) {
        self.loads[lane] = Load { n_come, n_done };
    }

    /// One event more is in a lane. How many came there before it.
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

    /// Whether a lane has come so far: it is looked at if that is not known.
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

    /// How far each lane has come.
    #[inline]
    pub(super) fn see(&mut self, n_done: impl Iterator<Item = u64>) {
        for (load, n_done) in self.loads.iter_mut().zip(n_done) {
            load.n_done = n_done;
        }
    }

    /// So many events are to arrive before this is asked again, at most, if the dispatcher handles so many in a turn: none if there is
    /// enough in all lanes, unless all that the dispatcher has waits.
    #[inline]
    pub(super) fn wanted(&mut self, turn: u32, all_waits: impl FnOnce() -> bool) -> u32 {
        let n_come = self.loads.iter().map(|load| load.n_come).sum();
        // What is found as nothing arrives is nothing to learn from.
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
            // Less is in use where lanes are short, and more of what arrives is free.
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
    fn lanes_are_as_long_as_they_have_to_be() {
        let mut loads = Loads::new(2, [0, 5]);
        let never = || panic!("there is room");
        assert_eq!(loads.wanted(2, never), u32::MAX);
        assert_eq!(loads.spare, 0, "nothing has come");
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
        assert_eq!(loads.wanted(2, never), u32::MAX, "the dispatcher has none");
        for _ in 0..7 {
            loads.come(DISPATCHER);
        }
        for _ in 0..2 {
            assert_eq!(loads.wanted(2, || true), FEW, "the dispatcher has to wait");
            assert_eq!(loads.spare, 2, "half as many, once");
        }
        assert_eq!(loads.wanted(2, || false), 0, "the dispatcher has something");
        assert_eq!(loads.spare, 2);
    }

    #[test]
    fn the_longer_events_take_the_fewer_are_in_a_lane() {
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
        assert_eq!(loads.length, 32 + 8, "what was learned is kept");
    }
}
