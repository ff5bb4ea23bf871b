//! The rules of changes, on a list of all writes so far.

use std::collections::BTreeMap;

use super::{Asks, Case, Ends, N_RESOURCES, Node, Step, Work, dice};

/// The records of each node in a run, by its number.
pub(super) type Records = BTreeMap<usize, Vec<String>>;

/// What happened to a resource.
#[derive(Clone, Copy, PartialEq)]
enum Event {
    Written,
    Added,
    Removed,
}

/// The positions in the list of events at which a node has looked.
#[derive(Clone, Copy, Default)]
struct Memory {
    started: Option<usize>,
    first: Option<usize>,
    looked: usize,
}

pub(super) struct Interpreter<'a> {
    case: &'a Case,
    events: Vec<(usize, Event)>,
    is_present: [bool; N_RESOURCES],
    /// By schedule and node.
    memories: BTreeMap<(usize, usize), Memory>,
    n_runs: u64,
}

/// A run of a schedule.
struct Run {
    schedule: usize,
    nth: u64,
    n_executions: BTreeMap<usize, u64>,
    /// The answers of the conditions that were asked in the current pass of their level.
    answers: BTreeMap<usize, bool>,
    commands: Vec<(usize, u64)>,
    records: Records,
}

impl<'a> Interpreter<'a> {
    pub(super) fn new(case: &'a Case) -> Self {
        Self {
            case,
            events: Vec::new(),
            is_present: [true; N_RESOURCES],
            memories: BTreeMap::new(),
            n_runs: 0,
        }
    }

    pub(super) fn step(&mut self, step: Step) -> Records {
        match step {
            Step::Run(schedule) => return self.run(schedule),
            Step::Insert(resource) => self.insert(resource),
            Step::Remove(resource) => self.remove(resource),
            Step::Write(resource) => self.write(resource),
            Step::Read(_) => {}
        }
        Records::new()
    }

    fn insert(&mut self, resource: usize) {
        let event = if self.is_present[resource] {
            Event::Written
        } else {
            Event::Added
        };
        self.is_present[resource] = true;
        self.events.push((resource, event));
    }

    fn remove(&mut self, resource: usize) {
        if self.is_present[resource] {
            self.is_present[resource] = false;
            self.events.push((resource, Event::Removed));
        }
    }

    fn write(&mut self, resource: usize) {
        if self.is_present[resource] {
            self.events.push((resource, Event::Written));
        }
    }

    fn has_since(&self, since: usize, is_it: impl Fn(usize, Event) -> bool) -> bool {
        let mut events = self.events[since..].iter();
        events.any(|&(resource, event)| is_it(resource, event))
    }

    fn run(&mut self, schedule: usize) -> Records {
        let mut run = Run {
            schedule,
            nth: self.n_runs,
            n_executions: BTreeMap::new(),
            answers: BTreeMap::new(),
            commands: Vec::new(),
            records: Records::new(),
        };
        self.n_runs += 1;
        let case = self.case;
        self.run_nodes(&case.schedules[schedule], &mut run);
        self.apply(&mut run);
        // A node without records is not in the list.
        run.records.retain(|_, records| !records.is_empty());
        run.records
    }

    /// Returns whether a node failed.
    fn run_nodes(&mut self, nodes: &[Node], run: &mut Run) -> bool {
        let mut has_failed = false;
        for node in nodes {
            run.answers.remove(&node.number);
        }
        for node in nodes {
            if Self::is_due(node, run) {
                for (condition, _) in &node.leaves {
                    let memory = self.memory(run.schedule, *condition);
                    memory.started = Some(memory.looked);
                }
                has_failed |= self.run_node(node, run);
            }
        }
        has_failed
    }

    fn is_due(node: &Node, run: &Run) -> bool {
        let answers = node.leaves.iter().map(|(condition, is_true)| {
            let answer = run.answers.get(condition)?;
            Some(answer == is_true)
        });
        let answers: Option<Vec<bool>> = answers.collect();
        match answers {
            // A condition was not asked.
            None => false,
            Some(answers) if answers.is_empty() => true,
            Some(answers) if node.is_any => answers.contains(&true),
            Some(answers) => !answers.contains(&false),
        }
    }

