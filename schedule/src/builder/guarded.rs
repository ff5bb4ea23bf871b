//! Which guards each node has: its own, those of the groups around it, and of groups that it serves as a condition.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::guards::{Conditions, ResolvedLeaf, levels_from};
use super::index::Found;
use super::members::Members;
use super::{Builder, Level};
use crate::formula::Formula;
use schedule_graph::internal::{Needed, Needs};

/// The guards of each node, as indices of [`Conditions::guards`].
#[derive(Default)]
pub(super) struct GuardsOf {
    /// Of those that were added, as they were.
    of_nodes: HashMap<usize, Vec<usize>>,
    /// A condition and a guard that it has because all that it guards is in a group with that guard.
    pub(super) inherited: Vec<(usize, usize)>,
}

impl GuardsOf {
    /// `guarded[i]`: what guard i is about, if it is there. O(guards × (groups + members)).
    pub(super) fn new(
        builder: &Builder,
        conditions: &Conditions,
        guarded: &[Option<Found>],
        members: &Members,
    ) -> Self {
        let mut of_nodes: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut of_groups: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut served: BTreeMap<usize, Vec<Found>> = BTreeMap::new();
        for (guard, found) in guarded.iter().enumerate() {
            let Some(found) = *found else { continue };
            match found {
                Found::Node(node) => of_nodes.entry(node).or_default().push(guard),
                Found::Group(group) => of_groups.entry(group).or_default().push(guard),
            }
            conditions.guards[guard].formula.for_each_leaf(&mut |leaf| {
                served.entry(leaf.node).or_default().push(found);
            });
        }
        let mut groups: Vec<usize> = of_groups.keys().copied().collect();
        groups.sort_unstable();
        for &group in &groups {
            for node in members.nodes(Found::Group(group)) {
                let guards = of_nodes.entry(node).or_default();
                guards.extend(&of_groups[&group]);
            }
        }
        let mut inherited = Vec::new();
        if !of_groups.is_empty() {
            let mut covers = Covers {
                served: &served,
                members,
                guarded: &of_groups,
                known: HashMap::new(),
            };
            for &condition in served.keys() {
                let around = members.holders(Found::Node(condition));
                let mut cover: Vec<usize> = covers.of(condition).into_iter().collect();
                cover.sort_unstable();
                cover.retain(|group| !around.contains(group));
                for guard in cover.iter().flat_map(|group| &of_groups[group]) {
                    let formula = &conditions.guards[*guard].formula;
                    if can_guard(builder, formula, condition) {
                        of_nodes.entry(condition).or_default().push(*guard);
                        inherited.push((condition, *guard));
                    }
                }
            }
        }
        Self {
            of_nodes,
            inherited,
        }
    }

    /// What has to hold for a node to run; `None` if it always runs.
    pub(super) fn formula<T>(
        &self,
        conditions: &Conditions,
        node: usize,
        mut leaf: impl FnMut(&ResolvedLeaf) -> T,
    ) -> Option<Formula<T>> {
        let guards = self.of_nodes.get(&node)?;
        let formulas = guards.iter();
        let formulas = formulas.map(|&guard| conditions.guards[guard].formula.map(&mut leaf));
        Some(Formula::All(formulas.collect()))
    }

    /// What each node needs to run, for itself and for the loops around it. `added[v]`: which of those added node v
    /// is, if any; `node_of` the other way.
    pub(super) fn needs(
        &self,
        builder: &Builder,
        conditions: &Conditions,
        added: impl Iterator<Item = Option<usize>>,
        node_of: &[u32],
    ) -> NeedsOf {
        let mut needs = NeedsOf::default();
        if self.of_nodes.is_empty() {
            return needs;
        }
        needs.starts.push(0);
        for added in added {
            let mut needed: BTreeMap<u32, u64> = BTreeMap::new();
            let mut level: Level = added;
            while let Some(idx) = level {
                let leaf = |leaf: &ResolvedLeaf| (node_of[leaf.node], *leaf);
                if let Some(formula) = self.formula(conditions, idx, leaf) {
                    intersect(&mut needed, necessary(&formula, true));
                }
                level = builder.nodes[idx].level;
            }
            let needed = needed.into_iter();
            needs
                .needed
                .extend(needed.map(|(condition, answers)| Needed { condition, answers }));
            needs.starts.push(needs.needed.len() as u32);
        }
        needs
    }
}

