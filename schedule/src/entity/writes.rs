//! The declaration that commands change a component.

use core::marker::PhantomData;

use super::{Component, EntityStore, deferred};
use crate::access::Access;
use crate::param::Declares;

/// Declares that commands change the component `C` of the entities in `S`: they insert it, remove it, or despawn entities
/// that have it. Written `Commands<Writes<C, S>>`, or in a tuple with others.
///
/// Two systems whose commands change the same component conflict. So they need an order, and the result does not depend on
/// the order in which the schedule would otherwise apply their commands.
///
/// Such a system does not conflict with systems that access the component themselves, because commands are applied when no
/// system runs. Messages call the resource of these conflicts `deferred C`. Commands that are not declared are not verified.
#[derive(Debug)]
pub struct Writes<C, S>(PhantomData<fn() -> (C, S)>);

impl<C: Component, S: EntityStore> Declares for Writes<C, S> {
    const ACCESS: Access = Access::Defers(deferred::<S, C>());
}
