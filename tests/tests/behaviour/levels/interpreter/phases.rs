//! The phases: they determine the orders, the races, and the order of the run.

use std::collections::BTreeSet;

use schedule::Policy;

use super::super::case::{Level, Work};
use super::{Chosen, Law, Points, Refusal};

/// `after[a]`: all points that have a path from point a.
fn closure(n_points: usize, edges: &BTreeSet<(usize, usize)>) -> Vec<Points> {
    let mut after = vec![Points::new(); n_points];
    for &(from, to) in edges {
        after[from].insert(to);
    }
    for via in 0..n_points {
        for from in 0..n_points {
            if after[from].contains(&via) {
                let behind = after[via].clone();
                after[from].extend(behind);
            }
        }
    }
    after
}

fn has_cycle(after: &[Points]) -> bool {
    (0..after.len()).any(|point| after[point].contains(&point))
}

impl Law {
    /// Executes the phases.
    pub(super) fn decide(
        &mut self,
        mut edges: BTreeSet<(usize, usize)>,
        weak: &BTreeSet<(usize, usize)>,
        chosen: &Chosen,
    ) -> Result<(), Refusal> {
        let n_points = self.points.len();
        // 1 and 2: declared and weak orders.
        let declared = closure(n_points, &edges);
        let lifted = weak.iter().map(|&(a, b)| self.lift_both(a, b));
        let both = closure(n_points, &edges.iter().copied().chain(lifted).collect());
        if has_cycle(&both) {
            return Err(Refusal {
                has_cycle: true,
                ..Refusal::default()
            });
        }
        // Two systems that never both run do not race.
        let (exclusive, conflicts): (Vec<_>, Vec<_>) = self
            .conflicts()
            .into_iter()
            .partition(|&(a, b)| self.is_exclusive(a, b));
        for &(a, b) in &conflicts {
            let (a, b) = self.lift_both(a, b);
            for (from, to) in [(a, b), (b, a)] {
                if both[from].contains(&to) && !declared[from].contains(&to) {
                    edges.insert((from, to));
                }
            }
        }
        // 3 and 4: races, and `WritersFirst`.
        let after = closure(n_points, &edges);
        let is_free = |&&(a, b): &&(usize, usize)| {
            let (lifted_a, lifted_b) = self.lift_both(a, b);
            lifted_a != lifted_b
                && !after[lifted_a].contains(&lifted_b)
                && !after[lifted_b].contains(&lifted_a)
        };
        let races: Vec<_> = conflicts.iter().filter(is_free).copied().collect();
        let mut refusal = Refusal::default();
        for &(a, b) in &races {
            let (lifted_a, lifted_b) = self.lift_both(a, b);
            match self.policy(a, b) {
                Policy::Reject => {
                    let applies_commands =
                        |point: &usize| self.work(*point) == Some(Work::ApplyCommands);
                    let sync_points = [a, b].into_iter().filter(applies_commands);
                    refusal
                        .sync_points
                        .extend(sync_points.map(|sync_point| self.name(sync_point)));
                    let (a, b) = (self.name(a), self.name(b));
                    refusal.races.insert((a.clone().min(b.clone()), a.max(b)));
                }
                Policy::WritersFirst => {
                    for (_, a_writes, b_writes) in self.shared(a, b) {
                        edges.extend(a_writes.then_some((lifted_a, lifted_b)));
                        edges.extend(b_writes.then_some((lifted_b, lifted_a)));
                    }
                }
                _ => {}
            }
        }
        self.dependents = closure(n_points, &edges);
        refusal.has_writers_first = has_cycle(&self.dependents);
        if refusal != Refusal::default() {
            return Err(refusal);
        }
        // 5: one order of all points. Pairs in insertion order follow it.
        let mut levels = vec![None];
        let loops = (0..self.n_nodes()).filter(|&idx| self.case.nodes[idx].is_loop());
        levels.extend(loops.map(Some));
        let (fits, insertion_order): (Vec<(usize, usize)>, Vec<_>) = races
            .into_iter()
            .partition(|&(a, b)| self.policy(a, b) == Policy::Optimize);
        for &level in &levels {
            let order = self.sorted(level, &self.dependents);
            let rank = |point: usize| order.iter().position(|&one| one == point);
            for &(a, b) in &insertion_order {
                let (a, b) = self.lift_both(a, b);
                if let (Some(rank_a), Some(rank_b)) = (rank(a), rank(b)) {
                    edges.insert(if rank_a < rank_b { (a, b) } else { (b, a) });
                }
            }
            self.order.insert(level, order);
        }
        self.after = closure(n_points, &edges);
        // 6: `Optimize`. In this phase, exclusive pairs get an order, too.
        if !self.case.has_optimize() || chosen.is_empty() {
            return Ok(());
        }
        for (a, b) in fits.into_iter().chain(exclusive) {
            let (a, b) = self.lift_both(a, b);
            let place = |point: usize| chosen[&(self.name(point), self.points[point].level)];
            if a != b {
                edges.insert(if place(a) < place(b) { (a, b) } else { (b, a) });
            }
        }
        self.after = closure(n_points, &edges);
        assert!(
            !has_cycle(&self.after),
            "the build keeps to all of phases 1 to 5"
        );
        for level in levels {
            let order = self.sorted(level, &self.after);
            self.order.insert(level, order);
        }
        Ok(())
    }

    /// Sorts the points of a level. Among ready points, the one with the smallest key comes first.
    fn sorted(&self, level: Level, after: &[Points]) -> Vec<usize> {
        let at_level = (0..self.points.len()).filter(|&point| self.points[point].level == level);
        let mut open: Vec<usize> = at_level.collect();
        let mut order = Vec::new();
        while !open.is_empty() {
            let is_ready = |point: &&usize| open.iter().all(|one| !after[*one].contains(point));
            let next = open
                .iter()
                .filter(is_ready)
                .min_by_key(|one| self.points[**one].key);
            let next = *next.expect("no cycle");
            order.push(next);
            open.retain(|&one| one != next);
        }
        order
    }
}
