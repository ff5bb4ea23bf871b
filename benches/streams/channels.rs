//! A scheduler on the calling thread. It sends ready events to two workers and receives completed ones from them.

use crossbeam_channel::bounded;

use crate::batch::{Batch, Result};
use crate::cells::Shared;
use crate::contender::Contender;
use crate::pools::Pools;
use crate::scheduler::Scheduler;

/// The maximum number of inserted events that are not completed.
const LOOK_AHEAD: usize = 1024;
/// The maximum number of sent events that are not completed.
const MOST_SENT: usize = 256;
/// The number of events that are inserted before completed ones are received.
const AT_ONCE: usize = 16;

pub(crate) struct Channels<'b, S> {
    name: &'static str,
    batch: &'b Batch,
    pools: &'b Pools,
    shared: Shared,
    scheduler: S,
}

impl<'b, S: Scheduler> Channels<'b, S> {
    pub(crate) fn new(
        name: &'static str,
        batch: &'b Batch,
        pools: &'b Pools,
        scheduler: S,
    ) -> Self {
        Self {
            name,
            batch,
            pools,
            shared: Shared::new(batch),
            scheduler,
        }
    }
}

impl<S: Scheduler> Contender for Channels<'_, S> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn reset(&mut self) {
        self.shared.reset(self.batch);
    }

    fn run(&mut self) {
        let (batch, shared, scheduler) = (self.batch, &self.shared, &mut self.scheduler);
        let (send_ready, ready) = bounded::<u32>(MOST_SENT);
        let (send_done, done) = bounded::<u32>(MOST_SENT);
        self.pools.peers.in_place_scope(|scope| {
            for _ in 0..self.pools.peers.current_num_threads() {
                let (ready, send_done) = (ready.clone(), send_done.clone());
                scope.spawn(move |_| {
                    for position in ready {
                        shared.settle(batch, position as usize);
                        send_done
                            .send(position)
                            .expect("the scheduler waits for all");
                    }
                });
            }
            let entries = &batch.entries;
            let (mut n_inserted, mut n_sent, mut n_done) = (0, 0, 0);
            while n_done < entries.len() {
                let mut finish = |position| {
                    scheduler.finish(position);
                    n_done += 1;
                };
                done.try_iter().for_each(&mut finish);
                if n_done == n_inserted {
                    scheduler.rest();
                }
                let room = (LOOK_AHEAD - (n_inserted - n_done)).min(AT_ONCE);
                let end = entries.len().min(n_inserted + room);
                let before = (n_inserted, n_sent);
                while n_inserted < end && scheduler.has_room() {
                    scheduler.insert(n_inserted as u32, &entries[n_inserted]);
                    n_inserted += 1;
                }
                while n_sent - n_done < MOST_SENT
                    && let Some(position) = scheduler.pop()
                {
                    send_ready.send(position).expect("workers wait for the end");
                    n_sent += 1;
                }
                if before == (n_inserted, n_sent) && n_done < entries.len() {
                    scheduler.finish(done.recv().expect("workers wait for the end"));
                    n_done += 1;
                }
            }
            drop(send_ready);
        });
        self.scheduler.rest();
    }

    fn result(&self) -> Result {
        self.shared.result()
    }
}
