//! The workloads of benchmarks.

use schedule::dynamic::{DynamicSystem, View};
use schedule::{Builder, Schedule};

use crate::engine::{self, EngineGraph};
use crate::orders::Orders;
use crate::random_graph::{Dice, Policy, RandomGraph};
use crate::temperature::Temperature;
use crate::weight::{self, Weight};
use crate::work::Call;

/// Systems and their known properties.
#[derive(Debug)]
pub struct Workload {
    /// The name, which options refer to.
    pub name: String,
    /// The declarations for this project. The other contenders only get the orders.
    pub declared: Declared,
    /// All orders that contenders must respect.
    pub orders: Orders,
    /// `weights[i]`: the cost of system i, as a multiple of the base cost; len = n_systems.
    pub weights: Vec<Weight>,
    /// The base costs. The workload is measured with each of them.
    pub costs_ns: Vec<u64>,
    /// The activities before timed runs. The workload is measured with each of them.
    pub temperatures: &'static [Temperature],
    /// Whether it is plotted.
    pub is_plotted: bool,
}

/// How a schedule is declared.
#[derive(Debug)]
pub enum Declared {
    /// Systems without resources, with orders.
    Orders,
    /// Systems with resources, without orders.
    Accesses(RandomGraph),
    /// Systems with resources, with orders.
    Engine(EngineGraph),
}

const EMPTY: [u64; 1] = [0];
const ALL_COSTS: [u64; 5] = [0, 100, 1_000, 10_000, 100_000];
/// The costs of a plot, with two points for each power of ten.
const CURVE: [u64; 8] = [0, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000];
/// The costs of workloads that take up to 30 times as long.
const SKEWED_COSTS: [u64; 2] = [1_000, 10_000];

/// Systems with random accesses: the number of systems and of resources.
pub const RANDOM: &str = "100-on-20";
/// The same with ten times as many systems.
pub const MANY: &str = "1000-on-20";
/// The end of the name of a workload in which one system of ten costs more.
pub const SKEWED: &str = "skewed";
/// The end of the name of a graph of an engine whose races are ordered under `optimize`. Its systems are numbered in the
/// selected order, because the other contenders get it as insertion order.
pub const FITTED: &str = "optimize";
/// The large schedules that a game runs every frame.
pub const ENGINE: [&str; 3] = ["PostUpdate", "Render", "PreUpdate"];

/// The workloads that are plotted by default.
const PLOTTED: [&str; 2] = [RANDOM, ENGINE[0]];

/// As [`chosen`]. Selected workloads are plotted, and measured at more costs if they support all of them.
///
/// # Errors
///
/// As for [`chosen`], and if none of them can be plotted.
pub fn chosen_and_plotted(only: Option<&str>) -> Result<Vec<Workload>, String> {
    let mut chosen = chosen(only)?;
    for workload in &mut chosen {
        let is_wanted = only.is_some() || PLOTTED.contains(&workload.name.as_str());
        workload.is_plotted = is_wanted && workload.is_line();
        if workload.is_plotted && workload.costs_ns == ALL_COSTS {
            workload.costs_ns = CURVE.into();
        }
    }
    if !chosen.iter().any(|workload| workload.is_plotted) {
        let names: Vec<&str> = chosen.iter().map(|one| one.name.as_str()).collect();
        let names = names.join("\n  ");
        return Err(format!(
            "nothing to plot: none of these is measured hot, at two costs:\n  {names}"
        ));
    }
    Ok(chosen)
}

/// The workload with this name, or otherwise all workloads whose names begin with it. All workloads for `None`.
///
/// # Errors
///
/// Fails if no workload has this name. The error lists the names.
pub fn chosen(only: Option<&str>) -> Result<Vec<Workload>, String> {
    let mut all = all();
    let Some(only) = only else {
        return Ok(all);
    };
    let names: Vec<String> = all.iter().map(|workload| workload.name.clone()).collect();
    if names.iter().any(|name| name == only) {
        all.retain(|workload| workload.name == only);
    } else {
        all.retain(|workload| workload.name.starts_with(only));
    }
    if all.is_empty() {
        let names = names.join("\n  ");
        return Err(format!(
            "workload `{only}` is unknown; there are\n  {names}"
        ));
    }
    Ok(all)
}

impl Workload {
    /// A builder of this project with the systems. `calls[i]`: the function of system i; len = n_systems.
    pub fn declare(&self, calls: &[Call]) -> Builder {
        let call_of = |system_idx: usize| {
            let call = Call::clone(&calls[system_idx]);
            move |_: &mut View<'_>| call()
        };
        match &self.declared {
            Declared::Orders => {
                let mut builder = Schedule::builder();
                let mut nodes = Vec::with_capacity(calls.len());
                for system_idx in 0..calls.len() {
                    builder.add_dynamic(DynamicSystem::new("system", call_of(system_idx)));
                    nodes.extend(builder.last());
                }
                for (first, then) in self.orders.pairs() {
                    builder.order(nodes[first], nodes[then]);
                }
                builder
            }
            Declared::Accesses(graph) => graph.declare(call_of),
            Declared::Engine(graph) => {
                graph.declare_calls(schedule::Policy::InsertionOrder, call_of)
            }
        }
    }

