//! Random cases. Most of their orders follow the order of the source, so that many cases are accepted.

use super::case::{Answer, Case, Entry, Item, RESOURCES, Subject, System, WrittenClause};
use super::dice::{Dice, rng};

const MAX_DEPTH: usize = 3;

/// Returns the case of this number.
pub(super) fn case(seed: u64) -> Case {
    let mut growing = Growing {
        dice: Dice(rng(seed)),
        case: Case {
            systems: Vec::new(),
            entries: Vec::new(),
            items: Vec::new(),
            rules: Vec::new(),
            n_groups: 0,
            n_checkpoints: 0,
        },
        heaviness: 0,
        n_systems: 0,
    };
    growing.grow();
    growing.case
}

/// A case under construction.
pub(super) struct Growing {
    pub(super) dice: Dice,
    pub(super) case: Case,
    /// The percentage of parameters that write.
    heaviness: usize,
    n_systems: usize,
}

impl Growing {
    fn grow(&mut self) {
        self.heaviness = 10 + self.dice.below(40);
        // Unlisted conditions come first, because attributes ask only systems with smaller numbers.
        for _ in 0..self.dice.below(3) {
            let answer = self.asked_answer();
            self.system(answer);
        }
        let n_implied = self.case.systems.len();
        self.n_systems = n_implied + 2 + self.dice.below(7 - n_implied);
        self.case.items = self.fill(usize::MAX, None);
        self.join_groups();
        self.order();
        self.guard(n_implied);
        self.rule();
        if self.dice.percent(55) {
            for _ in 0..1 + self.dice.below(2) {
                self.mishap();
            }
        }
        self.move_to_attributes();
    }

    fn asked_answer(&mut self) -> Answer {
        if self.dice.percent(30) {
            Answer::Gait
        } else {
            Answer::Bool
        }
    }

    fn system(&mut self, answer: Answer) -> usize {
        let mut left = RESOURCES.to_vec();
        let mut takes = Vec::new();
        let n_resources = match answer {
            Answer::Nothing => self.dice.below(4),
            _ => self.dice.below(8) / 6,
        };
        for _ in 0..n_resources {
            let resource = left.remove(self.dice.below(left.len()));
            let is_fold = self.dice.percent(25);
            let reference = if is_fold {
                format!("Fold<{resource}>")
            } else if self.dice.percent(self.heaviness) {
                format!("&mut {resource}")
            } else {
                format!("&{resource}")
            };
            takes.push(match self.dice.below(12) {
                0 if !is_fold => format!("Option<{reference}>"),
                1 => format!("({reference}, Local<u8>)"),
                _ => reference,
            });
        }
        let mut instance = None;
        match self.dice.below(40) {
            0..3 => {
                takes = vec!["&T".to_string()];
                instance = Some("A");
            }
            3 => {
                takes = vec!["&mut T".to_string()];
                instance = Some("B");
            }
            4 => {
                takes = vec!["Fold<T>".to_string()];
                instance = Some("C");
            }
            5 => takes = vec!["&Resources".to_string()],
            6 if answer == Answer::Nothing => takes = vec!["&mut Resources".to_string()],
            7 => takes = vec!["NonSendMut<A>".to_string()],
            8 => takes.push("Commands".to_string()),
            _ => {}
        }
        let mut clauses = Vec::new();
        let number = self.case.systems.len();
        if self.dice.percent(6) {
            clauses.push(WrittenClause {
                word: "name",
                object: format!("\"system {number}\""),
                fits_attribute: true,
            });
        }
        self.case.systems.push(System {
            answer,
            takes,
            instance,
            clauses,
        });
        number
    }

    fn entry(&mut self, subject: Subject, around: Option<usize>, is_link: bool) -> usize {
        let is_named = subject.system().is_some() && self.dice.percent(35);
        self.case.entries.push(Entry {
            subject,
            is_named,
            around,
            is_link,
            parts: None,
            clauses: Vec::new(),
        });
        self.case.entries.len() - 1
    }

