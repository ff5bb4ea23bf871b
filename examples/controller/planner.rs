//! The planner: finds a path to the altitudes of the mission. It takes 5 ms, so it spans runs.

use std::time::{Duration, Instant};

use schedule::prelude::*;

use crate::altitude::Setpoint;
use crate::rates::Planning;

/// The altitudes that the vehicle is to have.
#[derive(Resource, Clone, Debug, Default)]
pub(crate) struct Mission {
    /// Times, and the altitude in m from this time on.
    pub(crate) targets: Vec<(Duration, f64)>,
    /// How long the planner works at least. A small path is found much faster.
    pub(crate) work: Duration,
}

/// Altitudes in steps of 50 ms.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub(crate) struct Path {
    /// The time of the first altitude.
    from: Duration,
    /// In m.
    altitudes: Vec<f64>,
}

/// The number of runs from the start of the planner to its results.
pub(crate) const RUNS_TO_RESULTS: u64 = 20;

const STEP: Duration = Duration::from_millis(50);
const N_STEPS: usize = 40;
/// The distance of two levels of altitude, in m.
const LEVEL: f64 = 0.05;
const N_LEVELS: usize = 61;
/// The largest change of the level in a step.
const MOST_LEVELS: usize = 2;

impl Mission {
    pub(crate) fn target(&self, now: Duration) -> f64 {
        let begun = self.targets.iter().rev().find(|(from, _)| *from <= now);
        begun.map_or(0.0, |&(_, target)| target)
    }
}

impl Path {
    /// The altitude in m and the climb in m/s at this time. `None` before the first path, and after its end.
    pub(crate) fn at(&self, now: Duration) -> Option<(f64, f64)> {
        let steps = now.checked_sub(self.from)?.as_secs_f64() / STEP.as_secs_f64();
        let (first, part) = (steps as usize, steps.fract());
        let (&low, &high) = (self.altitudes.get(first)?, self.altitudes.get(first + 1)?);
        let climb = (high - low) / STEP.as_secs_f64();
        Some((low + part * (high - low), climb))
    }
}

/// Plans the altitudes of the next two seconds.
///
/// [`Controller`](crate::Controller) starts it, and its results appear in a later run.
#[system(spanning, in = Planning)]
pub(crate) fn plan(clock: &Clock, setpoint: &Setpoint, mission: &Mission, path: &mut Path) {
    let start = Instant::now();
    path.from = clock.now();
    search(clock.now(), setpoint.altitude, mission, &mut path.altitudes);
    while start.elapsed() < mission.work {
        std::hint::spin_loop();
    }
}

/// Finds the cheapest path by dynamic programming: distance from the target, and changes of the altitude, both squared.
fn search(now: Duration, altitude: f64, mission: &Mission, path: &mut Vec<f64>) {
    // `costs[level]`: of the cheapest path that ends there. `moves[step][level]`: the level before.
    let mut costs = [f64::INFINITY; N_LEVELS];
    let mut moves = [[0; N_LEVELS]; N_STEPS];
    costs[((altitude / LEVEL).round().max(0.0) as usize).min(N_LEVELS - 1)] = 0.0;
    for (step, befores) in moves.iter_mut().enumerate().skip(1) {
        let target = mission.target(now + STEP * step as u32) / LEVEL;
        let old = costs;
        for (level, cost) in costs.iter_mut().enumerate() {
            let lowest = level.saturating_sub(MOST_LEVELS);
            let highest = (level + MOST_LEVELS).min(N_LEVELS - 1);
            let total = |before: usize| old[before] + (level as f64 - before as f64).powi(2);
            let cheapest = (lowest..=highest).min_by(|&a, &b| total(a).total_cmp(&total(b)));
            befores[level] = cheapest.unwrap_or(level);
            *cost = total(befores[level]) + (level as f64 - target).powi(2);
        }
    }
    let mut level = (0..N_LEVELS)
        .min_by(|&a, &b| costs[a].total_cmp(&costs[b]))
        .unwrap_or(0);
    path.clear();
    for befores in moves.iter().rev() {
        path.push(level as f64 * LEVEL);
        level = befores[level];
    }
    path.reverse();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_leads_to_the_target() {
        let mission = Mission {
            targets: vec![(Duration::ZERO, 1.0), (Duration::from_secs(1), 0.4)],
            work: Duration::ZERO,
        };
        let (mut path, mut clock) = (Path::default(), Clock::new());
        let setpoint = Setpoint {
            altitude: 0.5,
            climb: 0.0,
        };
        plan(&clock, &setpoint, &mission, &mut path);
        let rounded = |now| path.at(now).map(|(altitude, _)| (altitude * 100.0).round());
        assert_eq!(rounded(Duration::ZERO), Some(50.0));
        assert_eq!(rounded(Duration::from_millis(700)), Some(100.0));
        assert_eq!(rounded(Duration::from_millis(1800)), Some(40.0));
        assert_eq!(path.at(Duration::from_secs(2)), None);
        clock.advance(Duration::from_secs(3));
        plan(&clock, &setpoint, &mission, &mut path);
        assert_eq!(path.at(Duration::from_secs(2)), None);
    }
}
