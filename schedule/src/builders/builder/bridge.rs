//! Removes items and keeps the order of the remaining ones.

use core::panic::Location;
use std::collections::HashMap;

use super::Builder;
use crate::base::place::SystemPlace;
use crate::data::order::{Reference, Strength};
use crate::data::target::{Named, Target};
use crate::declare::declarations::{
    Declared, DeclaredOrder, DeclaredWork, Level, matches, matches_group,
};
use crate::verify::compile::{GroupContents, Match, find_contents};

/// A node or a group.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum RemovedItem {
    Node(usize),
    Group(u128),
}

/// A remaining node or group that shares an order with a removed one.
struct Outside {
    target: Target,
    /// `None` if the target matches nothing so far.
    found: Option<Match>,
}

/// One end of an order.
enum End {
    Gone(RemovedItem),
    Outside(Target),
}

/// The graph of orders around and between removed items. The item with number i has two vertices: 2i is its begin, and
/// 2i + 1 its end.
struct Removal<'b> {
    builder: &'b Builder,
    is_gone: Vec<bool>,
    groups: &'b HashMap<u128, Reference>,
    /// The loop that contains each group, by the id of the group.
    group_levels: HashMap<u128, Level>,
    numbers: HashMap<RemovedItem, usize>,
    /// `edges[v]`: the vertices after vertex v, and whether the order is weak.
    edges: Vec<Vec<(usize, bool)>>,
    /// Orders from an item in `before` to a vertex, and whether they are weak.
    entries: Vec<(usize, usize, bool)>,
    /// Orders from a vertex to an item in `after`, and whether they are weak.
    exits: Vec<(usize, usize, bool)>,
    before: Outsides,
    after: Outsides,
}

/// The remaining items on one side. Each node or group occurs once.
#[derive(Default)]
struct Outsides {
    list: Vec<Outside>,
    numbers: HashMap<RemovedItem, usize>,
}

/// An order between two remaining items, as indices into `before` and `after`.
struct Bridge {
    first: usize,
    then: usize,
    is_weak: bool,
}

