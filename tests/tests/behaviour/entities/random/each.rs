//! The `for_each` systems of random schedules: as functions, and as data for the interpreter.

use std::panic::resume_unwind;

use schedule::Builder;
use schedule::prelude::*;
use schedule_hecs::prelude::*;

use super::case::Fault;
use super::parts::{A, B, C, D, E, Tag, Value, mix};
use super::pool::{Filter, Spec, Term, Touch};
use super::subject::Shared;

/// A `for_each` system as data.
pub(super) struct EachSpec {
    /// The components and the filter of the entity.
    pub(super) own: Spec,
    /// A query over other entities.
    pub(super) other: Option<Spec>,
    /// Whether it changes entities by commands, as [`commands_for`] describes.
    pub(super) commands: bool,
}

/// A command that a `for_each` system records for an entity.
#[derive(Clone, Copy, Debug)]
pub(super) enum EachCommand {
    RemoveB,
    Despawn,
    SpawnA(u64),
}

/// Returns the commands that a system records for an entity from what it has seen of it.
pub(super) fn commands_for(seen: u64) -> Vec<EachCommand> {
    match seen % 8 {
        0 => vec![EachCommand::Despawn],
        1 | 2 => vec![EachCommand::RemoveB],
        3 => vec![EachCommand::SpawnA(seen), EachCommand::RemoveB],
        4 => vec![EachCommand::Despawn, EachCommand::RemoveB],
        _ => Vec::new(),
    }
}

/// Whether a system that fails in a run fails for this entity.
pub(super) fn fails_for(entity: Entity) -> bool {
    mix(entity.to_bits().get(), 5).is_multiple_of(4)
}

/// Visits one entity: combines all values, fails if the case requires it, and then writes the result.
///
/// # Errors
///
/// Fails if the fault is an error.
fn visit(
    shared: &Shared,
    idx: usize,
    entity: Entity,
    seen: u64,
    mut item: impl Touch,
) -> Result<u64, String> {
    let seen = item.see(mix(seen, entity.to_bits().get()));
    if fails_for(entity) {
        match shared.fault(idx) {
            None => {}
            Some(Fault::Error) => return Err(format!("error of {idx}")),
            Some(Fault::Panic) => resume_unwind(Box::new(format!("panic of {idx}"))),
        }
    }
    item.write(seen);
    Ok(seen)
}

fn record(commands: &mut Commands, entity: Entity, seen: u64) {
    for command in commands_for(seen) {
        match command {
            EachCommand::RemoveB => _ = commands.entity(entity).remove::<(B,)>(),
            EachCommand::Despawn => commands.entity(entity).despawn(),
            EachCommand::SpawnA(number) => _ = commands.spawn((A::new(number),)),
        }
    }
}

type Visited = Result<(), String>;

#[system(for_each)]
fn each_0<const N: usize>(entity: Entity, a: &mut A, #[resource] shared: &Shared) -> Visited {
    visit(shared, N, entity, 0, a).map(drop)
}

#[system(for_each, without = Tag)]
fn each_1<const N: usize>(
    entity: Entity,
    a: &A,
    b: &mut B,
    #[resource] shared: &Shared,
) -> Visited {
    visit(shared, N, entity, 0, (a, b)).map(drop)
}

#[system(for_each)]
fn each_2<const N: usize>(
    entity: Entity,
    c: Option<&mut C>,
    d: &D,
    #[resource] shared: &Shared,
) -> Visited {
    visit(shared, N, entity, 0, (c, d)).map(drop)
}

#[system(for_each, with = Tag, without = D)]
fn each_3<const N: usize>(
    entity: Entity,
    e: Option<&E>,
    a: &mut A,
    #[resource] shared: &Shared,
) -> Visited {
    visit(shared, N, entity, 0, (e, a)).map(drop)
}

#[system(for_each)]
fn each_4<const N: usize>(
    entity: Entity,
    b: &B,
    mut commands: Commands,
    #[resource] shared: &Shared,
) -> Visited {
    let seen = visit(shared, N, entity, 0, b)?;
    record(&mut commands, entity, seen);
    Ok(())
}

#[system(for_each)]
fn each_5<const N: usize>(
    entity: Entity,
    c: &mut C,
    others: Query<&D, Without<C>>,
    #[resource] shared: &Shared,
) -> Visited {
    let seen = others.iter().map(D::number).fold(0, mix);
    visit(shared, N, entity, seen, c).map(drop)
}

#[system(for_each, with = D, without = C)]
fn each_6<const N: usize>(
    entity: Entity,
    e: &mut E,
    mut commands: Commands,
    #[resource] shared: &Shared,
) -> Visited {
    let seen = visit(shared, N, entity, 0, e)?;
    record(&mut commands, entity, seen);
    Ok(())
}

const fn own(terms: &'static [Term], filter: Filter) -> EachSpec {
    EachSpec {
        own: Spec { terms, filter },
        other: None,
        commands: false,
    }
}

pub(super) const EACH: &[EachSpec] = {
    use Filter::{All, With, Without};
    use Term::{Maybe, Read, Write};
    &[
        own(&[Write(0)], All(&[])),
        own(&[Read(0), Write(1)], Without(5)),
        own(&[Maybe(&[Write(2)]), Read(3)], All(&[])),
        own(&[Maybe(&[Read(4)]), Write(0)], All(&[With(5), Without(3)])),
        EachSpec {
            commands: true,
            ..own(&[Read(1)], All(&[]))
        },
        EachSpec {
            other: Some(Spec {
                terms: &[Read(3)],
                filter: Without(2),
            }),
            ..own(&[Write(2)], All(&[]))
        },
        EachSpec {
            commands: true,
            ..own(&[Write(4)], All(&[With(3), Without(2)]))
        },
    ]
};

/// Adds the system with this number as node `idx`.
pub(super) fn add(builder: &mut Builder, nth: usize, idx: usize) {
    macro_rules! of_node {
        ($($node:literal)*) => {
            match (nth, idx) {
                $(
                    (0, $node) => builder.add::<each_0<$node>>(),
                    (1, $node) => builder.add::<each_1<$node>>(),
                    (2, $node) => builder.add::<each_2<$node>>(),
                    (3, $node) => builder.add::<each_3<$node>>(),
                    (4, $node) => builder.add::<each_4<$node>>(),
                    (5, $node) => builder.add::<each_5<$node>>(),
                    (6, $node) => builder.add::<each_6<$node>>(),
                )*
                _ => unreachable!("there are seven systems and fourteen nodes"),
            }
        };
    }
    of_node!(0 1 2 3 4 5 6 7 8 9 10 11 12 13);
}
