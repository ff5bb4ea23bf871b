//! The declaration that commands change a component.

use core::any::TypeId;
use core::marker::PhantomData;

use super::{Component, EntityStore, component, deferred};
use crate::data::access::{Access, Deferred, ResourceType};
use crate::data::param::Declares;

/// Declares that commands change the component `C` of the entities in `S`: they insert it, remove it, or despawn entities
/// that have it. Written `Commands<DeferredWrites<C, S>>`, or in a tuple with others. `schedule-hecs` has the short form
/// `Writes<C>`.
///
/// Two systems with this declaration for the same component conflict, so they need an order, or a policy for
/// `deferred C`. `deferred C` is the name of this conflict in messages.
///
/// Such a system does not conflict with systems that access the component themselves, because commands are applied when no
/// system runs. Commands without a declaration are not verified.
#[derive(Debug)]
pub struct DeferredWrites<C, S>(PhantomData<fn() -> (C, S)>);

impl<C: Component, S: EntityStore> Declares for DeferredWrites<C, S> {
    const ACCESS: Access = Access::Defers(
        const {
            &Deferred {
                changes: deferred::<S, C>(),
                component: component::<S, C>(),
                store: ResourceType::of::<S>(),
                type_id: TypeId::of::<C>(),
            }
        },
    );
}

/// Declares that commands may change everything in the store `S`: spawn and despawn entities, and insert and remove components.
/// Written `Commands<Changes<S>>`, or in a tuple with others.
///
/// Two systems with this declaration do not conflict: their commands are applied in the order of a serial run. An order after such a
/// system includes its commands for each system that accesses the entities in `S`. Commands without a declaration may change
/// the default store, which is `schedule_hecs::World`, and each store that the system itself accesses.
#[derive(Debug)]
pub struct Changes<S>(PhantomData<fn() -> S>);

impl<S: EntityStore> Declares for Changes<S> {
    const ACCESS: Access = Access::Changes(ResourceType::of::<S>());
}