impl Builder {
    /// Removes an item as [`remove`](Self::remove) does, and keeps the order of the remaining items. Each item that was
    /// declared before the removed one is now ordered before each item that was declared after it.
    ///
    /// Only orders that name the removed item are combined: orders from [`order`](Self::order), clauses, chains,
    /// `schedule!`, and the attributes of other systems. Such clauses of other systems are not errors here. Orders of
    /// remaining groups that contain the item are not combined. For a group, orders that name the group or a member are
    /// combined. For a loop, this includes the orders of its body. A combination with a weak order is weak.
    /// The new orders include commands.
    ///
    /// Between m predecessors and n successors there are m × n orders. If m × n is greater than m + n, and all these
    /// orders are needed, a checkpoint with m + n orders replaces the removed item. The checkpoint is removed when it
    /// has no predecessor or no successor.
    ///
    /// Cost: O(orders × removed nodes), plus O(nodes) for each order that names a removed item, plus O(orders between
    /// removed items) for each predecessor.
    ///
    /// ```
    /// use schedule::prelude::*;
    ///
    /// #[system]
    /// fn read() {}
    ///
    /// #[system(after = read)]
    /// fn check() {}
    ///
    /// #[system(after = check)]
    /// fn write() {}
    ///
    /// let mut builder = Schedule::builder();
    /// builder.add::<write>().add::<check>().add::<read>();
    /// let mut copy = builder.build()?;
    /// assert_eq!(copy.systems().collect::<Vec<_>>(), ["read", "check", "write"]);
    /// copy.change(|builder| builder.remove_and_bridge("check"))?;
    /// assert_eq!(copy.systems().collect::<Vec<_>>(), ["read", "write"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn remove_and_bridge(&mut self, target: impl Into<Target>) -> &mut Self {
        let location = Location::caller();
        let mut inside = GroupContents::default();
        match self.find(&target.into(), location) {
            Ok(Match::Node(idx)) => inside.nodes.push(idx),
            Ok(Match::Group(group)) => find_contents(self.all(), group, &mut inside),
            Err(problem) => {
                self.problems.push(problem);
                return self;
            }
        }
        self.bridge(&inside.nodes, &inside.groups, location);
        self
    }

    fn bridge(
        &mut self,
        nodes: &[usize],
        groups: &HashMap<u128, Reference>,
        location: &'static Location<'static>,
    ) {
        let mut removal = Removal::new(self, nodes, groups);
        let is_kept = removal.add_orders(location);
        let bridges = removal.bridges();
        let Removal {
            is_gone,
            group_levels,
            before: Outsides { list: before, .. },
            after: Outsides { list: after, .. },
            ..
        } = removal;
        let n_ends = before.len() + after.len();
        let is_known = |one: &Outside| one.found.is_some();
        let is_complete = bridges.len() == before.len() * after.len()
            && !bridges.iter().any(|one| one.is_weak)
            && before.iter().chain(&after).all(is_known);
        let name = match groups.values().next() {
            Some(group) if nodes.is_empty() => group.to_string(),
            _ => {
                let first = (0..is_gone.len()).find(|&idx| is_gone[idx]);
                first.map_or_else(String::new, |idx| self.name_of(&Match::Node(idx)))
            }
        };
        let mut is_kept = is_kept.into_iter();
        let orders = &mut self.declarations.orders;
        orders.retain(|_| is_kept.next().expect("one for each order"));
        self.take_back(nodes, groups);
        let order = |first: Target, then: Target, strength: Strength| DeclaredOrder {
            declared_on: None,
            first,
            then,
            strength,
            location,
        };
        if is_complete && bridges.len() > n_ends {
            let place = SystemPlace {
                name: format!("in place of {name}"),
                location,
            };
            let outermost = (0..is_gone.len()).find(|&idx| is_gone[idx]);
            let level = match outermost {
                Some(idx) => self.declarations.nodes[idx].level,
                None => group_levels.values().next().copied().flatten(),
            };
            let node = Declared {
                level,
                plugin: outermost.and_then(|idx| self.declarations.nodes[idx].plugin),
                is_bridge: true,
                ..Declared::new(place, None, DeclaredWork::Checkpoint)
            };
            let bridge = match outermost {
                Some(idx) => self.declarations.replace(idx, node),
                None => self.declarations.push(node),
            };
            let bridge = Target::from(bridge);
            let orders = &mut self.declarations.orders;
            orders.extend(
                before
                    .iter()
                    .map(|one| order(one.target.clone(), bridge.clone(), Strength::Always)),
            );
            orders.extend(
                after
                    .iter()
                    .map(|one| order(bridge.clone(), one.target.clone(), Strength::Always)),
            );
            return;
        }
        let orders = bridges.iter().map(|one| {
            let (first, then) = (&before[one.first], &after[one.then]);
            let strength = match (one.is_weak, is_known(first) && is_known(then)) {
                (true, _) => Strength::IfConflicting,
                (false, true) => Strength::Always,
                (false, false) => Strength::IfPresent,
            };
            order(first.target.clone(), then.target.clone(), strength)
        });
        self.declarations.orders.extend(orders);
    }

    /// Removes checkpoints of [`remove_and_bridge`](Self::remove_and_bridge) that have no predecessor or no successor.
    pub(super) fn remove_idle_bridges(&mut self) {
        loop {
            let nodes = self.declarations.there();
            let bridges = nodes.filter(|(_, node)| node.is_bridge);
            let idle = bridges.map(|(idx, node)| (idx, node.id)).find(|&(_, id)| {
                let is_it = |target: &Target| matches!(target.0, Named::Node(node) if node == id);
                let mut orders = self.declarations.orders.iter();
                let has_first = orders.any(|order| is_it(&order.then));
                let mut orders = self.declarations.orders.iter();
                !has_first || !orders.any(|order| is_it(&order.first))
            });
            let Some((idle, id)) = idle else {
                return;
            };
            self.declarations.nodes[idle].work = DeclaredWork::Removed;
            let is_it = |target: &Target| matches!(target.0, Named::Node(node) if node == id);
            let orders = &mut self.declarations.orders;
            orders.retain(|order| !is_it(&order.first) && !is_it(&order.then));
        }
    }
}

impl<'b> Removal<'b> {
    fn new(builder: &'b Builder, nodes: &[usize], groups: &'b HashMap<u128, Reference>) -> Self {
        let declared = &builder.declarations;
        let mut is_gone = vec![false; declared.nodes.len()];
        nodes.iter().for_each(|&idx| is_gone[idx] = true);
        let mut numbers = HashMap::new();
        for (idx, node) in declared.nodes.iter().enumerate() {
            // Nodes of a loop body have larger indices than the loop.
            is_gone[idx] |= node.is_there() && node.level.is_some_and(|around| is_gone[around]);
            if is_gone[idx] {
                numbers.insert(RemovedItem::Node(idx), numbers.len());
            }
        }
        for &id in groups.keys() {
            numbers.insert(RemovedItem::Group(id), numbers.len());
        }
        let mut removal = Self {
            builder,
            is_gone,
            groups,
            group_levels: HashMap::new(),
            edges: vec![Vec::new(); 2 * numbers.len()],
            numbers,
            entries: Vec::new(),
            exits: Vec::new(),
            before: Outsides::default(),
            after: Outsides::default(),
        };
        removal.find_levels();
        removal.add_containment();
        removal
    }

