//! A shard: the values that a process owns, and the events that touch them.
//!
//! Each key has a queue of the events that name it, in the order of positions. The event at the head has the key, together with
//! the readers after a reader. If an event has its keys in several processes, each owner sends the values of its keys to the
//! processes that run the handler, as soon as the event has the keys there. If the values are shipped, one process runs the handler,
//! and the owners of written keys wait until their new values come back.
//!
//! All processes receive their events in the same order, so no cycle of waiting events is possible.

mod queue;
mod report;

use core::fmt;
use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

use foldhash::HashMap;
use schedule::Resources;
use schedule::snapshot::{Decoder, Encoder, Snapshot, SnapshotError};
use schedule_stream::internal::{EventInfo, EventRunner, SentEvent};
use schedule_stream::{BatchTime, Position};
use serde::{Deserialize, Serialize};
use slab::Slab;

use self::queue::{Queue, QueueEntry};
pub(crate) use self::report::refused_end;
use self::report::{check, report};
use crate::bucket::{N_BUCKETS, owner};
use crate::cost::{HandlerCost, HandlerMeter};
use crate::keys::{KeyLocator, Keys, Route};
use crate::store::Store;
use crate::wire::{EndsCheck, EventsHead};

/// Events whose handlers take less time in nanoseconds run as soon as they arrive. Others wait until all events that have arrived
/// have named their keys, so that other processes get values early.
const IMMEDIATE_NANOS: f32 = 3_000.0;

/// Number of short events after which the clock is read.
const EVENTS_PER_CLOCK: u32 = 16;

/// Values that one process sends to another.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ValueMessage {
    /// The receiver.
    pub(crate) to: u32,
    pub(crate) batch: u64,
    index: u32,
    /// Whether the event has run, so that the values are new.
    is_return: bool,
    /// The index of each key of the event, and its value.
    values: Vec<(u32, Option<Vec<u8>>)>,
}

/// What a shard sends.
#[derive(Default)]
pub(crate) struct Outbox {
    pub(crate) messages: Vec<ValueMessage>,
    pub(crate) ends: Encoder,
    pub(crate) n_ends: u32,
    pub(crate) checks: Vec<EndsCheck>,
    /// Memory that is used again.
    end_bytes: Encoder,
}

/// The key of an event in a shard: its batch and its index.
type Place = (u64, u32);

struct Task<E> {
    batch: u64,
    index: u32,
    info: EventInfo,
    event: E,
    keys: Keys,
    /// The keys of this process, in the order of queues.
    own: Vec<OwnKey>,
    route: Route,
    /// Number of queues and values that it waits for.
    n_waiting: usize,
    /// Number of queues that it is in.
    n_queues: usize,
    /// The values of other processes, by index of the key.
    values: Vec<(u32, Option<Vec<u8>>)>,
}

/// A key of an event that this process owns.
#[derive(Clone, Copy)]
struct OwnKey {
    queue: u64,
    /// The index of the key in its event.
    nth: u32,
    is_write: bool,
}

/// Returns the parts of keys in the order of queues that have the same queue. Two keys can have the same.
fn by_queue(own: &[OwnKey]) -> impl Iterator<Item = &[OwnKey]> {
    own.chunk_by(|one, other| one.queue == other.queue)
}

/// A batch whose events have arrived and are not all done, or may still arrive.
#[derive(Default)]
struct OpenBatch {
    n_tasks: usize,
    /// Whether all its events have arrived.
    is_closed: bool,
}

/// Events that have not been read.
struct ArrivedEvents {
    head: EventsHead,
    bytes: Vec<u8>,
    /// The index of the next event in `bytes`.
    at: usize,
    n_left: u32,
}

