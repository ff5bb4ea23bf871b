//! The verdict on a graph of nodes that use resources: an order of all nodes, or the reasons why there is none.
//!
//! The phases are those of the policies: declared orders; weak orders; races; `writers first`; `insertion order`;
//! `optimize`. The edges of a later phase do not order a pair that an earlier phase rejects. The first four phases may
//! reject the graph. They are `const fn`s ([`Phases`]), which const evaluation runs too. The last two never fail.

mod incremental;
mod inserted;
mod levelled;
mod masks;
mod messages;
mod optimize;
mod origin;
mod phases;
mod race_policies;
mod races;
mod remedy;
mod remedy_windows;
mod walk;

pub use self::incremental::{NEW, Previous};
use self::inserted::Inserted;
pub use self::inserted::InsertedSyncPoint;
use self::levelled::sort_by_levels;
use self::messages::shared_messages;
pub use self::messages::{MessageReader, MessageUse, MessageUses, readers_between};
use self::optimize::OptimizePhase;
pub use self::origin::Origin;
pub use self::phases::{Phases, PhasesExtent, PhasesMemory};
pub use self::race_policies::RacePolicies;
use self::races::RaceCounter;
pub use self::remedy::Remedy;
pub use self::walk::{Walk, WalkExtent, WalkMemory};
use crate::arena::Full;
use crate::arena::Heap;
use crate::conflict::Uses;
use crate::exclusion::Needs;
use crate::graph::SCRATCH_PER_NODE;
use crate::graph::cycle::{fill_components, fill_shortest_cycles, find_back_edge};
use crate::graph::edge::Edge;
use crate::graph::levels::Levels;
use crate::graph::lists::Lists;
use crate::graph::order::sort_topologically;
use crate::links_memory::LinksMemory;
use crate::policy::{Policy, Rules, insertion_order};

/// The input of [`verify`]: a graph and its policies.
#[derive(Clone, Copy, Debug)]
pub struct VerifyInput<'a> {
    /// The uses of all nodes, those for weak orders included.
    pub uses: Uses<'a>,
    /// The number of nodes of a plan. Nodes for weak orders come after these.
    pub n_planned: usize,
    /// The number of resources, the additional ones included.
    pub n_resources: usize,
    /// Orders: node `from` runs before node `to`.
    pub declared: &'a [Edge],
    /// Weak orders: node `from` runs before node `to` if they conflict.
    pub weak: &'a [Edge],
    /// `is_weak_order[e]`: whether weak edge e is an order, and not an edge between a group and a node in it;
    /// len = number of weak edges. Used for the origins of edges only. May be empty if these are not needed.
    pub is_weak_order: &'a [bool],
    /// `is_messages[r]`: whether resource r is a queue of messages; len = n_resources, or 0 if there are none. Pairs that race on messages
    /// under [`Policy::Optimize`] are ordered as under [`Policy::InsertionOrder`].
    pub is_messages: &'a [bool],
    /// The policies.
    pub rules: Rules<'a>,
    /// The loops. Declared and weak edges are lifted, and the declared ones include those of loops.
    pub levels: Levels<'a>,
    /// The answers that each node needs to run.
    pub needs: Needs<'a>,
    /// See [`SyncPointRaces::roles`](crate::sync_point_races::SyncPointRaces::roles).
    pub roles: &'a [u32],
    /// `costs[v]`: the run time of node v, in any unit; len = n_nodes. Used under [`Policy::Optimize`] only.
    pub costs: &'a [u64],
    /// Pinned edges, lifted: node `from` runs before node `to` if they race under [`Policy::Optimize`]. Earlier edges take
    /// precedence.
    pub pinned: &'a [Edge],
    /// Pairs of a node with commands and a node that needs a sync point after it; see
    /// [`command_pairs`](crate::command_pairs::command_pairs). Declared edges lead from the first to the second.
    pub commands: &'a [Edge],
    /// `is_idle[v]`: whether node v has no work: it is a checkpoint, or the begin or end of a group. Inserted sync points need no order with
    /// such a node. len >= n_planned. Used if there are `commands`.
    pub is_idle: &'a [bool],
    /// The previous verdict, if most of the graph was verified before.
    pub previous: Option<Previous<'a>>,
}

