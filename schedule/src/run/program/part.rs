//! A resource of a saved program: the functions of its type, and the copy.

use core::any::{Any, TypeId};
use core::mem::take;

use crate::base::snapshot::{Decoder, Encoder, Snapshot, SnapshotError};
use crate::data::access::ResourceId;
use crate::data::resource::kept_form::{KeptForm, KeptValue};
use crate::data::resource::{Resource, Resources};

/// A resource, and its copy.
pub(super) struct ProgramPart {
    pub(super) resource: ResourceId,
    /// The name in snapshots.
    pub(super) name: &'static str,
    pub(super) type_id: TypeId,
    functions: PartFunctions,
    copy: Copied,
}

/// The state of a resource.
#[derive(Default)]
struct Copied {
    /// Also kept while the resource is missing, for its memory.
    value: Option<KeptValue>,
    is_present: bool,
}

/// What can be done with a resource of a type.
#[derive(Clone, Copy)]
struct PartFunctions {
    /// Copies the resource. Returns `false` if it does not exist.
    keep: fn(&Resources, &mut Option<KeptValue>) -> Result<bool, SnapshotError>,
    restore: fn(&(dyn Any + Send + Sync), &mut Resources) -> Result<(), SnapshotError>,
    remove: fn(&mut Resources),
    /// Saves the copy.
    encode: fn(&(dyn Any + Send + Sync)) -> Result<Vec<u8>, SnapshotError>,
    clone: fn(&(dyn Any + Send + Sync)) -> KeptValue,
    /// Whether a value that is saved, restored and saved again gives the same bytes.
    is_stable: fn(&[u8]) -> Result<bool, SnapshotError>,
}

fn copy<T: 'static>(kept: &(dyn Any + Send + Sync)) -> &T {
    kept.downcast_ref().expect("a copy of the resource")
}

fn refused<T: Snapshot>(reason: String) -> SnapshotError {
    SnapshotError::Encode {
        name: Some(T::NAME),
        reason,
    }
}

impl PartFunctions {
    /// For a resource that is cloned.
    fn cloned<T: Resource + Snapshot + Clone>() -> Self {
        Self {
            keep: |resources, kept| {
                let Some(value) = resources.get::<T>() else {
                    return Ok(false);
                };
                match kept.as_mut().and_then(|kept| kept.downcast_mut::<T>()) {
                    Some(kept) => kept.clone_from(value),
                    None => *kept = Some(Box::new(value.clone())),
                }
                Ok(true)
            },
            restore: |kept, resources| {
                match resources.get_mut::<T>() {
                    Some(value) => value.clone_from(copy(kept)),
                    None => _ = resources.insert(copy::<T>(kept).clone()),
                }
                Ok(())
            },
            encode: |kept| {
                let mut encoder = Encoder::new();
                encoder.save(copy::<T>(kept))?;
                Ok(encoder.into_bytes())
            },
            clone: |kept| Box::new(copy::<T>(kept).clone()),
            ..Self::of::<T>()
        }
    }

    /// For a resource whose copy has another form.
    fn in_form<T: Resource + Snapshot>() -> Self {
        const fn form<T: Resource>() -> KeptForm<T> {
            T::__KEPT_FORM.expect("the resource has a form")
        }

        Self {
            keep: |resources, kept| {
                let Some(value) = resources.get::<T>() else {
                    return Ok(false);
                };
                let kept = kept.get_or_insert_with(form::<T>().new);
                (form::<T>().keep)(value, kept.as_mut()).map_err(refused::<T>)?;
                Ok(true)
            },
            restore: |kept, resources| {
                if !resources.contains::<T>() {
                    (form::<T>().insert)(resources);
                }
                let value = resources.get_mut::<T>().expect("it was inserted");
                (form::<T>().restore)(kept, value);
                Ok(())
            },
            encode: |kept| {
                let mut encoder = Encoder::new();
                (form::<T>().save)(kept, &mut encoder)?;
                Ok(encoder.into_bytes())
            },
            clone: form::<T>().clone,
            ..Self::of::<T>()
        }
    }