/// See the module.
pub(crate) struct Shard<E: SentEvent> {
    me: u32,
    n_processes: u32,
    runner: EventRunner<E>,
    locator: KeyLocator,
    arrived: VecDeque<ArrivedEvents>,
    tasks: Slab<Task<E>>,
    queues: HashMap<u64, Queue>,
    /// The tasks that wait for values of other processes.
    places: HashMap<Place, usize>,
    /// Value messages whose events have not arrived.
    early: HashMap<Place, Vec<ValueMessage>>,
    /// Tasks that wait for nothing.
    ready: VecDeque<usize>,
    batches: BTreeMap<u64, OpenBatch>,
    /// The first batch that is not closed.
    next_batch: u64,
    pub(crate) costs: Vec<HandlerCost>,
    meter: HandlerMeter,
    /// By bucket: the last batch that has changed it.
    changed_in: Vec<u64>,
    /// Memory that is used again.
    keys: Keys,
    granted: Vec<(usize, u64)>,
    granted_tasks: Vec<usize>,
    value: Encoder,
}

impl<E: SentEvent> Shard<E> {
    /// `next_batch`: the batch of the first events.
    pub(crate) fn new(
        me: u32,
        n_processes: u32,
        runner: EventRunner<E>,
        locator: KeyLocator,
        next_batch: u64,
    ) -> Self {
        Self {
            me,
            n_processes,
            runner,
            locator,
            arrived: VecDeque::new(),
            tasks: Slab::new(),
            queues: HashMap::default(),
            places: HashMap::default(),
            early: HashMap::default(),
            ready: VecDeque::new(),
            batches: BTreeMap::new(),
            next_batch,
            costs: vec![HandlerCost::default(); E::HANDLERS.len()],
            meter: HandlerMeter::default(),
            changed_in: vec![next_batch - 1; usize::from(N_BUCKETS)],
            keys: Keys::default(),
            granted: Vec::new(),
            granted_tasks: Vec::new(),
            value: Encoder::new(),
        }
    }

    pub(crate) fn me(&self) -> u32 {
        self.me
    }

    pub(crate) fn n_processes(&self) -> u32 {
        self.n_processes
    }

    /// Returns the resources. Iterators of the stores see all changes.
    pub(crate) fn resources(&mut self) -> &Resources {
        self.runner.count_records();
        self.runner.resources()
    }

    pub(crate) fn stores(&self) -> Vec<Store> {
        self.locator.stores().to_vec()
    }

    /// Returns whether a bucket of this process has changed after the batch `since`. Without `since`, returns whether it is a bucket
    /// of this process.
    pub(crate) fn has_changed(&self, bucket: u16, since: Option<u64>) -> bool {
        let changed_in = self.changed_in[usize::from(bucket)];
        owner(bucket, self.n_processes) == self.me && since.is_none_or(|since| changed_in > since)
    }

    /// Returns whether there is nothing to do until a message comes.
    pub(crate) fn is_waiting(&self) -> bool {
        self.arrived.is_empty() && self.ready.is_empty()
    }

    /// Returns whether all events that have arrived are done.
    pub(crate) fn is_idle(&self) -> bool {
        self.arrived.is_empty() && self.tasks.is_empty()
    }

    /// The first batch for which this shard may still send values.
    pub(crate) fn floor(&self) -> u64 {
        let first = self.batches.keys().next();
        first.map_or(self.next_batch, |first| self.next_batch.min(*first))
    }

    /// Adds events, which begin at index `at` of `bytes`.
    pub(crate) fn push_events(&mut self, head: EventsHead, bytes: Vec<u8>, at: usize) {
        let n_left = head.n;
        self.arrived.push_back(ArrivedEvents {
            head,
            bytes,
            at,
            n_left,
        });
    }

    /// Works until `end`, or until nothing is left to do. Returns whether work is left.
    pub(crate) fn work(&mut self, end: Instant, out: &mut Outbox) -> Result<bool, SnapshotError> {
        // One event runs in any case.
        loop {
            // The clock takes as long as a short event.
            for _ in 0..EVENTS_PER_CLOCK {
                let is_long = if self.arrived.is_empty() {
                    match self.ready.pop_front() {
                        Some(task) => self.run_task(task, out)?,
                        None => return Ok(false),
                    }
                } else {
                    self.read_event(out)?
                };
                if is_long {
                    break;
                }
            }
            if Instant::now() >= end {
                return Ok(true);
            }
        }
    }

