//! Explains which per-entity systems share sweeps: names for the rules that keep them apart.

use schedule_graph::Edge;
use schedule_graph::internal::{Apart, Sweeps, reduce};

use super::built::BuiltNumbers;
use crate::base::place::SystemPlace;
use crate::data::failure_policy::FailurePolicy;
use crate::data::marks::Marks;
use crate::declare::choices::Occurrence;
use crate::declare::declarations::Declared;
use crate::verify::compile::{All, Names, NumberedSweeps, failure_policies, passed_marks};
use crate::verify::plan::Plan;
use crate::verify::why::{ApartSystems, SweepOff, SweepRelation, SweepRule};

/// The maximum number of neighbours whose rules are computed.
const MOST_NEIGHBOURS: usize = 100;

/// Explains whether two declared nodes share a sweep. `None` if one of them is not a `for_each` system.
pub(super) fn sweep_relation(
    names: Names<'_>,
    plan: &Plan,
    pair: [usize; 2],
) -> Option<SweepRelation> {
    let Names { all, graph, .. } = names;
    let declared = pair.map(|idx| all.node(idx));
    let [Some(_), Some(_)] = declared.map(Declared::each) else {
        return None;
    };
    let sweeps = NamedSweeps::new(names, plan);
    let ranks = plan.ranks();
    let [one, other] = pair.map(|idx| ranks[graph.node_of[idx] as usize]);
    let bound = pair
        .into_iter()
        .zip(declared)
        .find(|(_, declared)| declared.is_main_thread());
    let others = |rank: u32| match &sweeps {
        Some(sweeps) => sweeps.others_in_sweep(rank, &[]),
        None => Vec::new(),
    };
    if let Some((idx, _)) = bound {
        return Some(SweepRelation::Apart {
            rule: SweepRule::Off {
                system: all.place(idx).clone(),
                by: SweepOff::MainThread,
            },
            with_first: others(one),
            with_second: others(other),
        });
    }
    let sweeps = sweeps.as_ref()?;
    Some(match sweeps.rule(one, other) {
        Some(rule) => SweepRelation::Apart {
            rule,
            with_first: others(one),
            with_second: others(other),
        },
        None => SweepRelation::Shared {
            others: sweeps.others_in_sweep(one, &[other]),
            components: sweeps.shared_components(one, other),
        },
    })
}

/// Returns the first of the `for_each` systems that follow each other, but share no sweep, and the number of all. Systems that are
/// kept out of sweeps by a setting of the schedule or of a plugin do not count. O(nodes × edges / 64).
pub(crate) fn separate_systems(all: All<'_>, plan: &Plan) -> (Vec<ApartSystems>, usize) {
    let numbers = BuiltNumbers::of(all, plan);
    let Some(sweeps) = NamedSweeps::new(numbers.names(all), plan) else {
        return (Vec::new(), 0);
    };
    let nth = numbers.source(all).nth();
    let occurrence = |rank: u32| Occurrence {
        name: sweeps.place(rank).name,
        nth: nth[plan.order[rank as usize] as usize],
    };
    let neighbours = sweeps.neighbours();
    let first = neighbours.iter().take(MOST_NEIGHBOURS);
    let first = first.filter_map(|edge| {
        Some(ApartSystems {
            first: occurrence(edge.from),
            then: occurrence(edge.to),
            rule: sweeps.rule(edge.from, edge.to)?,
        })
    });
    (first.collect(), neighbours.len())
}

/// The sweeps of a plan, with names.
struct NamedSweeps<'a> {
    names: Names<'a>,
    plan: &'a Plan,
    on_failure: Vec<FailurePolicy>,
    marks: Vec<Marks>,
    numbered: NumberedSweeps,
    sweeps: &'a Sweeps,
}

impl<'a> NamedSweeps<'a> {
    /// `None` if the plan has no per-entity system that can run on any thread.
    fn new(names: Names<'a>, plan: &'a Plan) -> Option<Self> {
        let sweeps = plan.sweeps.decided()?;
        let Names {
            all,
            graph,
            resources,
        } = names;
        let mut problems = Vec::new();
        let on_failure = failure_policies(all, graph, &mut problems);
        debug_assert!(problems.is_empty(), "it was built of the same declarations");
        // The rules do not depend on costs.
        let costs_ns = vec![0; plan.order.len()];
        let marks = passed_marks(all, graph);
        let numbered =
            NumberedSweeps::number(all, graph, resources, plan, &on_failure, &marks, &costs_ns);
        Some(Self {
            names,
            plan,
            on_failure,
            marks,
            numbered,
            sweeps,
        })
    }

    /// Returns the pairs of per-entity systems that follow each other, without a node between them, and share no sweep.
    fn neighbours(&self) -> Vec<Edge> {
        let is_each = |rank: u32| self.numbered.nodes[rank as usize].is_some();
        let are_separate = |edge: &Edge| {
            let sweep = self.sweeps.of(edge.from);
            is_each(edge.from)
                && is_each(edge.to)
                && (sweep.is_none() || sweep != self.sweeps.of(edge.to))
                && ![edge.from, edge.to]
                    .iter()
                    .any(|&rank| self.is_off_around(rank))
        };
        let edges = &self.numbered.edges;
        let kept = reduce(self.plan.order.len(), edges);
        let edges = edges.iter().zip(kept);
        let mut pairs: Vec<Edge> = edges
            .filter_map(|(edge, is_kept)| (is_kept && are_separate(edge)).then_some(*edge))
            .collect();
        pairs.sort_unstable_by_key(|edge| (edge.from, edge.to));
        pairs.dedup();
        pairs
    }