/// The memory of [`Needs`].
#[derive(Default)]
pub(super) struct NeedsOf {
    starts: Vec<u32>,
    needed: Vec<Needed>,
}

impl NeedsOf {
    pub(super) fn as_needs(&self) -> Needs<'_> {
        Needs {
            starts: &self.starts,
            needed: &self.needed,
        }
    }
}

/// Which answers have to be given for a formula to be as wanted, as far as that is the same in all cases.
fn necessary(formula: &Formula<(u32, ResolvedLeaf)>, wanted: bool) -> BTreeMap<u32, u64> {
    /// Bits of an answer; of so many branches nothing is known.
    const MOST_BRANCHES: u32 = u64::BITS;
    match formula {
        Formula::Is((_, leaf)) if leaf.n_branches > MOST_BRANCHES => BTreeMap::new(),
        Formula::Is((condition, leaf)) => {
            let all = u64::MAX >> (MOST_BRANCHES - leaf.n_branches);
            let this = 1 << leaf.index;
            let answers = if wanted { this } else { all & !this };
            BTreeMap::from([(*condition, answers)])
        }
        Formula::Not(formula) => necessary(formula, !wanted),
        Formula::All(formulas) | Formula::Any(formulas) => {
            let every = matches!(formula, Formula::All(_)) == wanted;
            let mut parts = formulas.iter().map(|one| necessary(one, wanted));
            let Some(first) = parts.next() else {
                return BTreeMap::new();
            };
            parts.fold(first, |mut all, part| {
                if every {
                    intersect(&mut all, part);
                } else {
                    // What one of them does not need, all of them together do not.
                    all.retain(|condition, _| part.contains_key(condition));
                    for (condition, answers) in &mut all {
                        *answers |= part[condition];
                    }
                }
                all
            })
        }
    }
}

/// Adds what is needed, too.
fn intersect(all: &mut BTreeMap<u32, u64>, more: BTreeMap<u32, u64>) {
    for (condition, answers) in more {
        *all.entry(condition).or_insert(u64::MAX) &= answers;
    }
}

/// Whether each leaf stands at the level of the node, or further out, and is not the node itself.
fn can_guard(builder: &Builder, formula: &Formula<ResolvedLeaf>, node: usize) -> bool {
    let levels: HashSet<Level> = levels_from(builder, builder.nodes[node].level).collect();
    let mut can = true;
    formula.for_each_leaf(&mut |leaf| {
        can &= leaf.node != node && levels.contains(&builder.nodes[leaf.node].level);
    });
    can
}

/// For each condition the guarded groups that all it guards is in, or serves likewise.
struct Covers<'a> {
    served: &'a BTreeMap<usize, Vec<Found>>,
    members: &'a Members,
    guarded: &'a HashMap<usize, Vec<usize>>,
    /// `None` while it is being found: conditions that guard each other are covered by nothing.
    known: HashMap<usize, Option<HashSet<usize>>>,
}

impl Covers<'_> {
    fn of(&mut self, condition: usize) -> HashSet<usize> {
        if let Some(known) = self.known.get(&condition) {
            return known.clone().unwrap_or_default();
        }
        self.known.insert(condition, None);
        let mut cover: Option<HashSet<usize>> = None;
        for &found in &self.served[&condition] {
            let holders = self.members.holders(found).into_iter();
            let mut around: HashSet<usize> = holders
                .filter(|group| self.guarded.contains_key(group))
                .collect();
            if let Found::Node(node) = found
                && self.served.contains_key(&node)
            {
                around.extend(self.of(node));
            }
            cover = Some(match cover {
                None => around,
                Some(cover) => &cover & &around,
            });
        }
        let cover = cover.unwrap_or_default();
        self.known.insert(condition, Some(cover.clone()));
        cover
    }
}