    /// Reads an event that has arrived. Runs it, if its handler is short and it waits for nothing. Returns whether this has
    /// taken long.
    fn read_event(&mut self, out: &mut Outbox) -> Result<bool, SnapshotError> {
        let Some(arrived) = self.arrived.front_mut() else {
            return Ok(false);
        };
        let head = arrived.head;
        if arrived.n_left == 0 {
            self.arrived.pop_front();
            if head.is_last {
                self.close_batch(head.batch);
            }
            return Ok(false);
        }
        arrived.n_left -= 1;
        let rest = &arrived.bytes[arrived.at..];
        let mut decoder = Decoder::new(rest);
        let (index, max_follow_ups) = decoder.read()?;
        let event = decoder.restore(<E as Snapshot>::VERSION)?;
        arrived.at += rest.len() - decoder.n_left();
        let position = Position::new(head.batch, index);
        let info = EventInfo::new(position, BatchTime::from_nanos(head.time), max_follow_ups);
        self.arrive(head, (index, info), event, out)?;
        Ok(false)
    }

    fn close_batch(&mut self, batch: u64) {
        self.next_batch = batch + 1;
        match self.batches.get_mut(&batch) {
            Some(open) if open.n_tasks > 0 => open.is_closed = true,
            _ => drop(self.batches.remove(&batch)),
        }
    }

    fn arrive(
        &mut self,
        head: EventsHead,
        (index, info): (u32, EventInfo),
        event: E,
        out: &mut Outbox,
    ) -> Result<(), SnapshotError> {
        let mut keys = core::mem::take(&mut self.keys);
        let case = self.runner.case(&event);
        if let Err(error) = self.locator.locate(&mut self.runner, &event, &mut keys) {
            // One process gets the event, because it has no keys. The handler does not run.
            self.keys = keys;
            let end = refused_end::<E>(&error);
            return report::<E>(out, Position::new(head.batch, index), case, &end);
        }
        let route = Route::new(&keys, index, self.n_processes, head.ships(case));
        let is_short = self.costs[case].nanos <= IMMEDIATE_NANOS;
        let is_free = |key: &crate::keys::EventKey| {
            let queue = self.queues.get(&key.queue);
            queue.is_none_or(|queue| queue.is_free_for(key.is_write))
        };
        if route.is_local() && is_short && keys.all.iter().all(is_free) {
            let position = Position::new(head.batch, index);
            let meter = self.meter.start(&self.costs[case]);
            let end = self.runner.run(info, &event);
            meter.end(&mut self.costs[case]);
            self.note_changes(&keys, head.batch);
            self.keys = keys;
            return report::<E>(out, position, case, &end);
        }
        let is_executor = route.executors >> self.me & 1 != 0;
        let mut own = Vec::new();
        for (nth, key) in (0..).zip(&keys.all) {
            if owner(key.bucket, self.n_processes) == self.me {
                own.push(OwnKey {
                    queue: key.queue,
                    nth,
                    is_write: key.is_write,
                });
            }
        }
        own.sort_unstable_by_key(|key| key.queue);
        let n_remote = keys.all.len() - own.len();
        let n_queues = by_queue(&own).count();
        let batch = self.batches.entry(head.batch).or_default();
        batch.n_tasks += 1;
        let task = self.tasks.insert(Task {
            batch: head.batch,
            index,
            info,
            event,
            keys,
            own,
            n_waiting: n_queues + if is_executor { n_remote } else { 0 },
            n_queues,
            values: Vec::new(),
            route,
        });
        if !route.is_local() {
            self.places.insert((head.batch, index), task);
        }
        for keys in by_queue(&self.tasks[task].own) {
            let queue = keys[0].queue;
            let is_write = keys.iter().any(|key| key.is_write);
            let entries = self.queues.entry(queue).or_default();
            if entries.push(QueueEntry { task, is_write }) {
                self.granted.push((task, queue));
            }
        }
        if self.tasks[task].n_waiting == 0 {
            self.ready.push_back(task);
        }
        self.serve_granted(out)?;
        for message in self
            .early
            .remove(&(head.batch, index))
            .into_iter()
            .flatten()
        {
            self.receive(message, out)?;
        }
        Ok(())
    }

