//! Adds several systems with one call, each ordered after the one before it.

use core::panic::Location;

use super::Builder;
use crate::base::place::NodeId;
use crate::data::order::Strength;
use crate::declare::declarations::DeclaredOrder;
use crate::systems::system::System;

/// A chain of systems: a tuple of up to twelve elements. Each element is a system or another such tuple.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a chain of systems",
    label = "not a chain of systems",
    note = "use a tuple of functions with `#[system]`, as in `.chain::<(first, second)>()`"
)]
pub trait Chain {
    #[doc(hidden)]
    fn add(
        builder: &mut Builder,
        after: Option<NodeId>,
        location: &'static Location<'static>,
    ) -> Option<NodeId>;
}

impl<S: System> Chain for S {
    fn add(
        builder: &mut Builder,
        after: Option<NodeId>,
        location: &'static Location<'static>,
    ) -> Option<NodeId> {
        builder.add::<S>();
        let this = builder.last()?;
        if let Some(after) = after {
            builder.declarations.orders.push(DeclaredOrder {
                declared_on: Some(this.into()),
                first: after.into(),
                then: this.into(),
                strength: Strength::Always,
                location,
            });
        }
        Some(this)
    }
}

macro_rules! chain {
    ($($link:ident),+) => {
        impl<$($link: Chain),+> Chain for ($($link,)+) {
            fn add(
                builder: &mut Builder,
                after: Option<NodeId>,
                location: &'static Location<'static>,
            ) -> Option<NodeId> {
                $(let after = $link::add(builder, after, location);)+
                after
            }
        }
    };
}

chain!(A);
chain!(A, B);
chain!(A, B, C);
chain!(A, B, C, D);
chain!(A, B, C, D, E);
chain!(A, B, C, D, E, F);
chain!(A, B, C, D, E, F, G);
chain!(A, B, C, D, E, F, G, H);
chain!(A, B, C, D, E, F, G, H, I);
chain!(A, B, C, D, E, F, G, H, I, J);
chain!(A, B, C, D, E, F, G, H, I, J, K);
chain!(A, B, C, D, E, F, G, H, I, J, K, L);
