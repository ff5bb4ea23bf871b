//! Declarations that own their memory, and their results.

use super::*;

/// Declarations, built one by one.
#[derive(Clone, Debug, Default)]
pub(super) struct Declarations {
    pub(super) kinds: Vec<Kind>,
    pub(super) levels: Vec<u32>,
    pub(super) group_levels: Vec<u32>,
    pub(super) members: Vec<Member>,
    pub(super) orders: Vec<Order>,
    pub(super) guards: Vec<(Item, u32)>,
    pub(super) template_starts: Vec<u32>,
    pub(super) leaves: Vec<Leaf>,
    pub(super) token_starts: Vec<u32>,
    pub(super) tokens: Vec<Token>,
    pub(super) conditions: Vec<Condition>,
    pub(super) candidates: Vec<u32>,
}

impl Declarations {
    pub(super) fn new() -> Self {
        Self {
            template_starts: vec![0],
            token_starts: vec![0],
            ..Self::default()
        }
    }

    /// Declares `n` systems.
    pub(super) fn systems(n: usize) -> Self {
        let mut declarations = Self::new();
        for _ in 0..n {
            declarations.add(Kind::System, NONE);
        }
        declarations
    }

    pub(super) fn add(&mut self, kind: Kind, level: u32) -> u32 {
        self.kinds.push(kind);
        self.levels.push(level);
        self.kinds.len() as u32 - 1
    }

    pub(super) fn group(&mut self, members: &[Item]) -> u32 {
        let group = self.group_levels.len() as u32;
        self.group_levels.push(NONE);
        let members = members.iter().map(|&item| Member { item, group });
        self.members.extend(members);
        group
    }

    pub(super) fn order(&mut self, first: Item, then: Item, strength: Strength) {
        self.orders.push(Order {
            first,
            then,
            strength,
        });
    }

    /// Adds a condition with these candidates. It is implied if there are none.
    pub(super) fn condition(&mut self, candidates: &[u32]) -> u32 {
        let first_candidate = self.candidates.len() as u32;
        self.candidates.extend(candidates);
        self.conditions.push(Condition {
            first_candidate,
            end_candidate: self.candidates.len() as u32,
            may_be_implied: true,
            first_template: 0,
            end_template: 0,
        });
        self.conditions.len() as u32 - 1
    }

    /// Adds a guard in postfix form. Its leaves are conditions that must be true.
    pub(super) fn template(&mut self, tokens: &[Result<u32, Token>]) -> u32 {
        for token in tokens {
            match *token {
                Ok(condition) => {
                    self.tokens.push(Token::Leaf);
                    self.leaves.push(Leaf {
                        condition,
                        level_of: NONE,
                        answer: 1,
                        n_answers: 2,
                    });
                }
                Err(token) => self.tokens.push(token),
            }
        }
        self.template_starts.push(self.leaves.len() as u32);
        self.token_starts.push(self.tokens.len() as u32);
        self.template_starts.len() as u32 - 2
    }

    /// Guards an item by a condition.
    pub(super) fn guard(&mut self, item: Item, condition: u32) {
        let template = self.template(&[Ok(condition)]);
        self.guards.push((item, template));
    }

    pub(super) fn unresolved(&self) -> UnresolvedGuards<'_> {
        UnresolvedGuards {
            guards: &self.guards,
            template_starts: &self.template_starts,
            leaves: &self.leaves,
            token_starts: &self.token_starts,
            tokens: &self.tokens,
            conditions: &self.conditions,
            candidates: &self.candidates,
        }
    }

    pub(super) fn declared(&self) -> Declared<'_> {
        Declared {
            kinds: &self.kinds,
            levels: &self.levels,
            group_levels: &self.group_levels,
            members: &self.members,
        }
    }

    /// Calls a function with the groups.
    pub(super) fn with_groups<T>(&self, take: impl FnOnce(&Groups<'_>) -> T) -> T {
        let n = (
            self.kinds.len(),
            self.group_levels.len(),
            self.members.len(),
        );
        let mut heap = Heap::of(|arena| GroupsMemory::take(arena, n.0, n.1, n.2));
        let memory = GroupsMemory::take(&mut heap.arena(), n.0, n.1, n.2);
        take(&Groups::new(self.declared(), memory))
    }

    /// Finds the conditions, with memory for a number of implied nodes.
    pub(super) fn find(&self, n_implied: usize) -> Result<OwnedConditions, Full> {
        let (n_guards, n_leaves) = (64 + self.guards.len(), 64 + self.leaves.len());
        let mut heap = Heap::of(|arena| {
            ConditionsMemory::take(arena, n_guards, n_leaves, n_implied);
        });
        let memory = ConditionsMemory::take(&mut heap.arena(), n_guards, n_leaves, n_implied);
        self.with_groups(|groups| {
            Conditions::find(self.unresolved(), groups, memory).map(Into::into)
        })
    }

    /// Adds the implied nodes, and calls a function with the graph. Lists without an exact length have room for `room` items.
    pub(super) fn lower<T>(
        mut self,
        room: usize,
        take: impl FnOnce(&Lowered<'_>, Conditions<'_>) -> T,
    ) -> Result<T, Full> {
        let conditions = self.find(64).expect("there is room for 64");
        let conditions = conditions.view();
        for nth in 0..conditions.n_implied() {
            self.add(Kind::Implied, conditions.level_of_implied(nth));
        }
        let count = |kind: Kind| self.kinds.iter().filter(|one| **one == kind).count();
        let is_weak = |order: &&Order| order.strength == Strength::Weak;
        let extent = LoweredExtent {
            n_declared: self.kinds.len(),
            n_implied: conditions.n_implied(),
            n_loops: count(Kind::Loop),
            n_sync_points: count(Kind::ApplyCommands),
            n_groups: self.group_levels.len(),
            n_members: self.members.len(),
            n_orders: self.orders.len(),
            n_weak_orders: self.orders.iter().filter(is_weak).count(),
            n_guards: conditions.n_guards(),
            n_leaves: conditions.n_leaves(),
            n_tokens: self.tokens.len(),
            n_in_weak_groups: room,
            n_shared_guards: room,
            n_extra_edges: room,
            n_needed: room,
        };
        self.with_groups(|groups| {
            let mut heap = Heap::of(|arena| LoweredMemory::take(arena, extent));
            let memory = LoweredMemory::take(&mut heap.arena(), extent);
            let lowered =
                Lowered::new(groups, self.unresolved(), conditions, &self.orders, memory)?;
            Ok(take(&lowered, conditions))
        })
    }
}

/// The edges with these origins, as pairs of kinds.
pub(super) fn edges(
    lowered: &Lowered<'_>,
    is_one: impl Fn(EdgeOrigin) -> bool,
) -> Vec<(NodeKind, NodeKind)> {
    let edges = lowered
        .edges()
        .iter()
        .enumerate()
        .filter(|(idx, _)| is_one(lowered.origin(*idx)));
    edges
        .map(|(_, &Edge { from, to })| (lowered.kind(from), lowered.kind(to)))
        .collect()
}
