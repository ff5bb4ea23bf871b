//! What is to be looked at later.

use fixedbitset::FixedBitSet;

/// Places, each once, in the order in which they came. All operations are O(1) for each.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    places: Vec<u32>,
    /// Those of them, to see whether one is there. No longer than the largest one needs.
    is_there: FixedBitSet,
}

impl Backlog {
    /// One more, if it is not there.
    #[inline(always)]
    pub(super) fn add(&mut self, place: u32) {
        let nth = place as usize;
        self.is_there.grow(nth + 1);
        if !self.is_there.put(nth) {
            self.places.push(place);
        }
    }

    /// Takes all of them.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = u32> {
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
    fn each_is_there_once_until_it_is_taken() {
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
