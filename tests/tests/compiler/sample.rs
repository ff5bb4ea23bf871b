//! Compares the verdicts of the compiler and of the builder on random schedules that are compiled.
//!
//! Each schedule is declared twice. The `open` one is verified when the program runs, and the closed one when it is compiled. The tests of
//! the library compare many more schedules, but they call the const functions at run time.

mod case;
mod dice;
mod fault;
mod mishap;
mod program;
mod random;

use std::collections::BTreeMap;

use schedule_tests::has_full_counts;

use self::case::Case;
use self::fault::{Fault, N_KINDS, in_words};
use self::program::{Message, Program};

/// The first case of a range that contains every kind of fault.
const FIRST: u64 = 120;
const N_CASES: u64 = 60;

fn asked(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().expect("a number"))
}

/// `SAMPLE_CASES=500 cargo test --test compiler sample` runs more cases. `SAMPLE_SEED=…` sets the seed of the first case.
#[test]
fn compiler_and_builder_reject_the_same_schedules() {
    let default = if has_full_counts() {
        N_CASES
    } else {
        N_CASES / 4
    };
    let n_cases = asked("SAMPLE_CASES").unwrap_or(default);
    let first = asked("SAMPLE_SEED").unwrap_or(FIRST);
    let seeds = first..first.saturating_add(n_cases);
    let mut sample = Sample::of(seeds);
    let program = Program::new(&sample.open, &sample.closed);
    sample.read_builder(&program.run());
    let strays = sample.read_compiler(program.check());
    let wrong: Vec<String> = sample.listed.iter().filter_map(Listed::compare).collect();
    let (n_right, kinds) = (sample.n_right(), sample.kinds());
    println!("{n_right} of {n_cases} are right; {kinds:?}");
    assert!(
        strays.is_empty() && wrong.is_empty(),
        "{} of {n_cases} schedules differ, {} errors are in none of them\n\n{}{}",
        wrong.len(),
        strays.len(),
        strays.join("\n"),
        wrong.join("\n")
    );
    if (first, n_cases) == (FIRST, N_CASES) {
        assert_eq!(kinds.len(), N_KINDS, "the sample has not all kinds");
        let most = N_CASES * 3 / 4;
        assert!((N_CASES - most..most).contains(&(n_right as u64)));
    }
}

struct Sample {
    listed: Vec<Listed>,
    /// The source of the program, and the source that may fail to compile.
    open: String,
    closed: String,
}

/// A case, and the reports about it.
struct Listed {
    seed: u64,
    source: String,
    /// The line of the source at which its module begins, counted from 1.
    first_line: usize,
    by_builder: Vec<Fault>,
    by_compiler: Vec<Fault>,
    /// Whether the builder reports no problems.
    is_right: bool,
    /// Whether the messages of the compiler omit some faults.
    is_cut: bool,
    /// Unexpected reports.
    odd: Vec<String>,
    /// The messages as the compiler shows them.
    messages: Vec<String>,
}

impl Sample {
    fn of(seeds: std::ops::Range<u64>) -> Self {
        let start = include_str!("sample/start.rs");
        let (mut open, mut closed) = (start.to_string(), start.to_string());
        let mut listed = Vec::new();
        for seed in seeds.clone() {
            let case: Case = random::case(seed);
            let source = case.module(seed, false);
            listed.push(Listed::new(seed, closed.lines().count() + 1, source));
            open += &case.module(seed, true);
            closed += &listed.last().expect("pushed").source;
        }
        open += include_str!("sample/print.rs");
        open += "\nfn main() {\n";
        for seed in seeds {
            open += &format!("    print_case({seed}, case_{seed}::Case::new);\n");
        }
        open += "}\n";
        closed += "fn main() {}\n";
        Self {
            listed,
            open,
            closed,
        }
    }

    fn read_builder(&mut self, printed: &str) {
        for line in printed.lines() {
            let (seed, text) = line.split_once('\t').expect("a line is about a case");
            let seed: u64 = seed.parse().expect("a case has a number");
            let listed = self
                .listed
                .iter_mut()
                .find(|one| one.seed == seed)
                .expect("it is a case");
            match Fault::of_builder(text) {
                Some(fault) => listed.by_builder.push(fault),
                None if text == "ok" => listed.is_right = true,
                None => listed.odd.push(format!("the builder says: {text}")),
            }
        }
    }

    /// Returns the errors that belong to no case.
    fn read_compiler(&mut self, messages: Vec<Message>) -> Vec<String> {
        let mut strays = Vec::new();
        for message in messages {
            let line = message.place.as_ref().map_or(0, |place| place.first_line);
            let mut listed = self.listed.iter_mut().rev();
            let end = self.closed.lines().count();
            match listed.find(|one| one.first_line <= line && line < end) {
                Some(listed) => listed.read(message),
                None => strays.push(message.rendered),
            }
        }
        strays
    }

