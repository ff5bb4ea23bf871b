//! Records of one type by number, for those who have no stream.

use std::sync::{Mutex, MutexGuard};

/// Lends records to a function.
pub(crate) trait Book<T> {
    fn one<R>(&mut self, number: u32, call: impl FnOnce(&mut T) -> R) -> R;

    /// The second is `None` if both are the same.
    fn two<R>(&mut self, numbers: [u32; 2], call: impl FnOnce(&mut T, Option<&mut T>) -> R) -> R;
}

/// A plain vector.
impl<T> Book<T> for Vec<T> {
    #[inline]
    fn one<R>(&mut self, number: u32, call: impl FnOnce(&mut T) -> R) -> R {
        call(&mut self[number as usize])
    }

    #[inline]
    fn two<R>(&mut self, numbers: [u32; 2], call: impl FnOnce(&mut T, Option<&mut T>) -> R) -> R {
        let [first, second] = numbers.map(|number| number as usize);
        if first == second {
            return call(&mut self[first], None);
        }
        let both = self.get_disjoint_mut([first, second]);
        let [first, second] = both.expect("they differ, and all are there");
        call(first, Some(second))
    }
}

/// A lock for each.
impl<T> Book<T> for &[Mutex<T>] {
    fn one<R>(&mut self, number: u32, call: impl FnOnce(&mut T) -> R) -> R {
        call(&mut lock(&self[number as usize]))
    }

    fn two<R>(&mut self, numbers: [u32; 2], call: impl FnOnce(&mut T, Option<&mut T>) -> R) -> R {
        let [first, second] = numbers.map(|number| &self[number as usize]);
        // The smaller number first, or two threads would wait for each other.
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

/// The same records with locks.
pub(crate) fn locked<T>(all: Vec<T>) -> Vec<Mutex<T>> {
    all.into_iter().map(Mutex::new).collect()
}

/// Without.
pub(crate) fn unlocked<T>(all: Vec<Mutex<T>>) -> Vec<T> {
    let unlocked = all.into_iter().map(Mutex::into_inner);
    unlocked
        .map(|one| one.expect("no handler panics"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn move_one(book: &mut impl Book<u32>, numbers: [u32; 2]) -> bool {
        book.two(numbers, |from, to| {
            let Some(to) = to else { return false };
            *from -= 1;
            *to += 1;
            true
        })
    }

    #[test]
    fn one_record_is_lent_once() {
        let mut plain = vec![5, 5, 5];
        assert!(!move_one(&mut plain, [1, 1]));
        assert!(!move_one(&mut locked(plain).as_slice(), [1, 1]));
    }

    #[test]
    fn two_records_come_in_the_order_in_which_they_were_named() {
        let mut plain = vec![5, 5, 5];
        assert!(move_one(&mut plain, [2, 0]) && move_one(&mut plain, [0, 1]));
        assert_eq!(plain, [5, 6, 4]);
        let all = locked(vec![5, 5, 5]);
        assert!(move_one(&mut all.as_slice(), [2, 0]) && move_one(&mut all.as_slice(), [0, 1]));
        assert_eq!(unlocked(all), [5, 6, 4]);
    }
}
