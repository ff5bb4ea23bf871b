//! The keys that an event names, as bytes, and the processes that own them.

use core::any::Any;
use core::fmt;
use core::ops::Range;

use foldhash::HashMap;
use schedule::snapshot::{Encoder, SnapshotError};
use schedule_stream::Event;
use schedule_stream::internal::{EventRunner, KeyVisitor, handlers};

use crate::bucket::owner;
use crate::error::StartError;
use crate::store::Store;

/// A key that an event names. Each key of a store occurs once.
#[derive(Clone, Debug)]
pub(crate) struct EventKey {
    /// The index of its store.
    pub(crate) store: u16,
    pub(crate) bucket: u16,
    /// The id of its queue.
    pub(crate) queue: u64,
    /// Whether the handler may write the value.
    pub(crate) is_write: bool,
    /// The bytes of the key in [`Keys::bytes`].
    bytes: Range<u32>,
}

/// Number of keys up to which all are compared with a new one. For more, a table is used.
const FEW_KEYS: usize = 16;

/// The keys of an event.
#[derive(Clone, Default)]
pub(crate) struct Keys {
    pub(crate) all: Vec<EventKey>,
    bytes: Encoder,
    /// The first key of each queue, if there are many keys. Only while keys are added.
    by_queue: Option<Box<HashMap<u64, u32>>>,
}

impl Keys {
    pub(crate) fn bytes_of(&self, nth: usize) -> &[u8] {
        let Range { start, end } = self.all[nth].bytes;
        &self.bytes.as_bytes()[start as usize..end as usize]
    }

    fn clear(&mut self) {
        self.all.clear();
        self.bytes.clear();
        self.by_queue = None;
    }

    /// Adds the key that was written last, unless it is there.
    fn add(&mut self, stores: &[Store], store: u16, start: usize, is_write: bool) {
        let end = self.bytes.as_bytes().len();
        let of = &stores[usize::from(store)];
        let hash = of.hash(&self.bytes.as_bytes()[start..end]);
        let queue = hash.queue(store);
        match self.find(store, queue, start..end) {
            Some(nth) => {
                self.all[nth].is_write |= is_write;
                self.bytes.truncate(start);
            }
            None => {
                if let Some(by_queue) = &mut self.by_queue {
                    by_queue.entry(queue).or_insert(self.all.len() as u32);
                }
                self.all.push(EventKey {
                    store,
                    bucket: hash.bucket(),
                    queue,
                    is_write,
                    bytes: start as u32..end as u32,
                });
            }
        }
    }

    /// Returns the index of a key with these bytes.
    fn find(&mut self, store: u16, queue: u64, bytes: Range<usize>) -> Option<usize> {
        if self.all.len() == FEW_KEYS && self.by_queue.is_none() {
            let mut by_queue = Box::<HashMap<u64, u32>>::default();
            for (nth, key) in (0..).zip(&self.all) {
                by_queue.entry(key.queue).or_insert(nth);
            }
            self.by_queue = Some(by_queue);
        }
        let is_same = |other: &EventKey| {
            let Range { start, end } = other.bytes;
            other.queue == queue
                && other.store == store
                && self.bytes.as_bytes()[start as usize..end as usize]
                    == self.bytes.as_bytes()[bytes.clone()]
        };
        if let Some(by_queue) = &self.by_queue {
            let first = *by_queue.get(&queue)? as usize;
            if is_same(&self.all[first]) {
                return Some(first);
            }
            // Two keys have the same queue.
        }
        self.all.iter().position(is_same)
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.all).finish()
    }
}

/// What a parameter of a handler names.
#[derive(Clone, Copy, Debug)]
enum Parameter {
    /// Records of a store.
    Records { store: u16, is_write: bool },
    /// A resource that a handler writes.
    Resource { store: u16, is_write: bool },
    /// A constant, or a parameter that describes the event.
    Nothing,
}

/// Locates the keys of events.
#[derive(Debug)]
pub(crate) struct KeyLocator {
    stores: Vec<Store>,
    /// The parameters of each handler, by case.
    parameters: Vec<Vec<Parameter>>,
}

impl KeyLocator {
    /// # Errors
    ///
    /// If a handler cannot run in several processes.
    pub(crate) fn new<E: Event>(stores: &[Store]) -> Result<Self, StartError> {
        let handlers = handlers::<E>();
        let written: Vec<_> = handlers
            .iter()
            .flat_map(|handler| &handler.parameters)
            .filter(|parameter| parameter.is_write)
            .filter_map(|parameter| Some(parameter.resource?.type_id))
            .collect();
        for store in stores.iter().filter(|store| !store.is_keyed) {
            if !written.contains(&store.resource.type_id) {
                return Err(StartError::NeverWritten {
                    resource: store.resource.name,
                });
            }
        }
        let mut parameters = Vec::new();
        for handler in &handlers {
            let mut all = Vec::new();
            for parameter in &handler.parameters {
                let is_same = |store: &Store| {
                    parameter
                        .resource
                        .is_some_and(|of| of.type_id == store.resource.type_id)
                };
                let is_write = parameter.is_write;
                all.push(match stores.iter().position(is_same) {
                    None => Parameter::Nothing,
                    Some(nth) => match (stores[nth].is_keyed, parameter.is_keyed) {
                        (true, true) => Parameter::Records {
                            store: nth as u16,
                            is_write,
                        },
                        (false, false) => Parameter::Resource {
                            store: nth as u16,
                            is_write,
                        },
                        (true, false) => {
                            return Err(StartError::WholeStore {
                                handler: handler.name,
                                parameter: parameter.name,
                                store: stores[nth].resource.name,
                            });
                        }
                        (false, true) => {
                            return Err(StartError::NotRecords {
                                handler: handler.name,
                                parameter: parameter.name,
                                store: stores[nth].resource.name,
                            });
                        }
                    },
                });
            }
            parameters.push(all);
        }
        Ok(Self {
            stores: stores.to_vec(),
            parameters,
        })
    }