impl<'a> VerifyInput<'a> {
    /// The extent of a walk over conflicts in a graph of this many nodes and edges.
    fn walk_extent(&self, n_nodes: usize, n_edges: usize) -> WalkExtent {
        WalkExtent {
            n_nodes,
            n_edges,
            n_resources: self.n_resources,
            n_filtered: self.uses.filters().n_filtered(),
            n_blocks: MAX_BLOCKS,
            has_declared: false,
            has_folds: self.uses.has_folds(),
        }
    }

    /// The uses of the nodes of a plan.
    const fn planned_uses(&self) -> Uses<'a> {
        self.uses.first(self.n_planned)
    }

    /// The number of rows of the masks of conflicting nodes.
    const fn n_rows(&self) -> usize {
        self.uses.filters().n_rows(self.n_resources)
    }
}

/// A graph in which all conflicting nodes are ordered.
#[derive(Debug)]
pub struct Verdict {
    /// All edges: the declared ones first, in their order, then those of each phase.
    pub edges: Vec<Edge>,
    /// `origins[i]`: the origin of edge i; len = n_edges.
    pub origins: Vec<Origin>,
    /// A topological order by these edges, smallest index first. A loop is one node, followed by its body. len = n_nodes.
    pub order: Vec<u32>,
    /// Pairs under [`Policy::Accepted`], which run in insertion order; smaller node first, sorted.
    pub accepted: Vec<(u32, u32)>,
    /// Pinned edges that were not followed: by index, ascending.
    pub unpinned: Vec<(u32, Unpinned)>,
    /// All conflicting pairs that only policies order and of which both nodes may run, for the next verdict. `None` if they
    /// were not searched for, if there are weak orders, or if there are more pairs than nodes.
    pub free: Option<Vec<(u32, u32)>>,
    /// The sync points that were inserted for [`VerifyInput::commands`]. Their nodes follow the nodes of the input.
    pub inserted: Vec<InsertedSyncPoint>,
}

/// The reason why a pinned edge was not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unpinned {
    /// The pair does not race under [`Policy::Optimize`].
    NoRace,
    /// The edge closes a cycle with declared edges and with earlier pinned edges.
    Contradicts,
}

/// The reasons why a graph has no verdict. At least one list is not empty.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Violations {
    /// Shortest cycles of declared and weak orders, one for each strongly connected component.
    pub cycles: Vec<Cycle>,
    /// Pairs under [`Policy::Reject`] that conflict, with no path between them.
    pub races: Races,
    /// Cycles through edges of [`Policy::WritersFirst`].
    pub writers_first: Vec<Cycle>,
    /// A minimal set of races such that ordering them, the first node before the second, ends all races. Empty if there are
    /// cycles of declared and weak orders.
    pub remedy: Vec<(u32, u32)>,
}

/// The races of a graph. Not all of them are listed if there are many.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Races {
    /// All pairs, if there are at most [`Races::MAX_LISTED`] or the requested number. Otherwise the first
    /// [`Races::LISTED_OF_EACH`] pairs of each resource. A pair belongs to the resource with the smallest number on which it
    /// conflicts. Smaller node first, sorted.
    pub listed: Vec<(u32, u32)>,
    /// The number of races.
    pub n_pairs: usize,
    /// Resources, ascending, each with the number of races on it and on none with a smaller number. Resources without such
    /// races are left out.
    pub by_resource: Vec<(u32, usize)>,
}

/// The edges of a cycle, from its smallest node back to it, with their origins.
pub type Cycle = Vec<(Edge, Origin)>;

