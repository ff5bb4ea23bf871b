//! Random graphs.

use schedule::dynamic::{DynamicSystem, View};
use schedule::order::NodeId;
use schedule::{Builder, Schedule};

use crate::orders::Orders;

/// The treatment of unordered conflicting pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// They run in insertion order, or in any order, depending on the scheduler.
    InsertionOrder,
    /// The graph is rejected.
    Reject,
}

/// Systems that read two resources and write one.
#[derive(Debug)]
pub struct RandomGraph {
    /// The treatment with which it is built.
    pub policy: Policy,
    /// The systems in insertion order.
    pub systems: Vec<System>,
    /// The orders: the first system before the second. Empty under `insertion order`.
    pub edges: Vec<(usize, usize)>,
    /// `resources[r]`: the name of resource r.
    pub resources: Vec<String>,
}

/// The resources that a system uses, by number: three different ones.
#[derive(Clone, Copy, Debug)]
pub struct System {
    /// The resources that it only reads.
    pub reads: [usize; 2],
    /// The resource that it writes.
    pub writes: usize,
}

impl RandomGraph {
    /// Creates a graph. Equal arguments give equal graphs.
    pub fn random(n_systems: usize, n_resources: usize, policy: Policy) -> Self {
        let mut dice = Dice::new(n_resources as u64);
        let systems: Vec<System> = (0..n_systems)
            .map(|_| System::random(n_resources, &mut dice))
            .collect();
        Self {
            policy,
            edges: match policy {
                Policy::InsertionOrder => Vec::new(),
                Policy::Reject => edges_without_races(&systems, n_resources),
            },
            systems,
            resources: (0..n_resources).map(|r| format!("resource {r}")).collect(),
        }
    }

    /// A builder with the same systems and edges.
    pub fn under(self, policy: Policy) -> Self {
        Self { policy, ..self }
    }

    /// A builder of this project with the graph. Each system calls the function that `call_of` returns for it.
    pub fn declare<C>(&self, call_of: impl FnMut(usize) -> C) -> Builder
    where
        C: FnMut(&mut View<'_>) + Send + 'static,
    {
        self.declare_numbered(call_of).0
    }

    /// The same, where `call_of` gets the number of each system.
    pub fn declare_numbered<C>(&self, mut call_of: impl FnMut(usize) -> C) -> (Builder, Vec<NodeId>)
    where
        C: FnMut(&mut View<'_>) + Send + 'static,
    {
        let mut builder = Schedule::builder();
        builder.policy(match self.policy {
            Policy::InsertionOrder => schedule::Policy::InsertionOrder,
            Policy::Reject => schedule::Policy::Reject,
        });
        let mut nodes = Vec::with_capacity(self.systems.len());
        for idx in 0..self.systems.len() {
            builder.add_dynamic(self.system(idx, call_of(idx)));
            nodes.extend(builder.last());
        }
        for &(first, then) in &self.edges {
            builder.order(nodes[first], nodes[then]);
        }
        (builder, nodes)
    }

    /// System number `idx`, which calls this function.
    pub fn system<C>(&self, idx: usize, call: C) -> DynamicSystem
    where
        C: FnMut(&mut View<'_>) + Send + 'static,
    {
        let System { reads, writes } = self.systems[idx];
        let name = |resource: usize| self.resources[resource].as_str();
        let system = DynamicSystem::new("system", call)
            .reads(name(reads[0]))
            .reads(name(reads[1]));
        system.writes(name(writes))
    }

    /// The orders that are needed if conflicting systems run in insertion order.
    pub fn orders(&self) -> Orders {
        let edges = edges_without_races(&self.systems, self.resources.len());
        Orders::new(self.systems.len(), edges)
    }
}

impl System {
    fn random(n_resources: usize, dice: &mut Dice) -> Self {
        let first = dice.below(n_resources);
        let second = (first + 1 + dice.below(n_resources - 1)) % n_resources;
        let third = loop {
            let third = dice.below(n_resources);
            if third != first && third != second {
                break third;
            }
        };
        Self {
            reads: [first, second],
            writes: third,
        }
    }
}

/// Each reader comes after the last writer before it. Each writer comes after the last writer and after the readers since.
fn edges_without_races(systems: &[System], n_resources: usize) -> Vec<(usize, usize)> {
    let mut last_writer = vec![None; n_resources];
    let mut readers = vec![Vec::new(); n_resources];
    let mut edges = Vec::new();
    for (idx, &System { reads, writes }) in systems.iter().enumerate() {
        for resource in reads {
            edges.extend(last_writer[resource].map(|writer| (writer, idx)));
            readers[resource].push(idx);
        }
        edges.extend(last_writer[writes].map(|writer| (writer, idx)));
        edges.extend(readers[writes].drain(..).map(|reader| (reader, idx)));
        last_writer[writes] = Some(idx);
    }
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// A seeded random number generator. SplitMix64: Steele, Lea, Flood 2014.
#[derive(Debug)]
pub struct Dice(u64);

impl Dice {
    /// Creates a generator. Equal seeds give equal sequences.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number from 0 to `n` - 1.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) % n as u64) as usize
    }
}
