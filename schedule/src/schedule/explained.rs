//! Explanations of a built schedule: `graph`, `why` and `advise`.

use core::panic::Location;
use core::time::Duration;

use super::Schedule;
use crate::advice::Advice;
use crate::compile::{self, All};
use crate::graph::ScheduleGraph;
use crate::problem::{TargetError, Warning};
use crate::target::Target;
use crate::why::Why;
use schedule_graph::Machine;

impl Schedule {
    /// What is in it, what comes before what, and why: as data.
    ///
    /// Made when asked, from what was declared. Cost: O(nodes × edges / 64).
    pub fn graph(&self) -> ScheduleGraph {
        let is_enabled = |rank| self.nodes.outcomes.is_enabled(rank);
        let all = self.all();
        let mut graph =
            compile::graph_data(all, &self.plan, &self.name, &self.accepted, is_enabled);
        graph.warnings = self.warnings.iter().map(Warning::to_string).collect();
        graph
    }

    /// Why one comes before the other, or why they may run at once: nodes by [`Builder::last`](crate::Builder::last), types by [`Target::of`], or
    /// systems by their name. Of a loop, or a group, all that is in it is meant.
    ///
    /// Found when asked, by declaring all once more: O((nodes + orders) × log(nodes)); for groups that are in order only
    /// partly, that for each pair of members.
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
    ///     "`sing` and `reap` may run at once: nothing orders them, and both only read `Weather`"
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If one of them matches nothing, or several.
    #[track_caller]
    pub fn why(
        &self,
        first: impl Into<Target>,
        second: impl Into<Target>,
    ) -> Result<Why, TargetError> {
        let (first, second) = (first.into(), second.into());
        compile::why(
            self.all(),
            &self.plan,
            [&first, &second],
            Location::caller(),
        )
    }

    /// What holds a run up: the critical path, and of each order that was declared, each pair that only a policy has put in
    /// order, and each resource, what a run would gain without it. Costs are averages over those runs that were timed; `None` if none has,
    /// or none was run by [`Executor::Auto`](crate::Executor::Auto).
    ///
    /// `machine` may be a number of workers. See [`advise_with`](Self::advise_with).
    pub fn advise(&self, machine: impl Into<Machine>) -> Option<Advice> {
        let averages = self.averages()?;
        let costs_ns = averages.iter().map(|average| average.ns().into());
        let (mut advice, path) = self.advice(machine.into(), &costs_ns.collect::<Vec<u64>>());
        for (one, rank) in advice.critical_path.iter_mut().zip(path) {
            one.runs_per_1000 = averages[rank as usize].runs_per_1000();
        }
        Some(advice)
    }

    /// The same, if systems took so long: `cost_of` is asked as [`simulate`](Self::simulate) does.
    ///
    /// Runs are simulated on this number of workers, and on 2, 4, 8, 16, 32 and 64. Of what could go, one thing goes at a time, and
    /// the rest is verified anew:
    ///
    /// - An order that was declared. What is left may race: where a policy orders that, it does; under
    ///   [`Policy::Reject`](crate::Policy::Reject) the pairs are put in the order in which they run now, and [`Change::instead`](crate::report::Change::instead) names these orders.
    ///   Advice does not know whether an order is needed for another reason than conflicts.
    /// - The conflict of two systems, on all that they share, of which one comes before the other for no other reason than a
    ///   policy, a weak order or an order of these two, which goes with it. Those of either with others stay, also on the same
    ///   resource: the two would have to touch other parts of it. Pairs with a system that
    ///   touches everything, or runs alone, are not looked at; nor is what conflicts in different loops, of which resources
    ///   tell.
    /// - All conflicts on a resource. What was declared stays.
    ///
    /// Cost: for each of these things, a build, and simulations, O(nodes × edges / 64 + edges × log(nodes)). Of a schedule
    /// with more than some hundred nodes, only those are looked at through which the longest paths lead: 200,000 divided by
    /// the nodes, and at least 32.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use schedule::prelude::*;
    /// use schedule::report::Without;
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
    /// assert!(matches!(&best.without, Without::DeclaredOrder { then, .. } if then == "shear"));
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

    /// `costs_ns[rank]`: what a node takes. Returns the ranks of the critical path, too.
    fn advice(&self, machine: Machine, costs_ns: &[u64]) -> (Advice, Vec<u32>) {
        let is_bound = self.bound();
        compile::advice(
            self.all(),
            &self.plan,
            &self.name,
            machine,
            costs_ns,
            &is_bound,
        )
    }

    /// Orders that others imply, and resources that are only read. O(nodes × orders / 64).
    pub(super) fn lints(&self) -> Vec<Warning> {
        compile::lints(self.all(), &self.plan.ranks())
    }

    /// Its declarations, with the implied ones.
    pub(super) fn all(&self) -> All<'_> {
        All::new(&self.declarations, &self.implied, &self.places)
    }
}