    /// Finds the loop that contains each group, which is the loop of its members.
    fn find_levels(&mut self) {
        let declared = &self.builder.declarations;
        for one in &declared.groups {
            let levels = &mut self.group_levels;
            levels.entry(one.reference.id).or_insert(one.level);
        }
        let mut n_changes = 1;
        let mut is_of_member: HashMap<u128, bool> = HashMap::new();
        while n_changes > 0 {
            n_changes = 0;
            for one in &declared.memberships {
                let level = match one.member.0 {
                    Named::Node(id) => {
                        let idx = declared.index_of(id).expect("memberships go with the node");
                        Some(declared.nodes[idx].level)
                    }
                    Named::Type(member) if is_of_member.contains_key(&member.id) => {
                        self.group_levels.get(&member.id).copied()
                    }
                    Named::Type(_) | Named::Name(_) => None,
                };
                if let Some(level) = level
                    && is_of_member.insert(one.group.id, true).is_none()
                {
                    self.group_levels.insert(one.group.id, level);
                    n_changes += 1;
                }
            }
        }
    }

    /// Adds edges from the begin of each loop or group to its content, and from there to its end.
    fn add_containment(&mut self) {
        let declared = &self.builder.declarations;
        for (&gone, &number) in &self.numbers {
            self.edges[2 * number].push((2 * number + 1, false));
            if let RemovedItem::Node(idx) = gone
                && let Some(around) = declared.nodes[idx].level
                && let Some(&around) = self.numbers.get(&RemovedItem::Node(around))
            {
                self.edges[2 * around].push((2 * number, false));
                self.edges[2 * number + 1].push((2 * around + 1, false));
            }
        }
        for one in &declared.memberships {
            let member = match one.member.0 {
                Named::Node(id) => match declared.index_of(id) {
                    Some(idx) => RemovedItem::Node(idx),
                    None => continue,
                },
                Named::Type(member) => RemovedItem::Group(member.id),
                Named::Name(_) => continue,
            };
            let group = RemovedItem::Group(one.group.id);
            if let (Some(member), Some(group)) =
                (self.numbers.get(&member), self.numbers.get(&group))
            {
                self.edges[2 * group].push((2 * member, false));
                self.edges[2 * member + 1].push((2 * group + 1, false));
            }
        }
    }

    /// Adds all orders that name a removed item. Returns, for each order, whether it names only remaining items.
    fn add_orders(&mut self, location: &'static Location<'static>) -> Vec<bool> {
        let mut is_kept = Vec::with_capacity(self.builder.declarations.orders.len());
        for order in &self.builder.declarations.orders {
            let is_weak = matches!(order.strength, Strength::IfConflicting);
            let first = self.end(&order.first, location);
            let then = self.end(&order.then, location);
            is_kept.push(false);
            match (first, then) {
                (End::Outside(_), End::Outside(_)) => {
                    *is_kept.last_mut().expect("it was pushed") = true;
                }
                (End::Gone(first), End::Gone(then)) => {
                    let (first, then) =
                        (self.lift(first, Some(then)), self.lift(then, Some(first)));
                    let (first, then) = (self.numbers[&first], self.numbers[&then]);
                    self.edges[2 * first + 1].push((2 * then, is_weak));
                }
                (End::Outside(first), End::Gone(then)) => {
                    let then = self.numbers[&self.lift(then, None)];
                    let first = self.before.number(self.builder, first, location);
                    self.entries.push((first, 2 * then, is_weak));
                }
                (End::Gone(first), End::Outside(then)) => {
                    let first = self.numbers[&self.lift(first, None)];
                    let then = self.after.number(self.builder, then, location);
                    self.exits.push((2 * first + 1, then, is_weak));
                }
            }
        }
        is_kept
    }

