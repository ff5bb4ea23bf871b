//! What has to hold for each node to run, with every condition found, or added where nobody did.

use std::collections::HashMap;
use std::sync::Arc;

use super::index::removed;
use super::naming::ByName;
use super::similar::Similar;
use super::{Builder, Declared, DeclaredWork, Level};
use crate::condition::{Asked, Leaf, Own};
use crate::formula::Formula;
use crate::order::Reference;
use crate::place::{NodeId, SystemPlace};
use crate::problem::{NamedBy, Problem};
use crate::target::{Named, Target};

/// What has to hold for something to run.
pub(super) struct Resolved {
    pub(super) guarded: Guarded,
    pub(super) formula: Formula<ResolvedLeaf>,
}

/// What is guarded.
#[derive(Clone, Copy)]
pub(super) enum Guarded {
    /// One of those that were added.
    Node(usize),
    Group(Reference),
}

/// One of those that were added, and the answer that is wanted of it.
#[derive(Clone, Copy)]
pub(super) struct ResolvedLeaf {
    pub(super) node: usize,
    pub(super) index: u32,
    /// How many answers there are.
    pub(super) n_branches: u32,
    pub(super) location: &'static core::panic::Location<'static>,
}

/// The guards of a builder, with their conditions.
pub(super) struct Conditions {
    pub(super) guards: Vec<Resolved>,
    /// `before[c]`, for a condition that nobody added: the first node that it guards; `None` for a group without any.
    before: HashMap<usize, Option<usize>>,
}

impl Conditions {
    /// All nodes as they were added, and conditions that nobody added before the first that they guard.
    pub(super) fn in_order(&self, builder: &Builder) -> Vec<usize> {
        let mut conditions_of: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut of_none = Vec::new();
        for (&condition, &first) in &self.before {
            let conditions = first.map(|first| conditions_of.entry(first).or_default());
            conditions.unwrap_or(&mut of_none).push(condition);
        }
        for conditions in conditions_of.values_mut().chain([&mut of_none]) {
            conditions.sort_unstable_by(|a, b| b.cmp(a));
        }
        let mut order = Vec::with_capacity(builder.nodes.len());
        let nodes = &builder.nodes;
        let added =
            (0..nodes.len()).filter(|idx| nodes[*idx].is_there() && !self.before.contains_key(idx));
        let mut open = Vec::new();
        for idx in added.chain(of_none.into_iter().rev()) {
            open.push(idx);
            while let Some(&last) = open.last() {
                match conditions_of.remove(&last) {
                    Some(conditions) => open.extend(conditions),
                    None => order.extend(open.pop()),
                }
            }
        }
        order
    }
}

/// Finds the conditions of all guards; adds those that nobody did, at the level of what they guard.
pub(super) fn find_conditions(builder: &mut Builder, problems: &mut Vec<Problem>) -> Conditions {
    let mut known = Known::new(builder);
    let mut resolved = Vec::new();
    let mut asked = Vec::new();
    let mut before = HashMap::new();
    // A condition that is added here may have guards of its own.
    let mut n_done = 0;
    while n_done < builder.guards.len() {
        let guard = &builder.guards[n_done];
        n_done += 1;
        let guarded = match &guard.guarded.0 {
            Named::Node(NodeId(idx)) => Guarded::Node(*idx),
            Named::Type(reference) => Guarded::Group(*reference),
            Named::Name(_) => unreachable!("a guard is about what was added last"),
        };
        let formula = guard.formula.clone();
        let part = guard.part;
        let n_problems = problems.len();
        let formula = formula.map(&mut |leaf| {
            let node = known.find(builder, guarded, leaf, &mut before);
            asked.extend(node.as_ref().ok().map(|&condition| AskedFor {
                condition,
                guarded,
                part,
            }));
            let node = node.and_then(|node| check(builder, guarded, node, leaf).map(|()| node));
            let node = node.unwrap_or_else(|problem| {
                problems.push(problem);
                usize::MAX
            });
            let branches = builder.nodes.get(node).and_then(Declared::system);
            let branches = branches.and_then(|system| system.branches);
            ResolvedLeaf {
                node,
                index: leaf.index,
                n_branches: branches.unwrap_or(leaf.branches).n_answers() as u32,
                location: leaf.location,
            }
        });
        if problems.len() == n_problems {
            resolved.push(Resolved { guarded, formula });
        }
    }
    place_in_parts(builder, &asked);
    Conditions {
        guards: resolved,
        before,
    }
}

