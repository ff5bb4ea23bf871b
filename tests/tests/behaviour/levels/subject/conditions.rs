//! Conditions and selectors that are not nodes, or that are named by type.

use std::sync::Arc;

use schedule::Condition;
use schedule::prelude::*;

use super::super::case::{Asked, own_reads};
use super::super::digest::{branch, is_true};
use super::probe::{Probe, Shared};
use crate::numbered::Cell;

/// The answer of a selector.
#[derive(Branch, Clone, Copy)]
pub(super) enum Three {
    Low,
    Middle,
    High,
}

impl Three {
    pub(super) fn of(index: u32) -> Self {
        [Self::Low, Self::Middle, Self::High][index as usize]
    }
}

#[system]
pub(super) fn typed0(probe: &Shared, cell: &Cell<0>) -> bool {
    is_true(probe.0.read(Asked::Typed(0), Some((0, cell.0))))
}

#[system]
pub(super) fn typed1(probe: &Shared, cell: &Cell<1>) -> bool {
    is_true(probe.0.read(Asked::Typed(1), Some((1, cell.0))))
}

#[system]
pub(super) fn typed2(probe: &Shared, cell: &Cell<2>) -> Three {
    Three::of(branch(probe.0.read(Asked::Typed(2), Some((2, cell.0)))))
}

/// Returns the conditions that are closures.
pub(super) fn own_conditions(probe: &Arc<Probe>) -> Vec<Condition> {
    let asked = [Asked::Own(0), Asked::Own(1)];
    assert_eq!((own_reads(0), own_reads(1)), (Some(3), None));
    let probes = [Arc::clone(probe), Arc::clone(probe)];
    let [one, other] = probes;
    vec![
        Condition::closure(asked[0].label(), move |cell: &Cell<3>| {
            is_true(one.read(asked[0], Some((3, cell.0))))
        }),
        Condition::closure(asked[1].label(), move || {
            is_true(other.read(asked[1], None))
        }),
    ]
}
