//! Test cases that run in a process of their own, with a time limit: for cases that can hang, abort or overflow the stack.
//!
//! The test starts its own executable again for its own test alone. The process that was started finds its case in the
//! environment and runs it.

use std::any;
use std::env;
use std::fmt;
use std::io::Read;
use std::panic::{self, AssertUnwindSafe};
use std::process::{self, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// Names the case that a child process runs.
const CASE: &str = "SCHEDULE_TESTS_CHILD";

/// The last line that a child process prints. Without it, its case has not run to the end.
const END: &str = "child: the case has ended";

/// The default time limit. Long, since a busy machine must not fail a test.
const LIMIT: Duration = Duration::from_secs(120);

/// A case of a test that runs in a child process.
///
/// It must be made from a closure that the test function itself contains: the name of the test is read from the type of
/// the closure.
///
/// ```no_run
/// # use schedule_tests::child::Child;
/// #[test]
/// fn two_threads_meet() {
///     for n_threads in ["4", "8"] {
///         Child::new(|| { /* may hang, abort or panic */ })
///             .label(n_threads)
///             .env("RAYON_NUM_THREADS", n_threads)
///             .times(10)
///             .run();
///     }
/// }
/// ```
#[must_use = "the case runs only when `run` is called"]
pub struct Child<F> {
    case: F,
    label: String,
    variables: Vec<(String, String)>,
    arguments: Vec<String>,
    limit: Duration,
    n_times: usize,
}

impl<F: FnOnce()> Child<F> {
    /// A case that runs once, in at most two minutes.
    pub fn new(case: F) -> Self {
        Self {
            case,
            label: String::new(),
            variables: Vec::new(),
            arguments: Vec::new(),
            limit: LIMIT,
            n_times: 1,
        }
    }

    /// Distinguishes this case from the others of the same test. A test with several cases must label each.
    pub fn label(mut self, label: impl ToString) -> Self {
        self.label = label.to_string();
        self
    }

    /// Sets an environment variable of the child process.
    pub fn env(mut self, name: &str, value: impl ToString) -> Self {
        self.variables.push((name.to_owned(), value.to_string()));
        self
    }

    /// Adds an argument to the command line of the child process. The test harness takes it for the name of a further test.
    pub fn argument(mut self, argument: impl ToString) -> Self {
        self.arguments.push(argument.to_string());
        self
    }

    /// Sets the time limit of each process.
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Runs the case in this many processes, one after the other.
    pub fn times(mut self, n_times: usize) -> Self {
        self.n_times = n_times;
        self
    }

    /// Runs the case in child processes, and returns the output of the last one. Miri has no processes, so the case runs once in this
    /// process.
    ///
    /// In a child process that was started for this case, runs the case and then ends the process. In a child process for another case,
    /// returns `None` without running it.
    ///
    /// # Panics
    /// Panics with the output of the child process if its case panics, if the process aborts or overflows the stack, or if
    /// it takes longer than the limit. In the last case the process is killed.
    pub fn run(self) -> Option<String> {
        if cfg!(miri) {
            (self.case)();
            return None;
        }
        match env::var(CASE) {
            Ok(label) if label == self.label => {
                // The panic must not reach the test, which may expect a panic of `run`.
                if panic::catch_unwind(AssertUnwindSafe(self.case)).is_err() {
                    process::exit(101);
                }
                println!("\n{END}");
                process::exit(0);
            }
            Ok(_) => None,
            Err(_) => (1..=self.n_times).map(|nth| self.start(nth)).last(),
        }
    }

    /// Runs one child process.
    fn start(&self, nth: usize) -> String {
        let (test, label) = (test_of::<F>(), &self.label);
        let start = Instant::now();
        let mut child = Command::new(env::current_exe().expect("the executable has a path"))
            // Runs the test on its own thread, as the test harness usually does.
            .args([test, "--exact", "--nocapture", "--test-threads=2"])
            .args(&self.arguments)
            .env(CASE, label)
            .envs(self.variables.iter().cloned())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the executable starts again");
        let (sender, chunks) = mpsc::channel();
        forward(child.stdout.take(), sender.clone());
        forward(child.stderr.take(), sender);
        let mut output = Vec::new();
        let is_late = loop {
            match chunks.recv_timeout(self.limit.saturating_sub(start.elapsed())) {
                Ok(chunk) => output.extend(chunk),
                // Both pipes are closed: the process has ended.
                Err(RecvTimeoutError::Disconnected) => break false,
                Err(RecvTimeoutError::Timeout) => break true,
            }
        };
        if is_late {
            child.kill().expect("a child process can be killed");
        }
        let status = child.wait().expect("a child process ends");
        let output = String::from_utf8_lossy(&output).into_owned();
        let case = format!("`{test}` {label:?}, process {nth} of {}", self.n_times);
        assert!(
            !is_late,
            "{case}: killed after {:?}, with this output:\n{output}",
            self.limit,
        );
        assert!(
            status.success() && output.contains(END),
            "{case}: failed ({status}), with this output:\n{output}",
        );
        output
    }
}

impl<F> fmt::Debug for Child<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Child({:?}, {:?})", test_of::<F>(), self.label)
    }
}

/// The name of the test that contains a closure of this type.
fn test_of<F>() -> &'static str {
    let path = any::type_name::<F>();
    let of_test = path.split("::{{closure}}").next().unwrap_or(path);
    // The harness omits the name of the crate.
    of_test.split_once("::").map_or(of_test, |(_, test)| test)
}

/// Sends all output of a pipe, without delay.
fn forward(pipe: Option<impl Read + Send + 'static>, sender: Sender<Vec<u8>>) {
    let mut pipe = pipe.expect("the pipe was asked for");
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(n_bytes @ 1..) = pipe.read(&mut buffer) {
            if sender.send(buffer[..n_bytes].to_vec()).is_err() {
                return;
            }
        }
    });
}
