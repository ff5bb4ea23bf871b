//! Constructors of declarations, including the declarations in the attribute of a system.

use core::any::TypeId;

use super::{Declared, DeclaredGuard, DeclaredMembership, DeclaredOrder, DeclaredWork};
use crate::base::place::{NodeId, SystemPlace};
use crate::data::access::ResourceId;
use crate::data::marks::Marks;
use crate::data::order::{Direction, Membership, Order};
use crate::data::target::{Named, Target};
use crate::systems::condition::Condition;
use crate::systems::system::Declaration;

impl Declared {
    /// Returns a node outside of all loops and plugins. [`Declarations::push`](super::Declarations::push) assigns its id.
    pub(crate) fn new(place: SystemPlace, ty: Option<(TypeId, u128)>, work: DeclaredWork) -> Self {
        Self {
            id: NodeId::new(usize::MAX),
            place,
            level: None,
            ty,
            work,
            proves: None,
            observer: None,
            path: None,
            is_renamed: false,
            plugin: None,
            implied: None,
            rank: None,
            reads_of_written: Box::default(),
            marks: Marks::NONE,
            is_bridge: false,
        }
    }

    /// Returns a new instance of a system, outside of all loops and plugins.
    pub(crate) fn of_system(system: &Declaration) -> Self {
        let place = SystemPlace {
            name: system.reference.to_string(),
            location: system.definition.location(),
        };
        let work = DeclaredWork::System(system.definition.instantiate());
        let proof = system.proves.as_ref();
        Self {
            path: Some(system.reference.path),
            proves: proof.map(|proof| ResourceId::of_type(&proof.0)),
            observer: system.observer,
            marks: system.marks,
            ..Self::new(place, Some(system.identity()), work)
        }
    }
}

impl DeclaredOrder {
    /// Returns the order that `this` declares relative to another type.
    pub(crate) fn of(this: Target, order: &Order) -> Self {
        let other = Target(Named::Type(order.other));
        let (first, then) = match order.direction {
            Direction::After => (other, this.clone()),
            Direction::Before => (this.clone(), other),
        };
        Self {
            declared_on: Some(this),
            first,
            then,
            strength: order.strength,
            location: order.location,
        }
    }

    /// Returns the orders in a system's attribute. `this`: the node of the system.
    pub(crate) fn all_of(this: &Target, system: &Declaration) -> impl Iterator<Item = Self> {
        let orders = system.orders.iter();
        orders.map(|order| Self::of(this.clone(), order))
    }
}

impl DeclaredMembership {
    /// Returns the memberships in a system's attribute. `this`: the node of the system.
    pub(crate) fn all_of(this: &Target, system: &Declaration) -> impl Iterator<Item = Self> {
        let groups = system.groups.iter();
        groups.map(|&Membership { group, location }| Self {
            member: this.clone(),
            group,
            location,
        })
    }
}

impl DeclaredGuard {
    /// Returns the guards in a system's attribute. `this`: the node of the system, which is in `plugin`.
    pub(crate) fn all_of(
        this: &Target,
        system: &Declaration,
        plugin: Option<usize>,
    ) -> impl Iterator<Item = Self> {
        let guards = system.guards.iter();
        guards.map(move |&guard| Self {
            guarded: this.clone(),
            formula: Condition::from(guard).0,
            plugin,
        })
    }
}
