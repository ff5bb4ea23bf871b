//! The resolved schedule, as a text for a file under review.

mod diff;
mod name;

use core::{fmt, mem};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use self::diff::write_diff;
pub(crate) use self::name::occurrence;
use self::name::{is_plain, name};
use crate::base::escape::{has_hidden, quoted, shown};
use crate::declare::graph::{Edge, Kind, Node, Origin, PolicyOf, ResourceKind, ScheduleGraph};

/// The resolved schedule as text. See [`Schedule::lock`](crate::Schedule::lock).
///
/// The text contains the order of a serial run with guards and loops, and the groups with their members. It contains
/// the edges that no others imply, with their origins, and the inserted sync points with the pairs that need them. It also contains accepted races with their reasons, and the
/// policies. Lines are sorted, except for those of the order. The text contains no source locations, so it changes when
/// the schedule changes, and not with every edit.
///
/// Two schedules that differ in any of these have different texts. A name is quoted if it could be ambiguous. This
/// applies to keywords such as `not`, and to names with unusual characters: outside of brackets, these are all except
/// letters, digits, `_`, `::` and single spaces. In quotes, `"` and `\` are escaped with `\`, and invisible characters
/// are written as `\n`, `\r`, `\t` or `\u{…}`. Named resources are always quoted, and types are not: `Gold` is a type,
/// and `"Gold"` a named resource.
///
/// ```no_run
/// use schedule::prelude::*;
///
/// #[system]
/// fn sow() {}
///
/// #[system(after = sow)]
/// fn reap() {}
///
/// # /*
/// #[test]
/// # */
/// fn the_order_of_the_year_is_as_reviewed() {
///     let year = Schedule::builder().add::<sow>().add::<reap>().build().unwrap();
///     year.lock().check("year.lock").unwrap();
/// }
/// # the_order_of_the_year_is_as_reviewed();
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lock {
    schedule: String,
    text: String,
}

/// A schedule differs from its lock file, or the file cannot be used.
pub struct LockError {
    schedule: String,
    path: PathBuf,
    kind: LockErrorKind,
}

enum LockErrorKind {
    Missing,
    Io(io::Error),
    /// The file has this version of the format.
    Version(String),
    /// The text of the file, and the text of the schedule.
    Changed {
        old: String,
        new: String,
    },
}

/// The environment variable that [`Lock::check`] reads, and the value that makes it write the file.
const VARIABLE: &str = "SCHEDULE_LOCK";
const OVERWRITE: &str = "overwrite";

/// The version of the format. It changes whenever the same schedule gets another text.
const VERSION: &str = "3";

/// Returns the format version of a text.
fn version(text: &str) -> Option<&str> {
    let (head, version) = text.lines().next()?.rsplit_once("; version ")?;
    head.starts_with("# schedule ").then_some(version)
}

impl Lock {
    pub(crate) fn of(graph: &ScheduleGraph) -> Self {
        let schedule = if graph.schedule.contains(['`', '\\', '"']) || has_hidden(&graph.schedule) {
            quoted(&graph.schedule)
        } else {
            format!("`{}`", graph.schedule)
        };
        let mut text = format!("# schedule {schedule}, resolved; version {VERSION}\n");
        let writer = Writer::new(graph);
        let sections = [
            ("order", writer.order()),
            ("groups", sorted(writer.groups())),
            ("inserted", writer.inserted()),
            ("edges", sorted(writer.edges())),
            ("accepted", sorted(writer.accepted())),
            ("policies", sorted(writer.policies())),
        ];
        for (title, lines) in sections {
            if !lines.is_empty() {
                text += &format!("\n{title}\n");
                lines.iter().for_each(|line| text += &format!("  {line}\n"));
            }
        }
        Self {
            schedule: graph.schedule.clone(),
            text,
        }
    }

    /// Compares the schedule with a lock file. A relative path starts at the current directory of the process, which is
    /// the directory of the package under `cargo test`.
    ///
    /// If the environment variable `SCHEDULE_LOCK` is `overwrite`, this writes the file instead, as [`Lock::write`]
    /// does. So `SCHEDULE_LOCK=overwrite cargo test` creates and updates lock files. Different line endings count as
    /// equal.
    ///
    /// # Errors
    ///
    /// Fails if the file has another text, which the error displays as a diff. It also fails if the file has the format of
    /// another version of this library, or if it cannot be read or written.
    ///
    /// A missing file is also an error. Otherwise the test would pass wherever the file was not committed.
    pub fn check(&self, path: impl AsRef<Path>) -> Result<(), LockError> {
        let path = path.as_ref();
        if env::var_os(VARIABLE).is_some_and(|value| value == OVERWRITE) {
            return self.write(path);
        }
        let kind = match fs::read_to_string(path) {
            Ok(old) if old.lines().eq(self.text.lines()) => return Ok(()),
            Ok(old) => match version(&old) {
                Some(version) if version != VERSION => LockErrorKind::Version(version.to_string()),
                _ => LockErrorKind::Changed {
                    old,
                    new: self.text.clone(),
                },
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => LockErrorKind::Missing,
            Err(error) => LockErrorKind::Io(error),
        };
        Err(self.error(path, kind))
    }

    /// Writes the text to a file.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), LockError> {
        let path = path.as_ref();
        let written = fs::write(path, &self.text);
        written.map_err(|error| self.error(path, LockErrorKind::Io(error)))
    }

