//! Where the arguments of the handlers of a stream are, for as long as its events run.

use core::any::TypeId;
use core::ptr::NonNull;

use super::argument::Store;
use super::entities::Entities;
use super::entity::Entity;
use super::handler::Recipe;
use crate::access::ResourceType;
use crate::resource::Resource;

/// What an argument is one of, or all of.
#[derive(Clone, Copy, Debug)]
pub struct Want {
    pub(super) resource: ResourceType,
    pub(super) is_write: bool,
    /// Whether it may be missing.
    pub(super) is_optional: bool,
    /// How a store of entities settles its doubts; `None` for what is taken as a whole.
    settle: Option<fn(Stored<'_>)>,
}

impl Want {
    /// All of a resource.
    pub(super) const fn resource<R: Resource>(is_write: bool) -> Self {
        Self {
            resource: ResourceType::of::<R>(),
            is_write,
            is_optional: false,
            settle: None,
        }
    }

    /// Single entities.
    pub(super) const fn entities<T: Entity>(is_write: bool) -> Self {
        Self {
            resource: ResourceType::of::<Entities<T>>(),
            is_write,
            is_optional: false,
            settle: Some(|store| store.get::<Entities<T>>().settle_all()),
        }
    }
}

impl Want {
    /// The same; where it is all of a resource, that may be missing. Single entities are in a store in any case.
    pub(super) const fn optional(mut self) -> Self {
        self.is_optional = self.settle.is_none();
        self
    }
}

/// A store that nobody else has.
struct Stored<'s> {
    at: NonNull<()>,
    resource: &'s ResourceType,
}

impl<'s> Stored<'s> {
    #[expect(unsafe_code, reason = "the store is where it was looked up")]
    fn get<R: Resource>(self) -> &'s mut R {
        assert!(
            self.resource.type_id == TypeId::of::<R>(),
            "that is asked for by its type"
        );
        // SAFETY: it was looked up by this type, is there as long as events run, and none does now; see `Stores::settle`.
        unsafe { self.at.cast().as_mut() }
    }
}

/// Of one handler.
#[derive(Debug)]
pub struct StoresOf {
    /// Whose arguments these are the stores of.
    pub(super) recipe: TypeId,
    /// By argument.
    pub(super) all: Vec<Store>,
    /// One of its arguments is a store as a whole, of which some argument takes single entities.
    pub(super) is_alone: bool,
    wants: Vec<Want>,
}

// SAFETY: these are addresses; who follows them says that it may.
#[expect(unsafe_code, reason = "addresses go to whoever processes events")]
unsafe impl Send for StoresOf {}

/// Of all handlers of a stream.
#[derive(Debug, Default)]
pub struct Stores {
    /// By case of the event.
    pub(super) cases: Vec<StoresOf>,
    /// All that they want, each once; to write, if one of them writes.
    wants: Vec<(Want, Store)>,
}

// SAFETY: as for `StoresOf`.
#[expect(unsafe_code, reason = "addresses go to whoever processes events")]
unsafe impl Send for Stores {}

impl Stores {
    /// Adds what the handler of the next case takes.
    pub fn add<E, R: Recipe<E>>(&mut self, recipe: &R) {
        let mut wants = Vec::new();
        recipe.wants(&mut wants);
        for want in &wants {
            let mut all = self.wants.iter_mut();
            match all.find(|(other, _)| other.resource.type_id == want.resource.type_id) {
                None => self.wants.push((*want, None)),
                Some((other, _)) => {
                    other.is_write |= want.is_write;
                    other.is_optional &= want.is_optional;
                    other.settle = other.settle.or(want.settle);
                }
            }
        }
        self.cases.push(StoresOf {
            recipe: TypeId::of::<R>(),
            all: vec![None; wants.len()],
            is_alone: false,
            wants,
        });
        // Any of them may have to be alone on account of a later one.
        for case in &mut self.cases {
            case.is_alone = case.wants.iter().any(|want| {
                let mut all = self.wants.iter();
                let of_all = all.find(|(of, _)| of.resource.type_id == want.resource.type_id);
                want.settle.is_none() && of_all.is_some_and(|(of, _)| of.settle.is_some())
            });
        }
    }

    /// All resources, each once, and whether one of the handlers writes it.
    pub(super) fn wants(&self) -> impl Iterator<Item = &Want> {
        self.wants.iter().map(|(want, _)| want)
    }

    /// Looks up where everything is.
    pub(super) fn find(&mut self, mut find: impl FnMut(&Want) -> Store) {
        for (want, store) in &mut self.wants {
            *store = find(want);
        }
        for case in &mut self.cases {
            for (store, want) in case.all.iter_mut().zip(&case.wants) {
                let of_type = want.resource.type_id;
                let mut all = self.wants.iter();
                let found = all.find(|(want, _)| want.resource.type_id == of_type);
                *store = found.and_then(|(_, store)| *store);
            }
        }
    }

    /// Finds out which entities have come and gone.
    ///
    /// # Safety
    ///
    /// The resources in which these were found are borrowed exclusively, and no event runs.
    #[expect(unsafe_code, reason = "says when stores may be settled")]
    pub(super) unsafe fn settle(&mut self) {
        self.wants.iter().for_each(settle_one);
    }

    /// The same for what the handler of a case takes as a whole: it is to find all counted. Nothing that an event of this
    /// case has claimed is touched, since nobody takes a store and single entities of it.
    ///
    /// # Safety
    ///
    /// As for [`settle`](Self::settle).
    #[expect(unsafe_code, reason = "says when stores may be settled")]
    pub(super) unsafe fn settle_for(&mut self, case: usize) {
        let whole = |want: &&Want| want.settle.is_none();
        for taken in self.cases[case].wants.iter().filter(whole) {
            let mut all = self.wants.iter();
            let of_all = all.find(|(of, _)| of.resource.type_id == taken.resource.type_id);
            of_all.into_iter().for_each(settle_one);
        }
    }
}

/// For the two above, which say that nobody else has the store.
fn settle_one((want, store): &(Want, Store)) {
    if let (Some(settle), Some(at)) = (want.settle, *store) {
        settle(Stored {
            at,
            resource: &want.resource,
        });
    }
}