    fn memory(&mut self, schedule: usize, node: usize) -> &mut Memory {
        self.memories.entry((schedule, node)).or_default()
    }

    fn run_node(&mut self, node: &Node, run: &mut Run) -> bool {
        let mut roll = || {
            let nth = run.n_executions.entry(node.number).or_default();
            *nth += 1;
            dice(self.case.seed, run.nth, node.number, *nth)
        };
        let records = run.records.entry(node.number).or_default();
        match &node.work {
            &Work::Plain(resource) => {
                let ends = Ends::of(roll());
                records.push(format!("{ends:?}"));
                self.write(resource);
                ends != Ends::Well
            }
            &Work::Noted(resource) => {
                let roll = roll();
                let ends = Ends::of(roll);
                records.push(format!("{ends:?}"));
                if roll & 1 == 1 {
                    self.write(resource);
                }
                ends != Ends::Well
            }
            &Work::Look(resource) => {
                let is_present = self.is_present[resource];
                let now = self.events.len();
                let seen = self.memory(run.schedule, node.number).started.replace(now);
                let is_changed =
                    seen.is_none_or(|seen| self.has_since(seen, |of, _| of == resource));
                let is_added = seen.is_none_or(|seen| {
                    self.has_since(seen, |of, event| of == resource && event == Event::Added)
                });
                records.push(if is_present {
                    format!("{is_changed} {is_added}")
                } else {
                    "missing".to_string()
                });
                false
            }
            &Work::Command(resource) => {
                let roll = roll();
                let ends = Ends::of(roll);
                records.push(format!("{ends:?}"));
                if ends == Ends::Well {
                    run.commands.push((resource, roll));
                }
                ends != Ends::Well
            }
            Work::Fold => {
                let ends = Ends::of(roll());
                records.push(format!("{ends:?}"));
                if ends == Ends::Well {
                    self.write(N_RESOURCES - 1);
                }
                ends != Ends::Well
            }
            Work::SyncPoint => {
                self.apply(run);
                false
            }
            &Work::Asks(asks) => {
                let answer = match asks {
                    Asks::Dice => roll() & 1 == 1,
                    asks => self.ask(asks, run.schedule, node.number),
                };
                run.answers.insert(node.number, answer);
                false
            }
            Work::Loop(body) => loop {
                let nth = run.n_executions.entry(node.number).or_default();
                *nth += 1;
                let roll = dice(self.case.seed, run.nth, node.number, *nth);
                if roll & 3 == 0 || *nth > 5 {
                    return false;
                }
                if self.run_nodes(body, run) {
                    return true;
                }
            },
        }
    }

    fn ask(&mut self, asks: Asks, schedule: usize, node: usize) -> bool {
        let now = self.events.len();
        let memory = self.memory(schedule, node);
        memory.looked = now;
        if memory.started.is_none() {
            memory.first.get_or_insert(now);
        }
        let Memory { started, first, .. } = *memory;
        match asks {
            Asks::Changed(resource) => {
                self.is_present[resource]
                    && started.is_none_or(|since| self.has_since(since, |of, _| of == resource))
            }
            Asks::Added(resource) => {
                self.is_present[resource]
                    && started.is_none_or(|since| {
                        self.has_since(since, |of, event| of == resource && event == Event::Added)
                    })
            }
            Asks::Removed(resource) => {
                let since = started.or(first).expect("it has looked");
                self.has_since(since, |of, event| of == resource && event == Event::Removed)
            }
            Asks::Dice => unreachable!("it has no memory"),
        }
    }

    fn apply(&mut self, run: &mut Run) {
        for (resource, roll) in run.commands.drain(..) {
            match roll & 3 {
                0 => self.insert(resource),
                1 if resource < N_RESOURCES - 1 => self.remove(resource),
                2 => self.write(resource),
                _ => {}
            }
        }
    }
}
