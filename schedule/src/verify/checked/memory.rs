//! Memory for const evaluation, which has no heap. Each array is handed out in slices.

use schedule_graph::Policy;
use schedule_graph::internal::{
    Arena, Condition, Everything, GroupRule, Item, Kind, Leaf, Member, Order, Pool, RunKind, Token,
};

use super::node::{ClauseRef, DraftNode};
use crate::data::access::{Filter, ResourceType};
use crate::systems::system::Answered;

/// The unused memory of each kind, or the requested sizes.
#[derive(Debug)]
pub(super) struct CheckMemory<'a> {
    /// Memory for the types that the builder also uses.
    pub(super) arena: Arena<'a>,
    pub(super) nodes: Pool<'a, DraftNode>,
    pub(super) clauses: Pool<'a, ClauseRef>,
    pub(super) kinds: Pool<'a, Kind>,
    pub(super) members: Pool<'a, Member>,
    pub(super) orders: Pool<'a, Order>,
    pub(super) guards: Pool<'a, (Item, u32)>,
    pub(super) leaves: Pool<'a, Leaf>,
    pub(super) sources: Pool<'a, Option<&'static Answered>>,
    pub(super) conditions: Pool<'a, Condition>,
    pub(super) tokens: Pool<'a, Token>,
    pub(super) everything: Pool<'a, Everything>,
    pub(super) runs: Pool<'a, RunKind>,
    pub(super) resources: Pool<'a, ResourceType>,
    pub(super) filters: Pool<'a, Option<&'static Filter>>,
    pub(super) is_bound: Pool<'a, bool>,
    pub(super) policies: Pool<'a, Option<Policy>>,
    pub(super) pairs: Pool<'a, (u32, u32, Policy)>,
    pub(super) group_rules: Pool<'a, GroupRule>,
}

impl CheckMemory<'_> {
    /// Returns memory that only counts the requested sizes.
    pub(super) const fn counting() -> Self {
        Self {
            arena: Arena::counting(),
            nodes: Pool::counting(),
            clauses: Pool::counting(),
            kinds: Pool::counting(),
            members: Pool::counting(),
            orders: Pool::counting(),
            guards: Pool::counting(),
            leaves: Pool::counting(),
            sources: Pool::counting(),
            conditions: Pool::counting(),
            tokens: Pool::counting(),
            everything: Pool::counting(),
            runs: Pool::counting(),
            resources: Pool::counting(),
            filters: Pool::counting(),
            is_bound: Pool::counting(),
            policies: Pool::counting(),
            pairs: Pool::counting(),
            group_rules: Pool::counting(),
        }
    }
}
