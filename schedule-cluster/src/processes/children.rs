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
        let mut child = command
            .spawn()
            .map_err(|error| not_started(command, &error))?;
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
            if let Some(end) = end_of(child).map_err(|error| fail(index, error))? {
                self.0.remove(nth);
                return Err(fail(index, end));
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
        // Their ids can belong to other processes.
        self.remove_ended();
        self.0.iter_mut().for_each(|(_, child)| kill(child));
        self.wait(END_LIMIT)
    }

    fn remove_ended(&mut self) {
        self.0
            .retain_mut(|(_, child)| !matches!(end_of(child), Ok(Some(_))));
    }

    fn wait(&mut self, limit: Duration) -> Result<(), StartError> {
        let end = Instant::now() + limit;
        loop {
            self.remove_ended();
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

/// Returns how a process has ended, or `None` while it runs. If it has ended, kills those that it has started.
fn end_of(child: &mut Child) -> io::Result<Option<String>> {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        // `NOWAIT`: the id stays in use until `try_wait`, so its group can be killed before.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let id = Pid::from_raw(child.id() as i32).ok_or(Errno::SRCH)?;
        match waitid(WaitId::Pid(id), options) {
            Ok(None) => return Ok(None),
            Ok(Some(_)) => kill(child),
            // The program has waited for it elsewhere, or ignores `SIGCHLD`. Its id can belong to another process.
            Err(Errno::CHILD) => return Ok(Some("it has ended".to_string())),
            Err(error) => return Err(error.into()),
        }
    }
    let status = child.try_wait()?;
    Ok(status.map(|status| format!("it has ended with {status}")))
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

/// Adds the path of the program to an error, and its folder if the command sets one. Either can be missing.
fn not_started(command: &Command, error: &io::Error) -> io::Error {
    let program = command.get_program().display();
    let folder = command.get_current_dir().map(|folder| {
        let folder = folder.display();
        format!(" in the folder `{folder}`")
    });
    let folder = folder.unwrap_or_default();
    io::Error::new(
        error.kind(),
        format!("the program `{program}` cannot be started{folder}: {error}"),
    )
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn error_of_a_missing_program_has_its_path() {
        let mut children = Children::default();
        let mut text_of = |command: &mut Command| {
            let error = children.spawn(0, command).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::NotFound);
            error.to_string()
        };
        let missing = text_of(&mut Command::new("/no such/worker"));
        assert!(
            missing.starts_with("the program `/no such/worker` cannot be started: "),
            "{missing}"
        );
        let folder = text_of(Command::new("true").current_dir("/no such"));
        assert!(
            folder.starts_with("the program `true` cannot be started in the folder `/no such`: "),
            "{folder}"
        );
    }

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
                "process {id} of worker 1 has not ended 300ms after it was killed: end it, and start again"
            )
        );
        assert_eq!(children.ids(), [id]);
        children.end().unwrap();
        assert_eq!(children.ids(), [0; 0]);
    }

    #[test]
    fn process_that_was_waited_for_elsewhere_has_ended() {
        let mut children = Children::default();
        children.spawn(3, &mut Command::new("true")).unwrap();
        let id = rustix::process::Pid::from_raw(children.ids()[0] as i32);
        rustix::process::waitpid(id, rustix::process::WaitOptions::empty()).unwrap();
        let error = children.check().unwrap_err();
        assert_eq!(error.to_string(), "worker process 3 failed: it has ended");
        assert_eq!(children.ids(), [0; 0]);
    }

    #[test]
    fn end_of_a_command_kills_those_that_it_has_started() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 100 & echo $!"]);
        let (mut output, write) = io::pipe().unwrap();
        command.stdout(write);
        let mut children = Children::default();
        children.spawn(0, &mut command).unwrap();
        // The command has a copy of the writing end.
        drop(command);
        while children.check().is_ok() {
            thread::sleep(Duration::from_millis(1));
        }
        let (start, mut text) = (Instant::now(), String::new());
        // Ends when `sleep` has ended.
        output.read_to_string(&mut text).unwrap();
        assert!(
            start.elapsed() < Duration::from_secs(50),
            "`sleep` was not killed"
        );
        assert_eq!(children.ids(), [0; 0]);
    }
}
