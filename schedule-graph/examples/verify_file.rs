//! Verifies a graph that a text file describes, without the rest of the framework.
//!
//! `cargo run -p schedule-graph --example verify_file -- [FILE]`
//!
//! Each line of the file is one of these; `#` begins a comment:
//!
//! ```text
//! node NAME reads RESOURCE... writes RESOURCE... folds RESOURCE...
//! order NAME before NAME
//! policy (reject | writers-first | insertion-order)
//! ```

use std::collections::HashMap;
use std::process::ExitCode;

use schedule_graph::{AccessKind, Graph, Policy};

const FRAME: &str = include_str!("frame.txt");

/// A graph with the names of its nodes.
#[derive(Default)]
struct Named {
    graph: Graph,
    names: Vec<String>,
    nodes: HashMap<String, u32>,
    resources: HashMap<String, u32>,
}

impl Named {
    fn parse(text: &str) -> Result<Self, String> {
        let mut named = Self::default();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default();
            let words: Vec<&str> = line.split_whitespace().collect();
            named
                .add(&words)
                .map_err(|error| format!("line {number}: {error}"))?;
        }
        Ok(named)
    }

    fn add(&mut self, words: &[&str]) -> Result<(), String> {
        match words {
            [] => {}
            ["node", name, uses @ ..] => self.add_node(name, uses)?,
            ["order", first, "before", then] => {
                let (first, then) = (self.node(first)?, self.node(then)?);
                self.graph.order(first, then);
            }
            ["policy", policy] => {
                self.graph.policy(match *policy {
                    "reject" => Policy::Reject,
                    "writers-first" => Policy::WritersFirst,
                    "insertion-order" => Policy::InsertionOrder,
                    other => return Err(format!("`{other}` is not a policy")),
                });
            }
            [word, ..] => {
                return Err(format!("`{word}` must be `node`, `order` or `policy`"));
            }
        }
        Ok(())
    }

    fn add_node(&mut self, name: &str, words: &[&str]) -> Result<(), String> {
        if self.nodes.contains_key(name) {
            return Err(format!("there are two nodes `{name}`"));
        }
        let mut access = None;
        let mut uses = Vec::new();
        for &word in words {
            match (word, access) {
                ("reads", _) => access = Some(AccessKind::Read),
                ("writes", _) => access = Some(AccessKind::Write),
                ("folds", _) => access = Some(AccessKind::Fold),
                (_, None) => {
                    return Err(format!("`{word}` must follow `reads`, `writes` or `folds`"));
                }
                (resource, Some(access)) => {
                    let next = self.resources.len() as u32;
                    let number = self.resources.entry(resource.to_string()).or_insert(next);
                    uses.push((*number, access));
                }
            }
        }
        let node = self.graph.add_node(&uses);
        self.nodes.insert(name.to_string(), node);
        self.names.push(name.to_string());
        Ok(())
    }

    fn node(&self, name: &str) -> Result<u32, String> {
        let node = self.nodes.get(name);
        node.copied()
            .ok_or_else(|| format!("node `{name}` must be declared before this line"))
    }

    fn name(&self, node: u32) -> &str {
        &self.names[node as usize]
    }

    /// Prints the result. Returns whether the graph was accepted.
    fn report(&self) -> bool {
        let name = |&node: &u32| self.name(node);
        match self.graph.verify() {
            Ok(verified) => {
                let order: Vec<&str> = verified.order.iter().map(name).collect();
                println!("order: {}", order.join(", "));
                for edge in &verified.edges {
                    println!("  {} -> {}", name(&edge.from), name(&edge.to));
                }
                true
            }
            Err(error) => {
                for cycle in error.cycles.iter().chain(&error.writers_first) {
                    let names: Vec<&str> = cycle.iter().map(name).collect();
                    println!("cycle: {}", names.join(" -> "));
                }
                for (a, b) in &error.races {
                    println!("race: {} and {}", name(a), name(b));
                }
                for (first, then) in &error.missing_orders {
                    println!("missing: order {} before {}", name(first), name(then));
                }
                false
            }
        }
    }
}

fn main() -> ExitCode {
    let text = match std::env::args().nth(1) {
        None => FRAME.to_string(),
        Some(path) => match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("{path}: {error}");
                return ExitCode::from(2);
            }
        },
    };
    match Named::parse(&text) {
        Ok(named) if named.report() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
