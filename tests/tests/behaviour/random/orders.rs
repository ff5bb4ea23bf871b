//! Orders of random schedules: pairs of nodes, of which the first runs before the second.

use std::collections::{BTreeMap, BTreeSet};

use proptest::sample::Index;

/// Returns orders without a cycle: each leads from the smaller to the greater key. Half of them contradict the insertion order.
pub(crate) fn acyclic(orders: &[(Index, Index)], keys: &[u16]) -> Vec<(usize, usize)> {
    let pairs = orders.iter().filter_map(|(a, b)| {
        let (a, b) = (a.index(keys.len()), b.index(keys.len()));
        let is_before = (keys[a], a) < (keys[b], b);
        (a != b).then_some(if is_before { (a, b) } else { (b, a) })
    });
    pairs.collect()
}

/// Returns all nodes that are reachable along these orders.
pub(crate) fn reachable(orders: &[(usize, usize)], from: usize) -> BTreeSet<usize> {
    let (mut reachable, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(idx) = open.pop() {
        let next = orders
            .iter()
            .filter(|order| order.0 == idx)
            .map(|order| order.1);
        open.extend(next.filter(|&next| reachable.insert(next)));
    }
    reachable
}

/// Returns the topological order in which the smallest possible index is always next, or `None` if there is a cycle.
pub(crate) fn smallest_first(n_nodes: usize, orders: &[(usize, usize)]) -> Option<Vec<usize>> {
    let mut sorted = Vec::new();
    while sorted.len() < n_nodes {
        let is_ready = |&idx: &usize| {
            let mut before = orders.iter().filter(|order| order.1 == idx);
            !sorted.contains(&idx) && before.all(|order| sorted.contains(&order.0))
        };
        sorted.push((0..n_nodes).find(is_ready)?);
    }
    Some(sorted)
}

/// A step of a serial run: a node, or an inserted sync point for the commands of these nodes. A loop stands for all nodes in it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    Node(usize),
    Apply(Vec<usize>),
}

/// A graph in which orders include commands. A loop is a node that other nodes have as their level.
pub(crate) struct Commanded<'a> {
    pub(crate) levels: &'a [Option<usize>],
    /// Orders between nodes of one level.
    pub(crate) declared: &'a [(usize, usize)],
    /// All orders that do not depend on a serial order.
    pub(crate) binding: &'a [(usize, usize)],
    pub(crate) is_sync_point: &'a dyn Fn(usize) -> bool,
    /// Whether the guards of a sync point are guards of the other node, too.
    pub(crate) has_guards_of: &'a dyn Fn(usize, usize) -> bool,
    /// Whether the second node uses what the commands of the first may change.
    pub(crate) finds: &'a dyn Fn(usize, usize) -> bool,
}

impl Commanded<'_> {
    /// The loops around a node, and the node itself, outermost first.
    fn around(&self, node: usize) -> Vec<usize> {
        let mut around: Vec<usize> =
            std::iter::successors(Some(node), |&one| self.levels[one]).collect();
        around.reverse();
        around
    }

    /// The nodes or loops at the lowest common level of two nodes. `None` if one contains the other.
    fn lifted(&self, a: usize, b: usize) -> Option<(usize, usize)> {
        let pairs = self.around(a).into_iter().zip(self.around(b));
        pairs.into_iter().find(|(a, b)| a != b)
    }

    fn is_before(&self, a: usize, b: usize) -> bool {
        self.lifted(a, b)
            .is_some_and(|(a, b)| reachable(self.declared, a).contains(&b))
    }

    fn is_served(&self, a: usize, b: usize) -> bool {
        (0..self.levels.len()).any(|point| {
            let is_between = |&around: &usize| {
                self.around(a).contains(&around) || self.around(b).contains(&around)
            };
            let mut loops = self.around(point);
            loops.pop();
            (self.is_sync_point)(point)
                && self.is_before(a, point)
                && self.is_before(point, b)
                && (self.has_guards_of)(point, b)
                && loops.iter().all(is_between)
        })
    }

    /// Returns the inserted sync points. `None` if the orders have a cycle.
    pub(crate) fn inserted(&self) -> Option<Inserted> {
        let n_nodes = self.levels.len();
        let all = || (0..n_nodes).flat_map(|a| (0..n_nodes).map(move |b| (a, b)));
        let pairs = all().filter(|&(a, b)| {
            a != b && (self.finds)(a, b) && self.is_before(a, b) && !self.is_served(a, b)
        });
        let pairs: BTreeSet<(usize, usize)> =
            pairs.filter_map(|(a, b)| self.lifted(a, b)).collect();
        smallest_first(n_nodes, self.binding)?;
        // The number of sync points of its level before each node.
        let mut n_before = vec![0; n_nodes];
        for _ in 0..n_nodes {
            for &(a, b) in self.binding {
                n_before[b] = n_before[b].max(n_before[a]);
            }
            for &(a, b) in &pairs {
                n_before[b] = n_before[b].max(n_before[a] + 1);
            }
        }
        let mut points: Points = BTreeMap::new();
        for &(a, b) in &pairs {
            let point = (self.levels[b], n_before[b]);
            points.entry(point).or_default().insert((a, b));
        }
        Some(Inserted { n_nodes, points })
    }
}

