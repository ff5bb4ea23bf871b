//! The bytes of recordings are those of `docs/recording-format.md`.

use schedule::prelude::*;
use schedule::replay::{RecordedResources, Recorder, Replayer};
use schedule_tests::listener::Listener;

use super::Sensors;

const PAGE: &str = include_str!("../../../../docs/recording-format.md");

/// The example in format 1, as an earlier version of this crate has written it: without the flags of frames.
const FIRST_FORMAT: &str = "
    0   89 53 43 48 52 55 4e 0a 01 00 00 00
    12  01 13 00 00 00
    17  02 00 05 63 6c 6f 63 6b 01 00 07 73 65 6e 73 6f 72 73 01
    36  93 9e 37 e8
    40  02 0a 00 00 00
    45  01 00 07 69 73 5f 6e 65 61 72
    55  1f c8 42 87
    59  03 07 00 00 00
    64  00 02 01 02 03 00 00
    71  b9 7c 0f 34
    75  04 06 00 00 00
    80  00 01 06 00 00 00
    86  6d ca 88 76
    90  05 01 00 00 00
    95  01
    96  8b 9d b6 ff
";

/// The bytes of lines that begin with the offset of their first byte.
fn bytes_of(text: &str) -> Vec<u8> {
    let mut found = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("    ")) {
        let mut words = line.split_whitespace();
        assert_eq!(words.next(), Some(&*found.len().to_string()));
        found.extend(words.map(|word| u8::from_str_radix(word, 16).unwrap()));
    }
    found
}

fn near() -> Schedule {
    let mut builder = Schedule::builder();
    builder.add_closure("is_near", |sensors: &Sensors| sensors.distance < 10);
    builder.build().unwrap()
}

#[test]
fn recording_in_the_first_format_is_replayed_with_one_warning() {
    let (mut schedule, mut resources) = (near(), Resources::new());
    let bytes = bytes_of(FIRST_FORMAT);
    let recorded = RecordedResources::new().input::<Sensors>();
    let texts = Listener::warnings(|| {
        let mut replayer = Replayer::new(&bytes[..], &schedule, recorded).unwrap();
        let n_runs = replayer.run_all(&mut schedule, &mut resources).unwrap();
        assert_eq!(n_runs, 1);
    });
    assert_eq!(resources.get::<Sensors>(), Some(&Sensors::at(3)));
    assert_eq!(texts.len(), 1, "{texts:?}");
    assert!(texts[0].starts_with("an older release has written the recording:"));
}

#[test]
fn example_of_the_page_is_right() {
    let mut schedule = near();
    let mut resources = Resources::new();
    resources.insert(Sensors::at(3));
    let recorded = RecordedResources::new().input::<Sensors>();
    let mut recorder = Recorder::new(Vec::new(), &schedule, recorded).unwrap();
    recorder.run(&mut schedule, &mut resources).unwrap();
    let bytes = recorder.finish().unwrap();
    let (_, example) = PAGE.split_once("## Example").unwrap();
    let found = bytes_of(example);
    let hex = bytes.iter().map(|byte| format!("{byte:02x} "));
    assert_eq!(found, bytes, "{}", hex.collect::<String>());
}