    /// Whether the schedule or a plugin has no sweeps.
    fn is_off_around(&self, rank: u32) -> bool {
        let (_, declared) = self.declared(rank);
        let settings = self.names.all.declared.settings(declared.plugin);
        settings.sweep == Some(false)
    }

    /// Returns the rule that keeps two per-entity systems apart. `None` if they share a sweep.
    fn rule(&self, one: u32, other: u32) -> Option<SweepRule> {
        let input = self.numbered.input(self.names.resources, self.plan);
        let rule = match self.sweeps.apart(&input, one, other)? {
            Apart::Store => SweepRule::Stores(self.store(one), self.store(other)),
            Apart::Level => SweepRule::Loop,
            Apart::TurnedOff { node } => SweepRule::Off {
                system: self.place(node),
                by: self.off(node),
            },
            Apart::Conflict { nodes, resource } => SweepRule::Conflict {
                first: self.place(nodes[0]),
                second: self.place(nodes[1]),
                resource: self.resource(resource),
                queried_by: self.queried_by(nodes, resource),
            },
            Apart::Path { from, via, to } => SweepRule::Between {
                first: self.place(from),
                node: self.place(via),
                then: self.place(to),
            },
            Apart::Failure { failing, skipped } => SweepRule::Failure {
                failing: self.place(failing),
                skipped: self.place(skipped),
            },
            Apart::Cycle { sweep } => {
                let members = self.sweeps.members(sweep).iter();
                SweepRule::Cycle(members.map(|&rank| self.place(rank)).collect())
            }
            Apart::Delay => SweepRule::Delay,
        };
        Some(rule)
    }

    fn place(&self, rank: u32) -> SystemPlace {
        let Names { all, graph, .. } = self.names;
        graph.place(all, self.plan.order[rank as usize])
    }

    fn declared(&self, rank: u32) -> (usize, &Declared) {
        let idx = self.names.graph.added(self.plan.order[rank as usize]);
        (idx, self.names.all.node(idx))
    }

    fn resource(&self, number: u32) -> String {
        self.names.resources.ids[number as usize].to_string()
    }

    fn store(&self, rank: u32) -> String {
        let node = self.numbered.nodes[rank as usize];
        self.resource(node.expect("it is a per-entity system").store)
    }

    fn off(&self, rank: u32) -> SweepOff {
        let (idx, declared) = self.declared(rank);
        if declared.marks.has(Marks::NO_SWEEP) {
            SweepOff::System
        } else if self.names.all.declared.rules.settings.sweep == Some(false) {
            SweepOff::Schedule
        } else if self.on_failure[idx] == FailurePolicy::Stop {
            SweepOff::StopsRun
        } else if self.marks[idx].has(Marks::ALWAYS) {
            SweepOff::Always
        } else {
            SweepOff::Plugin
        }
    }

    /// Returns the other members of the sweep of a system, except these.
    fn others_in_sweep(&self, rank: u32, except: &[u32]) -> Vec<SystemPlace> {
        let members = self.sweeps.of(rank).map(|sweep| self.sweeps.members(sweep));
        let others = members
            .into_iter()
            .flatten()
            .filter(|&&other| other != rank && !except.contains(&other));
        others.map(|&other| self.place(other)).collect()
    }

    /// Returns a system of a conflict that accesses the component of other entities, if it is a component.
    fn queried_by(&self, nodes: [u32; 2], resource: u32) -> Option<SystemPlace> {
        let uses = |rank: u32| {
            let uses = self.numbered.uses(rank).iter();
            uses.filter(|one| one.access.resource == resource)
        };
        let is_component = nodes
            .iter()
            .any(|&rank| uses(rank).any(|one| one.is_own_row));
        let wide = nodes
            .into_iter()
            .find(|&rank| uses(rank).any(|one| !one.is_own_row));
        wide.filter(|_| is_component).map(|rank| self.place(rank))
    }

    /// Returns the components on which two members of a sweep conflict.
    fn shared_components(&self, one: u32, other: u32) -> Vec<String> {
        let disjoint = self.names.resources.disjoint_filters();
        let of_other = self.numbered.uses(other);
        let shared = self.numbered.uses(one).iter().filter(|one| {
            of_other.iter().any(|other| {
                let (one, other) = (one.access, other.access);
                one.resource == other.resource
                    && one.kind.conflicts_with(other.kind)
                    && !disjoint.has(one.signature, other.signature)
            })
        });
        let mut shared: Vec<u32> = shared.map(|one| one.access.resource).collect();
        shared.sort_unstable();
        shared.dedup();
        shared.into_iter().map(|one| self.resource(one)).collect()
    }
}
