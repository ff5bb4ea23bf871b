//! Entities without an ECS: a store with a column for each component.
//!
//! The entities of one kind have the same components. A struct with `#[derive(Columns)]` declares a kind: each field is a
//! component. [`Columns`](struct@Columns) stores the entities. It is one resource, but systems conflict only on the components
//! that they use, as if each column were a resource of its own:
//!
//! ```
//! use schedule::columns::{ColumnMut, ColumnRef, Columns};
//! use schedule::entity::Component;
//! use schedule::prelude::*;
//!
//! #[derive(Component)]
//! struct Position(f32);
//!
//! #[derive(Component)]
//! struct Hunger(u32);
//!
//! #[derive(Columns)]
//! struct Villager {
//!     position: Position,
//!     hunger: Hunger,
//! }
//!
//! /// Runs for each villager.
//! #[system(for_each = Columns<Villager>)]
//! fn starve(hunger: &mut Hunger) {
//!     hunger.0 += 1;
//! }
//!
//! /// Runs once, with the whole column. It can run at the same time as `starve`.
//! #[system]
//! fn gather(mut positions: ColumnMut<Villager, Position>) {
//!     let sum: f32 = positions.iter().map(|position| position.0).sum();
//!     let mean = sum / positions.len() as f32;
//!     for position in &mut positions {
//!         position.0 += (mean - position.0) / 2.0;
//!     }
//! }
//!
//! /// Changes the set of villagers. The change takes place at the end of the run.
//! #[system(after = starve)]
//! fn die(hungers: ColumnRef<Villager, Hunger>, mut commands: Commands) {
//!     for (hunger, &villager) in hungers.iter().zip(hungers.ids()) {
//!         if hunger.0 > 9 {
//!             commands.columns().despawn(villager);
//!         }
//!     }
//! }
//!
//! let mut villagers = Columns::new();
//! let old = villagers.spawn(Villager { position: Position(2.0), hunger: Hunger(9) });
//! let young = villagers.spawn(Villager { position: Position(1.0), hunger: Hunger(0) });
//!
//! let mut resources = Resources::new();
//! resources.insert(villagers);
//! let mut day = Schedule::builder().add::<starve>().add::<gather>().add::<die>().build()?;
//! day.run(&mut resources)?;
//!
//! let villagers = resources.get_mut::<Columns<Villager>>().unwrap();
//! assert!(!villagers.contains(old));
//! assert_eq!(villagers.row(young), Some(0));
//! assert_eq!(villagers.get_mut::<Hunger>(young).unwrap().0, 1);
//! assert_eq!(villagers.column::<Position>()[0].0, 1.25);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | run for each entity | `#[system(for_each = Columns<Villager>)]`; the id is a parameter `EntityId<Villager>` |
//! | use a whole column | the parameter [`ColumnRef`] or [`ColumnMut`], which is a slice |
//! | map ids to rows and rows to ids | the parameter `&Columns<Villager>`, or a column |
//! | compute next values from current ones | a component [`Buffer<C>`](Buffer), and [`ColumnMut::swap`] |
//! | sort the rows by a key | [`Columns::sort_by_key`] |
//! | add and remove entities in a system | [`Commands::columns`](crate::Commands::columns) |
//! | do everything | the parameter `&mut Columns<Villager>`, which conflicts with all of these |
//!
//! If entities of one kind have different components, or gain and lose them, use `schedule-hecs`.

mod buffer;
mod clone;
mod column;
mod commands;
mod each;
mod id;
mod kind;
mod parameter;
#[cfg(feature = "snapshot")]
mod saved;
#[cfg(any(feature = "serde", feature = "snapshot"))]
mod serialized;
mod sort;
mod store;
mod table;
mod terms;
mod values;
mod view;

pub use self::buffer::Buffer;
pub use self::commands::ColumnsCommands;
pub use self::id::EntityId;
pub use self::kind::{EntityKind, HasColumn};
pub use self::parameter::{ColumnMut, ColumnRef};
pub use self::sort::KeyTerms;
pub use self::store::Columns;
pub use self::terms::ColumnTerms;

#[doc(hidden)]
pub use self::clone::{CloneColumns, ReadComponents};
#[doc(hidden)]
pub use self::column::{AnyColumn, OwnedColumn};
#[doc(hidden)]
pub use self::each::EachColumn;
#[doc(hidden)]
pub use self::kind::ColumnSet;
#[doc(hidden)]
pub use self::parameter::AssembleColumn;
#[cfg(feature = "snapshot")]
#[doc(hidden)]
pub use self::saved::{SavedColumns, SavedKind, saved_component};
#[cfg(any(feature = "serde", feature = "snapshot"))]
#[doc(hidden)]
pub use self::serialized::SerdeColumns;
#[doc(hidden)]
pub use self::store::ColumnsVersion;

pub use schedule_macros::Columns;

#[cfg(test)]
mod tests;
