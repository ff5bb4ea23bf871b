//! The kept values, and errors.

use std::panic::{AssertUnwindSafe, catch_unwind};

use schedule::SavedProgram;
use schedule::condition::changed;
use schedule::prelude::*;
use schedule::program::ProgramError;
use schedule::snapshot::{Decoder, Encoder, Schema, Snapshot, SnapshotError};
use serde::{Deserialize, Serialize};

use schedule_tests::on::On;

use super::{ChangeCount, Log, Step, schedule_with};

#[derive(Resource, Snapshot, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[snapshot(name = "score")]
struct Score(Vec<u32>);

fn score(resources: &Resources) -> Option<Vec<u32>> {
    resources.get::<Score>().map(|score| score.0.clone())
}

#[test]
fn resource_that_was_missing_is_removed_again() {
    for mut saved in [
        SavedProgram::new().with::<Score>(),
        SavedProgram::new().with_encoded::<Score>(),
    ] {
        let mut resources = Resources::new();
        saved.save(&mut [], &resources).unwrap();
        let missing = saved.clone();
        resources.insert(Score(vec![1, 2]));
        saved.save(&mut [], &resources).unwrap();
        assert_eq!(
            missing.difference(&saved).unwrap().as_deref(),
            Some("score")
        );
        assert_ne!(missing.digest().unwrap(), saved.digest().unwrap());
        missing.restore(&mut [], &mut resources).unwrap();
        assert_eq!(score(&resources), None);
        saved.restore(&mut [], &mut resources).unwrap();
        assert_eq!(score(&resources), Some(vec![1, 2]));
        resources.get_mut::<Score>().unwrap().0.push(3);
        saved.restore(&mut [], &mut resources).unwrap();
        assert_eq!(score(&resources), Some(vec![1, 2]));
    }
}

#[test]
fn resources_that_were_not_added_stay() {
    let mut resources = Resources::new();
    resources.insert(Score(vec![1]));
    resources.insert(ChangeCount(1));
    let mut saved = SavedProgram::new().with::<Score>().with::<Score>();
    saved.save(&mut [], &resources).unwrap();
    resources.insert(Score(vec![2]));
    resources.insert(ChangeCount(2));
    saved.restore(&mut [], &mut resources).unwrap();
    assert_eq!(score(&resources), Some(vec![1]));
    assert_eq!(resources.get::<ChangeCount>().unwrap().0, 2);
}

#[test]
fn wrong_calls_are_errors() {
    let mut resources = super::resources();
    let mut saved = super::saved();
    let text = |result: Result<(), ProgramError>| result.unwrap_err().to_string();
    let empty = "no state was saved: call `save` first";
    assert_eq!(text(saved.restore(&mut [], &mut resources)), empty);
    assert_eq!(text(saved.digest().map(|_| ())), empty);
    let mut schedule = schedule_with(&[Step::Hatch, Step::Walk]);
    saved.save(&mut [&mut schedule], &resources).unwrap();
    assert_eq!(
        text(saved.restore(&mut [], &mut resources)),
        "the states of 1 schedules were saved, but 0 were given: give the same ones in the same order"
    );
    let mut other = schedule_with(&[Step::Hatch]);
    let error = text(saved.restore(&mut [&mut other], &mut resources));
    assert!(
        error.contains("`walk` is in the saved state, but not in the schedule"),
        "{error}"
    );
    // Another resource makes another program.
    let mut saved = saved.with::<Score>();
    assert_eq!(
        text(saved.restore(&mut [&mut schedule], &mut resources)),
        empty
    );
    saved.save(&mut [&mut schedule], &resources).unwrap();
    saved.restore(&mut [&mut schedule], &mut resources).unwrap();
}

#[test]
fn differences_are_named() {
    let mut resources = super::resources();
    let mut schedule = schedule_with(&[Step::Hatch, Step::Walk]);
    let mut first = super::saved();
    first.save(&mut [&mut schedule], &resources).unwrap();
    let mut second = first.clone();
    resources.get_mut::<Log>().unwrap().sum = 1;
    second.save(&mut [&mut schedule], &resources).unwrap();
    assert_eq!(first.difference(&second).unwrap().as_deref(), Some("log"));
    first.save(&mut [&mut schedule], &resources).unwrap();
    assert_eq!(first.difference(&second).unwrap(), None);
    assert!(schedule.set_enabled("walk", false).is_ok());
    second.save(&mut [&mut schedule], &resources).unwrap();
    assert_eq!(first.difference(&second).unwrap().as_deref(), Some("walk"));
    assert_ne!(first.digest().unwrap(), second.digest().unwrap());
}

#[derive(Resource)]
struct Input(u32);

#[system(if = changed<Input>)]
fn react(input: &Input, score: &mut Score) {
    score.0.push(input.0);
}