    pub(crate) fn stores(&self) -> &[Store] {
        &self.stores
    }

    /// Locates the keys of an event. If a key expression panics, or a set is too large, there are none: the handler does not
    /// run.
    ///
    /// # Errors
    ///
    /// If a key cannot be serialized.
    pub(crate) fn locate<E: Event>(
        &self,
        runner: &mut EventRunner<E>,
        event: &E,
        keys: &mut Keys,
    ) -> Result<(), SnapshotError> {
        keys.clear();
        let parameters = &self.parameters[runner.case(event)];
        let mut collector = Collector {
            locator: self,
            parameters,
            keys,
            failed: Ok(()),
        };
        let is_complete = runner.report_keys(event, &mut collector);
        let Collector { failed, keys, .. } = collector;
        if failed.is_err() || !is_complete {
            keys.clear();
            return failed;
        }
        for parameter in parameters {
            if let Parameter::Resource { store, is_write } = *parameter {
                let start = keys.bytes.as_bytes().len();
                keys.add(&self.stores, store, start, is_write);
            }
        }
        keys.by_queue = None;
        Ok(())
    }
}

struct Collector<'c> {
    locator: &'c KeyLocator,
    parameters: &'c [Parameter],
    keys: &'c mut Keys,
    failed: Result<(), SnapshotError>,
}

impl KeyVisitor for Collector<'_> {
    fn visit(&mut self, argument: u16, key: &dyn Any) {
        let Parameter::Records { store, is_write } = self.parameters[usize::from(argument)] else {
            // The records are constants, which each process has.
            return;
        };
        let stores = &self.locator.stores;
        let start = self.keys.bytes.as_bytes().len();
        match (stores[usize::from(store)].write_key)(key, &mut self.keys.bytes) {
            Ok(()) => self.keys.add(stores, store, start, is_write),
            Err(error) => self.failed = Err(error),
        }
    }
}

/// The processes that take part in an event, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Route {
    /// The owners of its keys.
    pub(crate) participants: u64,
    /// The processes that run the handler.
    pub(crate) executors: u64,
    /// The executor that reports the outcome.
    pub(crate) reporter: u32,
}

impl Route {
    /// Selects the processes of an event among `n`. `index`: its index in its batch. If `ships`, the values of other
    /// processes are shipped to one of them and back. Otherwise each process that owns a written key runs the handler.
    pub(crate) fn new(keys: &Keys, index: u32, n: u32, ships: bool) -> Self {
        let owner_of = |key: &EventKey| owner(key.bucket, n);
        let (mut participants, mut writers) = (0_u64, 0_u64);
        let mut reporter = None;
        for key in &keys.all {
            let owner = owner_of(key);
            participants |= 1 << owner;
            if key.is_write {
                if writers == 0 {
                    reporter = Some(owner);
                }
                writers |= 1 << owner;
            }
        }
        let reporter = reporter
            .or_else(|| keys.all.first().map(owner_of))
            .unwrap_or(index % n);
        let executors = if ships || writers == 0 {
            1 << reporter
        } else {
            writers
        };
        Self {
            participants: participants | 1 << reporter,
            executors,
            reporter,
        }
    }

    /// Returns whether one process does everything.
    pub(crate) fn is_local(&self) -> bool {
        self.participants.is_power_of_two()
    }
}

#[cfg(test)]
mod tests {
    use schedule::snapshot::Snapshot;
    use schedule_stream::Record;
    use serde::{Deserialize, Serialize};

    use super::*;

    #[derive(Record, Snapshot, Serialize, Deserialize)]
    #[record(id = u32)]
    #[snapshot(name = "coin")]
    struct Coin;

    #[derive(Record, Snapshot, Serialize, Deserialize)]
    #[record(id = u32)]
    #[snapshot(name = "note")]
    struct Note;

    #[test]
    fn each_key_of_a_store_occurs_once() {
        let stores = [Store::records::<Coin>(), Store::records::<Note>()];
        let mut keys = Keys::default();
        // More and fewer keys than those for which there is a table.
        for n in [3, FEW_KEYS as u32, 5_000, 2] {
            keys.clear();
            for nth in 0..4 * n {
                let (key, store, is_write) = (nth % n, nth / n % 2, nth / n == 2);
                let start = keys.bytes.as_bytes().len();
                keys.bytes.write(&key).unwrap();
                keys.add(&stores, store as u16, start, is_write);
            }
            assert_eq!(keys.all.len(), 2 * n as usize);
            for (nth, key) in (0..).zip(&keys.all) {
                assert_eq!((u32::from(key.store), key.is_write), (nth / n, nth < n));
            }
            assert_eq!(keys.bytes_of(0), keys.bytes_of(n as usize));
        }
    }

    #[test]
    fn two_keys_can_have_the_same_queue() {
        let stores = [Store::records::<Coin>()];
        let mut keys = Keys::default();
        for key in 0_u32..100 {
            let start = keys.bytes.as_bytes().len();
            keys.bytes.write(&key).unwrap();
            keys.add(&stores, 0, start, false);
        }
        // As if their hashes were equal.
        let queue = keys.all[3].queue;
        keys.all[70].queue = queue;
        let bytes = keys.all[70].bytes.clone();
        let found = keys.find(0, queue, bytes.start as usize..bytes.end as usize);
        assert_eq!(found, Some(70));
    }
}
