//! The workload `light`: eight systems that do little for each entity, on five components.
//!
//! Without a bound, a decaying velocity would become a subnormal number after some runs, which processors compute slowly.
//! Therefore the drag is relative to the wind.

use schedule::columns::Columns;

use crate::digest::Digest;

/// Declares components for all contenders.
macro_rules! components {
    ($($(#[$doc:meta])* $name:ident($field:ty);)*) => {$(
        $(#[$doc])*
        #[derive(
            Clone,
            Copy,
            Debug,
            schedule::entity::Component,
            bevy_ecs::component::Component,
        )]
        #[cfg_attr(feature = "flecs", derive(flecs_ecs::macros::Component))]
        pub(crate) struct $name(pub(crate) $field);
    )*};
}
pub(crate) use components;

components! {
    Position([f32; 3]);
    Velocity([f32; 3]);
    Acceleration([f32; 3]);
    Health(f32);
    Age(f32);
}

/// The components of an entity.
#[derive(Clone, Copy, Columns)]
pub(crate) struct Body {
    pub(crate) position: Position,
    pub(crate) velocity: Velocity,
    pub(crate) acceleration: Acceleration,
    pub(crate) health: Health,
    pub(crate) age: Age,
}

impl Body {
    fn nth(idx: usize) -> Self {
        Self {
            position: Position([idx as f32, 1.0, 0.0]),
            velocity: Velocity([(idx % 30) as f32, 0.0, 1.0]),
            acceleration: Acceleration([0.0; 3]),
            health: Health(100.0),
            age: Age(0.0),
        }
    }

    pub(crate) fn all(n_entities: usize) -> impl Iterator<Item = Self> {
        (0..n_entities).map(Self::nth)
    }

    pub(crate) fn into_tuple(self) -> (Position, Velocity, Acceleration, Health, Age) {
        let Self {
            position,
            velocity,
            acceleration,
            health,
            age,
        } = self;
        (position, velocity, acceleration, health, age)
    }
}

impl Digest {
    /// Adds an entity.
    pub(crate) fn add_body(
        &mut self,
        position: &Position,
        velocity: &Velocity,
        acceleration: &Acceleration,
        health: &Health,
        age: &Age,
    ) {
        let vectors = [position.0, velocity.0, acceleration.0];
        let numbers = vectors.into_iter().flatten().chain([health.0, age.0]);
        self.add(numbers.map(|number| u64::from(number.to_bits())));
    }
}

/// Seconds.
const STEP: f32 = 0.016;
const GRAVITY: f32 = 9.81;
const DRAG: f32 = 0.1;
const WIND: [f32; 3] = [3.0, 0.0, 2.0];

#[inline(always)]
pub(crate) fn fall(acceleration: &mut Acceleration) {
    acceleration.0[1] -= GRAVITY;
}

#[inline(always)]
pub(crate) fn drag(velocity: &Velocity, acceleration: &mut Acceleration) {
    for (axis, wind) in WIND.iter().enumerate() {
        acceleration.0[axis] -= DRAG * (velocity.0[axis] - wind);
    }
}

#[inline(always)]
pub(crate) fn accelerate(velocity: &mut Velocity, acceleration: &Acceleration) {
    for axis in 0..3 {
        velocity.0[axis] += acceleration.0[axis] * STEP;
    }
}

#[inline(always)]
pub(crate) fn reset(acceleration: &mut Acceleration) {
    acceleration.0 = [0.0; 3];
}

#[inline(always)]
pub(crate) fn advance(position: &mut Position, velocity: &Velocity) {
    for axis in 0..3 {
        position.0[axis] += velocity.0[axis] * STEP;
    }
}

#[inline(always)]
pub(crate) fn bounce(position: &mut Position, velocity: &mut Velocity) {
    if position.0[1] < 0.0 {
        position.0[1] = 0.0;
        velocity.0[1] *= -0.5;
    }
}

#[inline(always)]
pub(crate) fn exhaust(velocity: &Velocity, health: &mut Health) {
    let [x, y, z] = velocity.0;
    let is_fast = x * x + y * y + z * z > 400.0;
    health.0 -= if is_fast { 0.1 } else { 0.0 };
}

#[inline(always)]
pub(crate) fn grow_old(age: &mut Age, health: &mut Health) {
    age.0 += STEP;
    health.0 -= age.0 * 1e-6;
}