/// That something asks a condition.
struct AskedFor {
    condition: usize,
    guarded: Guarded,
    /// The part that says it.
    part: Option<usize>,
}

/// Lets each condition that nobody added be in the innermost part that all is in which it guards.
fn place_in_parts(builder: &mut Builder, asked: &[AskedFor]) {
    if builder.parts.is_empty() {
        return;
    }
    let mut part_of: HashMap<usize, Option<usize>> = HashMap::new();
    // Conditions may guard conditions that nobody added: as many passes as they do so behind each other.
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for one in asked {
            let is_implied = |idx: usize| builder.nodes[idx].implied.is_some();
            let part = match one.guarded {
                Guarded::Group(_) => Some(one.part),
                Guarded::Node(idx) if is_implied(idx) => part_of.get(&idx).copied(),
                Guarded::Node(idx) => Some(builder.nodes[idx].part),
            };
            let Some(part) = part.filter(|_| is_implied(one.condition)) else {
                continue;
            };
            let known = part_of.get(&one.condition).copied();
            let common = known.map_or(part, |known| builder.common_part(known, part));
            has_changed |= known != Some(common);
            part_of.insert(one.condition, common);
        }
    }
    for (condition, part) in part_of {
        builder.nodes[condition].part = part;
    }
}

/// Whether the node can guard this, and answers what is wanted.
fn check(builder: &Builder, guarded: Guarded, node: usize, leaf: &Leaf) -> Result<(), Problem> {
    let declared = &builder.nodes[node];
    let condition = declared.place.clone();
    let location = leaf.location;
    if let Asked::Type(asked) = &leaf.asked
        && declared.ty.is_some_and(|(ty, _)| ty != asked.ty)
    {
        // Found by its number, which another one has, too.
        return Err(Problem::SameIdentity {
            first: condition,
            second: SystemPlace {
                name: asked.reference.to_string(),
                location: asked.function.location(),
            },
        });
    }
    if matches!(guarded, Guarded::Node(idx) if idx == node) {
        return Err(Problem::GuardsItself {
            condition,
            location,
        });
    }
    if declared.is_loop() {
        return Err(Problem::GuardIsLoop {
            condition,
            location,
        });
    }
    let branches = declared.system().and_then(|system| system.branches);
    let is_right = branches.is_some_and(|branches| branches.ty == leaf.branches.ty);
    if is_right && (leaf.index as usize) < leaf.branches.names.len() {
        return Ok(());
    }
    Err(Problem::WrongAnswer {
        condition,
        answers: branches.map(|branches| (branches.type_name)().to_string()),
        wanted: (leaf.branches.type_name)().to_string(),
        location,
    })
}

/// Lets a condition that nobody added stand before the first node that it guards, of those known so far and this one.
fn stand_before(
    before: &mut HashMap<usize, Option<usize>>,
    condition: usize,
    first: Option<usize>,
) {
    // Of a condition that nobody added, the node that brought it.
    let root = |mut node: usize| {
        while let Some(&Some(next)) = before.get(&node) {
            node = next;
        }
        node
    };
    let known = before.get(&condition).copied().flatten();
    let is_earlier = match (first, known) {
        (Some(first), Some(known)) => root(first) < root(known),
        (Some(_), None) => true,
        (None, _) => false,
    };
    if is_earlier {
        before.insert(condition, first);
    }
}

/// A level, and those around it.
pub(super) fn levels_from(builder: &Builder, level: Level) -> impl Iterator<Item = Level> {
    core::iter::successors(Some(level), |level| {
        level.map(|outer| builder.nodes[outer].level)
    })
}