    /// Returns the number of faults of each kind that the builder finds.
    fn kinds(&self) -> BTreeMap<&'static str, usize> {
        let mut kinds = BTreeMap::new();
        for fault in self.listed.iter().flat_map(|one| &one.by_builder) {
            *kinds.entry(fault.kind).or_default() += 1;
        }
        kinds
    }

    fn n_right(&self) -> usize {
        self.listed.iter().filter(|one| one.is_right).count()
    }
}

impl Listed {
    fn new(seed: u64, first_line: usize, source: String) -> Self {
        Self {
            seed,
            source,
            first_line,
            by_builder: Vec::new(),
            by_compiler: Vec::new(),
            is_right: false,
            is_cut: false,
            odd: Vec::new(),
            messages: Vec::new(),
        }
    }

    fn read(&mut self, message: Message) {
        let panic = message.text.strip_prefix("evaluation panicked: ");
        match panic {
            None => self
                .odd
                .push("the compiler says something else".to_string()),
            Some(text) => {
                let ends = ["…", " more here", " more in this schedule"];
                self.is_cut |= ends.iter().any(|end| text.ends_with(end));
                // Further lines about the same fault are indented. A list of races has one indented line for each pair.
                let mut is_pair = false;
                for line in text.lines() {
                    let found = if line.ends_with(" and nothing orders them:") {
                        is_pair = true;
                        continue;
                    } else if !line.starts_with(' ') {
                        is_pair = false;
                        Fault::of_compiler(line)
                    } else if is_pair && line.starts_with("    `") {
                        Fault::of_pair(line)
                    } else {
                        self.is_cut |= is_pair && line.starts_with("    and ");
                        is_pair = false;
                        continue;
                    };
                    match found {
                        Some(fault) => self.by_compiler.push(fault),
                        None if self.is_cut => {}
                        None => self.odd.push(format!("what is this: {line}")),
                    }
                }
            }
        }
        if let Err(why) = self.find_token(&message) {
            self.odd.push(why);
        }
        self.messages.push(message.rendered);
    }

    /// # Errors
    ///
    /// Fails if the error is not at a name in an entry or rule, inside the block of the schedule.
    fn find_token(&self, message: &Message) -> Result<(), String> {
        let place = message.place.as_ref().ok_or("an error is nowhere")?;
        let lines: Vec<&str> = self.source.lines().collect();
        let line = place.first_line - self.first_line;
        let text = lines.get(line).ok_or("an error is behind its schedule")?;
        let head = lines.iter().position(|line| line.contains("pub Case {"));
        let is_inside = head.is_some_and(|head| head < line) && line + 3 < lines.len();
        if place.is_generated || place.last_line != place.first_line || !is_inside {
            return Err(format!("an error is not under a token, but at: {text}"));
        }
        let (first, behind) = place.columns;
        let token = &text[first - 1..behind - 1];
        // For a pair or a guard, the place covers all names.
        let is_path = |name: &str| {
            let is_word = |char: char| char.is_alphanumeric() || "_:<>".contains(char);
            !name.is_empty() && name.chars().all(is_word)
        };
        let mut names = token
            .split([' ', ',', '(', ')'])
            .filter(|name| !name.is_empty());
        let is_whole = |char: Option<char>| char.is_none_or(|char| !char.is_alphanumeric());
        let before = text[..first - 1].chars().next_back();
        let after = text[behind - 1..].chars().next();
        if token == "->" || is_whole(before) && is_whole(after) && names.all(is_path) {
            return Ok(());
        }
        Err(format!("an error is under `{token}`, at: {text}"))
    }

    /// Returns the differences between the two verdicts.
    fn compare(&self) -> Option<String> {
        let (mut by_builder, mut by_compiler) = (self.by_builder.clone(), self.by_compiler.clone());
        by_builder.sort();
        by_compiler.sort();
        // For the compiler, a group inside itself has no begin and no end, so orders on it have no effect.
        let n_tangles = |faults: &[Fault]| {
            let mut faults = faults.iter();
            faults
                .by_ref()
                .filter(|fault| fault.kind == "GroupInItself")
                .count()
        };
        let is_tangled =
            n_tangles(&by_builder) > 0 && n_tangles(&by_builder) == n_tangles(&by_compiler);
        let is_same = if self.is_cut {
            by_builder.len() > 1
        } else {
            is_tangled || by_builder == by_compiler
        };
        let is_known = self.is_right == by_builder.is_empty();
        let is_refused_by_both = self.is_right == self.messages.is_empty();
        if is_same && is_known && is_refused_by_both && self.odd.is_empty() {
            return None;
        }
        Some(format!(
            "SAMPLE_CASES=1 SAMPLE_SEED={}\n{}  {}\n  the builder finds {}\n  the compiler finds {}\n{}",
            self.seed,
            self.source,
            self.odd.join("\n  "),
            in_words(&by_builder),
            in_words(&by_compiler),
            self.messages.join("")
        ))
    }
}
