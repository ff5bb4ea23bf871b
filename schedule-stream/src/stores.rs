//! Where the arguments of the handlers of a stream are, for as long as its events run.

use core::any::TypeId;
use core::ptr::NonNull;

use super::record::Record;
use super::records::Records;
use schedule::Resource;
use schedule::access::ResourceType;
use schedule::internal::resource_type;

/// After events named so many places to which records may come, those that are vacant become free.
pub(super) const MOST_DOUBTS: u32 = 4096;

/// Where the values of an argument are: a resource, or records of one type; `None` if that is missing.
pub(super) type Store = Option<NonNull<()>>;

/// What an argument is one of, or all of.
#[derive(Clone, Copy, Debug)]
pub struct Want {
    pub(super) resource: ResourceType,
    pub(super) is_write: bool,
    /// Whether it may be missing.
    pub(super) is_optional: bool,
    /// For a store of records; `None` for what is taken as a whole.
    care: Option<StoreMethods>,
}

/// How a store of records is looked after between events: see the methods of the same names.
#[derive(Clone, Copy, Debug)]
struct StoreMethods {
    n_doubts: fn(Stored<'_>) -> u32,
    n_bytes: fn(Stored<'_>) -> usize,
    count_all: fn(Stored<'_>),
    free_all: fn(Stored<'_>),
}

impl Want {
    /// All of a resource.
    pub(super) const fn resource<R: Resource>(is_write: bool) -> Self {
        Self {
            resource: resource_type::<R>(),
            is_write,
            is_optional: false,
            care: None,
        }
    }

    /// Single records.
    pub(super) const fn records<T: Record>(is_write: bool) -> Self {
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
    /// The same; where it is all of a resource, that may be missing. Single records are in a store in any case.
    pub(super) const fn optional(mut self) -> Self {
        self.is_optional = self.care.is_none();
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
            "the store has another type"
        );
        // SAFETY: it was looked up by this type, is there as long as events run, and none does now; see `Stores::written_stores`.
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
    /// One of its arguments is a store as a whole, of which some argument takes single records.
    pub(super) is_exclusive: bool,
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
    /// Adds what the handler of the next case takes, by a recipe of this type.
    pub(super) fn add_case(&mut self, recipe: TypeId, wants: Vec<Want>) {
        for want in &wants {
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
        // The compiler has refused that of what macros make.
        let clash = |one: &Want, other: &Want| {
            let is_same = one.resource.type_id == other.resource.type_id;
            let is_whole_and_one = one.care.is_none() && other.care.is_some();
            is_same && is_whole_and_one && (one.is_write || other.is_write)
        };
        let has_clash = wants
            .iter()
            .any(|one| wants.iter().any(|other| clash(one, other)));
        assert!(
            !has_clash,
            "a handler takes a store and a record of it, and writes one of them"
        );
        self.cases.push(StoresOf {
            recipe,
            all: vec![None; wants.len()],
            is_exclusive: false,
            wants,
        });
        // Any of them may have to be alone on account of a later one.
        for case in &mut self.cases {
            case.is_exclusive = case.wants.iter().any(|want| {
                let mut all = self.wants.iter();
                let of_all = all.find(|(of, _)| of.resource.type_id == want.resource.type_id);
                want.care.is_none() && of_all.is_some_and(|(of, _)| of.care.is_some())
            });
        }
    }

    /// All resources, each once, and whether one of the handlers writes it.
    pub(super) fn wants(&self) -> impl Iterator<Item = &Want> {
        self.wants.iter().map(|(want, _)| want)
    }

    /// Looks up where everything is: `find` writes the address of a store.
    pub(super) fn find(&mut self, mut find: impl FnMut(&Want, &mut Store)) {
        for (want, store) in &mut self.wants {
            find(want, store);
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

    /// Finds out which records have come and gone; and lets vacant places become free, if there were so many doubts. So that
    /// happens after the same events, however they were cut into calls and looked at in between.
    ///
    /// # Safety
    ///
    /// The resources in which these were found are borrowed exclusively, and no event runs.
    #[expect(unsafe_code, reason = "passes on the contract of its caller")]
    pub(super) unsafe fn settle(&mut self) {
        self.written_stores()
            .for_each(|(care, stored)| (care.count_all)(stored));
        // SAFETY: the resources are borrowed exclusively, and no event runs: the contract of this function.
        if unsafe { self.n_doubts() } >= MOST_DOUBTS {
            self.written_stores()
                .for_each(|(care, stored)| (care.free_all)(stored));
        }
    }

    /// How often events named a place to which a record may come, since places became free.
    ///
    /// # Safety
    ///
    /// As for [`settle`](Self::settle).
    #[expect(unsafe_code, reason = "says when stores may be looked at")]
    pub(super) unsafe fn n_doubts(&self) -> u32 {
        let doubts = self
            .written_stores()
            .map(|(care, stored)| (care.n_doubts)(stored));
        doubts.fold(0, u32::saturating_add)
    }

    /// How much memory records are in, of stores to which an event may write.
    ///
    /// # Safety
    ///
    /// As for [`settle`](Self::settle).
    #[expect(unsafe_code, reason = "says when stores may be looked at")]
    pub(super) unsafe fn n_bytes(&self) -> usize {
        self.written_stores()
            .map(|(care, stored)| (care.n_bytes)(stored))
            .sum()
    }

    /// Finds out which records have come and gone of what the handler of a case takes as a whole: it is to find all counted.
    /// Nothing that an event of this case has named is written, since nobody takes a store and single records of it but to
    /// read both.
    ///
    /// # Safety
    ///
    /// As for [`settle`](Self::settle).
    #[expect(unsafe_code, reason = "says when stores may be settled")]
    pub(super) unsafe fn settle_for(&self, case: usize) {
        let wants = self.cases[case].wants.iter();
        let is_whole = |of: &ResourceType| {
            let mut whole = wants.clone().filter(|want| want.care.is_none());
            whole.any(|want| want.resource.type_id == of.type_id)
        };
        self.written_stores()
            .filter(|(_, stored)| is_whole(stored.resource))
            .for_each(|(care, stored)| (care.count_all)(stored));
    }

    /// The stores to which a record may come by an event of this stream. Others may be read by somebody else meanwhile.
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
    use crate::keys::Dense;
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

    /// Adds a handler that takes a store and one of it.
    fn add(is_write: [bool; 2]) -> Stores {
        let [whole, one] = is_write;
        let wants = vec![
            Want::resource::<Records<Account>>(whole),
            Want::records::<Account>(one),
        ];
        let mut stores = Stores::default();
        stores.add_case(TypeId::of::<()>(), wants);
        stores
    }

    #[test]
    fn a_store_and_one_of_it_may_both_be_read() {
        assert!(add([false, false]).cases[0].is_exclusive);
    }

    #[test]
    #[should_panic(expected = "a handler takes a store and a record of it, and writes one of them")]
    fn one_of_a_store_may_not_be_written_beside_it() {
        add([false, true]);
    }

    #[test]
    #[should_panic(expected = "a handler takes a store and a record of it, and writes one of them")]
    fn a_store_may_not_be_written_beside_one_of_it() {
        add([true, false]);
    }
}
