//! The time of the village.

use std::time::Duration;

use schedule::prelude::*;
use schedule::rate::is_due;
use schedule::{Clock, Rate};

pub(crate) const HOUR: Duration = Duration::from_secs(60 * 60);
pub(crate) const HOURS_PER_DAY: u32 = 24;

/// Lengths of the frames in minutes, repeated. They differ, as on a screen, but are the same in every run.
///
/// None is longer than an hour, so each frame contains the end of at most one hour.
const FRAMES: [u32; 4] = [10, 25, 35, 50];
const FRAMES_PER_HOUR: u32 = 2;
pub(crate) const FRAMES_PER_DAY: u32 = FRAMES_PER_HOUR * HOURS_PER_DAY;

/// Systems that run once per hour, in the frame in which the hour ends.
#[derive(Group)]
pub(crate) struct Hour;

/// The rate of the hours. The tolerance is zero, so no hour is processed before it ends.
pub(crate) fn hours() -> Rate<Hour> {
    Rate::every(HOUR)
        .starting_at(HOUR)
        .tolerance(Duration::ZERO)
}

/// Advances the clock by one frame.
#[system(before = is_due::<Hour>)]
pub(crate) fn advance(clock: &mut Clock, mut n_frames: Local<usize>) {
    clock.advance(HOUR / 60 * FRAMES[*n_frames % FRAMES.len()]);
    *n_frames += 1;
}

/// The clock in hours and days. The village was founded at midnight of day 0.
#[derive(Params)]
pub(crate) struct Calendar<'r> {
    clock: &'r Clock,
}

impl Calendar<'_> {
    /// Number of hours that have ended.
    pub(crate) fn hours(&self) -> u32 {
        (self.clock.now().as_secs() / HOUR.as_secs()) as u32
    }

    pub(crate) fn day(&self) -> u32 {
        self.hours() / HOURS_PER_DAY
    }

    pub(crate) fn is_night(&self) -> bool {
        let hour = self.hours() % HOURS_PER_DAY;
        !(6..20).contains(&hour)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::movement::{Physics, steps};

    /// Numbers of steps and hours in a frame.
    #[derive(Resource, Default, Clone, Copy, PartialEq, Debug)]
    struct Passed(u32, u32);

    #[test]
    fn frames_have_zero_to_three_steps_and_an_hour_has_two_frames() {
        let mut frame = Schedule::builder()
            .add::<advance>()
            .before::<Physics>()
            .repeat_while::<is_due<Physics>>(|step| {
                step.add_closure("step", |passed: &mut Passed| passed.0 += 1)
            })
            .in_group::<Physics>()
            .add_closure("hour", |passed: &mut Passed| passed.1 += 1)
            .in_group::<Hour>()
            .after::<Physics>()
            .group::<Hour>()
            .run_if(Condition::of::<is_due<Hour>>())
            .build()
            .unwrap();
        let mut village = Resources::new();
        village.insert(Clock::new());
        village.insert(hours());
        village.insert(steps());
        for _ in 0..FRAMES_PER_DAY / 4 {
            let frames = [(); 4].map(|()| {
                village.insert_default::<Passed>();
                frame.run(&mut village).unwrap();
                *village.get::<Passed>().unwrap()
            });
            let expected = [Passed(0, 0), Passed(1, 0), Passed(2, 1), Passed(3, 1)];
            assert_eq!(frames, expected);
        }
        assert_eq!(village.get::<Clock>().unwrap().now(), HOUR * HOURS_PER_DAY);
    }
}
