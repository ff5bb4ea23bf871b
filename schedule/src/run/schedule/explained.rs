//! Explanations of a built schedule: `graph`, `why` and `advise`.

use core::panic::Location;
use core::time::Duration;

use super::Schedule;
use crate::base::place::SystemPlace;
use crate::data::access::ResourceId;
use crate::data::target::Target;
use crate::declare::graph::ScheduleGraph;
use crate::declare::problem::{TargetError, Warning};
use crate::verify::advice::Advice;
use crate::verify::compile::All;
use crate::verify::explain;
use crate::verify::why::{ApartSystems, Why};
use schedule_graph::Machine;

impl Schedule {
    /// Returns the nodes, the orders and their reasons as data.
    ///
    /// Computed from the declarations at each call. Cost: O(nodes × edges / 64).
    pub fn graph(&self) -> ScheduleGraph {
        let is_enabled = |rank| self.nodes.outcomes.is_enabled(rank);
        let all = self.all();
        let mut graph =
            explain::graph_data(all, &self.plan, &self.name, &self.accepted, is_enabled);
        graph.warnings = self.warnings().iter().map(Warning::to_string).collect();
        graph
    }

    /// Explains why one target runs before the other, or why the two can run at the same time.
    ///
    /// A target is a node from [`Builder::last`](crate::Builder::last), a type from [`Target::of`], or a system by its
    /// name. A loop or a group stands for all of its content.
    ///
    /// Computed from the declarations at each call. Cost: O((nodes + orders) × log(nodes)). For groups that are only
    /// partly ordered, this cost applies to each pair of members.
    ///
    /// # Errors
    ///
    /// Fails if a target matches nothing or is ambiguous.
    ///
    /// ```
    /// use schedule::prelude::*;
    ///
    /// #[derive(Resource)]
    /// struct Grain(u32);
    ///
    /// #[derive(Resource)]
    /// struct Weather(u32);
    ///
    /// #[system]
    /// fn reap(grain: &mut Grain, weather: &Weather) {}
    ///
    /// #[system(after = reap)]
    /// fn thresh(grain: &mut Grain) {}
    ///
    /// #[system(after = thresh)]
    /// fn feast() {}
    ///
    /// #[system]
    /// fn sing(weather: &Weather) {}
    ///
    /// let mut builder = Schedule::builder();
    /// builder.add::<reap>().add::<thresh>().add::<feast>().add::<sing>();
    /// let autumn = builder.build()?;
    /// let why = autumn.why("reap", "feast")?.to_string();
    /// assert!(why.starts_with("`reap` comes before `feast`: `reap` -> `thresh` -> `feast`\n"));
    /// assert_eq!(
    ///     autumn.why("sing", "reap")?.to_string(),
    ///     "`sing` and `reap` may run in parallel: nothing orders them, and both only read `Weather`"
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn why(
        &self,
        first: impl Into<Target>,
        second: impl Into<Target>,
    ) -> Result<Why, TargetError> {
        let (first, second) = (first.into(), second.into());
        explain::why(
            self.all(),
            &self.plan,
            [&first, &second],
            Location::caller(),
        )
    }

    /// Reports the critical path of a run, and how much a run would gain without each order, policy order and conflict.
    ///
    /// Costs are averages over timed runs. Returns `None` if there was no timed run.
    /// [`Executor::Auto`](crate::Executor::Auto) times runs.
    ///
    /// `machine` can be a number of workers. See [`advise_with`](Self::advise_with).
    pub fn advise(&self, machine: impl Into<Machine>) -> Option<Advice> {
        let averages = self.averages()?;
        let costs_ns = averages.iter().map(|average| average.ns().into());
        let (mut advice, path) = self.advice(machine.into(), &costs_ns.collect::<Vec<u64>>());
        for (one, rank) in advice.critical_path.iter_mut().zip(path) {
            one.runs_per_1000 = averages[rank as usize].runs_per_1000();
        }
        Some(advice)
    }

