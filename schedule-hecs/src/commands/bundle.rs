//! Bundles that commands store, by type.
#![expect(
    unnameable_types,
    reason = "only this module may implement `IntoBundle`, whose types the compiler infers"
)]

use core::any::{Any, TypeId};
use std::collections::VecDeque;

use hecs::{BuiltEntity, BuiltEntityClone, Bundle, Entity, EntityBuilder, NoSuchEntity};
use schedule::internal::{UserValue, is_too_large};

use crate::entities::Entities;

/// The components of a command: a bundle of hecs, an `Option` of one, or components that are known only at run time.
///
/// | type | components |
/// |---|---|
/// | `(A,)`, `(A, B)`, …, types with `#[derive(hecs::Bundle)]` | all of them |
/// | `Option<B>` | those of `B`, or none |
/// | [`EntityBuilder`], [`BuiltEntity`], `&BuiltEntityClone` | those that were added |
///
/// No other type can implement it. The compiler infers `K`, which distinguishes the rows of this table.
///
/// ```
/// use schedule::prelude::*;
/// use schedule_hecs::hecs::EntityBuilder;
/// use schedule_hecs::prelude::*;
///
/// #[derive(Component)]
/// struct Name(&'static str);
///
/// #[derive(Component)]
/// struct Age(u32);
///
/// #[system]
/// fn load(mut commands: Commands) {
///     for (name, age) in [("oak", Some(80)), ("elm", None)] {
///         let tree = commands.spawn((Name(name),));
///         commands.entity(tree).insert(age.map(|years| (Age(years),)));
///     }
///     let mut builder = EntityBuilder::new();
///     builder.add(Name("fir")).add(Age(12));
///     commands.spawn(builder);
/// }
///
/// let mut resources = Resources::new();
/// resources.insert(World::new());
/// Schedule::builder().add::<load>().build()?.run(&mut resources)?;
/// let world = resources.get_mut::<World>().unwrap();
/// assert_eq!(world.query::<&Age>().iter().map(|age| age.0).sum::<u32>(), 92);
/// assert_eq!(world.query::<&Name>().iter().map(|name| name.0.len()).sum::<usize>(), 9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a bundle of components",
    label = "not a bundle",
    note = "write a tuple, for one component `({Self},)`; components and bundles must be `Send`, `Sync` and `'static`"
)]
pub trait IntoBundle<K>: sealed::SealedBundle<K> {
    #[doc(hidden)]
    type Stored: Stored;

    /// Returns the components, or `None` if there are none.
    #[doc(hidden)]
    fn into_stored(self) -> Option<Self::Stored>;
}

/// Marks [`IntoBundle`] for bundles of hecs.
#[derive(Debug)]
pub struct Typed;

/// Marks [`IntoBundle`] for an `Option`.
#[derive(Debug)]
pub struct Optional<K>(K);

/// Marks [`IntoBundle`] for components that are known only at run time.
#[derive(Debug)]
pub struct Untyped;

mod sealed {
    pub trait SealedBundle<K> {}
}

impl<B: Bundle + Send + 'static> sealed::SealedBundle<Typed> for B {}

impl<B: Bundle + Send + 'static> IntoBundle<Typed> for B {
    type Stored = OfType<B>;

    #[inline]
    fn into_stored(self) -> Option<OfType<B>> {
        Some(OfType(self))
    }
}

impl<K, B: IntoBundle<K>> sealed::SealedBundle<Optional<K>> for Option<B> {}

impl<K, B: IntoBundle<K>> IntoBundle<Optional<K>> for Option<B> {
    type Stored = B::Stored;

    #[inline]
    fn into_stored(self) -> Option<B::Stored> {
        self?.into_stored()
    }
}

impl sealed::SealedBundle<Untyped> for EntityBuilder {}

impl IntoBundle<Untyped> for EntityBuilder {
    type Stored = EntityBuilder;

    fn into_stored(self) -> Option<EntityBuilder> {
        Some(self)
    }
}

impl sealed::SealedBundle<Untyped> for BuiltEntity<'_> {}

impl IntoBundle<Untyped> for BuiltEntity<'_> {
    type Stored = EntityBuilder;

    fn into_stored(self) -> Option<EntityBuilder> {
        let mut builder = EntityBuilder::new();
        builder.add_bundle(self);
        Some(builder)
    }
}

