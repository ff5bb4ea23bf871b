//! The maximum speed-up of two workers, for any direction of races.

use crate::orders::Orders;

/// The maximum speed-up of two workers over one.
///
/// All systems have the same cost, and scheduling costs nothing. Racing pairs run in either order, but not at the same time.
///
/// Systems that run at the same time are a pair that may run in parallel, and each system is in at most one such pair. So the
/// number of these pairs is at most that of a maximum matching (Fujii, Kasami, Ninomiya 1969), which augmenting paths find
/// (Edmonds 1965). The limit may not be reachable. O(systems³).
pub fn most_speedup_of_two(
    orders: &Orders,
    races: impl IntoIterator<Item = (usize, usize)>,
) -> f64 {
    let n_systems = orders.n_systems();
    // `may[i]`: the systems that may run in parallel with system i.
    let mut is_apart = vec![vec![false; n_systems]; n_systems];
    for first in (0..n_systems).rev() {
        for &then in orders.successors(first) {
            let behind = is_apart[then].clone();
            for (here, there) in is_apart[first].iter_mut().zip(&behind) {
                *here |= there;
            }
            is_apart[first][then] = true;
        }
    }
    for (one, other) in races {
        is_apart[one][other] = true;
    }
    let may =
        |one: usize, other: usize| one != other && !is_apart[one][other] && !is_apart[other][one];
    let beside: Vec<Vec<usize>> = (0..n_systems)
        .map(|one| (0..n_systems).filter(|&other| may(one, other)).collect())
        .collect();
    n_systems as f64 / (n_systems - n_matched(&beside)) as f64
}

/// The number of edges of a maximum matching. `beside[i]`: the neighbours of i.
fn n_matched(beside: &[Vec<usize>]) -> usize {
    let mut search = Search::new(beside);
    for root in 0..beside.len() {
        if search.mate[root].is_none() {
            search.augment(root);
        }
    }
    search.mate.iter().flatten().count() / 2
}

/// Searches for augmenting paths, one after the other.
struct Search<'a> {
    beside: &'a [Vec<usize>],
    mate: Vec<Option<usize>>,
    /// `from[i]`: the node from which i was reached along an edge that is not in the matching.
    from: Vec<Option<usize>>,
    /// `base[i]`: the base of the odd cycles that contain i.
    base: Vec<usize>,
    is_even: Vec<bool>,
    open: Vec<usize>,
}

impl<'a> Search<'a> {
    fn new(beside: &'a [Vec<usize>]) -> Self {
        let n_nodes = beside.len();
        Self {
            beside,
            mate: vec![None; n_nodes],
            from: vec![None; n_nodes],
            base: Vec::new(),
            is_even: vec![false; n_nodes],
            open: Vec::new(),
        }
    }

    /// Adds an edge to the matching if there is an augmenting path from this node.
    fn augment(&mut self, root: usize) {
        self.from.fill(None);
        self.is_even.fill(false);
        self.base = (0..self.beside.len()).collect();
        self.is_even[root] = true;
        self.open = vec![root];
        let mut next = 0;
        while next < self.open.len() {
            let node = self.open[next];
            next += 1;
            for &other in &self.beside[node] {
                if self.base[node] == self.base[other] || self.mate[node] == Some(other) {
                    continue;
                }
                let is_reached = |mate: usize| self.from[mate].is_some();
                if other == root || self.mate[other].is_some_and(is_reached) {
                    self.contract(node, other);
                } else if self.from[other].is_none() {
                    self.from[other] = Some(node);
                    let Some(mate) = self.mate[other] else {
                        self.turn(other);
                        return;
                    };
                    self.is_even[mate] = true;
                    self.open.push(mate);
                }
            }
        }
    }

    /// Swaps matched and unmatched edges along the path to this node.
    fn turn(&mut self, end: usize) {
        let mut node = Some(end);
        while let Some(one) = node {
            let before = self.from[one].expect("it was reached");
            node = self.mate[before];
            self.mate[one] = Some(before);
            self.mate[before] = Some(one);
        }
    }

    /// Two nodes at even distance are neighbours. From now on, all nodes of the odd cycle through both have the same base.
    fn contract(&mut self, one: usize, other: usize) {
        let base = self.common_base(one, other);
        let mut is_on_cycle = vec![false; self.beside.len()];
        self.mark(one, base, other, &mut is_on_cycle);
        self.mark(other, base, one, &mut is_on_cycle);
        for node in 0..self.beside.len() {
            if is_on_cycle[self.base[node]] {
                self.base[node] = base;
                if !self.is_even[node] {
                    self.is_even[node] = true;
                    self.open.push(node);
                }
            }
        }
    }

    fn common_base(&self, one: usize, other: usize) -> usize {
        let up = |node: usize| {
            let mate = self.mate[self.base[node]]?;
            Some(self.base[self.from[mate].expect("it was reached")])
        };
        let mut is_met = vec![false; self.beside.len()];
        let mut node = Some(self.base[one]);
        while let Some(base) = node {
            is_met[base] = true;
            node = up(base);
        }
        let mut base = self.base[other];
        while !is_met[base] {
            base = up(base).expect("both come from the root");
        }
        base
    }

    fn mark(&mut self, from: usize, base: usize, behind: usize, is_on_cycle: &mut [bool]) {
        let (mut node, mut behind) = (from, behind);
        while self.base[node] != base {
            let mate = self.mate[node].expect("only the root has none");
            is_on_cycle[self.base[node]] = true;
            is_on_cycle[self.base[mate]] = true;
            self.from[node] = Some(behind);
            behind = mate;
            node = self.from[mate].expect("it was reached");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_graph::Dice;

    /// Tries all ways to match the remaining nodes. `left`: a set of bits.
    fn most_matched(beside: &[Vec<usize>], left: u32) -> usize {
        let Some(node) = (0..beside.len()).find(|node| left & (1 << node) != 0) else {
            return 0;
        };
        let without = left & !(1 << node);
        let others = beside[node]
            .iter()
            .filter(|&&other| without & (1 << other) != 0);
        let with = others.map(|other| 1 + most_matched(beside, without & !(1 << other)));
        with.fold(most_matched(beside, without), usize::max)
    }

    #[test]
    fn found_matching_has_the_maximum_size() {
        let mut dice = Dice::new(5);
        for _ in 0..2000 {
            let n_nodes = 1 + dice.below(9);
            let density = 1 + dice.below(9);
            let mut beside = vec![Vec::new(); n_nodes];
            for one in 0..n_nodes {
                for other in 0..one {
                    if dice.below(10) < density {
                        beside[one].push(other);
                        beside[other].push(one);
                    }
                }
            }
            let most = most_matched(&beside, (1 << n_nodes) - 1);
            assert_eq!(n_matched(&beside), most, "{beside:?}");
        }
    }

    #[test]
    fn ordered_and_racing_systems_never_overlap() {
        let orders = Orders::new(4, [(0, 1), (1, 2)]);
        assert_eq!(most_speedup_of_two(&orders, []), 4.0 / 3.0);
        assert_eq!(most_speedup_of_two(&orders, [(0, 3), (1, 3), (2, 3)]), 1.0);
        assert_eq!(most_speedup_of_two(&Orders::new(4, []), []), 2.0);
    }
}
