//! Checks all interleavings of the completion of a small group, and that the memory ordering is needed.
//!
//! Each member writes its partial result to a cell of the model checker. An unordered access of the cell is an error.
#![expect(unsafe_code, reason = "the model checker watches the cells")]

use std::sync::Arc;

use loom::cell::UnsafeCell;
use loom::thread;

use super::MembersLeft;
use crate::base::sync::model::weaken;

const N_MEMBERS: u32 = 3;

struct Shared {
    left: MembersLeft,
    /// `partials[m]`: the partial result of member m.
    partials: Vec<UnsafeCell<u32>>,
    /// The resource.
    total: UnsafeCell<u32>,
}

// SAFETY: the model checker reports each access to a cell that is not ordered.
unsafe impl Sync for Shared {}

// SAFETY: as for `Sync`.
unsafe impl Send for Shared {}

fn change(cell: &UnsafeCell<u32>, change: impl FnOnce(&mut u32)) {
    // SAFETY: the model checker reports each access to the cell that is not ordered.
    cell.with_mut(|value| change(unsafe { &mut *value }));
}

impl Shared {
    /// Runs a member and completes it. If it is the last one, joins all partial results.
    fn run(&self, member: u32) {
        change(&self.partials[member as usize], |partial| *partial = 1);
        if !self.left.complete() {
            return;
        }
        for partial in &self.partials {
            let mut taken = 0;
            change(partial, |partial| taken = std::mem::take(partial));
            change(&self.total, |total| *total += taken);
        }
    }
}

/// Two threads complete the members of a group, in two passes.
fn check() {
    let shared = Arc::new(Shared {
        left: MembersLeft::new(N_MEMBERS),
        partials: (0..N_MEMBERS).map(|_| UnsafeCell::new(0)).collect(),
        total: UnsafeCell::new(0),
    });
    for pass in 1..3 {
        let other = Arc::clone(&shared);
        let helper = thread::spawn(move || other.run(0));
        (1..N_MEMBERS).for_each(|member| shared.run(member));
        helper.join().unwrap();
        change(&shared.total, |total| {
            assert_eq!(
                *total,
                pass * N_MEMBERS,
                "the partial results are joined once"
            );
        });
    }
}

/// Whether the model checker finds no error.
fn holds() -> bool {
    // Uses a new thread for each check, so that state of a failed check does not affect the next one.
    std::thread::spawn(|| loom::model(check)).join().is_ok()
}

#[test]
fn last_member_sees_all_partial_results_and_needs_the_memory_ordering() {
    assert!(holds());
    weaken(Some("complete member"));
    assert!(!holds(), "`complete member` is not needed");
    weaken(None);
}
