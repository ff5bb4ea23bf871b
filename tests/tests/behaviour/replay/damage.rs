//! Recordings that are cut, damaged or of another program are errors. The runs before the damage are replayed.

use std::io::{self, Read, Write};

use proptest::prelude::*;
use schedule::prelude::*;
use schedule::replay::{RecordedResources, Recorder, ReplayError, Replayer};
use schedule::snapshot::{Encoder, Snapshot, SnapshotError};
use serde::{Deserialize, Serialize};

use super::{Sensors, Speed, car, frames, record, recorded};

const DISTANCES: [Option<u32>; 6] = [Some(20), Some(4), None, Some(21), Some(21), Some(3)];

/// Replays as many runs as possible. Returns their number, and the error.
fn replay(bytes: &[u8]) -> (u64, Option<ReplayError>) {
    let (mut schedule, mut resources) = (car(), Resources::new());
    let mut replayer = match Replayer::new(bytes, &schedule, recorded()) {
        Ok(replayer) => replayer,
        Err(error) => return (0, Some(error)),
    };
    let result = replayer.run_all(&mut schedule, &mut resources);
    (replayer.n_runs(), result.err())
}

#[test]
fn every_cut_is_an_error_after_the_whole_runs() {
    let (bytes, _) = record(&DISTANCES);
    let frames = frames(&bytes);
    for n in 0..bytes.len() {
        let is_whole = |end: usize| end <= n;
        let ends = frames
            .iter()
            .filter(|frame| frame.kind == 4)
            .map(|frame| frame.start + frame.content.len() + 10);
        let expected = ends.filter(|&end| is_whole(end)).count() as u64;
        match replay(&bytes[..n]) {
            (n_runs, Some(ReplayError::Cut { n_runs: reported })) => {
                assert_eq!((n_runs, reported), (expected, expected), "{n}");
            }
            (_, other) => panic!("{n}: {other:?}"),
        }
    }
    assert_eq!(replay(&bytes).0, DISTANCES.len() as u64);
}

#[test]
fn every_flipped_bit_is_an_error_after_the_whole_runs() {
    let (bytes, _) = record(&DISTANCES);
    let frames = frames(&bytes);
    for nth in 0..bytes.len() * 8 {
        let mut bytes = bytes.clone();
        bytes[nth / 8] ^= 1 << (nth % 8);
        let (n_runs, error) = replay(&bytes);
        let error = error.unwrap_or_else(|| panic!("bit {nth}"));
        let before = frames
            .iter()
            .filter(|frame| frame.kind == 4)
            .filter(|frame| frame.start + frame.content.len() + 10 <= nth / 8);
        assert_eq!(n_runs, before.count() as u64, "bit {nth}: {error}");
        let is_expected = match nth / 8 {
            0..8 => matches!(error, ReplayError::Foreign),
            8..12 => matches!(error, ReplayError::Format { .. }),
            _ => matches!(error, ReplayError::Damaged { .. } | ReplayError::Cut { .. }),
        };
        assert!(is_expected, "bit {nth}: {error}");
    }
}

#[test]
fn messages_name_the_damage_and_the_remedy() {
    let (bytes, _) = record(&DISTANCES);
    let text = |bytes: &[u8]| replay(bytes).1.unwrap().to_string();
    let frames = frames(&bytes);
    assert_eq!(
        text(b"# A text of another program"),
        "the bytes are not a recording: check that they come from a `Recorder`"
    );
    let mut newer = bytes.clone();
    newer[8] = 3;
    assert_eq!(
        text(&newer),
        "the recording has format 3, but this program reads formats up to 2: use the version of the program that wrote the recording, or \
         a newer one"
    );
    let begin = &frames[4];
    assert_eq!(begin.kind, 3);
    let mut damaged = bytes.clone();
    damaged[begin.start + 8] ^= 4;
    assert_eq!(
        text(&damaged),
        format!(
            "the recording is damaged after 1 run, at byte {}: the checksum does not match the content; the runs before it can be \
             replayed",
            begin.start
        )
    );
    assert_eq!(
        text(&[&bytes[..], &[0]].concat()),
        format!(
            "the recording is damaged after 6 runs, at byte {}: bytes follow the end; the runs before it can be replayed",
            bytes.len()
        )
    );
    // A run is removed.
    let removed = [&bytes[..frames[4].start], &bytes[frames[6].start..]].concat();
    assert!(
        text(&removed).contains("after 1 run, "),
        "{}",
        text(&removed)
    );
}

/// Returns the recording with other contents of its frames, and right checksums.
fn with_contents(bytes: &[u8], change: impl Fn(usize, u8, &mut Vec<u8>)) -> Vec<u8> {
    let mut changed = bytes[..12].to_vec();
    let mut checksum = crc32fast::hash(&changed);
    for (nth, frame) in frames(bytes).into_iter().enumerate() {
        let mut content = frame.content;
        change(nth, frame.kind, &mut content);
        add_frame(&mut changed, &mut checksum, [frame.kind, 0], &content);
    }
    changed
}