/// Verifies a graph.
///
/// Cost: O((V + E + U) V / 64) for U uses; O(V log V + E + U) where every policy is [`Policy::InsertionOrder`] and no order
/// is weak. If a pair races under [`Policy::Optimize`], the cost of choosing an order is added: several list schedules,
/// O((V + U + E) log V) each.
pub fn verify(input: &VerifyInput<'_>) -> Result<Verdict, Box<Violations>> {
    verify_listing(input, Races::MAX_LISTED)
}

/// As [`verify`], but lists all races if there are at most `max_listed`.
pub fn verify_listing(
    input: &VerifyInput<'_>,
    max_listed: usize,
) -> Result<Verdict, Box<Violations>> {
    // The number of pairs that get edges is known only after the search.
    let mut n_pairs = input.declared.len() + input.uses.n_uses();
    loop {
        match verify_in(input, n_pairs, max_listed) {
            Ok(verdict) => return verdict,
            Err(Full) => n_pairs *= 2,
        }
    }
}

/// As [`verify_listing`], with memory for the edges of at most `n_pairs` pairs.
fn verify_in(
    input: &VerifyInput<'_>,
    n_pairs: usize,
    max_listed: usize,
) -> Result<Result<Verdict, Box<Violations>>, Full> {
    let has_messages = !input.is_messages.is_empty() && input.rules.may_add_later();
    let needs_races = input.rules.needs_races() || has_messages;
    let has_pairs = !input.weak.is_empty() || input.rules.has(Policy::WritersFirst) || has_messages;
    let extent = PhasesExtent {
        n_nodes: input.uses.n_nodes(),
        n_declared: input.declared.len(),
        n_weak: input.weak.len(),
        n_pairs: if has_pairs { n_pairs } else { 0 },
        n_resources: input.n_resources,
        n_filtered: input.uses.filters().n_filtered(),
        n_blocks: if needs_races || has_pairs {
            MAX_BLOCKS
        } else {
            0
        },
        has_folds: input.uses.has_folds(),
    };
    let has_roles = !input.roles.is_empty();
    let mut heap = Heap::of(|arena| PhasesMemory::take(arena, extent, has_roles));
    let memory = PhasesMemory::take(&mut heap.arena(), extent, has_roles);

    // 1 and 2: declared and weak orders.
    let mut phases = Phases::begin(*input, memory)?;
    let mut violations = Violations {
        cycles: cycles_of(&phases),
        ..Violations::default()
    };

    // 3: races, and 4: writers first.
    let mut accepted = Vec::new();
    let mut of_messages = Vec::new();
    let mut optimize = OptimizePhase::new(input);
    let mut free = None;
    if needs_races {
        let mut first = Vec::new();
        let mut found = Vec::new();
        let mut n_free = 0;
        let n_nodes = phases.n_nodes();
        let previous = input
            .previous
            .as_ref()
            .filter(|_| phases.n_cycles() == 0 && input.weak.is_empty());
        let graph = previous.map(|_| Draft {
            n_nodes,
            n_inserted: 0,
            edges: phases.edges().to_vec(),
            origins: Vec::new(),
        });
        let (mut walk, mut policies) = phases.races();
        let mut races = RaceCounter::new(input, max_listed);
        let mut visit = |races: &mut RaceCounter<'_>, a: u32, b: u32| {
            n_free += 1;
            if n_free <= n_nodes {
                found.push((a, b));
            }
            let Some(mut policy) = policies.policy(a, b) else {
                return;
            };
            if has_messages
                && policy >= Policy::InsertionOrder
                && let Some(resource) = shared_messages(input.uses, input.is_messages, a, b)
            {
                of_messages.push((a, b, resource));
                if policy == Policy::Optimize {
                    policy = Policy::InsertionOrder;
                }
            }
            match policy {
                Policy::Reject => races.push(a, b),
                Policy::WritersFirst => first.push((a, b)),
                Policy::Accepted => accepted.push((a.min(b), a.max(b))),
                Policy::InsertionOrder | Policy::Optimize => {}
            }
            optimize.record_race(input, a, b, policy);
        };
        let was_incremental = graph.zip(previous).map(|(graph, previous)| {
            let visit = &mut |a, b| visit(&mut races, a, b);
            graph.for_each_race_incremental(input, previous, visit)
        });
        if was_incremental != Some(true) {
            while walk.next_row() {
                races.take_row(&mut walk);
                while let Some((a, b)) = walk.next_in_row() {
                    visit(&mut races, a, b);
                }
            }
        }
        // Not used if there are races: the list does not contain all of them.
        free = (input.weak.is_empty() && n_free == found.len()).then_some(found);
        if !races.is_empty() {
            violations.races = races.finish(&walk, &mut policies);
        }
        accepted.sort_unstable();
        first.sort_unstable();
        if violations.cycles.is_empty() && !first.is_empty() {
            for &(a, b) in &first {
                phases.add_writers_first(a, b)?;
            }
            phases.find_cycles();
            violations.writers_first = cycles_of(&phases);
        }
        if violations == Violations::default() && !of_messages.is_empty() {
            phases.sort_for_messages();
            for (a, b, resource) in of_messages {
                phases.add_message_order(a, b, resource)?;
            }
        }
    }
    if violations != Violations::default() {
        if violations.cycles.is_empty() && violations.races.n_pairs > 0 {
            violations.remedy = remedy_windows::remedy(input, &mut phases);
        }
        return Ok(Err(Box::new(violations)));
    }
    let mut graph = Draft::of(input, &phases);
    let order = if input.levels.is_flat() {
        phases.order().to_vec()
    } else {
        graph
            .sort_by_levels(input.levels)
            .expect("there is no cycle")
    };
    if input.commands.is_empty() {
        return Ok(Ok(graph.finish(input, optimize, order, accepted, free)));
    }
    let inserted = Inserted::new(input, &mut graph, &order);
    let extended = inserted.extend(input);
    let order = graph.sort_by_levels(extended.levels).expect(
        "a sync point comes after its writers, and before nodes that they do not come after",
    );
    let mut verdict = graph.finish(&extended, optimize, order, accepted, free);
    let mut graph = Draft {
        n_nodes: verdict.order.len(),
        n_inserted: inserted.sync_points.len(),
        edges: core::mem::take(&mut verdict.edges),
        origins: core::mem::take(&mut verdict.origins),
    };
    inserted.finish(input, &mut graph, &mut verdict.order);
    verdict.edges = graph.edges;
    verdict.origins = graph.origins;
    verdict.inserted = inserted.sync_points;
    Ok(Ok(verdict))
}