    fn error(&self, path: &Path, kind: LockErrorKind) -> LockError {
        LockError {
            schedule: self.schedule.clone(),
            path: path.to_path_buf(),
            kind,
        }
    }
}

impl fmt::Display for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for LockError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            LockErrorKind::Io(error) => Some(error),
            LockErrorKind::Missing | LockErrorKind::Version(_) | LockErrorKind::Changed { .. } => {
                None
            }
        }
    }
}

/// Prints the same as `Display`, because a test prints an unwrapped error with `Debug`.
impl fmt::Debug for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { schedule, kind, .. } = self;
        let (schedule, path) = (shown(schedule), shown(self.path.display()));
        match kind {
            LockErrorKind::Missing => write!(
                f,
                "`{path}` is missing, so schedule `{schedule}` cannot be compared with it\n  \
                 help: run the test with `{VARIABLE}={OVERWRITE}`, and commit the file"
            ),
            LockErrorKind::Io(error) => {
                write!(f, "cannot read or write `{path}`: {error}")
            }
            LockErrorKind::Version(version) => write!(
                f,
                "`{path}` has version {} of the format, but this library writes version {VERSION}: they cannot be compared\n  \
                 help: run the test with `{VARIABLE}={OVERWRITE}`, review the changes, and commit the file",
                shown(version)
            ),
            LockErrorKind::Changed { old, new } => {
                write!(f, "schedule `{schedule}` differs from `{path}`")?;
                write_diff(f, old, new)?;
                write!(
                    f,
                    "\n  help: if the change is intended, run the test with `{VARIABLE}={OVERWRITE}`, and commit the file"
                )
            }
        }
    }
}

fn sorted(mut lines: Vec<String>) -> Vec<String> {
    lines.sort_unstable();
    lines
}

/// Formats a graph as lines.
struct Writer<'a> {
    graph: &'a ScheduleGraph,
    /// `names[i]`: the name of node i in the text.
    names: Vec<String>,
}

impl<'a> Writer<'a> {
    fn new(graph: &'a ScheduleGraph) -> Self {
        // If several kinds of nodes share a name, systems keep it, or else groups. The others are written with their
        // kind.
        let rank = |node: &Node| match node.kind {
            Kind::Checkpoint => 2,
            Kind::Group => 1,
            _ => 0,
        };
        let mut lowest: HashMap<&str, u8> = HashMap::new();
        for node in &graph.nodes {
            let lowest = lowest.entry(&node.name).or_insert(u8::MAX);
            *lowest = rank(node).min(*lowest);
        }
        let names = graph.nodes.iter().map(|node| {
            let name = occurrence(&node.name, node.nth);
            match (rank(node) > lowest[node.name.as_str()], &node.kind) {
                (true, Kind::Checkpoint) => format!("checkpoint {name}"),
                (true, _) => format!("group {name}"),
                (false, _) => name,
            }
        });
        Self {
            graph,
            names: names.collect(),
        }
    }

    /// The nodes in the order of a serial run. The body of a loop is indented.
    fn order(&self) -> Vec<String> {
        let nodes = self.graph.nodes.iter();
        let nodes = nodes.filter_map(|node| {
            let name = occurrence(&node.name, node.nth);
            let what = match node.kind {
                Kind::System | Kind::Condition | Kind::Selector { .. } => name,
                Kind::ApplyCommands => format!("apply_commands {name}"),
                Kind::Loop { at_most: None } => format!("repeat while {name}"),
                Kind::Loop { at_most: Some(n) } => {
                    format!("repeat while {name}, at most {n} times")
                }
                Kind::Checkpoint | Kind::Group => return None,
            };
            let around = |&repeat: &usize| self.graph.nodes[repeat].repeat;
            let depth = core::iter::successors(node.repeat, around).count();
            let guard = node.guard.as_ref();
            let guard = guard.map_or(String::new(), |guard| format!(", if {guard}"));
            Some(format!("{:1$}{what}{guard}", "", 2 * depth))
        });
        nodes.collect()
    }

