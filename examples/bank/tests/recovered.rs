//! A bank that was recovered in this process or in worker processes.

use std::env;
use std::path::Path;
use std::process::Command;

use schedule_cluster::ClusterStream;
use schedule_stream::durable::{DurableStream, Recovery};

use super::history::{Content, content};
use super::running;
use crate::ledger::{Entry, cluster};

/// How a test runs the bank.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setting {
    /// The name of the test. It runs again in child processes.
    pub(super) test: &'static str,
    /// Number of worker processes. Without it, there is none.
    pub(super) n_processes: Option<usize>,
}

impl Setting {
    /// Returns the command that runs the test again.
    pub(super) fn command(self) -> Command {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", "--nocapture", self.test]);
        command
    }

    pub(super) fn recover(self, folder: &Path) -> Recovered {
        let Some(n_processes) = self.n_processes else {
            return Recovered::Alone(running::recover(folder));
        };
        let cluster = cluster().processes(n_processes);
        let stream = cluster.command(move |_| self.command()).recover(folder);
        Recovered::Cluster(stream.unwrap())
    }
}

/// The stream of a bank.
pub(super) enum Recovered {
    Alone(DurableStream<Entry>),
    Cluster(ClusterStream<Entry>),
}

impl Recovered {
    /// Processes events, all of which must be applied.
    pub(super) fn process(&mut self, events: impl IntoIterator<Item = Entry>) {
        let processed = match self {
            Self::Alone(stream) => stream.process(events, |one| assert!(one.is_applied())),
            Self::Cluster(stream) => stream.process(events, |one| assert!(one.is_applied())),
        };
        processed.unwrap();
    }

    /// Processes all follow-up events.
    pub(super) fn drain(&mut self) {
        let n_pending = match self {
            Self::Alone(stream) => stream.drain(u64::MAX, drop),
            Self::Cluster(stream) => stream.drain(u64::MAX, drop),
        };
        assert_eq!(n_pending.unwrap(), 0);
    }

    pub(super) fn next_batch(&self) -> u64 {
        match self {
            Self::Alone(stream) => stream.next_batch(),
            Self::Cluster(stream) => stream.next_batch(),
        }
    }

    pub(super) fn n_pending(&self) -> usize {
        match self {
            Self::Alone(stream) => stream.n_pending(),
            Self::Cluster(stream) => stream.n_pending(),
        }
    }

    pub(super) fn recovery(&self) -> &Recovery {
        match self {
            Self::Alone(stream) => stream.recovery(),
            Self::Cluster(stream) => stream.recovery(),
        }
    }

    pub(super) fn content(&self) -> Content {
        match self {
            Self::Alone(stream) => content(stream.resources()),
            Self::Cluster(stream) => content(&stream.control().collect().unwrap()),
        }
    }
}