    /// Returns at most `n_items` items, until there are enough systems.
    fn fill(&mut self, n_items: usize, around: Option<usize>) -> Vec<Item> {
        let depth = around.map_or(0, |around| 1 + self.case.blocks(around).count());
        let mut items = Vec::new();
        while items.len() < n_items && self.case.systems.len() < self.n_systems {
            let item = match self.dice.below(100) {
                0..14 if depth < MAX_DEPTH => {
                    let condition = self.system(Answer::Bool);
                    let repeat = self.entry(Subject::Loop(condition), around, false);
                    if self.dice.percent(20) {
                        self.add_clause(repeat, "at most", "5".to_string(), false);
                    }
                    let n_plugins = self.dice.below(4);
                    let parts = self.fill(n_plugins, Some(repeat));
                    self.case.entries[repeat].parts = Some(parts);
                    Item::Entry(repeat)
                }
                14..20 => {
                    let number = self.case.n_checkpoints;
                    self.case.n_checkpoints += 1;
                    let subject = match self.dice.below(4) {
                        0 => Subject::ApplyCommands(number),
                        _ => Subject::Checkpoint(number),
                    };
                    Item::Entry(self.entry(subject, around, false))
                }
                20..34 if depth < MAX_DEPTH => {
                    let number = self.case.n_groups;
                    self.case.n_groups += 1;
                    let group = self.entry(Subject::Group(number), around, false);
                    if self.dice.percent(60) {
                        let n_plugins = self.dice.below(4);
                        let parts = self.fill(n_plugins, Some(group));
                        self.case.entries[group].parts = Some(parts);
                    }
                    Item::Entry(group)
                }
                34..42 => self.chain(around),
                42..58 => {
                    let answer = self.asked_answer();
                    let system = self.system(answer);
                    Item::Entry(self.entry(Subject::System(system), around, false))
                }
                58..61 if !self.case.systems.is_empty() => {
                    let again = self.dice.below(self.case.systems.len());
                    Item::Entry(self.entry(Subject::System(again), around, false))
                }
                _ => {
                    let system = self.system(Answer::Nothing);
                    let entry = self.entry(Subject::System(system), around, false);
                    if self.dice.percent(4) {
                        self.add_clause(entry, "on failure", "carry on".to_string(), false);
                    }
                    Item::Entry(entry)
                }
            };
            items.push(item);
        }
        items
    }

    /// Lists an item after all others.
    pub(super) fn append(&mut self, subject: Subject) {
        let entry = self.entry(subject, None, false);
        self.case.items.push(Item::Entry(entry));
    }

    fn chain(&mut self, around: Option<usize>) -> Item {
        let n_links = 2 + self.dice.below(2);
        let links = (0..n_links).map(|_| {
            let n_entries = 1 + self.dice.below(3) / 2;
            let entries = (0..n_entries).map(|_| {
                let system = self.system(Answer::Nothing);
                self.entry(Subject::System(system), around, true)
            });
            entries.collect()
        });
        Item::Chain(links.collect())
    }

    /// Adds a clause to an entry. For a link of a chain, adds it to the attribute, if possible.
    pub(super) fn add_clause(
        &mut self,
        entry: usize,
        word: &'static str,
        object: String,
        fits_attribute: bool,
    ) {
        let is_link = self.case.entries[entry].is_link;
        let clause = WrittenClause {
            word,
            object,
            fits_attribute,
        };
        match self.case.entries[entry].subject.system() {
            Some(system) if is_link => {
                if fits_attribute {
                    self.case.systems[system].clauses.push(clause);
                }
            }
            _ => self.case.entries[entry].clauses.push(clause),
        }
    }

    fn join_groups(&mut self) {
        for entry in 0..self.case.entries.len() {
            let inner = match self.case.entries[entry].subject {
                Subject::Group(group) => group,
                _ => usize::MAX,
            };
            let fits = |&other: &usize| {
                let is_outer = matches!(self.case.entries[other].subject, Subject::Group(group) if group < inner);
                is_outer && self.case.level(other) == self.case.level(entry)
            };
            let groups: Vec<usize> = (0..self.case.entries.len()).filter(fits).collect();
            if let Some(group) = self.dice.one_of(&groups)
                && self.dice.percent(35)
            {
                let group = self.case.subject_path(group);
                self.add_clause(entry, "in", group, true);
            }
        }
    }

    /// Returns the first and the last entry that an entry covers: its block, or the members of a group.
    fn span(&self, entry: usize) -> (usize, usize) {
        let mut all = vec![entry];
        let mut n_done = 0;
        while n_done < all.len() {
            let one = all[n_done];
            let path = self.case.subject_path(one);
            for other in 0..self.case.entries.len() {
                let entry = &self.case.entries[other];
                let clauses = entry.subject.system().map_or([].as_slice(), |system| {
                    self.case.systems[system].clauses.as_slice()
                });
                let clauses = entry.clauses.iter().chain(clauses);
                let is_member = clauses
                    .into_iter()
                    .any(|clause| clause.word == "in" && clause.object == path);
                let is_part = entry.around == Some(one);
                if (is_member || is_part) && !all.contains(&other) {
                    all.push(other);
                }
            }
            n_done += 1;
        }
        // A group itself has no position.
        let is_node =
            |entry: &&usize| !matches!(self.case.entries[**entry].subject, Subject::Group(_));
        let first = all.iter().filter(is_node).min();
        let last = all.iter().filter(is_node).max();
        (*first.unwrap_or(&entry), *last.unwrap_or(&entry))
    }