/// Adds a frame with this kind and these flags.
fn add_frame(to: &mut Vec<u8>, checksum: &mut u32, kind_and_flags: [u8; 2], content: &[u8]) {
    let mut hashed = checksum.to_le_bytes().to_vec();
    hashed.extend(kind_and_flags);
    hashed.extend((content.len() as u32).to_le_bytes());
    hashed.extend(content);
    *checksum = crc32fast::hash(&hashed);
    to.extend(&hashed[4..]);
    to.extend(checksum.to_le_bytes());
}

/// Returns the recording with a frame of an unknown kind before each of its frames.
fn with_unknown_frames(bytes: &[u8], flags: u8) -> Vec<u8> {
    let mut changed = bytes[..12].to_vec();
    let mut checksum = crc32fast::hash(&changed);
    for frame in frames(bytes) {
        add_frame(&mut changed, &mut checksum, [200, flags], b"later");
        add_frame(&mut changed, &mut checksum, [frame.kind, 0], &frame.content);
    }
    changed
}

#[test]
fn frame_of_an_unknown_kind_is_skipped_only_if_it_may_be() {
    let (bytes, _) = record(&DISTANCES);
    let (n_runs, error) = replay(&with_unknown_frames(&bytes, 1));
    assert!(error.is_none(), "{error:?}");
    assert_eq!(n_runs, DISTANCES.len() as u64);
    let (_, error) = replay(&with_unknown_frames(&bytes, 0));
    assert_eq!(
        error.unwrap().to_string(),
        "the recording has a frame of kind 200 after 0 runs, at byte 12, which this program does not know and must not skip: use the \
         version of the program that wrote the recording, or a newer one"
    );
}

#[test]
fn content_is_checked_even_if_its_checksum_is_right() {
    let (bytes, _) = record(&DISTANCES);
    assert_eq!(with_contents(&bytes, |_, _, _| ()), bytes);
    let n_frames = frames(&bytes).len();
    for changed in 0..n_frames {
        let longer = with_contents(&bytes, |nth, _, content| {
            if nth == changed {
                content.push(0);
            }
        });
        let shorter = with_contents(&bytes, |nth, _, content| {
            if nth == changed {
                content.pop();
            }
        });
        for bytes in [longer, shorter] {
            let (_, error) = replay(&bytes);
            assert!(
                matches!(error, Some(ReplayError::Damaged { .. })),
                "frame {changed}: {error:?}"
            );
        }
    }
}

#[test]
fn changed_contents_with_right_checksums_never_cause_a_panic() {
    let (bytes, _) = record(&DISTANCES);
    for (changed, frame) in frames(&bytes).into_iter().enumerate() {
        for at in 0..frame.content.len() {
            // Also the bytes of the highest number.
            for new in [
                &[0][..],
                &[1],
                &[0x7f],
                &[0xff],
                &[0xff; 9],
                &[0xff, 0xff, 0xff, 0xff, 0xf],
            ] {
                let bytes = with_contents(&bytes, |nth, _, content| {
                    if nth == changed {
                        content.resize(content.len().max(at + new.len()), 1);
                        content[at..at + new.len()].copy_from_slice(new);
                    }
                });
                replay(&bytes);
            }
        }
    }
}

#[test]
fn newer_version_of_an_input_is_an_error_and_an_older_one_is_migrated() {
    #[derive(Resource, Snapshot, Serialize, Deserialize)]
    #[snapshot(name = "sensors", version = 2, migrate = migrate)]
    struct NewSensors {
        distance: u64,
    }

    fn migrate(
        _: u32,
        from: &mut schedule::snapshot::Decoder<'_>,
    ) -> Result<NewSensors, SnapshotError> {
        let Sensors { distance, .. } = from.read()?;
        Ok(NewSensors {
            distance: distance.into(),
        })
    }

    let schedule = |add: fn(&mut schedule::Builder) -> &mut schedule::Builder| {
        let mut builder = Schedule::builder();
        add(&mut builder).build().unwrap()
    };
    let old = || {
        schedule(|builder| {
            builder.add_closure("is_near", |sensors: &Sensors| sensors.distance < 10)
        })
    };
    let new = || {
        schedule(|builder| {
            builder.add_closure("is_near", |sensors: &NewSensors| sensors.distance < 10)
        })
    };
    let old_inputs = || RecordedResources::new().input::<Sensors>();
    let new_inputs = || RecordedResources::new().input::<NewSensors>();

    let (mut recorded, mut resources) = (old(), Resources::new());
    let mut recorder = Recorder::new(Vec::new(), &recorded, old_inputs()).unwrap();
    for distance in [3, 30] {
        resources.insert(Sensors::at(distance));
        recorder.run(&mut recorded, &mut resources).unwrap();
    }
    let bytes = recorder.finish().unwrap();
    let mut replayed = new();
    let mut replayer = Replayer::new(&bytes[..], &replayed, new_inputs()).unwrap();
    assert_eq!(replayer.run_all(&mut replayed, &mut resources).unwrap(), 2);
    assert_eq!(resources.get::<NewSensors>().unwrap().distance, 30);

    let mut recorder = Recorder::new(Vec::new(), &replayed, new_inputs()).unwrap();
    recorder.run(&mut replayed, &mut resources).unwrap();
    let bytes = recorder.finish().unwrap();
    let error = Replayer::new(&bytes[..], &old(), old_inputs()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`sensors` was recorded in version 2, but this program has version 1: use the version of the program that wrote the recording"
    );
}

