//! The interface for the other crates of the workspace. It may change in any release.

pub use crate::arena::{Arena, Full, Heap, List, Pool, Sizes};
pub use crate::command_pairs::{CommandInput, CommandPair, command_pairs, unordered_command_pairs};
pub use crate::conflict::{AccessKind, Conflict, Disjoint, Filters, Shared, Use, Uses};
pub use crate::exclusion::{Needed, Needs};
pub use crate::graph::SCRATCH_PER_NODE;
pub use crate::graph::cycle::{Cycles, fill_components, fill_shortest_cycles};
pub use crate::graph::levels::{Levels, NO_LOOP};
pub use crate::graph::links::Links;
pub use crate::graph::lists::Lists;
pub use crate::graph::order::{fill_ranked_edges, fill_ranks, sort_topologically};
pub use crate::graph::path::shortest_path;
pub use crate::lowering::{
    Accesses, Condition, ConditionFault, Conditions, ConditionsMemory, Declared, EdgeOrigin,
    Everything, Groups, GroupsMemory, Guards, Item, Kind, Leaf, Lowered, LoweredExtent,
    LoweredMemory, Member, NONE, NamedFilters, NodeKind, Order, OrderFault, OwnedConditions,
    RunKind, Strength, Token, UnresolvedGuards, UsesExtent, UsesMemory,
};
pub use crate::machine::{Assignment, SimulatedRun, Workload, simulate};
pub use crate::policy::{GroupRule, GroupRules, Plugins, Rules, WritersFirst, writers_first};
pub use crate::precedence::{Precedence, connected, reduce};
pub use crate::sweep::{Apart, Contracted, SweepInput, SweepModel, SweepNode, SweepUse, Sweeps};
pub use crate::sync_point_races::{SyncPointRaces, fill_after, role};
pub use crate::timetable::{Timetable, TimetableEntry, TimetableInput, Wait};
pub use crate::truth_table::{TableLeaf, TruthTable};
pub use crate::verify::{
    Cycle, InsertedSyncPoint, MessageReader, MessageUse, MessageUses, NEW, Origin, Phases,
    PhasesExtent, PhasesMemory, Previous, RacePolicies, Races, Remedy, Unpinned, Verdict,
    VerifyInput, Violations, Walk, WalkExtent, WalkMemory, cycles, readers_between, sort, verify,
    verify_listing,
};
