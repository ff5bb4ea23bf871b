//! Stored answers whose types have changed.

use schedule::prelude::*;
use schedule::snapshot::{Decoder, Encoder, Snapshot, SnapshotReader};
use schedule_stream::Position;
use schedule_stream::durable::{Durable, DurableError, DurableStream, KeyedEvent};
use schedule_stream::journal::{Snapshots, open_on};
use schedule_stream::prelude::*;
use schedule_stream::service::ServiceError;
use serde::{Deserialize, Serialize};
use tracing::{Event as Notice, Subscriber};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::prelude::*;
use tracing_subscriber::registry::Registry;

use super::program::Counts;
use crate::journal::disk::SimulatedDisk;

/// A version of the program with this type of answers.
macro_rules! program {
    ($module:ident, $answer:ty, $answer_of:expr) => {
        mod $module {
            use super::*;

            #[derive(Clone, Debug, Event, Snapshot, Serialize, Deserialize)]
            #[event(pay, answer = $answer, error = String)]
            #[snapshot(name = "pay")]
            pub(super) struct Pay(pub(super) i64);

            #[handler]
            fn pay(event: &Pay, counts: &mut Counts) -> $answer {
                counts.n_calls += 1;
                $answer_of(event.0)
            }
        }
    };
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Receipt {
    cents: i64,
}

impl schedule_stream::answers::Answer for Receipt {}

program!(first, i64, |cents| cents);
program!(narrow, u32, |cents| cents as u32);
program!(receipt, Receipt, |cents| Receipt { cents });

fn recover<E: KeyedEvent>(disk: &SimulatedDisk) -> DurableStream<E> {
    disk.end_program();
    let opened = open_on(disk.clone()).unwrap();
    let mut resources = Resources::new();
    resources.insert_default::<Counts>();
    let durable = Durable::<E>::new("payments", 1).state::<Counts>();
    let (journal, snapshots) = (Box::new(opened.journal), Box::new(opened.snapshots));
    let durable = durable.idempotency_keys(10);
    durable.recover_from(journal, snapshots, resources).unwrap()
}

/// The storage after a payment of 900 with a key, and a snapshot.
fn paid() -> SimulatedDisk {
    let disk = SimulatedDisk::new(0);
    let service = recover(&disk).serve();
    let handle = service.handle();
    let submitted = handle.submit_with_key_blocking("a", first::Pay(900));
    assert!(matches!(submitted.unwrap().result, Ok(900)));
    let mut stream = service.shutdown().unwrap();
    stream.snapshot().unwrap();
    drop(stream);
    disk
}

/// Repeats the payment. Returns its answer.
fn repeat<E: KeyedEvent>(disk: &SimulatedDisk, event: E) -> Result<E::Answer, ServiceError> {
    let service = recover(disk).serve();
    let repeat = service.handle().submit_with_key_blocking("a", event);
    let stream = service.shutdown().unwrap();
    let counts = stream.resources().get::<Counts>().unwrap();
    assert_eq!(counts.n_calls, 1);
    drop(stream);
    let outcome = repeat?;
    assert_eq!(outcome.position, Position::new(1, 0));
    match outcome.result {
        Ok(answer) => Ok(answer),
        Err(_) => panic!("the payment has failed"),
    }
}

#[test]
fn repeat_of_an_event_whose_answer_has_another_type_is_applied_before() {
    let disk = paid();
    let errors = [
        repeat(&disk, narrow::Pay(900)).unwrap_err(),
        repeat(&disk, receipt::Pay(900)).unwrap_err(),
    ];
    for error in errors {
        let ServiceError::Applied { position, error } = error else {
            panic!("{error}");
        };
        assert_eq!(position, Position::new(1, 0));
        assert!(matches!(*error, DurableError::UnreadableAnswer { .. }));
        assert_eq!(
            error.to_string(),
            "the event with this idempotency key was applied before, at position 1:0, but its stored answer cannot be read, \
             because the type of the answer has changed: read the state with a query"
        );
    }
    assert_eq!(repeat(&disk, first::Pay(900)).unwrap(), 900);
}

/// Returns a snapshot as the first releases have written it: in format 1, and without the shapes of answers.
fn with_first_keys(snapshot: &[u8]) -> Vec<u8> {
    let mut all = snapshot[..24].to_vec();
    all[8] = 1;
    for section in SnapshotReader::new(snapshot).unwrap().sections() {
        let (mut version, mut content) = (section.version, section.bytes.to_vec());
        if section.name == "schedule-stream.keys" {
            (version, content) = (1, first_keys(section.bytes));
        }
        all.push(section.name.len() as u8);
        all.extend(section.name.as_bytes());
        all.extend(version.to_le_bytes());
        all.extend((content.len() as u64).to_le_bytes());
        all.extend(content);
    }
    let n_bytes = all.len() as u64 + 4;
    all[16..24].copy_from_slice(&n_bytes.to_le_bytes());
    let checksum = crc32fast::hash(&all);
    all.extend(checksum.to_le_bytes());
    all
}

fn first_keys(section: &[u8]) -> Vec<u8> {
    let (mut from, mut to) = (Decoder::new(section), Encoder::new());
    let n: u64 = from.read().unwrap();
    to.write(&n).unwrap();
    for _ in 0..n {
        let key: (String, u64, u32, u32, u128) = from.read().unwrap();
        let result: Option<(Vec<u8>, Option<u64>)> = from.read().unwrap();
        to.write(&(key, result.map(|(bytes, _)| bytes))).unwrap();
    }
    from.finish().unwrap();
    to.into_bytes()
}

/// Counts the events of `tracing` of this crate.
#[derive(Clone, Default)]
struct Warnings(std::sync::Arc<std::sync::atomic::AtomicUsize>);

impl<S: Subscriber> Layer<S> for Warnings {
    fn on_event(&self, event: &Notice<'_>, _: Context<'_, S>) {
        if event.metadata().target() == "schedule" {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    }
}

#[test]
fn answers_that_an_older_release_has_stored_are_read_with_one_warning() {
    let disk = paid();
    disk.end_program();
    let mut opened = open_on(disk.clone()).unwrap();
    let older = with_first_keys(&opened.snapshots.read(1).unwrap());
    opened.snapshots.write(1, &older).unwrap();
    drop(opened);
    assert_eq!(repeat(&disk, first::Pay(900)).unwrap(), 900);
    // A change of the type is not noticed: 900 is stored as 1800.
    assert_eq!(repeat(&disk, narrow::Pay(900)).unwrap(), 1_800);
    let warnings = Warnings::default();
    let subscriber = Registry::default().with(warnings.clone());
    let stream = tracing::subscriber::with_default(subscriber, || recover::<first::Pay>(&disk));
    drop(stream);
    assert_eq!(warnings.0.load(std::sync::atomic::Ordering::Relaxed), 1);
}
