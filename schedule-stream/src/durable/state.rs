//! Declared resources, without their types.

use schedule::access::ResourceType;
use schedule::identity::Name;
use schedule::internal::resource_type;
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
                let to = resources.get_mut::<R>();
                let to = to.expect("the resource exists");
                match reader.contains::<R>() {
                    true => reader.restore_into(to).map(|()| true),
                    false => Ok(false),
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
