//! Records of one type by number, for the methods without a stream.

use std::sync::{Mutex, MutexGuard};

/// Gives a function access to one or two records.
pub(crate) trait Table<T> {
    fn with_one<R>(&mut self, number: u32, call: impl FnOnce(&mut T) -> R) -> R;

    /// The second record is `None` if both numbers are the same.
    fn with_two<R>(
        &mut self,
        numbers: [u32; 2],
        call: impl FnOnce(&mut T, Option<&mut T>) -> R,
    ) -> R;
}

/// Without locks.
impl<T> Table<T> for Vec<T> {
    #[inline]
    fn with_one<R>(&mut self, number: u32, call: impl FnOnce(&mut T) -> R) -> R {
        call(&mut self[number as usize])
    }

    #[inline]
    fn with_two<R>(
        &mut self,
        numbers: [u32; 2],
        call: impl FnOnce(&mut T, Option<&mut T>) -> R,
    ) -> R {
        let [first, second] = numbers.map(|number| number as usize);
        if first == second {
            return call(&mut self[first], None);
        }
        let both = self.get_disjoint_mut([first, second]);
        let [first, second] = both.expect("they differ, and all are there");
        call(first, Some(second))
    }
}

/// With a lock for each record.
impl<T> Table<T> for &[Mutex<T>] {
    fn with_one<R>(&mut self, number: u32, call: impl FnOnce(&mut T) -> R) -> R {
        call(&mut lock(&self[number as usize]))
    }

    fn with_two<R>(
        &mut self,
        numbers: [u32; 2],
        call: impl FnOnce(&mut T, Option<&mut T>) -> R,
    ) -> R {
        let [first, second] = numbers.map(|number| &self[number as usize]);
        // Lock the smaller number first. Otherwise two threads could wait for each other.
        match numbers[0].cmp(&numbers[1]) {
            core::cmp::Ordering::Equal => call(&mut lock(first), None),
            core::cmp::Ordering::Less => {
                let mut first = lock(first);
                call(&mut first, Some(&mut lock(second)))
            }
            core::cmp::Ordering::Greater => {
                let mut second = lock(second);
                call(&mut lock(first), Some(&mut second))
            }
        }
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().expect("no handler panics")
}

/// Puts each record into a lock.
pub(crate) fn locked<T>(all: Vec<T>) -> Vec<Mutex<T>> {
    all.into_iter().map(Mutex::new).collect()
}

/// Takes each record out of its lock.
pub(crate) fn unlocked<T>(all: Vec<Mutex<T>>) -> Vec<T> {
    let unlocked = all.into_iter().map(Mutex::into_inner);
    unlocked
        .map(|one| one.expect("no handler panics"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn move_one(table: &mut impl Table<u32>, numbers: [u32; 2]) -> bool {
        table.with_two(numbers, |from, to| {
            let Some(to) = to else { return false };
            *from -= 1;
            *to += 1;
            true
        })
    }

    #[test]
    fn same_number_twice_gives_one_record() {
        let mut plain = vec![5, 5, 5];
        assert!(!move_one(&mut plain, [1, 1]));
        assert!(!move_one(&mut locked(plain).as_slice(), [1, 1]));
    }

    #[test]
    fn two_records_have_the_order_of_their_numbers_in_the_call() {
        let mut plain = vec![5, 5, 5];
        assert!(move_one(&mut plain, [2, 0]) && move_one(&mut plain, [0, 1]));
        assert_eq!(plain, [5, 6, 4]);
        let all = locked(vec![5, 5, 5]);
        assert!(move_one(&mut all.as_slice(), [2, 0]) && move_one(&mut all.as_slice(), [0, 1]));
        assert_eq!(unlocked(all), [5, 6, 4]);
    }
}
