//! Queries in dynamic systems.
//!
//! Invariant: a [`View`] returns [`Components`](schedule::entity::Components) only if the system declares their access, and no
//! two terms conflict. The schedule was verified with this declaration. The value borrows the view, exclusively if the query
//! writes. So while a query that writes exists, the view returns nothing else.
#![expect(unsafe_code, reason = "creates queries of a shared world")]

use schedule::Identity;
use schedule::dynamic::{AccessError, View};
use schedule::entity::{ComponentTerms, EntityFilter};

use crate::filter::QueryFilter;
use crate::query::Query;
use crate::term::{QueryTerms, ReadOnlyTerms, StaticTerms};
use crate::world::World;

/// Queries in a [`DynamicSystem`](schedule::dynamic::DynamicSystem).
///
/// The system declares the components that it accesses as a [`DynamicQuery`](schedule::entity::DynamicQuery), so they can be
/// chosen at run time. The body names the component types. A query fails if no declared query covers one of its terms.
///
/// ```
/// use std::collections::HashMap;
///
/// use schedule::dynamic::DynamicSystem;
/// use schedule::entity::{ComponentId, DynamicQuery};
/// use schedule::prelude::*;
/// use schedule_hecs::ViewExt;
/// use schedule_hecs::prelude::*;
///
/// #[derive(Component)]
/// struct Position(f32);
///
/// #[derive(Component)]
/// struct Velocity(f32);
///
/// #[derive(Component)]
/// struct Frozen;
///
/// let components: HashMap<String, ComponentId<World>> =
///     [ComponentId::of::<Position>(), ComponentId::of::<Velocity>(), ComponentId::of::<Frozen>()]
///         .map(|component| (component.name().to_string(), component))
///         .into();
///
/// // These names come from a script.
/// let query = DynamicQuery::new()
///     .writes(components["Position"])
///     .reads(components["Velocity"])
///     .without(components["Frozen"]);
/// let script = DynamicSystem::new("script", |view| {
///     let mut moving: Query<(&mut Position, &Velocity), Without<Frozen>> = view.query_mut()?;
///     moving.iter_mut().for_each(|(position, velocity)| position.0 += velocity.0);
///     drop(moving);
///     // Frozen entities are not declared.
///     let all: Result<Query<&Position>, _> = view.query();
///     assert!(all.is_err());
///     Ok::<(), BoxError>(())
/// })
/// .queries(query);
///
/// let mut world = World::new();
/// let entity = world.spawn((Position(1.0), Velocity(0.5)));
/// let mut resources = Resources::new();
/// resources.insert(world);
/// Schedule::builder().add_dynamic(script).build()?.run(&mut resources)?;
/// let world = resources.get_mut::<World>().unwrap();
/// assert_eq!(world.get_mut::<Position>(entity).unwrap().0, 1.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait ViewExt: sealed::SealedView {
    /// Returns a query that only reads. O(archetypes).
    ///
    /// A query that writes does not compile:
    ///
    /// ```compile_fail
    /// # use schedule_hecs::{ViewExt, prelude::*};
    /// # #[derive(Component)]
    /// # struct Health(i32);
    /// schedule::dynamic::DynamicSystem::new("heal", |view| {
    ///     let all: Query<&mut Health> = view.query().unwrap();
    /// });
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the system does not declare the access to a component, for all entities that match the query, in one of its
    /// declared queries. Fails if the world is missing.
    fn query<Q, F, T>(&self) -> Result<Query<'_, Q, F, T>, AccessError>
    where
        Q: ReadOnlyTerms + QueryTerms<Static: StaticTerms<Components: ComponentTerms<World<T>>>>,
        F: QueryFilter<Static = F> + EntityFilter<World<T>>,
        T: Identity + 'static;

    /// Returns a query that may write. O(archetypes). While it exists, the view returns nothing else.
    ///
    /// # Errors
    ///
    /// As [`query`](Self::query).
    fn query_mut<Q, F, T>(&mut self) -> Result<Query<'_, Q, F, T>, AccessError>
    where
        Q: QueryTerms<Static: StaticTerms<Components: ComponentTerms<World<T>>>>,
        F: QueryFilter<Static = F> + EntityFilter<World<T>>,
        T: Identity + 'static;
}

mod sealed {
    #[expect(unnameable_types, reason = "only this module may implement it")]
    pub trait SealedView {}
}

impl sealed::SealedView for View<'_> {}

/// The components of the terms `Q`, as the scheduler verifies them.
type ComponentsOf<Q> = <<Q as QueryTerms>::Static as StaticTerms>::Components;

impl ViewExt for View<'_> {
    fn query<Q, F, T>(&self) -> Result<Query<'_, Q, F, T>, AccessError>
    where
        Q: ReadOnlyTerms + QueryTerms<Static: StaticTerms<Components: ComponentTerms<World<T>>>>,
        F: QueryFilter<Static = F> + EntityFilter<World<T>>,
        T: Identity + 'static,
    {
        let (world, _) = self.components::<World<T>, ComponentsOf<Q>, F>()?;
        // SAFETY: by the invariant, the system declares the access of this query, and no two terms conflict. It only reads, like
        // all queries that share the view.
        Ok(unsafe { Query::once(world) })
    }

    fn query_mut<Q, F, T>(&mut self) -> Result<Query<'_, Q, F, T>, AccessError>
    where
        Q: QueryTerms<Static: StaticTerms<Components: ComponentTerms<World<T>>>>,
        F: QueryFilter<Static = F> + EntityFilter<World<T>>,
        T: Identity + 'static,
    {
        let (world, _) = self.components_mut::<World<T>, ComponentsOf<Q>, F>()?;
        // SAFETY: by the invariant, the system declares the access of this query, and no two terms conflict. It borrows the view
        // exclusively, so the system has no other query.
        Ok(unsafe { Query::once(world) })
    }
}
