//! The declaration that commands change a component.

use core::marker::PhantomData;

use super::{Component, EntityStore, deferred};
use crate::access::Access;
use crate::param::Declares;

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
    const ACCESS: Access = Access::Defers(deferred::<S, C>());
}
