//! A file of results.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::bars::Bar;
use crate::environment;
use crate::row::{Row, Scalar};
use crate::table::Table;

/// What one topic measured.
///
/// `command`, `machine`, `date` and `commit` hold for all rows, except for those of a run that states its own.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Results {
    /// Heading of its section.
    pub title: String,
    /// What was measured, and under which conditions. Markdown.
    pub measured: String,
    /// Unit of each row that states no other. Higher figures are better if it begins with `speed-up`, otherwise lower ones.
    pub unit: String,
    /// How to measure again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Processors, system and compiler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// Day of the measurement, as YYYY-MM-DD.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Commit that was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Day and commit that added the figures to the repository, where those of the measurement are not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<String>,
    /// Several runs, in the order of columns. If there are any, each row names one of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<Run>,
    /// All contenders, in the order of columns.
    #[serde(default)]
    pub contenders: Vec<Contender>,
    /// Whether it is a point of the last section of the page, with its figures in a sentence, or no figures if there are many.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_brief: bool,
    /// The parts of the rows that the page shows. If there are none, it shows all rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<Table>,
    /// What the figures should reach.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bars: Vec<Bar>,
    /// The figures.
    pub rows: Vec<Row>,
}

/// One of several runs. What it leaves out is as in its [`Results`].
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// As rows name it.
    pub name: String,
    /// As in [`Results`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// As in [`Results`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// As in [`Results`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// As in [`Results`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// As in [`Results`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<String>,
    /// What else matters to understand its figures, in a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<String>,
}

/// A program or a way to run one.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contender {
    /// As rows name it.
    pub name: String,
    /// Its place in a comparison.
    pub role: Role,
    /// Version of a crate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// What it does, in a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

/// The place of a contender in a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// What this project does by default.
    Ours,
    /// This project with other settings.
    Variant,
    /// What figures are relative to.
    Baseline,
    /// Another project, or code written by hand.
    Peer,
    /// What no contender can exceed.
    Limit,
}

/// Results and the name of their file.
#[derive(Clone, Debug)]
pub struct File {
    /// Without its folder.
    pub name: String,
    /// What it contains.
    pub results: Results,
}

/// Reads all files of `folder` that end in `.json`, in the order of their names.
///
/// # Errors
///
/// If a file cannot be read, is not in the form of [`Results`], or contradicts itself. All mistakes of all files are
/// reported, each with the name of its file.
pub fn read(folder: &Path) -> Result<Vec<File>, Vec<String>> {
    let entries = fs::read_dir(folder);
    let entries = entries.map_err(|error| vec![format!("{}: {error}", folder.display())])?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let stems = names.filter_map(|name| Some(name.strip_suffix(".json")?.to_string()));
    let mut stems: Vec<String> = stems.collect();
    stems.sort();
    let mut files = Vec::new();
    let mut mistakes = Vec::new();
    for stem in stems {
        let name = format!("{stem}.json");
        let text = fs::read_to_string(folder.join(&name)).map_err(|error| error.to_string());
        let parsed = text.and_then(|text| {
            serde_json::from_str::<Results>(&text).map_err(|error| error.to_string())
        });
        match parsed {
            Ok(results) => {
                let of_file = results.mistakes().into_iter();
                mistakes.extend(of_file.map(|mistake| format!("{name}: {mistake}")));
                files.push(File { name, results });
            }
            Err(mistake) => mistakes.push(format!("{name}: {mistake}")),
        }
    }
    if mistakes.is_empty() {
        Ok(files)
    } else {
        Err(mistakes)
    }
}

impl Results {
    /// Without rows, of this program on this machine: fills in the command, the machine, the date and the commit.
    pub fn here(title: &str, measured: &str, unit: &str) -> Self {
        Self {
            title: title.to_string(),
            measured: measured.to_string(),
            unit: unit.to_string(),
            command: Some(environment::command()),
            machine: Some(environment::machine()),
            date: environment::date(),
            commit: environment::commit(),
            ..Self::default()
        }
    }

    /// With these rows, whose contenders have the role that `role` returns for their name.
    #[must_use]
    pub fn with(mut self, rows: Vec<Row>, role: impl Fn(&str) -> Role) -> Self {
        for row in &rows {
            let name = &row.contender;
            if self.role(name).is_none() {
                self.contenders.push(Contender {
                    name: name.clone(),
                    role: role(name),
                    version: None,
                    about: None,
                });
            }
        }
        self.rows.extend(rows);
        self
    }

    /// As JSON, with each row on a line of its own.
    pub fn to_json(&self) -> String {
        let head = Self {
            rows: Vec::new(),
            ..self.clone()
        };
        let head = serde_json::to_string_pretty(&head).expect("keys are strings");
        let head = head.strip_suffix("[]\n}").expect("rows come last");
        let rows = self.rows.iter();
        let rows = rows.map(|row| serde_json::to_string(row).expect("keys are strings"));
        let rows: Vec<String> = rows.map(|row| format!("    {row}")).collect();
        format!("{head}[\n{}\n  ]\n}}\n", rows.join(",\n"))
    }

    /// All runs with what they leave out; or one without a name, if none is stated.
    pub(crate) fn complete_runs(&self) -> Vec<Run> {
        let stated = match &self.runs[..] {
            [] => &[Run::default()],
            stated => stated,
        };
        let complete = stated.iter().cloned().map(|run| Run {
            command: run.command.or(self.command.clone()),
            machine: run.machine.or(self.machine.clone()),
            date: run.date.or(self.date.clone()),
            commit: run.commit.or(self.commit.clone()),
            recorded: run.recorded.or(self.recorded.clone()),
            ..run
        });
        complete.collect()
    }

    /// The unit of one of its rows.
    pub(crate) fn unit<'r>(&'r self, row: &'r Row) -> &'r str {
        row.unit.as_deref().unwrap_or(&self.unit)
    }

    /// A parameter of one of its rows, or `bench`, `run`, `contender` or `unit`.
    pub(crate) fn value(&self, row: &Row, key: &str) -> Option<Scalar> {
        match key {
            "bench" => Some(row.bench.as_str().into()),
            "run" => row.run.as_deref().map(Scalar::from),
            "contender" => Some(row.contender.as_str().into()),
            "unit" => Some(self.unit(row).into()),
            _ => row.parameters.get(key).cloned(),
        }
    }

    pub(crate) fn role(&self, contender: &str) -> Option<Role> {
        let mut all = self.contenders.iter();
        let found = all.find(|one| one.name == contender);
        found.map(|one| one.role)
    }
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// Whether higher figures are better.
pub(crate) fn is_speedup(unit: &str) -> bool {
    unit.starts_with("speed-up")
}

/// Whether `a` is a better figure than `b`.
pub(crate) fn is_better(unit: &str, a: f64, b: f64) -> bool {
    if is_speedup(unit) { a > b } else { a < b }
}