    /// Returns whether all of `first` is listed before all of `then`.
    pub(super) fn is_before(&self, first: usize, then: usize) -> bool {
        self.span(first).1 < self.span(then).0
    }

    fn order(&mut self) {
        let n_entries = self.case.entries.len();
        if n_entries == 0 {
            return;
        }
        let chance = match self.dice.below(4) {
            0 => 20,
            1 => 80,
            _ => 100,
        };
        for then in 1..n_entries {
            let level = self.case.level(then);
            let mut earlier = (0..then).rev();
            let first = earlier
                .find(|&first| self.case.level(first) == level && self.is_before(first, then));
            if let Some(first) = first
                && self.dice.percent(chance)
            {
                self.push_order(first, then, false);
            }
        }
        for _ in 0..self.dice.below(1 + n_entries) {
            let (one, other) = (self.dice.below(n_entries), self.dice.below(n_entries));
            let (first, then) = (one.min(other), one.max(other));
            if self.is_before(first, then) {
                let is_weak = self.dice.percent(50);
                self.push_order(first, then, is_weak);
            }
        }
        if self.dice.percent(10) {
            // This checkpoint is never listed.
            let checkpoint = self.case.n_checkpoints;
            self.case.n_checkpoints += 1;
            let entry = self.dice.below(n_entries);
            self.add_clause(entry, "after_if_present", format!("P{checkpoint}"), true);
        }
    }

    /// Adds an order as a clause of one of the two entries.
    pub(super) fn push_order(&mut self, first: usize, then: usize, is_weak: bool) {
        let is_after = if self.case.entries[first].is_link {
            true
        } else {
            !self.case.entries[then].is_link && self.dice.percent(60)
        };
        let words = match (is_after, is_weak) {
            (true, false) => ["after", "after", "after_if_present"],
            (true, true) => ["after_if_conflicting", "after_if_conflicting", "after"],
            (false, false) => ["before", "before", "before_if_present"],
            (false, true) => ["before_if_conflicting", "before_if_conflicting", "before"],
        };
        let word = words[self.dice.below(3)];
        let (this, other) = if is_after {
            (then, first)
        } else {
            (first, then)
        };
        let (other, fits_attribute) = self.named(other);
        self.add_clause(this, word, other, fits_attribute);
    }

    /// Returns the name of an entry, and whether it is the name of its type.
    pub(super) fn named(&mut self, entry: usize) -> (String, bool) {
        let Entry {
            subject, is_named, ..
        } = self.case.entries[entry];
        let is_only = subject
            .system()
            .is_none_or(|system| self.case.n_entries(system) == 1);
        if is_only && self.dice.percent(if is_named { 40 } else { 100 }) {
            (self.case.subject_path(entry), true)
        } else {
            if subject.system().is_some() {
                self.case.entries[entry].is_named = true;
            }
            (self.own_name(entry), false)
        }
    }

    /// Returns the name of an entry if it has one, or else its path.
    pub(super) fn own_name(&self, entry: usize) -> String {
        if self.case.entries[entry].is_named {
            format!("n{entry}")
        } else {
            self.case.subject_path(entry)
        }
    }

    fn guard(&mut self, n_implied: usize) {
        let chance = 15 + 15 * self.dice.below(3);
        let mut guards: Vec<(String, bool)> = Vec::new();
        for entry in 0..self.case.entries.len() {
            if !self.dice.percent(chance) {
                continue;
            }
            if let Some((twin, fits_attribute)) = guards.last().cloned()
                && self.dice.percent(40)
            {
                self.add_clause(entry, "if", format!("not({twin})"), fits_attribute);
                continue;
            }
            let mut asked: Vec<(usize, String, bool)> = (0..n_implied)
                .map(|system| (system, self.case.path(system), true))
                .collect();
            for other in 0..entry {
                let Subject::System(system) = self.case.entries[other].subject else {
                    continue;
                };
                let level = self.case.level(other);
                let is_outer =
                    level.is_none() || self.case.blocks(entry).any(|one| Some(one) == level);
                if self.case.systems[system].answer != Answer::Nothing
                    && is_outer
                    && self.is_before(other, entry)
                {
                    let (name, is_type) = self.named(other);
                    asked.push((system, name, is_type));
                }
            }
            if !asked.is_empty() {
                let depth = self.dice.below(4);
                let own = self.case.entries[entry].subject.system();
                // An attribute asks only systems with smaller numbers, so that constants do not depend on each other.
                asked.retain(|(system, ..)| own.is_none_or(|own| *system < own));
                if asked.is_empty() {
                    continue;
                }
                let (formula, fits_attribute) = self.formula(&asked, depth);
                guards.push((formula.clone(), false));
                self.add_clause(entry, "if", formula, fits_attribute);
            }
        }
    }

