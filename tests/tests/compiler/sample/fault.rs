//! Faults of a schedule, as the compiler and the builder report them.

use std::fmt;

/// A problem without its place and its fix.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fault {
    /// A variant of `Problem`.
    pub(super) kind: &'static str,
    /// The names that both reports contain. For a race, the two systems, sorted.
    pub(super) names: Vec<String>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.kind, self.names.join(", "))
    }
}

/// Number of kinds of faults that a listing can have.
pub(super) const N_KINDS: usize = 13;

/// For each kind, a part of the text that is unique to it, and the indices of those names in backticks that the builder reports, too. Some
/// kinds have two texts.
const KINDS: [(&str, &str, &[usize]); N_KINDS + 3] = [
    (
        "WritersFirst",
        "policy `writers first` causes a cycle: ",
        &[],
    ),
    ("Cycle", "cycle: ", &[]),
    ("Cycle", " is ordered after itself", &[]),
    ("Race", "nothing orders them; ", &[]),
    ("Race", ", and nothing orders it against ", &[0, 1]),
    ("Dangling", " is not in this schedule", &[0]),
    ("Ambiguous", " matches several nodes of this schedule", &[0]),
    ("GroupInItself", "a group is a member of itself: ", &[]),
    (
        "GroupAgainstMember",
        "` cannot run before or after the group `",
        &[1, 0],
    ),
    (
        "GroupAgainstMember",
        "` cannot run before or after the plugin `",
        &[1, 0],
    ),
    (
        "LoopAgainstBody",
        "` cannot run before or after the loop `",
        &[1, 0],
    ),
    ("GroupOverLevels", "the members of the group `", &[0]),
    ("ConditionDeeper", ", which is in a loop that ", &[1, 0]),
    ("GuardsItself", " cannot be its own run condition", &[0]),
    ("GuardIsLoop", " cannot be a run condition", &[0]),
    ("TwoPolicies", " has two policies: ", &[]),
];

impl Fault {
    /// Parses an output line of the program that builds the schedules: the kind and the names, separated by tabs.
    pub(super) fn of_builder(line: &str) -> Option<Self> {
        let mut words = line.split('\t');
        let kind = words.next()?;
        let (kind, ..) = KINDS.into_iter().find(|(known, ..)| *known == kind)?;
        let names = words.map(str::to_string).collect();
        Some(Self { kind, names }.sorted())
    }

    /// Parses a line in a message of the compiler.
    pub(super) fn of_compiler(line: &str) -> Option<Self> {
        let mut kinds = KINDS.into_iter();
        let (kind, _, wanted) = kinds.find(|(_, mark, _)| line.contains(mark))?;
        if kind == "Race" && wanted.is_empty() {
            return Self::of_pair(line);
        }
        let ticked = ticked(line);
        let names = wanted.iter().map(|&nth| ticked[nth].clone()).collect();
        Some(Self { kind, names }.sorted())
    }

    /// Parses a line that describes the accesses of two racing systems.
    pub(super) fn of_pair(line: &str) -> Option<Self> {
        let ticked = ticked(line);
        // "`a` and `b` both …", "`a` … and conflicts with `b`", or the accesses of each system, separated by a comma.
        let is_both = line.contains("` and `") && line.contains("both");
        let second = if is_both || line.contains(" is exclusive and conflicts with ") {
            ticked.get(1)?.clone()
        } else {
            let (_, second) = line.split_once(", `")?;
            second.split('`').next()?.to_string()
        };
        let names = vec![ticked.first()?.clone(), second];
        Some(
            Self {
                kind: "Race",
                names,
            }
            .sorted(),
        )
    }

    fn sorted(mut self) -> Self {
        if self.kind == "Race" {
            self.names.sort();
        }
        self
    }
}

/// Returns the texts in backticks.
fn ticked(text: &str) -> Vec<String> {
    let ticked = text.split('`').skip(1).step_by(2);
    ticked.map(str::to_string).collect()
}

/// Returns all faults in one line.
pub(super) fn in_words(faults: &[Fault]) -> String {
    if faults.is_empty() {
        return "nothing".to_string();
    }
    let faults: Vec<String> = faults.iter().map(Fault::to_string).collect();
    faults.join(", ")
}
