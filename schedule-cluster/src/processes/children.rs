//! The child processes that run the workers of a generation.

use std::io;
use std::process::{Child, ChildStdin, Command};
use std::thread;
use std::time::{Duration, Instant};

use super::fail;
use crate::error::StartError;

/// The time within which a killed process must end.
const END_LIMIT: Duration = Duration::from_secs(5);

/// The processes of the last generation. The next generation starts after all have ended. If it is dropped, all are killed.
#[derive(Debug, Default)]
pub(crate) struct Children(
    /// Each with the index of its worker. Those that have ended are removed.
    Vec<(u32, Child)>,
);

impl Children {
    /// Starts the process of a worker, in a process group of its own. Returns its standard input.
    pub(super) fn spawn(
        &mut self,
        index: u32,
        command: &mut Command,
    ) -> io::Result<Option<ChildStdin>> {
        // Ctrl-C in a terminal ends the supervisor, which ends its workers.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let mut child = command.spawn()?;
        let input = child.stdin.take();
        self.0.push((index, child));
        Ok(input)
    }

    /// Returns the ids of the processes, by index of the worker.
    pub(crate) fn ids(&self) -> Vec<u32> {
        self.0.iter().map(|(_, child)| child.id()).collect()
    }

    /// Fails if a process has ended.
    pub(super) fn check(&mut self) -> Result<(), StartError> {
        for nth in 0..self.0.len() {
            let (index, child) = &mut self.0[nth];
            let index = *index;
            match child.try_wait() {
                Ok(None) => {}
                Ok(Some(status)) => {
                    // A process that it has started may still run.
                    kill(child);
                    self.0.remove(nth);
                    return Err(fail(index, format!("it has ended with {status}")));
                }
                Err(error) => return Err(fail(index, error)),
            }
        }
        Ok(())
    }

    /// Kills all processes, and waits until they have ended.
    ///
    /// # Errors
    ///
    /// If one has not ended within [`END_LIMIT`]. The next call waits for it again.
    pub(crate) fn end(&mut self) -> Result<(), StartError> {
        self.0.iter_mut().for_each(|(_, child)| kill(child));
        self.wait(END_LIMIT)
    }

    fn wait(&mut self, limit: Duration) -> Result<(), StartError> {
        let end = Instant::now() + limit;
        loop {
            let has_ended = |child: &mut Child| matches!(child.try_wait(), Ok(Some(_)));
            self.0.retain_mut(|(_, child)| !has_ended(child));
            let Some((index, child)) = self.0.first() else {
                return Ok(());
            };
            if Instant::now() >= end {
                return Err(StartError::NotEnded {
                    index: *index,
                    id: child.id(),
                    limit,
                });
            }
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Children {
    fn drop(&mut self) {
        drop(self.end());
    }
}

/// Kills a process and those that it has started: the command of a worker may be a script that starts the program.
fn kill(child: &mut Child) {
    // It may have ended.
    #[cfg(unix)]
    if let Some(group) = rustix::process::Pid::from_raw(child.id() as i32) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    drop(child.kill());
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn process_that_does_not_end_is_named() {
        let mut children = Children::default();
        children.spawn(0, &mut Command::new("true")).unwrap();
        let mut sleep = Command::new("sleep");
        children.spawn(1, sleep.arg("100")).unwrap();
        let [_, id] = children.ids()[..] else {
            panic!("two processes were started")
        };
        let error = children.wait(Duration::from_millis(300)).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "worker process 1 still runs 300ms after it was killed: end the process {id}, and start again"
            )
        );
        assert_eq!(children.ids(), [id]);
        children.end().unwrap();
        assert_eq!(children.ids(), [0; 0]);
    }
}
