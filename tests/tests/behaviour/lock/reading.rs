//! A lock can be parsed, regardless of the characters in names and reasons. So different schedules have different locks.

mod declared;

use std::collections::{BTreeMap, BTreeSet};

use schedule::Condition;
use schedule::access::ResourceId;
use schedule::graph::{Kind, Origin, PolicyOf, ResourceKind, ScheduleGraph};
use schedule::prelude::*;

/// The contents of a lock.
#[derive(Debug, PartialEq)]
struct Content {
    schedule: String,
    order: Vec<Run>,
    groups: BTreeMap<Called, (BTreeSet<Node>, Option<Guard>)>,
    edges: BTreeSet<(Node, Node, Why)>,
    accepted: BTreeSet<(Node, Node, BTreeSet<Resource>, Option<String>)>,
    policies: BTreeSet<(String, For, Option<String>)>,
}

/// A name, and the occurrence number of an item with this name.
type Called = (String, usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sort {
    System,
    Group,
    Checkpoint,
}

type Node = (Sort, Called);

#[derive(Debug, PartialEq)]
struct Run {
    depth: usize,
    kind: &'static str,
    called: Called,
    at_most: Option<u64>,
    guard: Option<Guard>,
}

#[derive(Clone, Debug, PartialEq)]
enum Guard {
    Is(Called),
    Not(Box<Guard>),
    All(Vec<Guard>),
    Any(Vec<Guard>),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Why {
    Declared,
    Condition,
    Weak,
    Policy(String, Resource),
    Never(Node),
    Commands,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Resource {
    Type(String),
    MainThread(String),
    Named(String),
    Other(String),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum For {
    All,
    Resource(Resource),
    Pair(Node, Node),
}

/// Parses the text of a lock.
struct Reader<'t> {
    rest: &'t str,
    /// The listed systems, and the listed groups. Any other reference is a checkpoint.
    systems: BTreeSet<Called>,
    groups: BTreeSet<Called>,
}

impl<'t> Reader<'t> {
    fn line(&self, rest: &'t str) -> Self {
        Reader {
            rest,
            systems: self.systems.clone(),
            groups: self.groups.clone(),
        }
    }

    fn take(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, text: &str) {
        assert!(self.take(text), "expected {text:?} before {:?}", self.rest);
    }

    fn quoted(&mut self) -> Option<String> {
        if !self.take("\"") {
            return None;
        }
        let mut text = String::new();
        let mut chars = self.rest.chars();
        loop {
            match chars.next().expect("a closing quote") {
                '"' => break,
                '\\' => text.push(match chars.next().unwrap() {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'u' => {
                        let (number, rest) = chars.as_str()[1..].split_once('}').unwrap();
                        chars = rest.chars();
                        char::from_u32(u32::from_str_radix(number, 16).unwrap()).unwrap()
                    }
                    c => c,
                }),
                c => text.push(c),
            }
        }
        self.rest = chars.as_str();
        Some(text)
    }

    fn name(&mut self) -> String {
        if let Some(name) = self.quoted() {
            return name;
        }
        let mut depth = 0;
        let ends = |at: usize| {
            let rest = &self.rest[at..];
            let words = [" and ", " or ", " is ", " #", " -> "];
            rest.starts_with([',', ')'])
                || (rest.starts_with(':')
                    && !rest.starts_with("::")
                    && !self.rest[..at].ends_with(':'))
                || words.iter().any(|word| rest.starts_with(word))
        };
        let end = self.rest.char_indices().find(|&(at, c)| {
            let is_end = depth == 0 && ends(at);
            match c {
                '<' | '(' | '[' | '{' => depth += 1,
                '>' | ')' | ']' | '}' => depth -= 1,
                _ => {}
            }
            is_end
        });
        let (name, rest) = self
            .rest
            .split_at(end.map_or(self.rest.len(), |(at, _)| at));
        self.rest = rest;
        name.to_string()
    }

    fn number(&mut self) -> u64 {
        let end = self.rest.find(|c: char| !c.is_ascii_digit());
        let (number, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        number.parse().unwrap()
    }

    fn called(&mut self) -> Called {
        let name = self.name();
        let nth = if self.take(" #") { self.number() } else { 1 };
        (name, nth as usize)
    }

    fn node(&mut self) -> Node {
        if self.take("checkpoint ") {
            return (Sort::Checkpoint, self.called());
        }
        if self.take("group ") {
            return (Sort::Group, self.called());
        }
        let called = self.called();
        let sort = match (
            self.systems.contains(&called),
            self.groups.contains(&called),
        ) {
            (true, _) => Sort::System,
            (false, true) => Sort::Group,
            (false, false) => Sort::Checkpoint,
        };
        (sort, called)
    }

    fn resource(&mut self) -> Resource {
        if let Some(name) = self.quoted() {
            return Resource::Named(name);
        }
        if self.take("main-thread ") {
            return Resource::MainThread(self.name());
        }
        if self.rest.starts_with("type \"") {
            self.expect("type ");
            return Resource::Type(self.name());
        }
        let name = self.name();
        match name.as_str() {
            "everything" | "exclusive access" => Resource::Other(name),
            _ => Resource::Type(name),
        }
    }

    fn guard(&mut self) -> Guard {
        let mut all = vec![self.term()];
        let word = [" and ", " or "]
            .into_iter()
            .find(|word| self.rest.starts_with(word));
        while word.is_some_and(|word| self.take(word)) {
            all.push(self.term());
        }
        match (word, all.len()) {
            (_, 1) => all.remove(0),
            (Some(" or "), _) => Guard::Any(all),
            _ => Guard::All(all),
        }
    }

    fn term(&mut self) -> Guard {
        if self.take("not ") {
            return Guard::Not(Box::new(self.term()));
        }
        if self.take("(") {
            let guard = self.guard();
            self.expect(")");
            return guard;
        }
        Guard::Is(self.called())
    }

    fn guarded(&mut self) -> Option<Guard> {
        self.take(", if ").then(|| self.guard())
    }

    fn reason(&mut self) -> Option<String> {
        self.take(": ").then(|| {
            let reason = self.quoted().unwrap_or_else(|| self.rest.to_string());
            self.rest = "";
            reason
        })
    }

    fn policy(&mut self) -> String {
        let policies = [
            "reject",
            "writers first",
            "insertion order",
            "optimize",
            "accepted",
        ];
        let policy = policies.into_iter().find(|policy| self.take(policy));
        policy.expect("a policy").to_string()
    }

    fn read(text: &str) -> Content {
        let mut lines = text.lines();
        let mut head = Reader {
            rest: lines.next().unwrap(),
            systems: BTreeSet::new(),
            groups: BTreeSet::new(),
        };
        head.expect("# schedule ");
        let schedule = head.quoted().unwrap_or_else(|| {
            head.expect("`");
            let (name, rest) = head.rest.split_once('`').unwrap();
            head.rest = rest;
            name.to_string()
        });
        head.expect(", resolved; version 3");
        assert_eq!(head.rest, "");
        let mut sections: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut section = "";
        for line in lines {
            match line.strip_prefix("  ") {
                Some(line) => sections.entry(section).or_default().push(line),
                None => section = line,
            }
        }
        let lines = |section: &str| sections.get(section).cloned().unwrap_or_default();
        let mut order = Vec::new();
        for line in lines("order") {
            let rest = line.trim_start_matches(' ');
            let mut reader = head.line(rest);
            order.push(reader.run((line.len() - rest.len()) / 2));
        }
        head.systems = order.iter().map(|run| run.called.clone()).collect();
        for line in lines("groups") {
            head.groups.insert(head.line(line).called());
        }
        let groups = lines("groups")
            .into_iter()
            .map(|line| head.line(line).group())
            .collect();
        let edges = lines("edges")
            .into_iter()
            .map(|line| head.line(line).edge());
        let accepted = lines("accepted")
            .into_iter()
            .map(|line| head.line(line).accepted());
        let policies = lines("policies")
            .into_iter()
            .map(|line| head.line(line).set_policy());
        Content {
            schedule,
            groups,
            edges: edges.collect(),
            accepted: accepted.collect(),
            policies: policies.collect(),
            order,
        }
    }

    fn run(&mut self, depth: usize) -> Run {
        let kind = ["apply_commands ", "repeat while "]
            .into_iter()
            .find(|kind| self.take(kind));
        let called = self.called();
        let at_most = self.take(", at most ").then(|| {
            let n = self.number();
            self.expect(" times");
            n
        });
        let guard = self.guarded();
        assert_eq!(self.rest, "");
        Run {
            depth,
            kind: kind.unwrap_or(""),
            called,
            at_most,
            guard,
        }
    }

    fn group(&mut self) -> (Called, (BTreeSet<Node>, Option<Guard>)) {
        let called = self.called();
        self.expect(":");
        let mut members = BTreeSet::new();
        if self.take(" ") {
            loop {
                members.insert(self.node());
                if self.rest.is_empty() || self.rest.starts_with(", if ") {
                    break;
                }
                self.expect(", ");
            }
        }
        let guard = self.guarded();
        assert_eq!(self.rest, "");
        (called, (members, guard))
    }

    fn pair(&mut self) -> (Node, Node) {
        let first = self.node();
        self.expect(" -> ");
        (first, self.node())
    }

    fn edge(&mut self) -> (Node, Node, Why) {
        let (first, then) = self.pair();
        self.expect(", ");
        let why = match self.rest {
            "declared" => Why::Declared,
            "condition" => Why::Condition,
            "if they conflict" => Why::Weak,
            "to apply commands" => Why::Commands,
            rest if rest.starts_with("never both run, by ") => {
                self.expect("never both run, by ");
                Why::Never(self.node())
            }
            _ => {
                let policy = self.policy();
                self.expect(", for ");
                Why::Policy(policy, self.resource())
            }
        };
        (first, then, why)
    }

    fn accepted(&mut self) -> (Node, Node, BTreeSet<Resource>, Option<String>) {
        let (first, then) = self.pair();
        self.expect(", for ");
        let mut resources = BTreeSet::from([self.resource()]);
        while self.take(", ") {
            resources.insert(self.resource());
        }
        let reason = self.reason();
        assert_eq!(self.rest, "");
        (first, then, resources, reason)
    }

    fn set_policy(&mut self) -> (String, For, Option<String>) {
        let policy = self.policy();
        self.expect(", for ");
        let of = if self.rest == "all" {
            self.rest = "";
            For::All
        } else {
            // The text after the first name distinguishes a pair from a resource.
            let mut pair = self.line(self.rest);
            pair.node();
            if pair.take(" and ") {
                let first = self.node();
                self.expect(" and ");
                let second = self.node();
                For::Pair(first.clone().min(second.clone()), first.max(second))
            } else {
                For::Resource(self.resource())
            }
        };
        let reason = self.reason();
        assert_eq!(self.rest, "");
        (policy, of, reason)
    }
}

impl Content {
    /// Returns the expected contents from the data of a schedule. `guards`: the declared guard of each node.
    fn of(graph: &ScheduleGraph, guards: &BTreeMap<Node, Guard>) -> Self {
        let node = |idx: usize| {
            let node = &graph.nodes[idx];
            let sort = match node.kind {
                Kind::Checkpoint => Sort::Checkpoint,
                Kind::Group => Sort::Group,
                _ => Sort::System,
            };
            (sort, (node.name.clone(), node.nth))
        };
        let resource = |idx: usize| {
            let resource = &graph.resources[idx];
            let of = match resource.kind {
                ResourceKind::Type => Resource::Type,
                ResourceKind::MainThread => Resource::MainThread,
                ResourceKind::Named => Resource::Named,
                _ => Resource::Other,
            };
            of(resource.name.clone())
        };
        let all = || 0..graph.nodes.len();
        let of_sort = |sort: Sort| all().filter(move |&idx| node(idx).0 == sort);
        let order = of_sort(Sort::System).map(|idx| {
            let around = |&repeat: &usize| graph.nodes[repeat].repeat;
            let repeat = graph.nodes[idx].repeat;
            let (kind, at_most) = match graph.nodes[idx].kind {
                Kind::ApplyCommands => ("apply_commands ", None),
                Kind::Loop { at_most } => ("repeat while ", at_most),
                _ => ("", None),
            };
            Run {
                depth: std::iter::successors(repeat, around).count(),
                kind,
                called: node(idx).1,
                at_most,
                guard: guards.get(&node(idx)).cloned(),
            }
        });
        let groups = of_sort(Sort::Group).map(|group| {
            let members = all().filter(|&idx| graph.nodes[idx].groups.contains(&group));
            let guard = guards.get(&node(group)).cloned();
            (node(group).1, (members.map(node).collect(), guard))
        });
        let edges = graph
            .edges
            .iter()
            .filter(|edge| !edge.is_implied)
            .map(|edge| {
                let whys = edge.origins.iter().map(|origin| match origin {
                    Origin::Declared { .. } => Why::Declared,
                    Origin::Guard { .. } => Why::Condition,
                    Origin::Weak { .. } => Why::Weak,
                    Origin::Policy {
                        policy,
                        resource: of,
                    } => Why::Policy(policy.to_string(), resource(*of)),
                    Origin::NeverBoth { condition } => Why::Never(node(*condition)),
                    Origin::Commands => Why::Commands,
                });
                (node(edge.from), node(edge.to), whys.min().unwrap())
            });
        let accepted = graph.accepted.iter().map(|one| {
            let resources = one.resources.iter().map(|&idx| resource(idx));
            let reason = one.reason.clone();
            (node(one.first), node(one.then), resources.collect(), reason)
        });
        let policies = graph.policies.iter().map(|set| {
            let of = match set.of {
                PolicyOf::Schedule => For::All,
                PolicyOf::Resource(idx) => For::Resource(resource(idx)),
                PolicyOf::Pair(a, b) => For::Pair(node(a).min(node(b)), node(a).max(node(b))),
            };
            (set.policy.to_string(), of, set.reason.clone())
        });
        Self {
            schedule: graph.schedule.clone(),
            order: order.collect(),
            groups: groups.collect(),
            edges: edges.collect(),
            accepted: accepted.collect(),
            policies: policies.collect(),
        }
    }
}