/// A writer that fails after a number of bytes.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self
            .0
            .checked_sub(bytes.len())
            .ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn writer_that_fails_does_not_fail_the_runs() {
    let mut schedule = car();
    let mut resources = Resources::new();
    resources.insert(Speed(2));
    let mut recorder = Recorder::new(Full(400), &schedule, recorded()).unwrap();
    let mut n_runs = 0;
    for distance in (0..100).map(|n| n % 9) {
        resources.insert(Sensors::at(distance));
        recorder.run(&mut schedule, &mut resources).unwrap();
        n_runs += u64::from(recorder.error().is_none());
    }
    assert!(n_runs > 2 && n_runs < 50 && n_runs == recorder.n_runs());
    let error = recorder.finish().err().unwrap().to_string();
    assert!(
        error.starts_with("the recording cannot be written: "),
        "{error}"
    );
    assert!(Recorder::new(Full(20), &schedule, recorded()).is_err());
}

/// A value that cannot be saved.
#[derive(Resource)]
struct Unsaved;

impl Snapshot for Unsaved {
    const NAME: &'static str = "unsaved";
    const VERSION: u32 = 1;

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        Err(to.error("it is on another machine"))
    }

    fn restore(_: &mut schedule::snapshot::Decoder<'_>) -> Result<Self, SnapshotError> {
        Ok(Self)
    }

    fn schema() -> schedule::snapshot::Schema {
        schedule::snapshot::Schema::unknown()
    }
}

#[test]
fn value_that_cannot_be_saved_ends_the_recording_before_the_run() {
    let mut schedule = car();
    let mut resources = Resources::new();
    resources.insert(Speed(2));
    resources.insert(Sensors::at(3));
    let with = || recorded().input::<Unsaved>();
    let mut bytes = Vec::new();
    let mut recorder = Recorder::new(&mut bytes, &schedule, with()).unwrap();
    recorder.run(&mut schedule, &mut resources).unwrap();
    resources.insert(Unsaved);
    recorder.run(&mut schedule, &mut resources).unwrap();
    assert_eq!(recorder.n_runs(), 1);
    assert_eq!(
        recorder.finish().err().unwrap().to_string(),
        "`unsaved` cannot be recorded: `unsaved` cannot be saved: it is on another machine"
    );
    let mut replayer = Replayer::new(&bytes[..], &schedule, with()).unwrap();
    let error = replayer.run_all(&mut schedule, &mut resources).unwrap_err();
    assert!(matches!(error, ReplayError::Cut { n_runs: 1 }), "{error}");
}

/// A reader that returns one byte at a time, and fails in between.
struct Slow<'b>(&'b [u8], bool);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.1 = !self.1;
        if self.1 {
            Err(io::ErrorKind::Interrupted.into())
        } else {
            let n = buffer.len().min(1);
            self.0.read(&mut buffer[..n])
        }
    }
}

#[test]
fn reader_can_return_single_bytes() {
    let (bytes, _) = record(&DISTANCES);
    let (mut schedule, mut resources) = (car(), Resources::new());
    let mut replayer = Replayer::new(Slow(&bytes, false), &schedule, recorded()).unwrap();
    assert_eq!(replayer.run_all(&mut schedule, &mut resources).unwrap(), 6);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_an_error(mut bytes in prop::collection::vec(any::<u8>(), 0..200), n_head in 0..60_usize) {
        prop_assert!(replay(&bytes).1.is_some());
        // The same with the begin of a recording.
        let n = n_head.min(bytes.len());
        bytes[..n].copy_from_slice(&record(&DISTANCES).0[..n]);
        prop_assert!(replay(&bytes).1.is_some());
    }

    /// Damage that the checksums do not show: a run is replayed or not, but nothing panics.
    #[test]
    fn changed_content_with_right_checksums_does_not_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let (bytes, _) = record(&DISTANCES);
        let n_frames = frames(&bytes).len();
        let changed = with_contents(&bytes, |nth, _, content| {
            for (frame, place, to) in &changes {
                if frame.index(n_frames) == nth && !content.is_empty() {
                    let place = place.index(content.len());
                    content[place] = *to;
                }
            }
        });
        if let (_, Some(error)) = replay(&changed) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}