/// What a condition that nobody added is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Implied {
    Type(u128),
    Own(*const Own),
}

impl Implied {
    /// What is asked, if nobody has to add it.
    fn of(asked: &Asked) -> Option<Self> {
        match asked {
            Asked::Type(declaration) => Some(Self::Type(declaration.reference.id)),
            Asked::Own(own) => Some(Self::Own(Arc::as_ptr(own))),
            Asked::Added(_) => None,
        }
    }
}

/// Where conditions are.
struct Known {
    by_id: HashMap<u128, Vec<usize>>,
    /// The first node of each type, loops too.
    first_by_id: HashMap<u128, usize>,
    by_name: ByName<usize>,
    /// Those that nobody added, by what they are and by their level.
    implied: HashMap<(Implied, Level), usize>,
    /// Those that the schedule to be changed has, as index of [`Builder::implied`](super::Builder::implied).
    had: HashMap<(Implied, Level), usize>,
    /// By number of the group: the first member, and the level.
    groups: HashMap<u128, (Option<usize>, Level)>,
    similar: Similar,
}

impl Known {
    fn new(builder: &Builder) -> Self {
        let mut known = Self {
            by_id: HashMap::new(),
            first_by_id: HashMap::new(),
            by_name: ByName::default(),
            implied: HashMap::new(),
            had: HashMap::new(),
            groups: HashMap::new(),
            similar: Similar::default(),
        };
        if builder.guards.is_empty() {
            return known;
        }
        for (idx, had) in builder.implied.iter().enumerate() {
            let what = had.implied.as_ref().and_then(Implied::of);
            let what = what.expect("only such are asked without having been added");
            known.had.insert((what, had.level), idx);
        }
        for (idx, node) in builder.there() {
            if let Some((_, id)) = node.ty {
                known.first_by_id.entry(id).or_insert(idx);
                // A loop is called as its condition is, which is not for guards.
                if !node.is_loop() {
                    known.by_id.entry(id).or_default().push(idx);
                }
            }
            known.by_name.insert(node.short_name(), node.module(), idx);
        }
        for group in &builder.groups {
            let group_level = known.groups.entry(group.reference.id);
            group_level.or_insert((None, group.level));
        }
        // As many passes as groups are deep.
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for membership in &builder.memberships {
                let first = match &membership.member.0 {
                    Named::Node(NodeId(idx)) => Some(*idx),
                    Named::Type(group) => known.groups.get(&group.id).and_then(|group| group.0),
                    Named::Name(_) => None,
                };
                let Some(first) = first else { continue };
                let level = builder.nodes[first].level;
                let group = known.groups.entry(membership.group.id);
                let group = group.or_insert((None, level));
                if group.0.is_none_or(|known| first < known) {
                    *group = (Some(first), level);
                    has_changed = true;
                }
            }
        }
        known
    }

    /// The first node of what is guarded, and its level.
    fn place_of(&self, builder: &Builder, guarded: Guarded) -> (Option<usize>, Level) {
        match guarded {
            Guarded::Node(idx) => (Some(idx), builder.nodes[idx].level),
            Guarded::Group(group) => self.groups.get(&group.id).copied().unwrap_or_default(),
        }
    }

    /// The node that is asked: at the level of what it guards, or further out; added, if it is not there and may be.
    fn find(
        &mut self,
        builder: &mut Builder,
        guarded: Guarded,
        leaf: &Leaf,
        before: &mut HashMap<usize, Option<usize>>,
    ) -> Result<usize, Problem> {
        let (first, mut level) = self.place_of(builder, guarded);
        if let Some(beside) = leaf.beside
            && let Some(&beside) = self.first_by_id.get(&beside.id)
        {
            let beside = builder.nodes[beside].level;
            let mut levels = levels_from(builder, level);
            level = levels.find(|level| *level == beside).unwrap_or(level);
        }
        let (candidates, name) = match &leaf.asked {
            Asked::Type(declaration) => (
                self.by_id.get(&declaration.reference.id).cloned(),
                declaration.reference.to_string(),
            ),
            Asked::Added(Target(Named::Node(NodeId(idx)))) => {
                let node = builder.nodes.get(*idx);
                let name = node.map(|node| node.place.name.clone());
                let is_there = node.is_some_and(Declared::is_there);
                (
                    is_there.then(|| vec![*idx]),
                    name.unwrap_or_else(|| "node".to_string()),
                )
            }
            Asked::Added(Target(Named::Type(reference))) => (
                self.by_id.get(&reference.id).cloned(),
                reference.to_string(),
            ),
            Asked::Added(Target(Named::Name(name))) => {
                (Some(self.by_name.find(name)), name.to_string())
            }
            Asked::Own(own) => (None, own.name.clone()),
        };
        let candidates = candidates.unwrap_or_default();
        let nodes = &builder.nodes;
        for level in levels_from(builder, level) {
            let at_level = candidates.iter().filter(|&&idx| nodes[idx].level == level);
            match at_level.collect::<Vec<_>>().as_slice() {
                [] => {}
                [only] => return Ok(**only),
                several => {
                    let places = several.iter().map(|&&idx| nodes[idx].place.clone());
                    return Err(Problem::Ambiguous {
                        name,
                        candidates: places.collect(),
                        location: leaf.location,
                    });
                }
            }
        }
        let guarded_place = || match guarded {
            Guarded::Node(idx) => builder.nodes[idx].place.clone(),
            Guarded::Group(group) => SystemPlace {
                name: group.to_string(),
                location: leaf.location,
            },
        };
        if let Some(&deeper) = candidates.first() {
            return Err(Problem::ConditionDeeper {
                condition: builder.nodes[deeper].place.clone(),
                guarded: guarded_place(),
                location: leaf.location,
            });
        }
        // It was not added.
        let Some(what) = Implied::of(&leaf.asked) else {
            let removed = match &leaf.asked {
                Asked::Added(target) => removed(builder, target),
                _ => None,
            };
            if let Some(removed) = removed {
                return Err(Problem::Removed {
                    removed,
                    named_by: NamedBy::RunCondition,
                    location: leaf.location,
                });
            }
            let nodes = builder.there();
            let names = nodes.map(|(_, node)| (node.place.name.as_str(), node.module()));
            return Err(Problem::Dangling {
                nearest: self.similar.nearest(&name, names),
                same_name: None,
                name,
                named_by: NamedBy::RunCondition,
                location: leaf.location,
            });
        };
        if let Some(&implied) = self.implied.get(&(what, level)) {
            stand_before(before, implied, first);
            return Ok(implied);
        }
        let idx = nodes.len();
        let had = self.had.get(&(what, level));
        let had = had.map(|&had| builder.implied[had].clone());
        self.implied.insert((what, level), idx);
        before.insert(idx, first);
        Self::add(builder, &leaf.asked, level, had);
        builder.nodes[idx].implied = Some(leaf.asked.clone());
        Ok(idx)
    }

    /// Adds a condition that nobody did, at this level: the one that the schedule `had`, or a new one.
    fn add(builder: &mut Builder, asked: &Asked, level: Level, had: Option<Declared>) {
        let last = builder.last.take();
        let outside = core::mem::replace(&mut builder.level, level);
        match (asked, had) {
            (Asked::Type(declaration), Some(had)) => {
                let node = NodeId(builder.nodes.len());
                builder.nodes.push(had);
                builder.declare_all(node, declaration);
            }
            (_, Some(had)) => builder.nodes.push(had),
            (Asked::Type(declaration), None) => {
                builder.add_declared(declaration);
            }
            (Asked::Own(own), None) => {
                let place = SystemPlace {
                    name: own.name.clone(),
                    location: own.location,
                };
                let work = DeclaredWork::System((own.instantiate)().into());
                builder.push(place, None, work);
            }
            (Asked::Added(_), None) => unreachable!("it was added"),
        }
        (builder.last, builder.level) = (last, outside);
    }
}
