//! Loops for `light`.

use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;

use super::Entities;
use crate::digest::Digest;
use crate::light::{self, Acceleration, Age, Body, Health, Position, Velocity};

#[derive(Default)]
pub(super) struct Bodies {
    positions: Vec<Position>,
    velocities: Vec<Velocity>,
    accelerations: Vec<Acceleration>,
    healths: Vec<Health>,
    ages: Vec<Age>,
}

pub(super) struct Rows<'a> {
    positions: &'a mut [Position],
    velocities: &'a mut [Velocity],
    accelerations: &'a mut [Acceleration],
    healths: &'a mut [Health],
    ages: &'a mut [Age],
}

impl Bodies {
    pub(super) fn new(n_entities: usize) -> Self {
        let mut bodies = Self::default();
        for body in Body::all(n_entities) {
            bodies.positions.push(body.position);
            bodies.velocities.push(body.velocity);
            bodies.accelerations.push(body.acceleration);
            bodies.healths.push(body.health);
            bodies.ages.push(body.age);
        }
        bodies
    }
}

impl Entities for Bodies {
    type Rows<'a> = Rows<'a>;

    const SYSTEMS: &'static [fn(&mut Rows<'_>) -> u64] = &[
        fall, drag, accelerate, reset, advance, bounce, exhaust, grow_old,
    ];

    fn rows(&mut self) -> Rows<'_> {
        Rows {
            positions: &mut self.positions,
            velocities: &mut self.velocities,
            accelerations: &mut self.accelerations,
            healths: &mut self.healths,
            ages: &mut self.ages,
        }
    }

    fn chunks<'a>(rows: Self::Rows<'a>, n_rows: usize) -> impl Iterator<Item = Self::Rows<'a>> {
        let positions = rows.positions.chunks_mut(n_rows);
        let velocities = rows.velocities.chunks_mut(n_rows);
        let accelerations = rows.accelerations.chunks_mut(n_rows);
        let healths = rows.healths.chunks_mut(n_rows);
        let ages = rows.ages.chunks_mut(n_rows);
        let all = positions
            .zip(velocities)
            .zip(accelerations)
            .zip(healths)
            .zip(ages);
        all.map(
            |((((positions, velocities), accelerations), healths), ages)| Rows {
                positions,
                velocities,
                accelerations,
                healths,
                ages,
            },
        )
    }

    fn par_chunks<'a>(
        rows: Self::Rows<'a>,
        n_rows: usize,
    ) -> impl IndexedParallelIterator<Item = Self::Rows<'a>> {
        let all = (
            rows.positions.par_chunks_mut(n_rows),
            rows.velocities.par_chunks_mut(n_rows),
            rows.accelerations.par_chunks_mut(n_rows),
            rows.healths.par_chunks_mut(n_rows),
            rows.ages.par_chunks_mut(n_rows),
        );
        all.into_par_iter().map(
            |(positions, velocities, accelerations, healths, ages)| Rows {
                positions,
                velocities,
                accelerations,
                healths,
                ages,
            },
        )
    }

    fn add_to_sum(&mut self, _: u64) {}

    fn digest(&self) -> Digest {
        let mut digest = Digest::default();
        for row in 0..self.positions.len() {
            digest.add_body(
                &self.positions[row],
                &self.velocities[row],
                &self.accelerations[row],
                &self.healths[row],
                &self.ages[row],
            );
        }
        digest
    }
}

fn fall(rows: &mut Rows<'_>) -> u64 {
    rows.accelerations.iter_mut().for_each(light::fall);
    0
}

fn drag(rows: &mut Rows<'_>) -> u64 {
    for (velocity, acceleration) in rows.velocities.iter().zip(&mut *rows.accelerations) {
        light::drag(velocity, acceleration);
    }
    0
}

fn accelerate(rows: &mut Rows<'_>) -> u64 {
    for (velocity, acceleration) in rows.velocities.iter_mut().zip(&*rows.accelerations) {
        light::accelerate(velocity, acceleration);
    }
    0
}

fn reset(rows: &mut Rows<'_>) -> u64 {
    rows.accelerations.iter_mut().for_each(light::reset);
    0
}

fn advance(rows: &mut Rows<'_>) -> u64 {
    for (position, velocity) in rows.positions.iter_mut().zip(&*rows.velocities) {
        light::advance(position, velocity);
    }
    0
}

fn bounce(rows: &mut Rows<'_>) -> u64 {
    for (position, velocity) in rows.positions.iter_mut().zip(&mut *rows.velocities) {
        light::bounce(position, velocity);
    }
    0
}

fn exhaust(rows: &mut Rows<'_>) -> u64 {
    for (velocity, health) in rows.velocities.iter().zip(&mut *rows.healths) {
        light::exhaust(velocity, health);
    }
    0
}

fn grow_old(rows: &mut Rows<'_>) -> u64 {
    for (age, health) in rows.ages.iter_mut().zip(&mut *rows.healths) {
        light::grow_old(age, health);
    }
    0
}