    /// Continues all tasks that have got a key.
    fn serve_granted(&mut self, out: &mut Outbox) -> Result<(), SnapshotError> {
        while let Some((nth, queue)) = self.granted.pop() {
            let task = &mut self.tasks[nth];
            let is_executor = task.route.executors >> self.me & 1 != 0;
            let others = task.route.executors & !(1 << self.me);
            let mut is_held = is_executor;
            if others != 0 {
                let mut values = Vec::new();
                let first = task.own.partition_point(|key| key.queue < queue);
                let keys = task.own[first..].iter();
                for own in keys.take_while(|key| key.queue == queue) {
                    let of = own.nth as usize;
                    is_held |= own.is_write;
                    let store = &self.locator.stores()[usize::from(task.keys.all[of].store)];
                    self.value.clear();
                    let resources = self.runner.resources();
                    let exists =
                        (store.write_value)(resources, task.keys.bytes_of(of), &mut self.value)?;
                    values.push((of as u32, exists.then(|| self.value.as_bytes().to_vec())));
                }
                for to in (0..self.n_processes).filter(|to| others >> to & 1 != 0) {
                    out.messages.push(ValueMessage {
                        to,
                        batch: task.batch,
                        index: task.index,
                        is_return: false,
                        values: values.clone(),
                    });
                }
            }
            if is_executor {
                task.n_waiting -= 1;
                if task.n_waiting == 0 {
                    self.ready.push_back(nth);
                }
            } else if !is_held {
                self.release(nth, queue);
            }
        }
        Ok(())
    }

    /// Takes a task out of a queue. Removes the task, if it was in no other.
    fn release(&mut self, nth: usize, queue: u64) {
        let entries = self
            .queues
            .get_mut(&queue)
            .expect("the task is in this queue");
        entries.release(nth, &mut self.granted_tasks);
        let granted = self.granted_tasks.drain(..).map(|task| (task, queue));
        self.granted.extend(granted);
        if entries.is_empty() {
            self.queues.remove(&queue);
        }
        let task = &mut self.tasks[nth];
        task.n_queues -= 1;
        // An executor is removed after it has run.
        if task.n_queues == 0 && task.route.executors >> self.me & 1 == 0 {
            self.remove(nth);
        }
    }

    fn remove(&mut self, nth: usize) -> Task<E> {
        let task = self.tasks.remove(nth);
        if !task.route.is_local() {
            self.places.remove(&(task.batch, task.index));
        }
        let open = self.batches.get_mut(&task.batch);
        let open = open.expect("the batch of a task is open");
        open.n_tasks -= 1;
        if open.n_tasks == 0 && open.is_closed {
            self.batches.remove(&task.batch);
        }
        task
    }

