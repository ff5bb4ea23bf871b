//! Random programs that are restored in the middle, on all executors.

use proptest::prelude::*;
use schedule::columns::Columns;
use schedule::prelude::*;
use schedule::{SavedProgram, SavedResources};
use schedule_hecs::prelude::World;

use super::{Bird, Step, frame, resources, saved, schedule_with};
use schedule_tests::on::On;

/// The digest before the first frame, and after each, of a program without restores.
fn digests(steps: &[Step], n_frames: usize) -> Vec<u64> {
    let mut schedule = schedule_with(steps);
    let mut resources = resources();
    let mut saved = saved();
    let digest = |number| {
        if number > 0 {
            frame(On::Serial, &mut schedule, &mut resources);
        }
        saved.save(&mut [&mut schedule], &resources).unwrap();
        saved.digest().unwrap()
    };
    (0..=n_frames).map(digest).collect()
}

const N_FRAMES: usize = 12;

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 1 } else { 150 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn later_runs_are_the_same_after_a_restore(
        steps in prop::sample::subsequence(&Step::ALL[..], 1..=Step::ALL.len()).prop_shuffle(),
        n_before in 0..N_FRAMES,
        n_later in prop::collection::vec(1_usize..8, 1..4),
        in_other_program in prop::bool::ANY,
    ) {
        let expected = digests(&steps, N_FRAMES + 8);
        let mut schedule = schedule_with(&steps);
        for &on in On::ALL {
            on.set(&mut schedule);
            // A schedule begins again with its first values.
            schedule.reset_locals();
            let mut resources = resources();
            let mut now = saved();
            let mut check = |schedule: &mut Schedule, resources: &Resources, frame: usize| {
                now.save(&mut [schedule], resources).unwrap();
                prop_assert_eq!(now.digest().unwrap(), expected[frame], "{:?}, frame {}", on, frame);
                Ok(())
            };
            for idx in 0..n_before {
                frame(on, &mut schedule, &mut resources);
                check(&mut schedule, &resources, idx + 1)?;
            }
            let mut kept = saved();
            kept.save(&mut [&mut schedule], &resources).unwrap();
            for &n in &n_later {
                for idx in 0..n {
                    frame(on, &mut schedule, &mut resources);
                    check(&mut schedule, &resources, n_before + 1 + idx)?;
                }
                if in_other_program {
                    resources = super::resources();
                    schedule = schedule_with(&steps);
                    on.set(&mut schedule);
                }
                kept.restore(&mut [&mut schedule], &mut resources).unwrap();
                // Before the first run, a queue has no readers. Those of a later run stay registered.
                if n_before > 0 {
                    check(&mut schedule, &resources, n_before)?;
                }
                // A clone of the state is a state of its own.
                let clone = kept.clone();
                prop_assert_eq!(clone.digest().unwrap(), expected[n_before]);
                prop_assert_eq!(clone.difference(&kept).unwrap(), None);
                kept = clone;
            }
        }
    }
}

#[test]
fn digest_does_not_depend_on_the_form_of_the_copy() {
    let steps = [Step::Hatch, Step::Fly, Step::Walk, Step::Starve, Step::Tire];
    let mut schedule = schedule_with(&steps);
    let mut resources = resources();
    for _ in 0..6 {
        frame(On::Serial, &mut schedule, &mut resources);
    }
    let mut forms = [
        SavedProgram::new().with::<World>().with::<Columns<Bird>>(),
        SavedProgram::new()
            .with_encoded::<World>()
            .with_encoded::<Columns<Bird>>(),
    ];
    let digests = forms.each_mut().map(|form| {
        form.save(&mut [&mut schedule], &resources).unwrap();
        form.digest().unwrap()
    });
    assert_eq!(digests[0], digests[1]);
    assert_eq!(forms[0].difference(&forms[1]).unwrap(), None);
    let bytes = |resources: &Resources| {
        let saved = SavedResources::new()
            .with::<World>()
            .with::<Columns<Bird>>();
        saved.save(resources).unwrap()
    };
    let before = bytes(&resources);
    for form in &forms {
        frame(On::Serial, &mut schedule, &mut resources);
        form.restore(&mut [&mut schedule], &mut resources).unwrap();
        assert_eq!(bytes(&resources), before);
    }
}
