//! Declared resources, without their types.

use super::{DurableError, DurableEvent};
use crate::engine::stream::Stream;
use schedule::access::ResourceType;
use schedule::identity::Name;
use schedule::internal::{address, resource_type};
use schedule::snapshot::{Encoder, Snapshot, SnapshotError, SnapshotReader, SnapshotWriter};
use schedule::{Resource, Resources};

/// A declared resource.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    pub(super) resource: ResourceType,
    /// The name and the version in snapshots.
    pub(super) name: &'static str,
    pub(super) version: u32,
    pub(super) methods: Methods,
}

/// What is done with a declared resource. All functions require that it exists.
#[derive(Clone, Copy, Debug)]
pub(super) enum Methods {
    Saved {
        save: fn(&Resources, &mut SnapshotWriter) -> Result<(), SnapshotError>,
        /// Returns whether the snapshot has the resource.
        restore: fn(&mut Resources, &SnapshotReader<'_>) -> Result<bool, SnapshotError>,
    },
    Constant {
        /// Writes the value, for the digest.
        write: fn(&Resources, &mut Encoder) -> Result<(), SnapshotError>,
    },
}

fn get<R: Resource>(resources: &Resources) -> &R {
    let found = resources.get();
    found.expect("the resource exists")
}

impl State {
    pub(super) fn saved<R: Resource + Snapshot>() -> Self {
        Self::of::<R>(Methods::Saved {
            save: |resources, writer| writer.section(get::<R>(resources)).map(drop),
            restore: |resources, reader| {
                let to = resources.get_mut::<R>().expect("the resource exists");
                if reader.contains::<R>() {
                    reader.restore_into(to).map(|()| true)
                } else {
                    Ok(false)
                }
            },
        })
    }

    pub(super) fn constant<R: Resource + Snapshot>() -> Self {
        Self::of::<R>(Methods::Constant {
            write: |resources, encoder| {
                encoder.write(<R as Snapshot>::NAME)?;
                encoder.write(&R::VERSION)?;
                encoder.save(get::<R>(resources))
            },
        })
    }

    fn of<R: Resource + Snapshot>(methods: Methods) -> Self {
        Self {
            resource: resource_type::<R>(),
            name: <R as Snapshot>::NAME,
            version: R::VERSION,
            methods,
        }
    }

    pub(super) fn is_constant(&self) -> bool {
        matches!(self.methods, Methods::Constant { .. })
    }

    /// The Rust type.
    pub(super) fn type_name(&self) -> Name {
        self.resource.name
    }
}

/// Fails unless each resource of a handler exists and is declared: with `state`, if a handler writes it.
pub(super) fn check_declared<E: DurableEvent>(
    states: &[State],
    stream: &Stream<E>,
    resources: &Resources,
) -> Result<(), DurableError> {
    for (nth, state) in states.iter().enumerate() {
        let is_same = |other: &State| {
            other.name == state.name || other.resource.type_id == state.resource.type_id
        };
        if states[..nth].iter().any(is_same) || state.name == <E as Snapshot>::NAME {
            return Err(DurableError::Duplicate { name: state.name });
        }
    }
    let is_missing = |state: &&State| address(resources, &state.resource).is_none();
    let missing: Vec<_> = states
        .iter()
        .filter(is_missing)
        .map(State::type_name)
        .collect();
    if !missing.is_empty() {
        return Err(DurableError::Missing(missing));
    }
    let undeclared = stream.stores.wants().filter(|want| {
        let is_declared = |state: &State| {
            state.resource.type_id == want.resource.type_id
                && !(want.is_write && state.is_constant())
        };
        // A resource that handlers take as an `Option` must be declared, too.
        !states.iter().any(is_declared)
    });
    let undeclared: Vec<_> = undeclared
        .map(|want| (want.resource.name, want.is_write))
        .collect();
    if undeclared.is_empty() {
        Ok(())
    } else {
        Err(DurableError::Undeclared(undeclared))
    }
}
