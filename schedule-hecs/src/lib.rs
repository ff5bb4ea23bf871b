//! Entities for `schedule`: component queries that the compiler verifies.
//!
//! A [`World`] is a resource that stores entities in [hecs](https://docs.rs/hecs). A system takes a [`Query`], and its access to
//! components takes part in verification like the access to resources:
//!
//! ```
//! use schedule::prelude::*;
//! use schedule_hecs::prelude::*;
//!
//! #[derive(Component)]
//! struct Position(f32);
//!
//! #[derive(Component)]
//! struct Velocity(f32);
//!
//! #[derive(Component)]
//! struct Frozen;
//!
//! #[system]
//! fn integrate(mut moving: Query<(&mut Position, &Velocity), Without<Frozen>>) {
//!     for (position, velocity) in &mut moving {
//!         position.0 += velocity.0;
//!     }
//! }
//!
//! let mut world = World::new();
//! let entity = world.spawn((Position(1.0), Velocity(0.5)));
//! let mut resources = Resources::new();
//! resources.insert(world);
//!
//! let mut frame = Schedule::builder().add::<integrate>().build()?;
//! frame.run(&mut resources)?;
//! let world = resources.get_mut::<World>().unwrap();
//! assert_eq!(world.get_mut::<Position>(entity).unwrap().0, 1.5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Two systems that access a component need an order if one of them writes it, unless their filters prove that no entity
//! matches both. Systems with other components, or with disjoint filters, can run at the same time.
//!
//! `#[system(for_each)]` makes a system from a function on one entity, without a loop:
//!
//! ```
//! # use schedule::prelude::*;
//! # use schedule_hecs::prelude::*;
//! # #[derive(Component)]
//! # struct Position(f32);
//! # #[derive(Component)]
//! # struct Velocity(f32);
//! # #[derive(Component)]
//! # struct Frozen;
//! #[system(for_each, without = Frozen)]
//! fn integrate(position: &mut Position, velocity: &Velocity) {
//!     position.0 += velocity.0;
//! }
//!
//! let mut position = Position(1.0);
//! integrate(&mut position, &Velocity(0.5));
//! assert_eq!(position.0, 1.5);
//! ```
//!
//! Systems create and change entities by [`Commands`](schedule::Commands), with the methods of [`CommandsExt`]:
//!
//! ```
//! use schedule::prelude::*;
//! use schedule_hecs::prelude::*;
//!
//! #[derive(Component)]
//! struct Fuel(u32);
//!
//! #[system]
//! fn launch(mut commands: Commands) {
//!     commands.spawn((Fuel(3),));
//! }
//!
//! #[system(after = launch)]
//! fn burn(mut rockets: Query<(Entity, &mut Fuel)>, mut commands: Commands) {
//!     for (rocket, fuel) in &mut rockets {
//!         fuel.0 -= 1;
//!         if fuel.0 == 0 {
//!             commands.entity(rocket).despawn();
//!         }
//!     }
//! }
//!
//! let mut resources = Resources::new();
//! resources.insert(World::new());
//! let mut frame = Schedule::builder().add::<launch>().add::<burn>().build()?;
//! let mut n_rockets = || {
//!     frame.run(&mut resources)?;
//!     Ok::<_, Box<dyn std::error::Error>>(resources.get::<World>().unwrap().len())
//! };
//! assert_eq!([n_rockets()?, n_rockets()?, n_rockets()?], [1, 2, 2]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Systems that take `&mut World` can change everything in it, and conflict with every query. `&World` gives no access to
//! components.

#[doc(hidden)]
pub mod column;
mod commands;
mod entities;
mod filter;
mod location;
mod missed;
mod parameter;
mod query;
#[doc(hidden)]
pub mod saved;
mod table;
mod term;
mod view;
mod watched;
mod world;

pub use self::commands::{
    CommandsExt, EntityCommands, EntityTarget, IntoBundle, Ticket, WorldCommands, Writes,
};
#[doc(hidden)]
pub use self::filter::HasComponents;
pub use self::filter::QueryFilter;
pub use self::missed::{MissedCommand, MissedCommands};
pub use self::parameter::{QueryState, Stores};
pub use self::query::{
    Combinations, CombinationsMut, EachQuery, Iter, PreparedQuery, Queries, Query, SingleError,
};
#[cfg(feature = "snapshot")]
pub use self::saved::SavedTag;
pub use self::saved::{CopyError, KeptWorld};
#[doc(hidden)]
pub use self::table::WorldTable;
pub use self::term::{QueryTerms, ReadOnlyTerms, StaticTerms};
pub use self::view::ViewExt;
pub use self::world::{RemovedBundle, World, WorldVersion};
pub use hecs::{Bundle, ComponentError, DynamicBundle, Entity, MissingComponent, NoSuchEntity};
pub use schedule::entity::{
    Added, Changed, CommandKind, Component, ForEachError, MissedReason, Or, Row, With, Without,
};
pub use schedule::param::Mut;
pub use schedule_macros::SavedComponent;

/// The entities in a [`World`] that lost the component `C` since this system last ran. `T` is the tag of the world.
pub type Removed<'r, C, T = ()> = schedule::entity::Removed<'r, C, World<T>>;

/// The names that most programs need, in addition to the prelude of `schedule`.
pub mod prelude {
    pub use crate::SavedComponent;
    pub use crate::commands::{CommandsExt, Ticket, Writes};
    pub use crate::query::Query;
    pub use crate::world::World;
    pub use hecs::Entity;
    pub use schedule::entity::{Added, Changed, Component, Or, With, Without};
    pub use schedule::param::Mut;
}

/// Stores and queries by hecs itself, for programs that use it directly.
pub use hecs;

/// Makes the example of the README a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
