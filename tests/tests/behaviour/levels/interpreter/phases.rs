//! The phases: they determine the orders, the races, and the order of the run.

use std::collections::BTreeSet;

use schedule::Policy;

use crate::random::orders::{Commanded, Inserted, Step};

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
        let first_edges = edges.clone();
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
        let inserted = self.inserted(&first_edges, &edges);
        let n_all = n_points + inserted.n_points();
        let with_inserted = |edges: &BTreeSet<(usize, usize)>| {
            let all: BTreeSet<_> = edges.iter().copied().chain(inserted.orders()).collect();
            closure(n_all, &all)
        };
        // 5: one order of all points. Pairs in insertion order follow it.
        let bound = edges.clone();
        let mut levels = vec![None];
        let loops = (0..self.n_nodes()).filter(|&idx| self.case.nodes[idx].is_loop());
        levels.extend(loops.map(Some));
        let (fits, insertion_order): (Vec<(usize, usize)>, Vec<_>) = races
            .into_iter()
            .partition(|&(a, b)| self.policy(a, b) == Policy::Optimize);
        for &level in &levels {
            let order = self.sorted(level, &with_inserted(&bound), &inserted);
            let rank = |point: usize| order.iter().position(|&one| one == point);
            for &(a, b) in &insertion_order {
                let (a, b) = self.lift_both(a, b);
                if let (Some(rank_a), Some(rank_b)) = (rank(a), rank(b)) {
                    edges.insert(if rank_a < rank_b { (a, b) } else { (b, a) });
                }
            }
            self.set_order(level, &order, &inserted);
        }
        self.after = closure(n_points, &self.with_barriers(&edges));
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
            let order = self.sorted(level, &with_inserted(&edges), &inserted);
            self.set_order(level, &order, &inserted);
        }
        self.after = closure(n_points, &self.with_barriers(&edges));
        Ok(())
    }

    /// Adds the orders along each inserted sync point, and along each loop with one in it: nothing runs beside it.
    fn with_barriers(&self, edges: &BTreeSet<(usize, usize)>) -> BTreeSet<(usize, usize)> {
        let mut edges = edges.clone();
        for steps in self.steps.values() {
            for (place, step) in steps.iter().enumerate() {
                let [before, after] = [&steps[..place], &steps[place + 1..]].map(|steps| {
                    let nodes = steps.iter().filter_map(|step| match step {
                        Step::Node(point) => Some(*point),
                        Step::Apply(_) => None,
                    });
                    // Checkpoints and groups have no work.
                    let has_work = |&point: &usize| self.is_listed(point);
                    nodes.filter(has_work).collect::<Vec<usize>>()
                });
                match step {
                    Step::Apply(_) => {
                        let pairs = before
                            .iter()
                            .flat_map(|&a| after.iter().map(move |&b| (a, b)));
                        edges.extend(pairs);
                    }
                    Step::Node(point) if self.has_inserted(*point) => {
                        edges.extend(before.into_iter().map(|other| (other, *point)));
                        edges.extend(after.into_iter().map(|other| (*point, other)));
                    }
                    Step::Node(_) => {}
                }
            }
        }
        edges
    }

    /// Whether a point is a loop with an inserted sync point in it, at any depth.
    fn has_inserted(&self, point: usize) -> bool {
        let mut steps = self
            .steps
            .get(&Some(point))
            .into_iter()
            .flatten()
            .map(|step| match step {
                Step::Apply(_) => true,
                Step::Node(inner) => self.has_inserted(*inner),
            });
        steps.any(|has_one| has_one)
    }

    /// The sync points that are inserted because declared orders include commands. `edges`: those of the first four phases.
    fn inserted(
        &self,
        declared: &BTreeSet<(usize, usize)>,
        edges: &BTreeSet<(usize, usize)>,
    ) -> Inserted {
        let [declared, binding] =
            [declared, edges].map(|edges| edges.iter().copied().collect::<Vec<_>>());
        let levels: Vec<Level> = self.points.iter().map(|point| point.level).collect();
        let all_guards = |point: usize| {
            let around = self.case.outwards(self.points[point].level);
            let loops = around.into_iter().flatten();
            let points = loops.chain([point]);
            points.flat_map(|one| self.guards[one].iter().map(|guard| format!("{guard:?}")))
        };
        let commanded = Commanded {
            levels: &levels,
            declared: &declared,
            binding: &binding,
            is_sync_point: &|point| self.work(point) == Some(Work::ApplyCommands),
            has_guards_of: &|sync_point, point| {
                let found: BTreeSet<String> = all_guards(point).collect();
                let mut guards = self.guards[sync_point].iter();
                guards.all(|guard| found.contains(&format!("{guard:?}")))
            },
            finds: &|a, b| match self.work(a) {
                Some(Work::Recorder(resource)) => self.access(b)[resource].is_some(),
                _ => false,
            },
        };
        commanded.inserted().expect("no cycle")
    }

    fn set_order(&mut self, level: Level, order: &[usize], inserted: &Inserted) {
        let n_points = self.points.len();
        let points = order.iter().copied().filter(|&point| point < n_points);
        self.order.insert(level, points.collect());
        self.steps.insert(level, inserted.steps(level, order));
    }

    /// Sorts the points of a level. Among ready points, the one with the smallest key comes first.
    fn sorted(&self, level: Level, after: &[Points], inserted: &Inserted) -> Vec<usize> {
        let at_level = (0..self.points.len()).filter(|&point| self.points[point].level == level);
        let mut open: Vec<usize> = at_level.chain(inserted.of_level(level)).collect();
        let mut order = Vec::new();
        while !open.is_empty() {
            let is_ready = |point: &&usize| open.iter().all(|one| !after[*one].contains(point));
            let next = open.iter().filter(is_ready).min_by_key(|&&one| {
                self.points.get(one).map_or((0, 0, one), |point| {
                    (point.key.0 + 1, point.key.1, point.key.2)
                })
            });
            let next = *next.expect("no cycle");
            order.push(next);
            open.retain(|&one| one != next);
        }
        order
    }
}