impl sealed::SealedBundle<Untyped> for &BuiltEntityClone {}

impl IntoBundle<Untyped> for &BuiltEntityClone {
    type Stored = EntityBuilder;

    fn into_stored(self) -> Option<EntityBuilder> {
        let mut builder = EntityBuilder::new();
        builder.add_bundle(self);
        Some(builder)
    }
}

/// A value that a command stores.
pub trait Stored: Send + Sized + 'static {
    /// Creates an entity for each value, in their order.
    fn spawn(values: impl Iterator<Item = Self>, world: &mut Entities, each: impl FnMut(Entity));

    /// The types of the components.
    fn component_types(&self) -> Vec<TypeId>;

    /// Adds the components to an entity.
    fn insert(self, world: &mut Entities, entity: Entity) -> Result<(), NoSuchEntity>;
}

/// A bundle whose type says its components.
#[derive(Debug)]
pub struct OfType<B>(pub(super) B);

impl<B: Bundle + Send + 'static> Stored for OfType<B> {
    #[inline]
    fn spawn(values: impl Iterator<Item = Self>, world: &mut Entities, each: impl FnMut(Entity)) {
        world.spawn_batch(values.map(|value| value.0), each);
    }

    fn component_types(&self) -> Vec<TypeId> {
        B::with_static_ids(<[TypeId]>::to_vec)
    }

    #[inline]
    fn insert(self, world: &mut Entities, entity: Entity) -> Result<(), NoSuchEntity> {
        world.insert(entity, self.0)
    }
}

impl Stored for EntityBuilder {
    fn spawn(
        values: impl Iterator<Item = Self>,
        world: &mut Entities,
        mut each: impl FnMut(Entity),
    ) {
        values.for_each(|mut value| each(world.spawn(value.build())));
    }

    fn component_types(&self) -> Vec<TypeId> {
        self.component_types().collect()
    }

    fn insert(mut self, world: &mut Entities, entity: Entity) -> Result<(), NoSuchEntity> {
        world.insert(entity, self.build())
    }
}

/// The values of one type in a buffer, in the order of the commands.
pub(super) struct Column<S> {
    values: VecDeque<UserValue<S>>,
    /// The number of values when the application began.
    n_used: usize,
}

/// A [`Column`] of any type.
pub(super) trait AnyColumn: Any + Send {
    /// Ends the recording.
    fn begin(&mut self);

    /// Creates an entity for each of the next `n` values.
    fn spawn(&mut self, n: usize, world: &mut Entities, each: &mut dyn FnMut(Entity));

    /// Adds the components of the next value to an entity. Drops the value if the entity does not exist.
    fn insert(&mut self, world: &mut Entities, entity: Option<Entity>) -> Result<(), NoSuchEntity>;

    /// Ends the application of all values. Keeps memory for the next ones.
    fn end(&mut self);
}

impl<S> Default for Column<S> {
    fn default() -> Self {
        Self {
            values: VecDeque::new(),
            n_used: 0,
        }
    }
}

impl<S> Column<S> {
    #[inline]
    pub(super) fn push(&mut self, value: S) {
        self.values.push_back(UserValue::new(value));
    }

    pub(super) fn append(&mut self, values: Vec<UserValue<S>>) {
        if self.values.is_empty() {
            self.values = values.into();
        } else {
            self.values.extend(values);
        }
    }

    fn next(&mut self) -> S {
        let value = self.values.pop_front();
        value.expect("each command has its value").into_inner()
    }
}

impl<S: Stored> AnyColumn for Column<S> {
    fn begin(&mut self) {
        self.n_used = self.values.len();
    }

    fn spawn(&mut self, n: usize, world: &mut Entities, each: &mut dyn FnMut(Entity)) {
        S::spawn((0..n).map(|_| self.next()), world, each);
    }

    fn insert(&mut self, world: &mut Entities, entity: Option<Entity>) -> Result<(), NoSuchEntity> {
        let value = self.next();
        let entity = entity.ok_or(NoSuchEntity)?;
        value.insert(world, entity)
    }

    fn end(&mut self) {
        if is_too_large(self.values.capacity(), self.n_used) {
            self.values = VecDeque::new();
        }
    }
}