/// The pairs that each inserted sync point serves, by its level and its number there.
type Points = BTreeMap<(Option<usize>, usize), BTreeSet<(usize, usize)>>;

/// Inserted sync points. They are numbered after the nodes.
#[derive(Debug)]
pub(crate) struct Inserted {
    n_nodes: usize,
    points: Points,
}

impl Inserted {
    /// The orders between nodes and sync points.
    pub(crate) fn orders(&self) -> Vec<(usize, usize)> {
        let mut orders = Vec::new();
        for (point, pairs) in (self.n_nodes..).zip(self.points.values()) {
            for &(a, b) in pairs {
                orders.extend([(a, point), (point, b)]);
            }
        }
        for (point, (level, nth)) in (self.n_nodes..).zip(self.points.keys()) {
            let next = self.points.keys().position(|one| *one == (*level, nth + 1));
            orders.extend(next.map(|next| (point, self.n_nodes + next)));
        }
        orders
    }

    pub(crate) fn n_points(&self) -> usize {
        self.points.len()
    }

    /// The sync points of a level.
    pub(crate) fn of_level(&self, level: Option<usize>) -> impl Iterator<Item = usize> {
        let points = (self.n_nodes..).zip(self.points.keys());
        points
            .filter(move |(_, (at, _))| *at == level)
            .map(|(point, _)| point)
    }

    /// Returns the steps of a level. `order`: its nodes and sync points, by these orders. Each sync point is moved behind the last
    /// node that it must come after.
    pub(crate) fn steps(&self, level: Option<usize>, order: &[usize]) -> Vec<Step> {
        let nodes = order.iter().filter(|&&node| node < self.n_nodes);
        let mut steps: Vec<Step> = nodes.map(|&node| Step::Node(node)).collect();
        for pairs in self.points.iter().filter(|point| point.0.0 == level) {
            let is_before = |step: &Step| match step {
                Step::Node(node) => pairs.1.iter().any(|pair| pair.0 == *node),
                Step::Apply(_) => true,
            };
            let place = steps.iter().rposition(is_before).unwrap() + 1;
            let writers: BTreeSet<usize> = pairs.1.iter().map(|pair| pair.0).collect();
            steps.insert(place, Step::Apply(writers.into_iter().collect()));
        }
        steps
    }

    /// Returns the steps of all levels, each with the smallest possible index next.
    pub(crate) fn all_steps(
        &self,
        levels: &[Option<usize>],
        binding: &[(usize, usize)],
    ) -> Option<BTreeMap<Option<usize>, Vec<Step>>> {
        let orders: Vec<(usize, usize)> = binding.iter().copied().chain(self.orders()).collect();
        // A sync point comes before all nodes that are ready at the same time.
        let n_points = self.points.len();
        let number = |node: usize| (node + n_points) % (self.n_nodes + n_points);
        let orders: Vec<_> = orders
            .iter()
            .map(|&(a, b)| (number(a), number(b)))
            .collect();
        let sorted = smallest_first(self.n_nodes + n_points, &orders)?
            .into_iter()
            .map(|node| (node + self.n_nodes) % (self.n_nodes + n_points));
        let mut orders: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::from([(None, Vec::new())]);
        for node in sorted.filter(|&node| node < self.n_nodes) {
            orders.entry(levels[node]).or_default().push(node);
        }
        let steps = orders.into_iter();
        Some(
            steps
                .map(|(level, order)| (level, self.steps(level, &order)))
                .collect(),
        )
    }
}