    /// The resources that a run needs.
    pub fn resources(&self) -> Vec<&str> {
        match &self.declared {
            Declared::Orders => Vec::new(),
            Declared::Accesses(graph) => graph.resources.iter().map(String::as_str).collect(),
            Declared::Engine(graph) => graph.resources().into_iter().collect(),
        }
    }
}

fn all() -> Vec<Workload> {
    let mut all: Vec<Workload> = [1, 10, 100, 1_000].map(independent).into();
    all.extend([chains(1, 100), chains(10, 10)]);
    all.push(narrow_and_wide(&[1, 64, 1, 64, 1]));
    all.push(sparse(300));
    all.push(random(100, 20));
    // Larger costs are left out. Loops would take 10 ms or more, which the workload with 100 systems covers.
    all.push(random(1_000, 20).at(&[0, 100, 1_000]));
    all.extend([independent(100), random(100, 20)].map(skewed));
    all.push(
        random(100, 20)
            .weighing("swapped", weight::swapped(100))
            .jumping(1_000),
    );
    all.push(
        random(100, 20)
            .weighing("surging", weight::surging(100))
            .jumping(100),
    );
    for graph in engine::large().into_iter().flatten() {
        if ENGINE.contains(&graph.name()) {
            all.push(of_engine(graph));
        }
    }
    for graph in engine::large().into_iter().flatten() {
        if ENGINE.contains(&graph.name()) {
            all.push(skewed(of_engine(graph)));
        }
    }
    for graph in engine::large().into_iter().flatten() {
        if ENGINE.contains(&graph.name()) {
            let fitted = of_engine(graph.fitted());
            let name = format!("{}-{FITTED}", fitted.name);
            all.push(Workload { name, ..fitted });
        }
    }
    all
}

impl Workload {
    fn new(name: String, declared: Declared, orders: Orders) -> Self {
        Self {
            name,
            declared,
            weights: weight::equal(orders.n_systems()),
            orders,
            costs_ns: ALL_COSTS.into(),
            temperatures: Temperature::STEADY,
            is_plotted: false,
        }
    }

    /// The same workload with other weights and another name.
    fn weighing(self, how: &str, weights: Vec<Weight>) -> Self {
        Self {
            name: format!("{}-{how}", self.name),
            weights,
            ..self
        }
    }

    fn at(self, costs_ns: &[u64]) -> Self {
        Self {
            costs_ns: costs_ns.into(),
            ..self
        }
    }

    /// Whether it has at least two points.
    fn is_line(&self) -> bool {
        let n_costs = self.costs_ns.iter().filter(|&&cost_ns| cost_ns > 0).count();
        n_costs >= 2 && self.temperatures.contains(&Temperature::Hot)
    }

    /// Switches between two scenes.
    fn jumping(self, cost_ns: u64) -> Self {
        Self {
            temperatures: Temperature::JUMPS,
            ..self.at(&[cost_ns])
        }
    }
}

fn independent(n_systems: usize) -> Workload {
    let name = format!("independent-{n_systems}");
    let orders = Orders::new(n_systems, []);
    Workload::new(name, Declared::Orders, orders).at(&EMPTY)
}

/// Independent chains, added one after the other.
fn chains(n_chains: usize, len: usize) -> Workload {
    let n_systems = n_chains * len;
    let links = (1..n_systems).filter(|then| then % len != 0);
    let orders = Orders::new(n_systems, links.map(|then| (then - 1, then)));
    Workload::new(format!("chains-{n_chains}x{len}"), Declared::Orders, orders)
}

/// Layers of systems: each system comes after all systems of the previous layer.
fn narrow_and_wide(widths: &[usize]) -> Workload {
    let mut pairs = Vec::new();
    let mut before = 0..0;
    for &width in widths {
        let here = before.end..before.end + width;
        pairs.extend(
            here.clone()
                .flat_map(|then| before.clone().map(move |first| (first, then))),
        );
        before = here;
    }
    let name: Vec<String> = widths.iter().map(usize::to_string).collect();
    let orders = Orders::new(before.end, pairs);
    Workload::new(name.join("-"), Declared::Orders, orders)
}

/// As many orders as systems, each between two random systems.
fn sparse(n_systems: usize) -> Workload {
    let mut dice = Dice::new(n_systems as u64);
    let pair = |_| {
        let then = 1 + dice.below(n_systems - 1);
        (dice.below(then), then)
    };
    let orders = Orders::new(n_systems, (0..n_systems).map(pair));
    Workload::new(format!("sparse-{n_systems}"), Declared::Orders, orders)
}

/// Systems with random accesses, which race.
pub fn random(n_systems: usize, n_resources: usize) -> Workload {
    let graph = RandomGraph::random(n_systems, n_resources, Policy::InsertionOrder);
    let name = format!("{n_systems}-on-{n_resources}");
    let orders = graph.orders();
    Workload::new(name, Declared::Accesses(graph), orders)
}

/// One system of ten costs more.
fn skewed(even: Workload) -> Workload {
    let weights = weight::skewed(even.weights.len());
    even.weighing(SKEWED, weights).at(&SKEWED_COSTS)
}

fn of_engine(graph: EngineGraph) -> Workload {
    let (name, orders) = (graph.name().to_string(), graph.orders());
    Workload::new(name, Declared::Engine(graph), orders)
}
