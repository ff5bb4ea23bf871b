//! A random schedule that can be printed as a module.

use std::fmt::{self, Write as _};

/// The names of all resources, for use in policies.
pub(super) const RESOURCES: [&str; 5] = ["A", "B", "C", "D", "E"];

pub(super) struct Case {
    /// Systems by number. System 3 has the name `t3`.
    pub(super) systems: Vec<System>,
    /// In the order of the source. A block follows its entry. If entry 3 has a name, it is `n3`.
    pub(super) entries: Vec<Entry>,
    /// The items outside of blocks.
    pub(super) items: Vec<Item>,
    /// The rules as written.
    pub(super) rules: Vec<String>,
    /// Number of groups: `G0`, `G1`, ….
    pub(super) n_groups: usize,
    /// Number of checkpoints: `P0`, `P1`, ….
    pub(super) n_checkpoints: usize,
}

/// A function, listed or not.
pub(super) struct System {
    pub(super) answer: Answer,
    /// The types of its parameters.
    pub(super) takes: Vec<String>,
    /// The type argument of the instance, if the function is generic over its first parameter.
    pub(super) instance: Option<&'static str>,
    /// The options of its attribute.
    pub(super) clauses: Vec<WrittenClause>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Nothing,
    Bool,
    Gait,
}

/// The tokens between two commas.
pub(super) enum Item {
    Entry(usize),
    /// The entries of each link.
    Chain(Vec<Vec<usize>>),
}

pub(super) struct Entry {
    pub(super) subject: Subject,
    pub(super) is_named: bool,
    /// The entry whose block directly contains this one.
    pub(super) around: Option<usize>,
    /// Whether it is in a chain, where it has no clauses.
    pub(super) is_link: bool,
    /// The block of a loop or a group.
    pub(super) parts: Option<Vec<Item>>,
    pub(super) clauses: Vec<WrittenClause>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    System(usize),
    Loop(usize),
    Checkpoint(usize),
    ApplyCommands(usize),
    Group(usize),
}

/// A clause, or an option of an attribute.
#[derive(Clone)]
pub(super) struct WrittenClause {
    pub(super) word: &'static str,
    /// The text after the word.
    pub(super) object: String,
    /// Whether an attribute can contain it, because it names no entry.
    pub(super) fits_attribute: bool,
}

impl Subject {
    /// Returns the number of the system, or of the loop's condition.
    pub(super) fn system(self) -> Option<usize> {
        match self {
            Subject::System(system) | Subject::Loop(system) => Some(system),
            Subject::Checkpoint(_) | Subject::ApplyCommands(_) | Subject::Group(_) => None,
        }
    }
}

impl Case {
    pub(super) fn path(&self, system: usize) -> String {
        match self.systems[system].instance {
            Some(instance) => format!("t{system}<{instance}>"),
            None => format!("t{system}"),
        }
    }

    pub(super) fn subject_path(&self, entry: usize) -> String {
        match self.entries[entry].subject {
            Subject::System(system) | Subject::Loop(system) => self.path(system),
            Subject::Checkpoint(number) | Subject::ApplyCommands(number) => format!("P{number}"),
            Subject::Group(group) => format!("G{group}"),
        }
    }

    /// Returns the number of entries for this system, including loops with this condition.
    pub(super) fn n_entries(&self, system: usize) -> usize {
        let of_system = |entry: &&Entry| entry.subject.system() == Some(system);
        self.entries.iter().filter(of_system).count()
    }