/// The cycles that were found.
fn cycles_of(phases: &Phases<'_>) -> Vec<Cycle> {
    let cycle = |nth: usize| {
        let (start, end) = phases.cycle(nth);
        (start..end).map(|step| phases.step(step)).collect()
    };
    (0..phases.n_cycles()).map(cycle).collect()
}

/// The edges of one shortest cycle through the first node of each strongly connected component. O(V + E).
pub fn cycles(n_nodes: usize, edges: &[Edge]) -> Vec<Vec<u32>> {
    let lists = Lists::of_successors(n_nodes, edges);
    let mut scratch = vec![0; SCRATCH_PER_NODE * n_nodes];
    if find_back_edge(lists.links(), &mut scratch).is_none() {
        return Vec::new();
    }
    let mut component = vec![0; n_nodes];
    fill_components(lists.links(), &mut scratch, &mut component);
    let mut starts = vec![0; n_nodes + 1];
    let mut members = vec![0; n_nodes];
    let cycles = fill_shortest_cycles(
        lists.links(),
        &component,
        &mut scratch,
        &mut starts,
        &mut members,
    );
    (0..cycles.n_cycles())
        .map(|cycle_idx| cycles.cycle(cycle_idx).to_vec())
        .collect()
}

/// Nodes and edges while the phases add to them.
#[derive(Debug)]
struct Draft {
    n_nodes: usize,
    /// The number of inserted sync points. Their nodes follow all others, but in a topological order they come first.
    n_inserted: usize,
    edges: Vec<Edge>,
    origins: Vec<Origin>,
}

