//! The addresses of the stores and resources of all handlers of a stream, during a call.

use core::any::TypeId;
use core::ptr::NonNull;

use crate::store::limits::EventLimits;
use crate::store::record::Record;
use crate::store::records::Records;
use schedule::Resource;
use schedule::access::ResourceType;
use schedule::internal::resource_type;

/// After events have named this number of places at which they may insert or remove records, vacant places are freed.
pub(crate) const MOST_DOUBTS: u32 = 4096;

/// The address of a resource or store. `None` if it is missing.
pub(crate) type Store = Option<NonNull<()>>;

/// The resource or store that an argument needs.
#[derive(Clone, Copy, Debug)]
pub struct Want {
    pub(crate) resource: ResourceType,
    pub(crate) is_write: bool,
    /// Whether it may be missing.
    pub(crate) is_optional: bool,
    /// For single records of a store. `None` for a whole resource.
    care: Option<StoreMethods>,
}

/// The methods of a store that are called between events.
#[derive(Clone, Copy, Debug)]
struct StoreMethods {
    n_doubts: fn(Stored<'_>) -> u32,
    n_bytes: fn(Stored<'_>) -> usize,
    count_all: fn(Stored<'_>),
    free_all: fn(Stored<'_>),
}

impl Want {
    /// A whole resource.
    pub(crate) const fn resource<R: Resource>(is_write: bool) -> Self {
        Self {
            resource: resource_type::<R>(),
            is_write,
            is_optional: false,
            care: None,
        }
    }

    /// Single records of a store.
    pub(crate) const fn records<T: Record>(is_write: bool) -> Self {
        Self {
            resource: resource_type::<Records<T>>(),
            is_write,
            is_optional: false,
            care: Some(StoreMethods {
                n_doubts: |store| store.get::<Records<T>>().n_doubts(),
                n_bytes: |store| store.get::<Records<T>>().n_bytes(),
                count_all: |store| store.get::<Records<T>>().count_all(),
                free_all: |store| store.get::<Records<T>>().free_all(),
            }),
        }
    }
}

impl Want {
    /// Makes the argument optional. A whole resource may then be missing. A store of single records must exist in any
    /// case.
    pub(crate) const fn optional(mut self) -> Self {
        self.is_optional = self.care.is_none();
        self
    }
}

/// A store to which no other code has access.
struct Stored<'s> {
    at: NonNull<()>,
    resource: &'s ResourceType,
}

impl<'s> Stored<'s> {
    #[expect(unsafe_code, reason = "follows the address of a store")]
    fn get<R: Resource>(self) -> &'s mut R {
        assert!(
            self.resource.type_id == TypeId::of::<R>(),
            "the store has another type"
        );
        // SAFETY: the store was looked up by its type, which is `R`: the assertion above. The callers of
        // `written_stores` hold the resources exclusively, and no event runs, so no other reference to it exists.
        unsafe { self.at.cast().as_mut() }
    }
}

/// The stores of one handler.
#[derive(Debug)]
pub struct StoresOf {
    /// The type of the recipe of the handler.
    pub(crate) recipe: TypeId,
    /// The stores, by argument.
    pub(crate) all: Vec<Store>,
    /// Whether events of this case are exclusive: the handler takes a whole store, of which some handler takes single
    /// records.
    pub(crate) is_exclusive: bool,
    /// Maximum number of keys that an event may name for one set: see [`EventLimits`].
    pub(crate) max_set_keys: u32,
    /// `None` for an argument without a store.
    wants: Vec<Option<Want>>,
}

// SAFETY: a `StoresOf` only holds addresses and constants. Code that dereferences the addresses has a contract of its
// own: `Argument::find_key` and `Stores::count_records`.
#[expect(unsafe_code, reason = "addresses are sent to another thread")]
unsafe impl Send for StoresOf {}

/// The stores of all handlers of a stream.
#[derive(Debug, Default)]
pub struct Stores {
    /// The stores of each handler, by case of the event.
    pub(crate) cases: Vec<StoresOf>,
    /// All stores and resources, each once. `is_write` is set if one of the handlers writes it.
    wants: Vec<(Want, Store)>,
}

// SAFETY: as for `StoresOf`: addresses and constants.
#[expect(unsafe_code, reason = "addresses are sent to another thread")]
unsafe impl Send for Stores {}

impl Stores {
    /// Adds the stores of the handler of the next case. `recipe` is the type of its recipe.
    pub(crate) fn add_case(&mut self, recipe: TypeId, wants: Vec<Option<Want>>) {
        for want in wants.iter().flatten() {
            let mut all = self.wants.iter_mut();
            match all.find(|(other, _)| other.resource.type_id == want.resource.type_id) {
                None => self.wants.push((*want, None)),
                Some((other, _)) => {
                    other.is_write |= want.is_write;
                    other.is_optional &= want.is_optional;
                    other.care = other.care.or(want.care);
                }
            }
        }
        // `Arguments::distinct` rejects such handlers at compile time. This check is for recipes that were not created
        // by a macro.
        let clash = |one: &Want, other: &Want| {
            let is_same = one.resource.type_id == other.resource.type_id;
            let is_whole_and_one = one.care.is_none() && other.care.is_some();
            is_same && is_whole_and_one && (one.is_write || other.is_write)
        };
        let mut all = wants.iter().flatten();
        let has_clash = all.any(|one| wants.iter().flatten().any(|other| clash(one, other)));
        assert!(
            !has_clash,
            "a handler takes a store and a record of it, and writes one of them"
        );
        self.cases.push(StoresOf {
            recipe,
            all: vec![None; wants.len()],
            is_exclusive: false,
            max_set_keys: EventLimits::new().max_set_keys,
            wants,
        });
        // The new handler may make earlier cases exclusive.
        for case in &mut self.cases {
            case.is_exclusive = case.wants.iter().flatten().any(|want| {
                let mut all = self.wants.iter();
                let of_all = all.find(|(of, _)| of.resource.type_id == want.resource.type_id);
                want.care.is_none() && of_all.is_some_and(|(of, _)| of.care.is_some())
            });
        }
    }

    /// Returns all stores and resources, each once, with whether one of the handlers writes it.
    pub(crate) fn wants(&self) -> impl Iterator<Item = &Want> {
        self.wants.iter().map(|(want, _)| want)
    }

    /// Sets the maximum number of keys that an event may name for one set.
    pub(crate) fn set_max_set_keys(&mut self, max: u32) {
        self.cases
            .iter_mut()
            .for_each(|case| case.max_set_keys = max);
    }

    /// Looks up all addresses: `find` writes the address of a store.
    pub(crate) fn find(&mut self, mut find: impl FnMut(&Want, &mut Store)) {
        for (want, store) in &mut self.wants {
            find(want, store);
        }
        for case in &mut self.cases {
            for (store, want) in case.all.iter_mut().zip(&case.wants) {
                let Some(want) = want else { continue };
                let of_type = want.resource.type_id;
                let mut all = self.wants.iter();
                let found = all.find(|(want, _)| want.resource.type_id == of_type);
                *store = found.and_then(|(_, store)| *store);
            }
        }
    }

    /// Counts the records that events have inserted and removed. Frees vacant places after `MOST_DOUBTS` doubts. So
    /// places are freed after the same events, however events are divided into calls.
    ///
    /// # Safety
    ///
    /// The resources in which the stores were found are borrowed exclusively, and no event runs.
    #[expect(unsafe_code, reason = "requires exclusive access to the stores")]
    pub(crate) unsafe fn count_records(&mut self) {
        self.written_stores()
            .for_each(|(care, stored)| (care.count_all)(stored));
        // SAFETY: the resources are borrowed exclusively, and no event runs: the contract of this function.
        if unsafe { self.n_doubts() } >= MOST_DOUBTS {
            self.written_stores()
                .for_each(|(care, stored)| (care.free_all)(stored));
        }
    }

    /// Returns how often events named a place at which they may insert or remove a record, since vacant places were
    /// last freed.
    ///
    /// # Safety
    ///
    /// As for [`count_records`](Self::count_records).
    #[expect(unsafe_code, reason = "requires exclusive access to the stores")]
    pub(crate) unsafe fn n_doubts(&self) -> u32 {
        let doubts = self
            .written_stores()
            .map(|(care, stored)| (care.n_doubts)(stored));
        doubts.fold(0, u32::saturating_add)
    }

    /// Returns the memory of all stores to which events may write, in bytes.
    ///
    /// # Safety
    ///
    /// As for [`count_records`](Self::count_records).
    #[expect(unsafe_code, reason = "requires exclusive access to the stores")]
    pub(crate) unsafe fn n_bytes(&self) -> usize {
        self.written_stores()
            .map(|(care, stored)| (care.n_bytes)(stored))
            .sum()
    }

    /// Counts the records of the whole stores that the handler of a case takes, so that the handler sees the right
    /// number.
    ///
    /// No record that an event of this case has named is written here: a handler may take a store and single records of
    /// it only if it reads both.
    ///
    /// # Safety
    ///
    /// As for [`count_records`](Self::count_records).
    #[expect(unsafe_code, reason = "requires exclusive access to the stores")]
    pub(crate) unsafe fn count_whole_stores(&self, case: usize) {
        let wants = self.cases[case].wants.iter().flatten();
        let is_whole = |of: &ResourceType| {
            let mut whole = wants.clone().filter(|want| want.care.is_none());
            whole.any(|want| want.resource.type_id == of.type_id)
        };
        self.written_stores()
            .filter(|(_, stored)| is_whole(stored.resource))
            .for_each(|(care, stored)| (care.count_all)(stored));
    }

    /// Returns the stores to which the handlers write. Other systems may read the other stores at the same time.
    fn written_stores(&self) -> impl Iterator<Item = (StoreMethods, Stored<'_>)> {
        let written = self.wants.iter().filter(|(want, _)| want.is_write);
        written.filter_map(|(want, store)| {
            let at = (*store)?;
            let resource = &want.resource;
            Some((want.care?, Stored { at, resource }))
        })
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::store::keys::Dense;
    use schedule::Identity;
    use schedule::identity::Name;

    struct Account;

    impl Identity for Account {
        const ID: u128 = 0;
        const NAME: Name = Name::new("Account");
    }

    impl Record for Account {
        type Key = u32;
        type Index = Dense;
    }

    /// Adds a handler that takes a whole store and a record of it.
    fn add(is_write: [bool; 2]) -> Stores {
        let [whole, one] = is_write;
        let wants = vec![
            Some(Want::resource::<Records<Account>>(whole)),
            Some(Want::records::<Account>(one)),
        ];
        let mut stores = Stores::default();
        stores.add_case(TypeId::of::<()>(), wants);
        stores
    }

    #[test]
    fn handler_may_read_a_store_and_a_record_of_it() {
        assert!(add([false, false]).cases[0].is_exclusive);
    }

    #[test]
    #[should_panic(expected = "a handler takes a store and a record of it, and writes one of them")]
    fn handler_cannot_write_a_record_and_read_its_store() {
        add([false, true]);
    }

    #[test]
    #[should_panic(expected = "a handler takes a store and a record of it, and writes one of them")]
    fn handler_cannot_write_a_store_and_read_a_record_of_it() {
        add([true, false]);
    }
}
