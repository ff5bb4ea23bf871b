//! The graphs that are built.

/// What becomes of two systems that conflict and that nothing orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    /// They run as added, or as the scheduler likes.
    AsAdded,
    /// The graph is refused.
    Reject,
}

#[derive(Debug)]
pub(crate) struct RandomGraph {
    pub(crate) policy: Policy,
    pub(crate) systems: Vec<System>,
    /// The first before the second. None under `as added`.
    pub(crate) edges: Vec<(usize, usize)>,
    /// `resources[r]`: the name of resource r.
    pub(crate) resources: Vec<String>,
}

/// What a system touches, by number; three different ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct System {
    pub(crate) reads: [usize; 2],
    pub(crate) writes: usize,
}

impl RandomGraph {
    /// The same for the same arguments.
    pub(crate) fn random(n_systems: usize, n_resources: usize, policy: Policy) -> Self {
        let mut dice = Dice(n_resources as u64);
        let systems: Vec<System> = (0..n_systems)
            .map(|_| System::random(n_resources, &mut dice))
            .collect();
        Self {
            policy,
            edges: match policy {
                Policy::AsAdded => Vec::new(),
                Policy::Reject => edges_without_races(&systems, n_resources),
            },
            systems,
            resources: (0..n_resources).map(|r| format!("resource {r}")).collect(),
        }
    }

    /// The same systems and edges.
    pub(crate) fn under(self, policy: Policy) -> Self {
        Self { policy, ..self }
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

/// Each reader after the last writer before it, each writer after that one and after the readers since.
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

/// SplitMix64: Steele, Lea, Flood 2014.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) % n as u64) as usize
    }
}
