//! The bytes of recordings are those of `docs/recording-format.md`.

use schedule::prelude::*;
use schedule::replay::{RecordedResources, Recorder};

use super::Sensors;

const PAGE: &str = include_str!("../../../../docs/recording-format.md");

#[test]
fn example_of_the_page_is_right() {
    let mut builder = Schedule::builder();
    builder.add_closure("is_near", |sensors: &Sensors| sensors.distance < 10);
    let mut schedule = builder.build().unwrap();
    let mut resources = Resources::new();
    resources.insert(Sensors::at(3));
    let recorded = RecordedResources::new().input::<Sensors>();
    let mut recorder = Recorder::new(Vec::new(), &schedule, recorded).unwrap();
    recorder.run(&mut schedule, &mut resources).unwrap();
    let bytes = recorder.finish().unwrap();
    let (_, example) = PAGE.split_once("## Example").unwrap();
    let lines = example.lines().filter_map(|line| line.strip_prefix("    "));
    // Each line begins with the offset of its first byte.
    let mut found = Vec::new();
    for line in lines {
        let mut words = line.split_whitespace();
        assert_eq!(words.next(), Some(&*found.len().to_string()));
        found.extend(words.map(|word| u8::from_str_radix(word, 16).unwrap()));
    }
    let hex = bytes.iter().map(|byte| format!("{byte:02x} "));
    assert_eq!(found, bytes, "{}", hex.collect::<String>());
}