    /// Finds the item that an order names at one end.
    fn end(&self, target: &Target, location: &'static Location<'static>) -> End {
        let declared = &self.builder.declarations;
        let is_near = match target.0 {
            Named::Node(id) => {
                let gone = declared.index_of(id).filter(|&idx| self.is_gone[idx]);
                return match gone {
                    Some(idx) => End::Gone(RemovedItem::Node(idx)),
                    None => End::Outside(target.clone()),
                };
            }
            Named::Type(_) | Named::Name(_) => {
                let mut gone = self.numbers.keys();
                gone.any(|gone| match gone {
                    RemovedItem::Node(idx) => matches(target, &declared.nodes[*idx]),
                    RemovedItem::Group(id) => matches_group(target, self.groups[id]),
                })
            }
        };
        // If the target also matches remaining items, the order stays, and the build reports it.
        match is_near.then(|| self.builder.find(target, location)) {
            Some(Ok(Match::Node(idx))) if self.is_gone[idx] => End::Gone(RemovedItem::Node(idx)),
            Some(Ok(Match::Group(group))) if self.groups.contains_key(&group.id) => {
                End::Gone(RemovedItem::Group(group.id))
            }
            _ => End::Outside(target.clone()),
        }
    }

    fn level(&self, gone: RemovedItem) -> Level {
        match gone {
            RemovedItem::Node(idx) => self.builder.declarations.nodes[idx].level,
            RemovedItem::Group(id) => self.group_levels.get(&id).copied().flatten(),
        }
    }

    /// The outermost removed loop that contains `gone` but not `other`, or else `gone` itself. An order into a loop is
    /// an order of the loop.
    fn lift(&self, gone: RemovedItem, other: Option<RemovedItem>) -> RemovedItem {
        let nodes = &self.builder.declarations.nodes;
        let around = |level: &usize| nodes[*level].level;
        let of_other = other.and_then(|other| self.level(other));
        let of_other: Vec<usize> = core::iter::successors(of_other, around).collect();
        let loops = core::iter::successors(self.level(gone), around);
        let crossed = loops.take_while(|level| self.is_gone[*level] && !of_other.contains(level));
        crossed.last().map_or(gone, RemovedItem::Node)
    }

    /// The orders that replace the paths through removed items.
    fn bridges(&self) -> Vec<Bridge> {
        let mut bridges = Vec::new();
        let mut entries = self.entries.clone();
        entries.sort_unstable();
        for entries in entries.chunk_by(|one, other| one.0 == other.0) {
            let first = entries[0].0;
            let strong = self.reached(entries, false);
            let any = self.reached(entries, true);
            let mut is_found: Vec<Option<bool>> = vec![None; self.after.list.len()];
            for &(vertex, then, is_weak) in &self.exits {
                if strong[vertex] && !is_weak {
                    is_found[then] = Some(false);
                } else if any[vertex] {
                    is_found[then].get_or_insert(true);
                }
            }
            let found = is_found.into_iter().enumerate();
            bridges.extend(found.filter_map(|(then, is_weak)| {
                Some(Bridge {
                    first,
                    then,
                    is_weak: is_weak?,
                })
            }));
        }
        bridges
    }

    /// The vertices that can be reached from these entries, over weak orders only if `with_weak`.
    fn reached(&self, entries: &[(usize, usize, bool)], with_weak: bool) -> Vec<bool> {
        let mut is_reached = vec![false; self.edges.len()];
        let entries = entries.iter().filter(|one| with_weak || !one.2);
        let mut open: Vec<usize> = entries.map(|one| one.1).collect();
        while let Some(vertex) = open.pop() {
            if !core::mem::replace(&mut is_reached[vertex], true) {
                let next = self.edges[vertex].iter();
                open.extend(next.filter(|one| with_weak || !one.1).map(|one| one.0));
            }
        }
        is_reached
    }
}

impl Outsides {
    /// Returns the number of the item that a target matches, and adds it to the list if needed.
    fn number(
        &mut self,
        builder: &Builder,
        target: Target,
        location: &'static Location<'static>,
    ) -> usize {
        let found = builder.find(&target, location).ok();
        let part = found.as_ref().map(|found| match found {
            Match::Node(idx) => RemovedItem::Node(*idx),
            Match::Group(group) => RemovedItem::Group(group.id),
        });
        let next = self.list.len();
        if let Some(part) = part {
            let number = *self.numbers.entry(part).or_insert(next);
            if number < next {
                return number;
            }
        }
        let target = found
            .as_ref()
            .map_or(target, |found| builder.target_of(found));
        self.list.push(Outside { target, found });
        next
    }
}