    /// Advises as [`advise`](Self::advise) does, with these costs. `cost_of` is called as in
    /// [`simulate`](Self::simulate).
    ///
    /// Runs are simulated on this number of workers, and on 2, 4, 8, 16, 32 and 64. Each candidate is removed alone,
    /// and the rest is verified again. Candidates are:
    ///
    /// - A declared order. The rest may race: if a policy orders the race, it does so. Under
    ///   [`Policy::Reject`](crate::Policy::Reject), the pairs get the order in which they run now, and
    ///   [`Change::instead`](crate::report::Change::instead) lists these orders. Advice does not know whether an order
    ///   is needed for another reason than conflicts.
    /// - The conflict of two systems on all resources that they share. Only a policy, a weak order or a direct order
    ///   may put one before the other. A direct order is removed with the conflict. Conflicts of either system with
    ///   others stay, also on the same resource: the two systems would have to access different parts of it. Pairs are
    ///   not considered if a system is exclusive or accesses all resources. Pairs in different loops are not considered
    ///   either, because their conflicts are reported by resource.
    /// - All conflicts on a resource. Declared orders stay.
    ///
    /// Cost: for each candidate, a build, and simulations in O(nodes × edges / 64 + edges × log(nodes)). For large
    /// schedules, only the candidates on the longest paths are considered: 200,000 divided by the number of nodes, and
    /// at least 32.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use schedule::prelude::*;
    /// use schedule::report::Restriction;
    ///
    /// #[derive(Resource)]
    /// struct Wheat(u32);
    ///
    /// #[derive(Resource)]
    /// struct Wool(u32);
    ///
    /// #[system]
    /// fn reap(wheat: &mut Wheat) {}
    ///
    /// #[system(after = reap)]
    /// fn shear(wool: &mut Wool) {}
    ///
    /// #[system(after = (reap, shear))]
    /// fn sell(wheat: &Wheat, wool: &Wool) {}
    ///
    /// let market = Schedule::builder().add::<reap>().add::<shear>().add::<sell>().build()?;
    /// let advice = market.advise_with(2, |system| match system {
    ///     "reap" => Duration::from_micros(30),
    ///     _ => Duration::from_micros(20),
    /// });
    /// assert_eq!(advice.span, Duration::from_micros(70));
    /// let best = &advice.changes[0];
    /// assert!(matches!(&best.without, Restriction::DeclaredOrder { then, .. } if then == "shear"));
    /// assert_eq!(advice.saved(best), Duration::from_micros(20));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn advise_with(
        &self,
        machine: impl Into<Machine>,
        mut cost_of: impl FnMut(&str) -> Duration,
    ) -> Advice {
        let costs_ns = self.costs_ns(&mut cost_of);
        self.advice(machine.into(), &costs_ns).0
    }

    /// `costs_ns[rank]`: the cost of a node in nanoseconds. Also returns the ranks of the critical path.
    fn advice(&self, machine: Machine, costs_ns: &[u64]) -> (Advice, Vec<u32>) {
        let is_bound = self.bound();
        explain::advice(
            self.all(),
            &self.plan,
            &self.name,
            machine,
            costs_ns,
            &is_bound,
        )
    }

    /// Orders that others imply. Cost: O(nodes × orders / 64).
    pub(super) fn redundant_orders(&self) -> Vec<Warning> {
        explain::redundant_orders(self.all(), &self.plan.ranks())
    }

    /// The resources that systems only read, and their readers.
    pub(super) fn only_read(&self) -> Vec<(ResourceId, Vec<SystemPlace>)> {
        explain::only_read(self.all())
    }

    /// The first of the `for_each` systems that follow each other, but share no sweep, and the number of all.
    pub(super) fn separate_systems(&self) -> (Vec<ApartSystems>, usize) {
        explain::separate_systems(self.all(), &self.plan)
    }

    /// All declarations of the schedule, including the implied ones.
    pub(super) fn all(&self) -> All<'_> {
        All::new(&self.declarations, &self.implied, &self.places)
    }
}