    /// Returns the blocks around an entry, from the inside out.
    pub(super) fn blocks(&self, entry: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.entries[entry].around, |&block| {
            self.entries[block].around
        })
    }

    /// Returns the innermost loop around an entry.
    pub(super) fn level(&self, entry: usize) -> Option<usize> {
        let is_loop = |&block: &usize| matches!(self.entries[block].subject, Subject::Loop(_));
        self.blocks(entry).find(is_loop)
    }

    /// Returns the module of this number. `is_open`: whether its schedule is declared `open`. Lines do not depend on it.
    pub(super) fn module(&self, number: u64, is_open: bool) -> String {
        let mut text = format!("mod case_{number} {{\n    use super::*;\n");
        self.write_types(&mut text).expect("a string takes text");
        let open = if is_open { "open " } else { "" };
        text += &format!("    schedule! {{\n        pub {open}Case {{\n");
        // A failure policy of the schedule must come before all entries.
        for rule in &self.rules {
            text += &format!("            {rule},\n");
        }
        self.write_items(&self.items, 3, &mut text)
            .expect("a string takes text");
        text + "        }\n    }\n}\n"
    }

    fn write_types(&self, out: &mut String) -> fmt::Result {
        for group in 0..self.n_groups {
            writeln!(out, "    #[derive(Group)]\n    struct G{group};")?;
        }
        for checkpoint in 0..self.n_checkpoints {
            writeln!(out, "    #[derive(Checkpoint)]\n    struct P{checkpoint};")?;
        }
        for (number, system) in self.systems.iter().enumerate() {
            write!(out, "    #[system")?;
            for (nth, (word, objects)) in by_word(&system.clauses).iter().enumerate() {
                let start = if nth == 0 { "(" } else { ", " };
                write!(out, "{start}{word} = {}", in_brackets(objects))?;
            }
            let end = if system.clauses.is_empty() { "]" } else { ")]" };
            let generics = match system.instance {
                Some(_) if system.takes[0].starts_with("Fold") => "<T: Foldable>",
                Some(_) => "<T: Resource>",
                None => "",
            };
            write!(out, "{end}\n    fn t{number}{generics}(")?;
            for (nth, takes) in system.takes.iter().enumerate() {
                write!(out, "p{nth}: {takes}, ")?;
            }
            let body = match system.answer {
                Answer::Nothing => "{}",
                Answer::Bool => "-> bool { true }",
                Answer::Gait => "-> Gait { Gait::Crawl }",
            };
            writeln!(out, ") {body}")?;
        }
        Ok(())
    }

    fn write_items(&self, items: &[Item], depth: usize, out: &mut String) -> fmt::Result {
        let indent = 4 * depth;
        for item in items {
            write!(out, "{:indent$}", "")?;
            match item {
                Item::Chain(links) => {
                    let links = links.iter().map(|link| {
                        let entries = link.iter().map(|&entry| self.head(entry));
                        in_brackets(&entries.collect::<Vec<_>>())
                    });
                    let links: Vec<String> = links.collect();
                    writeln!(out, "{},", links.join(" -> "))?;
                }
                Item::Entry(number) => {
                    let entry = &self.entries[*number];
                    write!(out, "{}", self.head(*number))?;
                    if !entry.clauses.is_empty() {
                        write!(out, ":")?;
                    }
                    if number % 2 == 0 {
                        for (word, objects) in by_word(&entry.clauses) {
                            // A number or the words of a policy have no parentheses and occur only once.
                            write!(out, " {word} {}", in_brackets(&objects))?;
                        }
                    } else {
                        for clause in &entry.clauses {
                            write!(out, " {} {}", clause.word, clause.object)?;
                        }
                    }
                    match &entry.parts {
                        None => writeln!(out, ",")?,
                        Some(parts) => {
                            writeln!(out, " {{")?;
                            self.write_items(parts, depth + 1, out)?;
                            writeln!(out, "{:indent$}}}", "")?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the text of an entry without its clauses.
    fn head(&self, number: usize) -> String {
        let entry = &self.entries[number];
        let word = match entry.subject {
            Subject::System(_) => "",
            Subject::Loop(_) => "repeat while ",
            Subject::Checkpoint(_) => "checkpoint ",
            Subject::ApplyCommands(_) => "apply_commands ",
            Subject::Group(_) => "group ",
        };
        let path = self.subject_path(number);
        if entry.is_named {
            format!("{word}{path} as n{number}")
        } else {
            format!("{word}{path}")
        }
    }
}

/// Groups the objects by word.
fn by_word(clauses: &[WrittenClause]) -> Vec<(&'static str, Vec<String>)> {
    let mut words: Vec<(&'static str, Vec<String>)> = Vec::new();
    for WrittenClause { word, object, .. } in clauses {
        match words.iter_mut().find(|(known, _)| known == word) {
            Some((_, objects)) => objects.push(object.clone()),
            None => words.push((word, vec![object.clone()])),
        }
    }
    words
}

fn in_brackets(objects: &[String]) -> String {
    match objects {
        [one] => one.clone(),
        several => format!("({})", several.join(", ")),
    }
}
