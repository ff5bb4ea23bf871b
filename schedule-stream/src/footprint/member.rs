//! What is in a set that an event named.

use core::cell::RefCell;
use core::ptr::NonNull;
use std::collections::HashSet;

use crate::hash::spread;

/// For so many members of sets memory is kept.
pub(super) const MOST_KEPT: usize = 1024;
/// Of so many members of a set, each is compared with each, and with those of another set.
pub(crate) const FEW_MEMBERS: usize = 32;

/// One of a set that an event named; nothing, if the event had named it before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) address: Option<NonNull<()>>,
    /// Its key, which nobody writes.
    pub(crate) key: NonNull<()>,
}

/// Keeps each of those behind the `first` ones once.
#[inline]
pub(super) fn keep_each_once(members: &mut Vec<Member>, first: usize) {
    // By a hash: it tells of most sets that all are different.
    let (mut bits, mut again) = (0_u64, 0);
    for address in members[first..].iter().filter_map(|one| one.address) {
        let bit = 1 << (spread(address) >> 58);
        again |= bits & bit;
        bits |= bit;
    }
    if again != 0 {
        take_out_what_comes_again(members, first);
    }
}

/// Addresses of which a set was seen to have one.
type Seen = HashSet<Option<NonNull<()>>>;

thread_local! {
    /// Of large sets, one after the other. Nobody else is called meanwhile.
    static SEEN: RefCell<Seen> = RefCell::default();
}

#[cold]
fn take_out_what_comes_again(members: &mut Vec<Member>, first: usize) {
    let is_few = members.len() - first <= FEW_MEMBERS;
    let mut kept = first;
    SEEN.with_borrow_mut(|seen| {
        for nth in first..members.len() {
            let one = members[nth];
            let is_new = match is_few {
                true => !members[first..kept]
                    .iter()
                    .any(|other| other.address == one.address),
                false => seen.insert(one.address),
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
    // How much memory events in flight may take goes by what is kept.
    members.shrink_to(MOST_KEPT);
}