    /// For any resource: the copy is its bytes.
    fn of<T: Resource + Snapshot>() -> Self {
        Self {
            keep: |resources, kept| {
                let Some(value) = resources.get::<T>() else {
                    return Ok(false);
                };
                let old = kept.as_mut().and_then(|kept| kept.downcast_mut());
                let mut encoder =
                    Encoder::with_buffer(old.map(take::<Vec<u8>>).unwrap_or_default());
                encoder.save(value)?;
                *kept = Some(Box::new(encoder.into_bytes()));
                Ok(true)
            },
            restore: |kept, resources| {
                let mut from = Decoder::new(copy::<Vec<u8>>(kept));
                match resources.get_mut::<T>() {
                    Some(value) => from.restore_into(T::VERSION, value)?,
                    None => {
                        let value: T = from.restore(T::VERSION)?;
                        resources.insert(value);
                    }
                }
                from.finish()
            },
            remove: |resources| drop(resources.remove::<T>()),
            encode: |kept| Ok(copy::<Vec<u8>>(kept).clone()),
            clone: |kept| Box::new(copy::<Vec<u8>>(kept).clone()),
            is_stable: |bytes| {
                let mut from = Decoder::new(bytes);
                let value: T = from.restore(T::VERSION)?;
                from.finish()?;
                let mut again = Encoder::new();
                again.save(&value)?;
                Ok(again.as_bytes() == bytes)
            },
        }
    }
}

impl ProgramPart {
    /// A resource that is cloned, or has a form of its own.
    pub(super) fn cloned<T: Resource + Snapshot + Clone>() -> Self {
        Self::new::<T>(if T::__KEPT_FORM.is_some() {
            PartFunctions::in_form::<T>()
        } else {
            PartFunctions::cloned::<T>()
        })
    }

    /// A resource that is kept as bytes.
    pub(super) fn encoded<T: Resource + Snapshot>() -> Self {
        Self::new::<T>(PartFunctions::of::<T>())
    }

    fn new<T: Resource + Snapshot>(functions: PartFunctions) -> Self {
        Self {
            resource: ResourceId::of::<T>(),
            name: <T as Snapshot>::NAME,
            type_id: TypeId::of::<T>(),
            functions,
            copy: Copied::default(),
        }
    }

    /// Copies the resource.
    pub(super) fn keep(&mut self, resources: &Resources) -> Result<(), SnapshotError> {
        self.copy.is_present = (self.functions.keep)(resources, &mut self.copy.value)?;
        Ok(())
    }

    /// Restores the resource, or removes it if it was missing.
    pub(super) fn restore(&self, resources: &mut Resources) -> Result<(), SnapshotError> {
        match self.value() {
            Some(value) => (self.functions.restore)(value, resources),
            None => {
                (self.functions.remove)(resources);
                Ok(())
            }
        }
    }

    fn value(&self) -> Option<&(dyn Any + Send + Sync)> {
        let value = self.copy.value.as_deref();
        value.filter(|_| self.copy.is_present)
    }

    /// Returns the bytes of the copy. `None`: the resource was missing.
    pub(super) fn bytes(&self) -> Result<Option<Vec<u8>>, SnapshotError> {
        self.value().map(self.functions.encode).transpose()
    }

    /// Whether the copy that is saved, restored and saved again gives the same bytes.
    pub(super) fn is_stable(&self) -> Result<bool, SnapshotError> {
        let bytes = self.bytes()?;
        bytes.map_or(Ok(true), |bytes| (self.functions.is_stable)(&bytes))
    }

    /// The same resource without a copy.
    pub(super) fn without_copy(&self) -> Self {
        Self {
            resource: self.resource.clone(),
            copy: Copied::default(),
            ..*self
        }
    }
}

impl Clone for ProgramPart {
    fn clone(&self) -> Self {
        let copy = Copied {
            value: self.value().map(self.functions.clone),
            ..self.copy
        };
        Self {
            copy,
            ..self.without_copy()
        }
    }
}
