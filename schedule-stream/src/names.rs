//! Which keys an event has named, where what is found does not tell whether two of them are of one record: nothing was found.

use core::any::{Any, TypeId};
use core::fmt;
use std::collections::HashMap;
use std::hash::Hash;

use super::footprint::Use;
use super::record::Record;

/// See the module.
#[derive(Default)]
pub struct Names {
    /// By type of the record: [`NamesOf`] that.
    of: HashMap<TypeId, Box<dyn Any>>,
    /// The first argument that has named what another one had named before, with a write among the two; behind that other one.
    alias: Option<[u16; 2]>,
}

struct NamesOf<K> {
    by_number: HashMap<u32, First>,
    by_key: HashMap<K, First>,
}

/// The first time that something was named.
#[derive(Clone, Copy)]
struct First {
    argument: u16,
    how: Use,
}

impl<K> Default for NamesOf<K> {
    fn default() -> Self {
        Self {
            by_number: HashMap::new(),
            by_key: HashMap::new(),
        }
    }
}

impl fmt::Debug for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Names({:?})", self.alias)
    }
}

impl Names {
    /// An argument names a record; where keys are numbers, by that.
    pub(super) fn add<T: Record>(
        &mut self,
        key: &T::Key,
        number: Option<u32>,
        argument: u16,
        how: Use,
    ) {
        let of = self.of.entry(TypeId::of::<T>());
        let of = of.or_insert_with(|| Box::new(NamesOf::<T::Key>::default()));
        let of = of
            .downcast_mut::<NamesOf<T::Key>>()
            .expect("the entry has the type of the record");
        let this = First { argument, how };
        let first = match number {
            Some(number) => first(&mut of.by_number, &number, this),
            None => first(&mut of.by_key, key, this),
        };
        let is_written = [first.how, how].contains(&Use::Write);
        // A set has each once.
        if first.argument != argument && is_written {
            self.alias.get_or_insert([first.argument, argument]);
        }
    }

    /// The first argument that has named what another one had named before, with a write among the two; behind that other one.
    pub(super) fn alias(&self) -> Option<[u16; 2]> {
        self.alias
    }
}

/// Who named it first.
fn first<K: Clone + Eq + Hash>(all: &mut HashMap<K, First>, key: &K, this: First) -> First {
    match all.get(key) {
        Some(first) => *first,
        None => {
            all.insert(key.clone(), this);
            this
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::keys::{Dense, Hashed};
    use schedule::Identity;
    use schedule::identity::Name;

    macro_rules! record {
        ($name:ident, $key:ty, $index:ty) => {
            struct $name;

            impl Identity for $name {
                const ID: u128 = 0;
                const NAME: Name = Name::new(stringify!($name));
            }

            impl Record for $name {
                type Key = $key;
                type Index = $index;
            }
        };
    }

    record!(Account, u32, Dense);
    record!(Customer, String, Hashed<String>);

    #[test]
    fn the_first_that_was_named_before_is_told_with_that_which_was() {
        let mut names = Names::default();
        let ada = "Ada".to_string();
        names.add::<Account>(&1, Some(1), 0, Use::Read);
        names.add::<Account>(&1, Some(1), 1, Use::Read);
        names.add::<Customer>(&ada, None, 2, Use::Write);
        names.add::<Customer>(&ada, None, 2, Use::Write);
        assert_eq!(names.alias(), None);
        names.add::<Account>(&1, Some(1), 3, Use::Write);
        names.add::<Customer>(&ada, None, 4, Use::Read);
        assert_eq!(names.alias(), Some([0, 3]));
    }
}