    fn groups(&self) -> Vec<String> {
        let nodes = &self.graph.nodes;
        let mut members_of = vec![Vec::new(); nodes.len()];
        for (member, node) in nodes.iter().enumerate() {
            for &group in &node.groups {
                members_of[group].push(self.name(member));
            }
        }
        let groups = nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| node.kind == Kind::Group);
        let groups = groups.map(|(idx, group)| {
            let members = sorted(mem::take(&mut members_of[idx]));
            let guard = group.guard.as_ref();
            let guard = guard.map_or(String::new(), |guard| format!(", if {guard}"));
            let name = occurrence(&group.name, group.nth);
            let space = if members.is_empty() { "" } else { " " };
            format!("{name}:{space}{}{guard}", members.join(", "))
        });
        groups.collect()
    }

    /// The inserted sync points, each with the pairs that need it.
    fn inserted(&self) -> Vec<String> {
        let inserted = self.graph.sync_points.iter().map(|sync_point| {
            let pairs = sync_point.pairs.iter().map(|pair| {
                let (writer, user) = (self.name(pair.writer), self.name(pair.user));
                format!("{writer} -> {user} for {}", name(&pair.change))
            });
            let pairs: Vec<String> = sorted(pairs.collect());
            format!("{}: {}", self.name(sync_point.node), pairs.join(", "))
        });
        inserted.collect()
    }

    fn edges(&self) -> Vec<String> {
        let edges = self
            .graph
            .edges
            .iter()
            .filter(|edge| !edge.is_implied)
            .map(|edge| {
                let (from, to) = (self.name(edge.from), self.name(edge.to));
                format!("{from} -> {to}, {}", self.origin(edge))
            });
        edges.collect()
    }

    /// The most specific origin of an edge: a declaration takes precedence over a policy.
    fn origin(&self, edge: &Edge) -> String {
        let rank = |origin: &Origin| match origin {
            Origin::Declared { .. } => 0,
            Origin::Guard { .. } => 1,
            Origin::Weak { .. } => 2,
            Origin::NeverBoth { .. } => 3,
            Origin::Policy { .. } => 4,
            Origin::Commands => 5,
        };
        let first = edge.origins.iter().min_by_key(|origin| rank(origin));
        match first.expect("an edge has an origin") {
            Origin::Declared { .. } => "declared".to_string(),
            Origin::Guard { place: None }
                if matches!(
                    self.graph.nodes[edge.from].kind,
                    Kind::ApplyCommands | Kind::Loop { .. }
                ) =>
            {
                "before systems with this run condition".to_string()
            }
            Origin::Guard { .. } => "condition".to_string(),
            Origin::Weak { .. } => "if they conflict".to_string(),
            Origin::Policy { policy, resource } => {
                format!("{policy}, for {}", self.resource(*resource))
            }
            Origin::NeverBoth { condition } => {
                format!("never both run, by {}", self.name(*condition))
            }
            Origin::Commands => "to apply commands".to_string(),
        }
    }

    fn accepted(&self) -> Vec<String> {
        let accepted = self.graph.accepted.iter().map(|one| {
            let (first, then) = (self.name(one.first), self.name(one.then));
            let resources = one.resources.iter().map(|&idx| self.resource(idx));
            let resources = sorted(resources.collect()).join(", ");
            format!("{first} -> {then}, for {resources}{}", reason(&one.reason))
        });
        accepted.collect()
    }

    fn policies(&self) -> Vec<String> {
        let policies = self.graph.policies.iter().map(|set| {
            let plugin = set.plugin.map(|plugin| format!(", in plugin {plugin}"));
            let of = match set.of {
                PolicyOf::Schedule => "all".to_string(),
                PolicyOf::Resource(idx) => self.resource(idx),
                PolicyOf::Pair(a, b) => sorted(vec![self.name(a), self.name(b)]).join(" and "),
            };
            let plugin = plugin.unwrap_or_default();
            format!("{}, for {of}{plugin}{}", set.policy, reason(&set.reason))
        });
        policies.collect()
    }

    fn name(&self, node: usize) -> String {
        self.names[node].clone()
    }

    /// The name of a resource. Quotes distinguish a named resource from a type.
    fn resource(&self, idx: usize) -> String {
        let resource = &self.graph.resources[idx];
        let of = &resource.name;
        match resource.kind {
            ResourceKind::Everything | ResourceKind::Exclusive => of.clone(),
            ResourceKind::Named => quoted(of),
            ResourceKind::MainThread => format!("main-thread {}", name(of)),
            ResourceKind::Component => format!("component {}", name(of)),
            ResourceKind::Deferred => {
                let component = of.strip_prefix("deferred ").unwrap_or(of);
                format!("deferred {}", name(component))
            }
            ResourceKind::Type => {
                let is_taken = ["all", "everything", "exclusive access"].contains(&of.as_str())
                    || ["component ", "deferred "]
                        .iter()
                        .any(|kind| of.starts_with(kind));
                if is_plain(of) && !is_taken {
                    of.clone()
                } else {
                    format!("type {}", quoted(of))
                }
            }
        }
    }
}

/// A reason, as the last part of a line.
fn reason(reason: &Option<String>) -> String {
    let Some(reason) = reason else {
        return String::new();
    };
    let is_plain = !reason.is_empty() && reason.trim() == reason && !reason.contains(['"', '\\']);
    if is_plain && !has_hidden(reason) {
        format!(": {reason}")
    } else {
        format!(": {}", quoted(reason))
    }
}
