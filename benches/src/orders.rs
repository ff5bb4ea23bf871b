//! The orders between systems.

/// Orders between systems. No order is implied by the others.
///
/// In each order, the system that was added first comes first. So insertion order satisfies all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orders {
    /// `successors[i]`: the direct successors of system i, ascending; len = n_systems.
    successors: Vec<Vec<usize>>,
}

impl Orders {
    /// Orders the first of each pair before the second. Implied pairs are omitted.
    ///
    /// O(systems × pairs).
    ///
    /// # Panics
    ///
    /// If the second of a pair was added before the first.
    pub fn new(n_systems: usize, pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut declared = vec![Vec::new(); n_systems];
        for (first, then) in pairs {
            assert!(first < then, "{first} was added after {then}");
            declared[first].push(then);
        }
        let mut successors = vec![Vec::new(); n_systems];
        // `reached[i][j]`: system i comes before system j.
        let mut reached = vec![vec![false; n_systems]; n_systems];
        for first in (0..n_systems).rev() {
            declared[first].sort_unstable();
            let mut reached_here = vec![false; n_systems];
            for &then in &declared[first] {
                // Systems between the two have smaller numbers than `then`, so they were visited before it.
                if !reached_here[then] {
                    successors[first].push(then);
                    reached_here[then] = true;
                    for (here, there) in reached_here.iter_mut().zip(&reached[then]) {
                        *here |= there;
                    }
                }
            }
            reached[first] = reached_here;
        }
        Self { successors }
    }

    /// The number of systems, ordered or not.
    pub fn n_systems(&self) -> usize {
        self.successors.len()
    }

    /// The direct successors of a system, ascending.
    pub fn successors(&self, system_idx: usize) -> &[usize] {
        &self.successors[system_idx]
    }

    /// All orders.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let successors = self.successors.iter().enumerate();
        successors.flat_map(|(first, successors)| successors.iter().map(move |&then| (first, then)))
    }

    /// `n_predecessors[i]`: the number of direct predecessors of system i; len = n_systems.
    pub fn n_predecessors(&self) -> Vec<usize> {
        let mut n_predecessors = vec![0; self.n_systems()];
        for (_, then) in self.pairs() {
            n_predecessors[then] += 1;
        }
        n_predecessors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn implied_orders_are_left_out() {
        let orders = Orders::new(5, [(0, 3), (0, 1), (2, 3), (1, 3), (1, 2), (0, 4), (0, 4)]);
        let pairs: Vec<_> = orders.pairs().collect();
        assert_eq!(pairs, [(0, 1), (0, 4), (1, 2), (2, 3)]);
        assert_eq!(orders.n_predecessors(), [0, 1, 1, 1, 1]);
    }
}