    fn formula(&mut self, asked: &[(usize, String, bool)], depth: usize) -> (String, bool) {
        let die = if depth == 0 { 0 } else { self.dice.below(10) };
        match die {
            0..5 => {
                let (system, name, is_type) = self.dice.one_of(asked).expect("something to ask");
                (self.leaf(system, name), is_type)
            }
            5..7 => {
                let (inside, fits) = self.formula(asked, depth - 1);
                (format!("not({inside})"), fits)
            }
            _ => {
                let n_plugins = 1 + self.dice.below(3);
                let parts: Vec<_> = (0..n_plugins)
                    .map(|_| self.formula(asked, depth - 1))
                    .collect();
                let fits = parts.iter().all(|(_, fits)| *fits);
                let parts: Vec<String> = parts.into_iter().map(|(part, _)| part).collect();
                let word = if die == 7 { "or" } else { "and" };
                (format!("{word}({})", parts.join(", ")), fits)
            }
        }
    }

    pub(super) fn leaf(&mut self, system: usize, name: String) -> String {
        if self.case.systems[system].answer == Answer::Bool {
            return name;
        }
        let branch = ["Crawl", "Walk", "Run"][self.dice.below(3)];
        format!("is({name}, Gait::{branch})")
    }

    fn rule(&mut self) {
        match self.dice.below(100) {
            0..45 => {}
            45..60 => self.case.rules.push("policy reject".to_string()),
            60..75 => self.case.rules.push("policy writers first".to_string()),
            _ => self.case.rules.push("policy insertion order".to_string()),
        }
        for resource in RESOURCES {
            if self.dice.percent(12) {
                let policy = self.policy();
                self.case.rules.push(format!("{policy} for {resource}"));
            }
        }
        let systems = self.entries(|subject| subject.system().is_some());
        while !systems.is_empty() && self.dice.percent(25) {
            let one = self.dice.one_of(&systems).expect("a system");
            let other = self.dice.one_of(&systems).expect("a system");
            if one != other {
                self.push_pair(one, other);
            }
        }
        if self.dice.percent(5) {
            self.case.rules.push("on failure stop".to_string());
        }
    }

    pub(super) fn push_pair(&mut self, one: usize, other: usize) {
        let ((one, _), (other, _)) = (self.named(one), self.named(other));
        let policy = self.policy();
        let rule = format!("{policy} for ({one}, {other})");
        self.case.rules.push(rule);
    }

    pub(super) fn policy(&mut self) -> &'static str {
        match self.dice.below(5) {
            0 => "policy reject",
            1 => "policy writers first",
            2 => "policy insertion order",
            3 => "policy optimize",
            _ => "policy accepted \"they say so\"",
        }
    }

    /// Returns the entries for which `is_wanted` returns true.
    pub(super) fn entries(&self, is_wanted: impl Fn(Subject) -> bool) -> Vec<usize> {
        let entries = self.case.entries.iter().enumerate();
        let wanted = entries.filter(|(_, entry)| is_wanted(entry.subject));
        wanted.map(|(number, _)| number).collect()
    }

    /// Moves some clauses of entries to attributes.
    fn move_to_attributes(&mut self) {
        for entry in 0..self.case.entries.len() {
            let Some(system) = self.case.entries[entry].subject.system() else {
                continue;
            };
            if self.case.n_entries(system) > 1 && !self.dice.percent(10) {
                continue;
            }
            for clause in std::mem::take(&mut self.case.entries[entry].clauses) {
                if clause.fits_attribute && self.dice.percent(40) {
                    self.case.systems[system].clauses.push(clause);
                } else {
                    self.case.entries[entry].clauses.push(clause);
                }
            }
        }
    }
}
