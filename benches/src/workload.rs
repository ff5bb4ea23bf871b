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
    /// By which it is asked for.
    pub name: String,
    /// What this project gets; all others get the orders alone.
    pub declared: Declared,
    /// All that have to be kept.
    pub orders: Orders,
    /// `weights[i]`: what system i costs, in base costs; len = n_systems.
    pub weights: Vec<Weight>,
    /// Base costs: measured with every one of these.
    pub costs_ns: Vec<u64>,
    /// Under which it is measured.
    pub temperatures: &'static [Temperature],
    /// Whether there is to be a plot of it.
    pub is_plotted: bool,
}

/// How a schedule is declared.
#[derive(Debug)]
pub enum Declared {
    /// Systems that touch nothing, with orders.
    Orders,
    /// Systems that touch something, without orders.
    Accesses(RandomGraph),
    /// Both.
    Engine(EngineGraph),
}

const EMPTY: [u64; 1] = [0];
const ALL_COSTS: [u64; 5] = [0, 100, 1_000, 10_000, 100_000];
/// Those of a plot, with two points for each power of ten.
const CURVE: [u64; 8] = [0, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000];
/// What takes up to 30 times as long.
const SKEWED_COSTS: [u64; 2] = [1_000, 10_000];

/// Systems of random access: so many systems on so many resources.
pub const RANDOM: &str = "100-on-20";
/// The same with ten times as many systems.
pub const MANY: &str = "1000-on-20";
/// At the end of a name: one system in ten costs more.
pub const SKEWED: &str = "skewed";
/// At the end of the name of an engine's graph whose races are ordered under `optimize`. Its numbers follow the order that was
/// chosen, since all others get it as the order of addition.
pub const FITTED: &str = "optimize";
/// The large ones that a game runs every frame.
pub const ENGINE: [&str; 3] = ["PostUpdate", "Render", "PreUpdate"];

/// Those of which there is a plot, if nothing else was asked for.
const PLOTTED: [&str; 2] = [RANDOM, ENGINE[0]];

/// [`chosen`], of which those are plotted that were asked for; at more costs, where it is at all of them.
///
/// # Errors
///
/// As [`chosen`], and if none of those can be plotted.
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

/// The one with this name, else all whose names begin so; all of them if none is asked for.
///
/// # Errors
///
/// If there is none, with the names that there are.
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
    /// A builder of this project to which the systems were added. `calls[i]`: what system i does; len = n_systems.
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

    /// What has to be there when it runs.
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
    // What takes 10 ms in a loop is known from 100 systems.
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

    /// With other weights, under a name that says so.
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

    /// Whether it has two points at least.
    fn is_line(&self) -> bool {
        let n_costs = self.costs_ns.iter().filter(|&&cost_ns| cost_ns > 0).count();
        n_costs >= 2 && self.temperatures.contains(&Temperature::Hot)
    }

    /// Between two scenes, one after the other.
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

/// Side by side; added one after the other.
fn chains(n_chains: usize, len: usize) -> Workload {
    let n_systems = n_chains * len;
    let links = (1..n_systems).filter(|then| then % len != 0);
    let orders = Orders::new(n_systems, links.map(|then| (then - 1, then)));
    Workload::new(format!("chains-{n_chains}x{len}"), Declared::Orders, orders)
}

/// So many systems after so many others, and so on: each after all of those before.
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

/// As many orders as systems, between two by chance each.
fn sparse(n_systems: usize) -> Workload {
    let mut dice = Dice::new(n_systems as u64);
    let pair = |_| {
        let then = 1 + dice.below(n_systems - 1);
        (dice.below(then), then)
    };
    let orders = Orders::new(n_systems, (0..n_systems).map(pair));
    Workload::new(format!("sparse-{n_systems}"), Declared::Orders, orders)
}

/// Systems that race, of random access.
pub fn random(n_systems: usize, n_resources: usize) -> Workload {
    let graph = RandomGraph::random(n_systems, n_resources, Policy::InsertionOrder);
    let name = format!("{n_systems}-on-{n_resources}");
    let orders = graph.orders();
    Workload::new(name, Declared::Accesses(graph), orders)
}

/// One system in ten costs more.
fn skewed(even: Workload) -> Workload {
    let weights = weight::skewed(even.weights.len());
    even.weighing(SKEWED, weights).at(&SKEWED_COSTS)
}

fn of_engine(graph: EngineGraph) -> Workload {
    let (name, orders) = (graph.name().to_string(), graph.orders());
    Workload::new(name, Declared::Engine(graph), orders)
}
