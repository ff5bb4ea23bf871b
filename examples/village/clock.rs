//! The time of the village: frames take as long as they take, and hours pass.

use std::time::Duration;

use schedule::prelude::*;
use schedule::rate::is_due;
use schedule::{Clock, Rate};

pub(crate) const HOUR: Duration = Duration::from_secs(60 * 60);
pub(crate) const HOURS_PER_DAY: u32 = 24;

/// Minutes that one frame after the other takes, over and over: uneven, as on a screen, but the same on every run.
///
/// None is longer than an hour, so that no frame has to make up for several.
const FRAMES: [u32; 4] = [10, 25, 35, 50];
const FRAMES_PER_HOUR: u32 = 2;
pub(crate) const FRAMES_PER_DAY: u32 = FRAMES_PER_HOUR * HOURS_PER_DAY;

/// What goes on by the hour, in the frame in which an hour is over; the others leave it out.
#[derive(Group)]
pub(crate) struct Hour;

/// An hour goes on when it is over, and not before: frames are shorter than an hour, so an early one would be another.
pub(crate) fn hours() -> Rate<Hour> {
    Rate::every(HOUR)
        .starting_at(HOUR)
        .tolerance(Duration::ZERO)
}

/// Moves the clock on by a frame.
#[system(before = is_due::<Hour>)]
pub(crate) fn advance(clock: &mut Clock, mut n_frames: Local<usize>) {
    clock.advance(HOUR / 60 * FRAMES[*n_frames % FRAMES.len()]);
    *n_frames += 1;
}

/// The clock, in hours and days since the village was founded, at midnight.
#[derive(Params)]
pub(crate) struct Calendar<'r> {
    clock: &'r Clock,
}

impl Calendar<'_> {
    /// Hours that are over.
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

    /// Steps and hours of a frame.
    #[derive(Resource, Default, Clone, Copy, PartialEq, Debug)]
    struct Passed(u32, u32);

    #[test]
    fn frames_have_none_to_three_steps_and_two_frames_an_hour() {
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
            .run_if(schedule::Condition::of::<is_due<Hour>>())
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