impl Draft {
    /// The graph after the first four phases. It has no cycle. Each pair that only weak orders order has one edge.
    fn of(input: &VerifyInput<'_>, phases: &Phases<'_>) -> Self {
        let n_declared = input.declared.len();
        let edges = phases.edges();
        let mut graph = Self {
            n_nodes: phases.n_nodes(),
            n_inserted: 0,
            edges: edges[..n_declared].to_vec(),
            origins: (0..n_declared as u32).map(Origin::Declared).collect(),
        };
        let is_weak = |&edge: &usize| matches!(phases.origin(edge), Origin::Weak(_));
        let n_weak = (n_declared..edges.len()).take_while(is_weak).count();
        if n_weak > 0 {
            let mut kept = edges[n_declared..n_declared + n_weak].to_vec();
            kept.sort_unstable_by_key(|edge| (edge.from, edge.to));
            kept.dedup();
            graph.origins.extend(weak_origins(input, &kept));
            graph.edges.append(&mut kept);
        }
        let others = n_declared + n_weak..edges.len();
        graph.edges.extend_from_slice(&edges[others.clone()]);
        graph.origins.extend(others.map(|edge| phases.origin(edge)));
        graph
    }

    /// 5: insertion order, and 6: optimize.
    fn finish(
        mut self,
        input: &VerifyInput<'_>,
        mut optimize: OptimizePhase,
        mut order: Vec<u32>,
        accepted: Vec<(u32, u32)>,
        free: Option<Vec<(u32, u32)>>,
    ) -> Verdict {
        let mut unpinned = Vec::new();
        if optimize.is_needed {
            unpinned = optimize.add_edges(input, &mut self, &order);
            let sorted = self.sort_by_levels(input.levels);
            order = sorted.expect("all new edges follow one order");
        } else {
            self.add_along(input, input.planned_uses(), &order);
            let all = 0..input.pinned.len() as u32;
            unpinned.extend(all.map(|pinned| (pinned, Unpinned::NoRace)));
        }
        Verdict {
            edges: self.edges,
            origins: self.origins,
            order,
            accepted,
            unpinned,
            free,
            inserted: Vec::new(),
        }
    }

    fn push(&mut self, edge: Edge, origin: Origin) {
        self.edges.push(edge);
        self.origins.push(origin);
    }

    /// Calls `visit` with every conflicting pair without a path in this graph, in a topological order.
    fn for_each_pair(&self, input: &VerifyInput<'_>, visit: &mut impl FnMut(u32, u32)) {
        let (n_nodes, n_edges) = (self.n_nodes, self.edges.len());
        let extent = input.walk_extent(n_nodes, n_edges);
        let mut heap = Heap::of(|arena| WalkMemory::take(arena, extent));
        let memory = WalkMemory::take(&mut heap.arena(), extent);
        let mut walk = Walk::free(
            input.uses.first(n_nodes),
            input.n_resources,
            Needs::NONE,
            &self.edges,
            memory,
        );
        while let Some((a, b)) = walk.next() {
            visit(a, b);
        }
    }

    /// Orders all pairs that conflict by these uses along `order`, except those that a loop orders.
    fn add_along(&mut self, input: &VerifyInput<'_>, uses: Uses<'_>, order: &[u32]) {
        for (edge, resource) in insertion_order(uses, input.n_resources, order) {
            let lifted = input.levels.lift(edge);
            // The condition of a loop and its body are ordered.
            if !input.levels.is_of_loop(lifted) {
                let policy = input.rules.of_pair(input.uses, edge.from, edge.to);
                self.edges.push(lifted);
                self.origins.push(match policy {
                    Policy::Optimize => Origin::Optimize(resource),
                    _ => Origin::InsertionOrder(resource),
                });
            }
        }
    }

