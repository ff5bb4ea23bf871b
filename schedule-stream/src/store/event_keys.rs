//! Detection of aliases by key, for events that name missing records: these have no addresses to compare.

use core::any::{Any, TypeId};
use core::fmt;
use std::collections::HashMap;
use std::hash::Hash;

use crate::base::footprint::Use;
use crate::store::record::Record;

/// See the module.
#[derive(Default)]
pub struct EventKeys {
    /// A `KeysOfType` of the key type of the record, by the type of the record.
    of: HashMap<TypeId, Box<dyn Any>>,
    /// The first argument that names the record of an earlier argument, with at least one write, as `[earlier, later]`.
    alias: Option<[u16; 2]>,
}

struct KeysOfType<K> {
    by_number: HashMap<u32, First>,
    by_key: HashMap<K, First>,
}

/// The first argument that named a record, and its access.
#[derive(Clone, Copy)]
struct First {
    argument: u16,
    how: Use,
}

impl<K> Default for KeysOfType<K> {
    fn default() -> Self {
        Self {
            by_number: HashMap::new(),
            by_key: HashMap::new(),
        }
    }
}

impl fmt::Debug for EventKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EventKeys({:?})", self.alias)
    }
}

impl EventKeys {
    /// Adds a record that an argument names. Compares by `number` if the key has one.
    pub(crate) fn add<T: Record>(
        &mut self,
        key: &T::Key,
        number: Option<u32>,
        argument: u16,
        how: Use,
    ) {
        let of = self
            .of
            .entry(TypeId::of::<T>())
            .or_insert_with(|| Box::new(KeysOfType::<T::Key>::default()));
        let of = of
            .downcast_mut::<KeysOfType<T::Key>>()
            .expect("the entry has the type of the record");
        let this = First { argument, how };
        let first = match number {
            Some(number) => first(&mut of.by_number, &number, this),
            None => first(&mut of.by_key, key, this),
        };
        let is_written = [first.how, how].contains(&Use::Write);
        // A set contains each record once.
        if first.argument != argument && is_written {
            self.alias.get_or_insert([first.argument, argument]);
        }
    }

    /// Returns the first argument that names the record of an earlier argument, with at least one write, as `[earlier,
    /// later]`.
    pub(crate) fn alias(&self) -> Option<[u16; 2]> {
        self.alias
    }
}

/// Returns the first argument that named this key. Adds `this` if there was none.
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
    use crate::store::keys::{Dense, Hashed};
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
    fn first_alias_is_reported_with_the_earlier_argument() {
        let mut keys = EventKeys::default();
        let ada = "Ada".to_string();
        keys.add::<Account>(&1, Some(1), 0, Use::Read);
        keys.add::<Account>(&1, Some(1), 1, Use::Read);
        keys.add::<Customer>(&ada, None, 2, Use::Write);
        keys.add::<Customer>(&ada, None, 2, Use::Write);
        assert_eq!(keys.alias(), None);
        keys.add::<Account>(&1, Some(1), 3, Use::Write);
        keys.add::<Customer>(&ada, None, 4, Use::Read);
        assert_eq!(keys.alias(), Some([0, 3]));
    }
}
