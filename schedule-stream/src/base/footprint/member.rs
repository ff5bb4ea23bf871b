//! The members of a record set in a footprint.

use core::cell::RefCell;
use core::ptr::NonNull;
use std::collections::HashSet;

use crate::base::hash::spread;

/// Maximum number of set members for which memory is kept between events.
pub(super) const MOST_KEPT: usize = 1024;
/// Maximum number of members of a set that are compared pairwise, with each other or with those of another set.
pub(crate) const FEW_MEMBERS: usize = 32;

/// A member of a set. The address is `None` if the event named the record before, and the handler has `alias = first`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) address: Option<NonNull<()>>,
    /// The key. No event writes it.
    pub(crate) key: NonNull<()>,
}

/// Removes duplicates from the members from index `first` on.
#[inline]
pub(super) fn keep_each_once(members: &mut Vec<Member>, first: usize) {
    // A hash of 6 bits shows for most small sets that all members differ.
    let (mut bits, mut again) = (0_u64, 0);
    for address in members[first..].iter().filter_map(|one| one.address) {
        let bit = 1 << (spread(address) >> 58);
        again |= bits & bit;
        bits |= bit;
    }
    if again != 0 {
        remove_duplicates(members, first);
    }
}

/// The addresses of the members seen so far.
type Seen = HashSet<Option<NonNull<()>>>;

thread_local! {
    /// Scratch memory for large sets. No user code runs while it is borrowed.
    static SEEN: RefCell<Seen> = RefCell::default();
}

#[cold]
fn remove_duplicates(members: &mut Vec<Member>, first: usize) {
    let is_few = members.len() - first <= FEW_MEMBERS;
    let mut kept = first;
    SEEN.with_borrow_mut(|seen| {
        for nth in first..members.len() {
            let one = members[nth];
            let is_new = if is_few {
                !members[first..kept]
                    .iter()
                    .any(|other| other.address == one.address)
            } else {
                seen.insert(one.address)
            };
            if is_new {
                members[kept] = one;
                kept += 1;
            }
        }
        seen.clear();
        seen.shrink_to(MOST_KEPT);
    });
    members.truncate(kept);
    // The limit on the memory of events in flight counts members without duplicates.
    members.shrink_to(MOST_KEPT);
}