#[test]
fn inputs_that_are_not_saved_change_as_before() {
    let mut schedule = Schedule::builder().add::<react>().build().unwrap();
    let mut resources = Resources::new();
    resources.insert(Score(Vec::new()));
    resources.insert(Input(0));
    let mut saved = SavedProgram::new().with::<Score>().without::<Input>();
    saved.check(&mut [&mut schedule], &resources).unwrap();
    // An input in every second frame.
    let run = |schedule: &mut Schedule, resources: &mut Resources, frame: u32| {
        if frame.is_multiple_of(2) {
            resources.insert(Input(frame));
        }
        schedule.run(resources).unwrap();
    };
    (1..=4).for_each(|frame| run(&mut schedule, &mut resources, frame));
    saved.save(&mut [&mut schedule], &resources).unwrap();
    (5..=9).for_each(|frame| run(&mut schedule, &mut resources, frame));
    let expected = score(&resources);
    let mut later = saved.clone();
    later.save(&mut [&mut schedule], &resources).unwrap();
    for _ in 0..2 {
        saved.restore(&mut [&mut schedule], &mut resources).unwrap();
        (5..=9).for_each(|frame| run(&mut schedule, &mut resources, frame));
        assert_eq!(score(&resources), expected);
        let mut again = later.clone();
        again.save(&mut [&mut schedule], &resources).unwrap();
        assert_eq!(again.digest().unwrap(), later.digest().unwrap());
        assert_eq!(again.difference(&later).unwrap(), None);
    }
    assert_eq!(expected, Some(vec![0, 2, 4, 6, 8]));
}

#[test]
fn program_is_unchanged_if_a_later_schedule_does_not_match() {
    let mut resources = super::resources();
    let [mut first, mut second] = [[Step::Hatch], [Step::Turn]].map(|steps| schedule_with(&steps));
    let mut saved = super::saved();
    saved
        .save(&mut [&mut first, &mut second], &resources)
        .unwrap();
    let empty = saved.clone();
    super::frame(On::Serial, &mut first, &mut resources);
    saved
        .save(&mut [&mut first, &mut second], &resources)
        .unwrap();
    let digest = saved.digest().unwrap();
    let mut other = schedule_with(&[Step::Walk]);
    let error = empty.restore(&mut [&mut first, &mut other], &mut resources);
    assert!(matches!(error, Err(ProgramError::Schedule(_))));
    saved
        .save(&mut [&mut first, &mut second], &resources)
        .unwrap();
    assert_eq!(saved.digest().unwrap(), digest);
    let mut shorter = saved.clone();
    shorter.save(&mut [&mut first], &resources).unwrap();
    assert_eq!(saved.difference(&shorter).unwrap().as_deref(), Some("turn"));
    assert_eq!(shorter.difference(&saved).unwrap().as_deref(), Some("turn"));
}

/// Fails or panics when it is saved, or cloned.
#[derive(Resource, Debug)]
struct Fragile {
    fails: bool,
    panics: bool,
}

impl Clone for Fragile {
    fn clone(&self) -> Self {
        assert!(!self.panics, "too fragile");
        Self { ..*self }
    }
}

impl Snapshot for Fragile {
    const NAME: &'static str = "fragile";
    const VERSION: u32 = 1;

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        if self.fails {
            return Err(to.error("too fragile"));
        }
        to.write(&self.panics)
    }

    fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        Ok(Self {
            fails: false,
            panics: from.read()?,
        })
    }

    fn schema() -> Schema {
        Schema::of::<bool>()
    }
}

#[test]
fn after_a_failure_no_state_is_saved() {
    let mut resources = Resources::new();
    resources.insert(Fragile {
        fails: false,
        panics: false,
    });
    let mut cloned = SavedProgram::new().with::<Fragile>();
    let mut encoded = SavedProgram::new().with_encoded::<Fragile>();
    cloned.save(&mut [], &resources).unwrap();
    encoded.save(&mut [], &resources).unwrap();
    resources.insert(Fragile {
        fails: true,
        panics: true,
    });
    assert!(
        encoded
            .save(&mut [], &resources)
            .unwrap_err()
            .to_string()
            .contains("too fragile")
    );
    assert!(matches!(encoded.digest(), Err(ProgramError::Empty)));
    assert!(catch_unwind(AssertUnwindSafe(|| cloned.save(&mut [], &resources))).is_err());
    assert!(matches!(
        cloned.restore(&mut [], &mut resources),
        Err(ProgramError::Empty)
    ));
    resources.insert(Fragile {
        fails: false,
        panics: false,
    });
    for saved in [&mut cloned, &mut encoded] {
        saved.save(&mut [], &resources).unwrap();
        saved.restore(&mut [], &mut resources).unwrap();
    }
}
