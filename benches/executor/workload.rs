//! What is run.

use benches::engine::{self, EngineGraph};
use benches::orders::Orders;
use benches::random_graph::{Policy, RandomGraph};
use schedule::{Builder, DynamicSystem, Schedule, View};

use crate::work::Call;

/// Systems and what is known of them.
pub(crate) struct Workload {
    pub(crate) name: String,
    /// What this project gets; all others get the orders alone.
    pub(crate) declared: Declared,
    /// All that have to be kept.
    pub(crate) orders: Orders,
    /// What each system costs: measured with every one of these.
    pub(crate) costs_ns: &'static [u64],
}

/// How a schedule is declared.
pub(crate) enum Declared {
    /// Systems that touch nothing, with orders.
    Orders,
    /// Systems that touch something, without orders.
    Accesses(RandomGraph),
    /// Both.
    Engine(EngineGraph),
}

const EMPTY: &[u64] = &[0];
const ALL_COSTS: &[u64] = &[0, 1_000, 10_000, 100_000];

/// Also the name in the bars.
pub(crate) const RANDOM: &str = "100-on-20";
/// The large ones that a game runs every frame.
pub(crate) const ENGINE: [&str; 3] = ["PostUpdate", "Render", "PreUpdate"];

/// The one with this name, else all whose names begin so; all of them if none is asked for.
///
/// # Errors
///
/// If there is none, with the names that there are.
pub(crate) fn chosen(only: Option<&str>) -> Result<Vec<Workload>, String> {
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
    pub(crate) fn declare(&self, calls: &[Call]) -> Builder {
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
            Declared::Engine(graph) => graph.declare_calls(schedule::Policy::AsAdded, call_of),
        }
    }

    /// What has to be there when it runs.
    pub(crate) fn resources(&self) -> Vec<&str> {
        match &self.declared {
            Declared::Orders => Vec::new(),
            Declared::Accesses(graph) => graph.resources.iter().map(String::as_str).collect(),
            Declared::Engine(graph) => graph.resources().into_iter().collect(),
        }
    }
}

fn all() -> Vec<Workload> {
    let mut all: Vec<Workload> = [1, 10, 100, 1_000].into_iter().map(independent).collect();
    all.extend([chains(1, 100), chains(10, 10)]);
    all.push(narrow_and_wide(&[1, 64, 1, 64, 1]));
    all.push(random(100, 20));
    for graph in engine::large().into_iter().flatten() {
        if ENGINE.contains(&graph.name()) {
            all.push(of_engine(graph));
        }
    }
    all
}

fn independent(n_systems: usize) -> Workload {
    Workload {
        name: format!("independent-{n_systems}"),
        declared: Declared::Orders,
        orders: Orders::new(n_systems, []),
        costs_ns: EMPTY,
    }
}

/// Side by side; added one after the other.
fn chains(n_chains: usize, len: usize) -> Workload {
    let n_systems = n_chains * len;
    let links = (1..n_systems).filter(|then| then % len != 0);
    Workload {
        name: format!("chains-{n_chains}x{len}"),
        declared: Declared::Orders,
        orders: Orders::new(n_systems, links.map(|then| (then - 1, then))),
        costs_ns: ALL_COSTS,
    }
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
    Workload {
        name: name.join("-"),
        declared: Declared::Orders,
        orders: Orders::new(before.end, pairs),
        costs_ns: ALL_COSTS,
    }
}

fn random(n_systems: usize, n_resources: usize) -> Workload {
    let graph = RandomGraph::random(n_systems, n_resources, Policy::AsAdded);
    Workload {
        name: format!("{n_systems}-on-{n_resources}"),
        orders: graph.orders(),
        declared: Declared::Accesses(graph),
        costs_ns: ALL_COSTS,
    }
}

fn of_engine(graph: EngineGraph) -> Workload {
    Workload {
        name: graph.name().to_string(),
        orders: graph.orders(),
        declared: Declared::Engine(graph),
        costs_ns: ALL_COSTS,
    }
}