    /// Takes values of another process.
    pub(crate) fn receive(
        &mut self,
        message: ValueMessage,
        out: &mut Outbox,
    ) -> Result<(), SnapshotError> {
        let place = (message.batch, message.index);
        let Some(&nth) = self.places.get(&place) else {
            self.early.entry(place).or_default().push(message);
            return Ok(());
        };
        if !message.is_return {
            let task = &mut self.tasks[nth];
            task.n_waiting -= message.values.len();
            task.values.extend(message.values);
            if task.n_waiting == 0 {
                self.ready.push_back(nth);
            }
            return Ok(());
        }
        let mut queues = Vec::new();
        for (of, value) in message.values {
            let task = &self.tasks[nth];
            let key = &task.keys.all[of as usize];
            let store = self.locator.stores()[usize::from(key.store)];
            let value = value.as_deref().map(|bytes| (bytes, store.version));
            (store.put)(
                self.runner.resources_mut(),
                task.keys.bytes_of(of as usize),
                value,
            )?;
            self.changed_in[usize::from(key.bucket)] = self.tasks[nth].batch;
            queues.push(key.queue);
        }
        queues.sort_unstable();
        queues.dedup();
        for queue in queues {
            self.release(nth, queue);
        }
        self.serve_granted(out)
    }

    /// Runs a task that waits for nothing. Returns whether its handler is long.
    fn run_task(&mut self, nth: usize, out: &mut Outbox) -> Result<bool, SnapshotError> {
        let task = &mut self.tasks[nth];
        let values = core::mem::take(&mut task.values);
        let mut n_bytes = 0;
        for (of, value) in &values {
            let of = *of as usize;
            let store = self.locator.stores()[usize::from(task.keys.all[of].store)];
            n_bytes += value.as_ref().map_or(0, Vec::len);
            let value = value.as_deref().map(|bytes| (bytes, store.version));
            (store.put)(self.runner.resources_mut(), task.keys.bytes_of(of), value)?;
        }
        let task = &self.tasks[nth];
        let case = self.runner.case(&task.event);
        if let Some(mean) = n_bytes.checked_div(values.len()) {
            self.costs[case].add_value(mean as f32);
        }
        let position = Position::new(task.batch, task.index);
        let meter = self.meter.start(&self.costs[case]);
        let end = self.runner.run(task.info, &task.event);
        meter.end(&mut self.costs[case]);
        if task.route.reporter == self.me {
            report::<E>(out, position, case, &end)?
        } else {
            check::<E>(out, position, case, &end)?
        }
        let is_only = task.route.executors.is_power_of_two();
        let mut returns: Vec<ValueMessage> = Vec::new();
        for (of, key) in task.keys.all.iter().enumerate() {
            let owner = owner(key.bucket, self.n_processes);
            let store = self.locator.stores()[usize::from(key.store)];
            if owner == self.me {
                if key.is_write {
                    self.changed_in[usize::from(key.bucket)] = position.batch;
                }
                continue;
            }
            let bytes = task.keys.bytes_of(of);
            if is_only && key.is_write {
                self.value.clear();
                let exists = (store.write_value)(self.runner.resources(), bytes, &mut self.value)?;
                let value = (of as u32, exists.then(|| self.value.as_bytes().to_vec()));
                match returns.iter_mut().find(|message| message.to == owner) {
                    Some(message) => message.values.push(value),
                    None => returns.push(ValueMessage {
                        to: owner,
                        batch: task.batch,
                        index: task.index,
                        is_return: true,
                        values: vec![value],
                    }),
                }
            }
            // The record belongs to another process.
            (store.put)(self.runner.resources_mut(), bytes, None)?;
        }
        out.messages.append(&mut returns);
        let own = core::mem::take(&mut self.tasks[nth].own);
        for keys in by_queue(&own) {
            self.release(nth, keys[0].queue);
        }
        self.remove(nth);
        self.serve_granted(out)?;
        Ok(self.costs[case].nanos > IMMEDIATE_NANOS)
    }

    fn note_changes(&mut self, keys: &Keys, batch: u64) {
        for key in keys.all.iter().filter(|key| key.is_write) {
            self.changed_in[usize::from(key.bucket)] = batch;
        }
    }
}

impl<E: SentEvent> fmt::Debug for Shard<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shard")
            .field("me", &self.me)
            .field("n_tasks", &self.tasks.len())
            .finish_non_exhaustive()
    }
}
