//! A file of results.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::bars::Bar;
use crate::environment;
use crate::row::{Row, Scalar};
use crate::table::Table;

/// The results of one topic.
///
/// `command`, `machine`, `date` and `commit` apply to all rows, except those of a run with its own values.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Results {
    /// The heading of the section.
    pub title: String,
    /// A description of the measurement and its conditions, in Markdown.
    pub measured: String,
    /// The default unit of rows. Higher figures are better if it begins with `speed-up` or contains `/s`, otherwise lower ones.
    pub unit: String,
    /// The command that repeats the measurement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The processors, the system and the compiler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// The day of the measurement, as YYYY-MM-DD.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The commit that was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The day and the commit that added the figures to the repository, if those of the measurement are unknown.
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
    /// The targets of the figures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bars: Vec<Bar>,
    /// The figures.
    pub rows: Vec<Row>,
}

/// One of several runs. Missing fields are those of its [`Results`].
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// The name, as in rows.
    pub name: String,
    /// See [`Results`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// See [`Results`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// See [`Results`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// See [`Results`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// See [`Results`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<String>,
    /// A short note that helps to understand its figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<String>,
}

/// A program, or one of its settings.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contender {
    /// The name, as in rows.
    pub name: String,
    /// The role in a comparison.
    pub role: Role,
    /// The version, for a crate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// A short description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

/// The role of a contender in a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// This project with default settings.
    Ours,
    /// This project with other settings.
    Variant,
    /// The baseline of relative figures.
    Baseline,
    /// Another project, or manually written code.
    Peer,
    /// A bound that no contender can exceed.
    Limit,
}

/// Results and the name of their file.
#[derive(Clone, Debug)]
pub struct File {
    /// The name, without the folder.
    pub name: String,
    /// The content.
    pub results: Results,
}

/// Reads all files of `folder` that end in `.json`, in the order of their names.
///
/// # Errors
///
/// If a file cannot be read, does not have the format of [`Results`], or contradicts itself. All mistakes of all files are
/// reported, each with the name of its file.
pub fn read(folder: &Path) -> Result<Vec<File>, Vec<String>> {
    let entries =
        fs::read_dir(folder).map_err(|error| vec![format!("{}: {error}", folder.display())])?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut stems: Vec<String> = names
        .filter_map(|name| Some(name.strip_suffix(".json")?.to_string()))
        .collect();
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
    /// Creates results without rows. Fills in the command, the machine, the date and the commit.
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

    /// Adds these rows. `role` returns the role of a contender by its name.
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

    /// Formats the results as JSON, with each row on a separate line.
    pub fn to_json(&self) -> String {
        let head = Self {
            rows: Vec::new(),
            ..self.clone()
        };
        let head = serde_json::to_string_pretty(&head).expect("keys are strings");
        let head = head.strip_suffix("[]\n}").expect("rows come last");
        let rows = self
            .rows
            .iter()
            .map(|row| serde_json::to_string(row).expect("keys are strings"));
        let rows: Vec<String> = rows.map(|row| format!("    {row}")).collect();
        format!("{head}[\n{}\n  ]\n}}\n", rows.join(",\n"))
    }

    /// All runs, with their missing fields filled in. One run without a name if the list is empty.
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

    /// The unit of a row.
    pub(crate) fn unit<'r>(&'r self, row: &'r Row) -> &'r str {
        row.unit.as_deref().unwrap_or(&self.unit)
    }

    /// A parameter of a row, or `bench`, `run`, `contender` or `unit`.
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

/// Whether figures are ratios, of which higher ones are better.
pub(crate) fn is_speedup(unit: &str) -> bool {
    unit.starts_with("speed-up")
}

/// Whether `a` is a better figure than `b`.
pub(crate) fn is_better(unit: &str, a: f64, b: f64) -> bool {
    let is_rate = unit.contains("/s");
    if is_speedup(unit) || is_rate {
        a > b
    } else {
        a < b
    }
}
