//! Cases that are expected to fail.

use std::panic::{self, AssertUnwindSafe};

use schedule_tests::child::Child;

/// Runs a case that must still fail, in the way that `expected` is a part of its output.
///
/// # Panics
///
/// If the case works, or fails in another way.
#[track_caller]
pub(crate) fn still_fails<F: FnOnce()>(case: Child<F>, expected: &str) {
    let name = format!("{case:?}");
    match panic::catch_unwind(AssertUnwindSafe(|| case.run())) {
        // In the child process of another case of the same test.
        Ok(None) => {}
        Ok(Some(_)) => {
            panic!("{name} works now: move it to the regression tests and remove it here")
        }
        Err(payload) => {
            let message = payload.downcast_ref::<String>();
            let message = message.expect("the harness formats its message");
            assert!(
                message.contains(expected),
                "{name} fails in another way than with {expected:?}:\n{message}"
            );
        }
    }
}

#[test]
#[should_panic = "works now: move it to the regression tests and remove it here"]
fn case_that_works_fails_its_test() {
    still_fails(Child::new(|| ()), "");
}

#[test]
#[should_panic = "fails in another way than with \"expected\""]
fn case_that_fails_in_another_way_fails_its_test() {
    still_fails(Child::new(|| panic!("something else")), "expected");
}
