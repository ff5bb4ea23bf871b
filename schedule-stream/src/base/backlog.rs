//! A queue of places without duplicates.

use fixedbitset::FixedBitSet;

/// Places, each once, in insertion order. All operations are O(1) per place.
#[derive(Debug, Default)]
pub(crate) struct Backlog {
    places: Vec<u32>,
    /// The same places, as a set. Its length is determined by the largest place.
    is_there: FixedBitSet,
}

impl Backlog {
    /// Adds a place, if it is not in the queue.
    #[inline(always)]
    pub(crate) fn add(&mut self, place: u32) {
        let nth = place as usize;
        self.is_there.grow(nth + 1);
        if !self.is_there.put(nth) {
            self.places.push(place);
        }
    }

    /// Removes all places and iterates over them.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = u32> {
        let Self { places, is_there } = self;
        places
            .drain(..)
            .inspect(|place| is_there.remove(*place as usize))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn place_is_queued_once_until_it_is_removed() {
        let mut backlog = Backlog::default();
        for _ in 0..2 {
            [7, 3, 7, 100_000, 3]
                .into_iter()
                .for_each(|place| backlog.add(place));
            assert_eq!(backlog.drain().collect::<Vec<_>>(), [7, 3, 100_000]);
        }
        assert_eq!(backlog.drain().next(), None);
    }
}
