//! Watches the workers while no operation waits for them: they may be idle, or the input may wait before its next event.

use std::time::Instant;

use schedule_stream::internal::SentEvent;

use super::{Attempt, MAX_ATTEMPTS, Supervisor};
use crate::processes::Processes;

impl<E: SentEvent> Supervisor<E> {
    /// Takes the messages of the workers. Starts the next generation, if one has failed.
    pub(crate) fn watch(&mut self) {
        // Otherwise the next operation starts them.
        let Some(mut processes) = self.processes.take() else {
            return;
        };
        match self.look_at(&mut processes) {
            Ok(()) => self.processes = Some(processes),
            Err(Attempt::Diverged(difference)) => {
                self.processes = Some(processes);
                self.diverged = Some(difference);
            }
            Err(Attempt::GiveUp(error)) => {
                self.processes = Some(processes);
                self.note_failure(&error);
            }
            Err(Attempt::Failed(error)) => {
                drop(processes);
                self.note_failure(&error);
                self.n_failed_watches += 1;
                // The next operation tries again.
                if self.n_failed_watches < MAX_ATTEMPTS
                    && let Err(error) = self.start(false)
                {
                    self.note_failure(&error);
                }
            }
        }
    }

    fn look_at(&mut self, processes: &mut Processes) -> Result<(), Attempt> {
        let lost = processes.look().map_err(Attempt::failed)?;
        // Messages may wait to be read since then.
        self.last_progress += lost;
        while let Some((_, bytes)) = processes.try_receive().map_err(Attempt::failed)? {
            self.take_ends(&bytes)?;
        }
        let limit = self.settings.progress_limit;
        let is_waiting = self
            .sent
            .iter()
            .any(|sent| !sent.is_held && !sent.has_ended());
        if is_waiting && self.last_progress.elapsed() > limit {
            return Err(Attempt::failed(format!(
                "no event has ended within {limit:?}"
            )));
        }
        Ok(())
    }

    /// Notes that events were sent, or that one has ended.
    pub(super) fn note_progress(&mut self) {
        self.last_progress = Instant::now();
    }
}
