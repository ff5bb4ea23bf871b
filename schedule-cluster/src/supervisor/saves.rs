//! Saves: the workers write their state into parts, and a manifest says where each bucket is.

use std::time::Instant;

use schedule_stream::internal::SentEvent;

use super::{Attempt, Failed, Supervisor};
use crate::bucket::{N_BUCKETS, owner};
use crate::manifest::Manifest;
use crate::parts::{part_name, remove_part};
use crate::wire::{FromWorker, ToWorker, frame, read_message};

impl<E: SentEvent> Supervisor<E> {
    /// Saves the state after a batch for a snapshot.
    pub(crate) fn publish(&mut self, batch: u64) -> Result<Vec<u8>, Failed> {
        let is_saved = |last: &Manifest| last.batch == batch && last.is_complete();
        if !self.published.back().is_some_and(is_saved) {
            // Otherwise the snapshots before and after one that was not written would have parts in common.
            let files = &self.files;
            self.published.retain(|last| files.is_written(last.batch));
            let base = match self.published.len() {
                2 => self.published.front().cloned(),
                _ => None,
            };
            self.save_state(batch, base)?;
            if self.published.len() == 2 {
                self.published.pop_front();
            }
            self.published.push_back(self.manifest.clone());
            self.note_files();
        }
        let last = self.published.back().ok_or("no state is saved")?;
        Ok(last.to_bytes()?)
    }

    pub(super) fn note_files(&self) {
        let all = self.published.iter().chain([&self.manifest]);
        self.files.set(all.flat_map(Manifest::files).collect());
    }

    /// Lets all workers save their state after a batch. Buckets that have not changed since `base` stay where they are.
    pub(super) fn save_state(&mut self, batch: u64, base: Option<Manifest>) -> Result<(), Failed> {
        let manifest = self.retry(|this, processes| {
            this.wait_for(processes, batch)?;
            // Buckets of a program with other stores do not have the values of all stores.
            let base = base.as_ref().filter(|base| {
                base.is_complete()
                    && base.batch >= this.restored
                    && base.has_stores(this.locator.stores())
            });
            let mut manifest = Manifest::new(this.locator.stores());
            if let Some(base) = base {
                manifest.add_all_of(base);
            }
            manifest.batch = batch;
            let scattered = base.map(Manifest::scattered).unwrap_or_default();
            let (token, nth) = (processes.token(), this.n_saves);
            this.n_saves += 1;
            let file = |worker| part_name(batch, token, nth, worker);
            let n = this.settings.n;
            for worker in 0..n {
                let also = scattered.iter().copied();
                let save = ToWorker::Save {
                    file: file(worker),
                    since: base.map(|base| base.batch),
                    also: also.filter(|bucket| owner(*bucket, n) == worker).collect(),
                };
                let bytes = frame(&save).map_err(Attempt::failed)?;
                processes.send(worker, &bytes).map_err(Attempt::failed)?;
            }
            let mut failed = None;
            for _ in 0..n {
                let end = Instant::now() + this.settings.save_limit;
                let (worker, bytes) = processes.receive(end).map_err(Attempt::failed)?;
                match read_message(&bytes).map_err(Attempt::failed)? {
                    FromWorker::Saved { buckets } => {
                        for (bucket, chunks) in buckets {
                            if bucket >= N_BUCKETS || owner(bucket, n) != worker {
                                let text = format!("bucket {bucket} is not one of worker {worker}");
                                return Err(Attempt::failed(text));
                            }
                            manifest.add(&file(worker), bucket, chunks);
                        }
                    }
                    FromWorker::NotSaved(text) => {
                        failed = Some(format!(
                            "worker process {worker} cannot save its state: {text}"
                        ));
                    }
                    other => return Err(Attempt::unexpected(other)),
                }
            }
            match failed {
                // The workers continue.
                Some(text) => {
                    (0..n).for_each(|worker| remove_part(&this.settings.parts, &file(worker)));
                    Err(Attempt::GiveUp(text.into()))
                }
                None => match manifest.check() {
                    Ok(()) => Ok(manifest),
                    Err(error) => Err(Attempt::failed(error)),
                },
            }
        })?;
        self.manifest = manifest;
        self.note_files();
        self.sent.retain(|sent| sent.batch > batch);
        self.n_sent_bytes = 0;
        self.save_above = self.max_sent_bytes;
        Ok(())
    }
}
