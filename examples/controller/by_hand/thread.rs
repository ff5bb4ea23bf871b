//! The thread of the planner, for the loop by hand.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use schedule::Clock;

use crate::altitude::Setpoint;
use crate::planner::{Mission, Path, RUNS_TO_RESULTS, plan};

/// The thread of the planner.
pub(super) struct Planner {
    jobs: Sender<Job>,
    results: Receiver<Path>,
    n_runs: u64,
    /// The run in which the current job was started.
    started: Option<u64>,
    /// The results of the current job, if they are there before their run.
    early: Option<Path>,
    pub(super) n_late: u64,
}

/// The values that the planner works with.
type Job = (Clock, Setpoint, Mission, Path);

impl Planner {
    pub(super) fn new() -> Self {
        let (jobs, queue) = channel::<Job>();
        let (done, results) = channel();
        // It ends when the channel of jobs is closed.
        thread::spawn(move || {
            for (clock, setpoint, mission, mut path) in queue {
                plan(&clock, &setpoint, &mission, &mut path);
                if done.send(path).is_err() {
                    break;
                }
            }
        });
        Self {
            jobs,
            results,
            n_runs: 0,
            started: None,
            early: None,
            n_late: 0,
        }
    }

    /// Takes the results, in the right run after the start.
    pub(super) fn receive(&mut self, path: &mut Path) {
        self.n_runs += 1;
        let Some(due) = self.started.map(|started| started + RUNS_TO_RESULTS) else {
            return;
        };
        if self.n_runs < due {
            return;
        }
        if let Some(done) = self.early.take().or_else(|| self.results.try_recv().ok()) {
            *path = done;
            self.started = None;
            self.n_late += u64::from(self.n_runs > due);
        }
    }

    /// Starts a job. Skips it if the results of the last one have not been taken.
    pub(super) fn start(&mut self, job: Job) {
        if self.started.is_none() {
            self.started = Some(self.n_runs);
            self.jobs.send(job).expect("the planner does not panic");
        }
    }

    /// Waits until the current job is done.
    pub(super) fn wait(&mut self) {
        if self.started.is_some() && self.early.is_none() {
            self.early = self.results.recv().ok();
        }
    }
}