    /// See [`sort_by_levels`].
    fn sort_by_levels(&self, levels: Levels<'_>) -> Option<Vec<u32>> {
        match self.n_inserted {
            0 => self.sort_as_numbered(levels, self.edges.clone()),
            _ => inserted::sort(self, levels),
        }
    }

    fn sort_as_numbered(&self, levels: Levels<'_>, mut edges: Vec<Edge>) -> Option<Vec<u32>> {
        let (n_nodes, n_edges) = (self.n_nodes, edges.len());
        let mut heap = Heap::of(|arena| LinksMemory::take(arena, n_nodes, n_edges));
        let links = LinksMemory::take(&mut heap.arena(), n_nodes, n_edges);
        let mut scratch = vec![0; SCRATCH_PER_NODE * n_nodes];
        let (mut numbers, mut nodes) = (vec![0; n_nodes], vec![0; n_nodes]);
        let mut order = vec![0; n_nodes];
        let is_sorted = sort_by_levels(
            levels,
            &mut edges,
            links,
            &mut scratch,
            &mut numbers,
            &mut nodes,
            &mut order,
        );
        is_sorted.then_some(order)
    }
}

/// A weak order on a path that joins each pair. Pairs are sorted by first node. O(V + E) for each first node.
fn weak_origins(input: &VerifyInput<'_>, pairs: &[Edge]) -> Vec<Origin> {
    let n_nodes = input.uses.n_nodes();
    let n_declared = input.declared.len() as u32;
    let edges = [input.declared, input.weak].concat();
    // Edges between a group and the nodes in it are no orders.
    let is_order = input.is_weak_order;
    let lists = Lists::of_successors(n_nodes, &edges);
    let links = lists.links();
    let mut origins = Vec::with_capacity(pairs.len());
    for pairs in pairs.chunk_by(|a, b| a.from == b.from) {
        // A depth-first search. Each node records the first weak order on the path to it. A node without one is
        // visited again if the new path has a weak order.
        let mut weak_to: Vec<Option<Origin>> = vec![None; n_nodes];
        let mut is_met = vec![false; n_nodes];
        let mut open = vec![pairs[0].from];
        while let Some(node) = open.pop() {
            for link in links.start(node as usize)..links.end(node as usize) {
                let (to, edge) = (links.target(link), links.origin(link));
                let weak = edge
                    .checked_sub(n_declared)
                    .filter(|&weak| is_order[weak as usize])
                    .map(Origin::Weak);
                let weak = weak_to[node as usize].or(weak);
                let is_better = weak.is_some() && weak_to[to as usize].is_none();
                if is_better || !is_met[to as usize] {
                    is_met[to as usize] = true;
                    weak_to[to as usize] = weak_to[to as usize].or(weak);
                    open.push(to);
                }
            }
        }
        let of_pair = |pair: &Edge| weak_to[pair.to as usize];
        let of_pair = |pair| of_pair(pair).expect("no declared path joins the pair");
        origins.extend(pairs.iter().map(of_pair));
    }
    origins
}

/// A topological order, smallest index first, if there is no cycle.
pub fn sort(n_nodes: usize, edges: &[Edge]) -> Option<Vec<u32>> {
    let lists = Lists::of_successors(n_nodes, edges);
    let mut scratch = vec![0; SCRATCH_PER_NODE * n_nodes];
    let mut order = vec![0; n_nodes];
    let n_sorted = sort_topologically(lists.links(), &mut scratch, &mut order);
    (n_sorted == n_nodes).then_some(order)
}

/// The maximum number of blocks of reachability: 32 MiB. Tests use few blocks, to have several windows.
const MAX_BLOCKS: usize = if cfg!(test) { 1 << 5 } else { 1 << 22 };

#[cfg(test)]
mod tests;
