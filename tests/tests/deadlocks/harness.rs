//! The harness reports all kinds of errors in a child process.

use std::env;
use std::panic::{self, AssertUnwindSafe};
use std::process;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use schedule_tests::child::Child;

/// Returns the message with which `run` fails in the parent. The child process does not return from `run`.
fn failure_of(case: Child<impl FnOnce()>) -> String {
    let failed = panic::catch_unwind(AssertUnwindSafe(|| case.run()));
    let payload = failed.expect_err("the case must fail");
    *payload.downcast().expect("the message is formatted")
}

#[test]
fn case_runs_in_another_process() {
    let parent = process::id().to_string();
    let output = Child::new(|| println!("I am {} of {:?}", process::id(), env::var("PARENT")))
        .env("PARENT", &parent)
        .run()
        .unwrap();
    assert!(output.contains(&format!("of Ok({parent:?})")), "{output}");
    assert!(!output.contains(&format!("I am {parent} ")), "{output}");
}

#[test]
fn cases_of_one_test_run_in_separate_processes() {
    for label in ["first", "second"] {
        let output = Child::new(|| println!("this is the {label} one"))
            .label(label)
            .times(2)
            .run();
        // There is no output in the child process of the other case.
        let Some(output) = output else { continue };
        assert_eq!(output.matches("this is the").count(), 1, "{output}");
        assert!(output.contains(label), "{output}");
    }
}

#[test]
fn hanging_case_is_killed_and_its_output_reported() {
    let failure = failure_of(
        Child::new(|| {
            println!("before the end of time");
            loop {
                thread::park();
            }
        })
        .limit(Duration::from_secs(2)),
    );
    assert!(failure.contains("killed after 2s"), "{failure}");
    assert!(failure.contains("before the end of time"), "{failure}");
}

#[test]
fn panic_in_a_case_is_a_failure_with_its_message() {
    let failure = failure_of(Child::new(|| panic!("out of luck")));
    assert!(failure.contains("exit status: 101"), "{failure}");
    assert!(failure.contains("out of luck"), "{failure}");
}

#[test]
fn abort_in_a_case_is_a_failure() {
    let failure = failure_of(Child::new(|| process::abort()));
    assert!(failure.contains("failed"), "{failure}");
}

#[test]
fn exit_before_the_end_of_a_case_is_a_failure() {
    let failure = failure_of(Child::new(|| process::exit(0)));
    assert!(failure.contains("failed"), "{failure}");
}

#[test]
fn hanging_thread_after_the_end_of_a_case_is_harmless() {
    Child::new(|| {
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            let (_never, nothing) = mpsc::channel::<()>();
            sender.send(()).unwrap();
            nothing.recv()
        });
        receiver.recv().unwrap();
    })
    .run();
}
