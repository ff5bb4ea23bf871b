//! Detection of aliases: addresses that an event names twice, with at least one write.

use core::iter::repeat_n;

use super::{FEW, Footprint, FootprintEntry, Mark, Use};

/// The position of an entry in a footprint. The order is that in which the event named the entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct At {
    argument: u16,
    is_member: bool,
    /// The index among the entries, or among the members of all sets.
    nth: u32,
}

impl Footprint {
    /// Returns the first argument that names the address of an earlier argument, with at least one write, as `[earlier,
    /// later]`. O(n log n).
    #[inline(always)]
    pub(crate) fn alias(&self) -> Option<[u16; 2]> {
        let n = self.len();
        if n > FEW || !self.all_members().is_empty() {
            let clashes = self.clashes_of_many().into_iter();
            let first = clashes.min_by_key(|&(first, second)| (second, first));
            return first.map(|(first, second)| [first.argument, second.argument]);
        }
        for second in 1..n {
            for first in 0..second {
                let [first, second] = [first, second].map(|nth| self.get(nth));
                if clash(&first, &second) {
                    return Some([first, second].map(|entry| entry.mark.argument()));
                }
            }
        }
        None
    }

    /// Removes the address of each entry that is an alias of an earlier entry. O(n log n).
    #[cold]
    pub(crate) fn keep_first(&mut self) {
        let n = self.len();
        if n > FEW || !self.all_members().is_empty() {
            let clashes = self.clashes_of_many();
            return clashes.iter().for_each(|(_, second)| self.give_up(*second));
        }
        for second in 1..n {
            if (0..second).any(|first| clash(&self.get(first), &self.get(second))) {
                self.give_up(self.at(second));
            }
        }
    }

    /// Returns the position of an entry.
    fn at(&self, nth: usize) -> At {
        At {
            argument: self.get(nth).mark.argument(),
            is_member: false,
            nth: nth as u32,
        }
    }

    /// Returns each pair of a first entry for an address and a later entry that is its alias. If the first entry only
    /// reads, later readers are not aliases. O(n log n).
    #[cold]
    fn clashes_of_many(&self) -> Vec<(At, At)> {
        let footprint = (0..self.len()).map(|nth| (self.get(nth), self.at(nth)));
        let of_sets = (self.sets().iter()).flat_map(|set| repeat_n(set, set.n as usize));
        let members = of_sets
            .zip(self.all_members())
            .zip(0..)
            .map(|((set, member), nth)| {
                let entry = FootprintEntry {
                    address: member.address,
                    mark: Mark::new(set.argument, set.how, false),
                };
                let at = At {
                    argument: set.argument,
                    is_member: true,
                    nth,
                };
                (entry, at)
            });
        let mut sorted: Vec<(FootprintEntry, At)> = footprint.chain(members).collect();
        sorted.sort_by_key(|&(entry, at)| (entry.address, at));
        let same = sorted.chunk_by(|(a, _), (b, _)| a.address == b.address);
        let clashes = same.flat_map(|same| {
            let (first, others) = same.split_first().expect("a chunk is not empty");
            let others = others.iter().filter(|other| clash(&first.0, &other.0));
            others.map(|other| (first.1, other.1))
        });
        clashes.collect()
    }

    /// Removes the address of an entry or member.
    fn give_up(&mut self, at: At) {
        let nth = at.nth as usize;
        match &mut self.more {
            Some(more) if at.is_member => more.members[nth].address = None,
            Some(more) if nth >= FEW => more.footprint[nth - FEW].address = None,
            _ => self.addresses[nth] = None,
        }
    }
}

#[inline(always)]
fn clash(a: &FootprintEntry, b: &FootprintEntry) -> bool {
    let is_written = |entry: &FootprintEntry| entry.mark.how() == Use::Write;
    a.address == b.address && a.address.is_some() && (is_written(a) || is_written(b))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::tests::{address, name_set};
    use super::*;

    #[test]
    fn first_entry_is_that_of_the_first_argument() {
        let mut footprint = Footprint::new();
        // The set comes between the two other arguments.
        footprint.push(Some(address(1)), Use::Write, 0, None);
        name_set(&mut footprint, 0..4, 1, Use::Write);
        footprint.push(Some(address(3)), Use::Read, 2, None);
        let arguments = |(first, second): (At, At)| (first.argument, second.argument);
        assert_eq!(footprint.alias(), Some([0, 1]));
        let mut clashes: Vec<_> = footprint
            .clashes_of_many()
            .into_iter()
            .map(arguments)
            .collect();
        clashes.sort_unstable();
        assert_eq!(clashes, [(0, 1), (1, 2)]);
        footprint.keep_first();
        assert_eq!(footprint.alias(), None);
        let members = footprint.members(0, 4).iter().map(|one| one.address);
        assert!(members.eq([Some(address(0)), None, Some(address(2)), Some(address(3))]));
        assert_eq!(footprint.get(1).address, None);
    }
}
