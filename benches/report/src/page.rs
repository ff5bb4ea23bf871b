//! Writes the page.

use core::fmt::Write;

use crate::bars;
use crate::results::{File, Results, Role, Run};
use crate::row::{Row, Scalar};
use crate::table::{Table, n_peer_is_better, name_and_unit};

/// The maximum number of lines.
pub const MAX_LINES: usize = 290;

const HEAD: &str = "\
# Benchmarks

<!-- Written by `cargo run -p bench-report` from `benches/results`. Do not edit. -->

How long schedules and streams take, compared with other projects and with what they should reach.

- A figure is the median of its rounds. A speed-up is relative to a sequential loop. Higher speed-ups and higher figures per \
second are better. In all other units lower is better.
- A bar is a limit that figures should reach. Its cell has the worst figure, and how many of all figures reach it.
- \"Recorded\" are the day and the commit that added figures to the repository, where those of the measurement are not \
known.
- Many tables show a part of the figures. The files of `benches/results` have all of them, in the form that the crate \
`bench-report` documents. To add results, save them there and run `cargo run -p bench-report`.

";

/// The maximum number of rows in a sentence.
const MAX_BRIEF_ROWS: usize = 12;

/// Writes the page about these files, which must be valid.
///
/// # Errors
///
/// If the page would be longer than [`MAX_LINES`].
pub fn write(files: &[File]) -> Result<String, String> {
    let mut page = HEAD.to_string();
    let (brief, whole): (Vec<&File>, Vec<&File>) =
        files.iter().partition(|file| file.results.is_brief);
    for file in whole {
        section(file, &mut page);
    }
    if !brief.is_empty() {
        page.push_str("## Other results\n\n");
    }
    for file in brief {
        point(file, &mut page);
    }
    let page = format!("{}\n", page.trim_end());
    let n_lines = page.lines().count();
    if n_lines > MAX_LINES {
        return Err(format!(
            "the page has {n_lines} lines, more than {MAX_LINES}: show fewer rows in `tables` of `benches/results`"
        ));
    }
    Ok(page)
}

fn section(file: &File, page: &mut String) {
    let results = &file.results;
    let _ = write!(page, "## {}\n\n{}\n\n", results.title, results.measured);
    let points = [contenders(results), Some(source(file)), peers(results)];
    for point in points.into_iter().flatten() {
        let _ = writeln!(page, "- {point}");
    }
    page.push('\n');
    runs(results, page);
    bars::write(results, page);
    if results.tables.is_empty() {
        for (bench, unit) in benches(results) {
            Table::of_all(results, bench, unit).write(results, page);
        }
    }
    for table in &results.tables {
        table.write(results, page);
    }
}

/// Formats a point in one line.
fn point(file: &File, page: &mut String) {
    let results = &file.results;
    let _ = write!(page, "- **{}**: {}", results.title, results.measured);
    if let Some(contenders) = contenders(results) {
        let _ = write!(page, " {contenders}");
    }
    if results.rows.len() <= MAX_BRIEF_ROWS {
        let figures: Vec<String> = results
            .rows
            .iter()
            .map(|row| sentence(results, row))
            .collect();
        let _ = write!(page, " In {}: {}.", results.unit, figures.join("; "));
    }
    for bar in bars::sentences(results) {
        let _ = write!(page, " {bar}.");
    }
    let _ = writeln!(page, " {}", source(file));
}

/// The figure of one row, with its parameters.
fn sentence(results: &Results, row: &Row) -> String {
    let mut words: Vec<String> = row.run.iter().cloned().collect();
    if results.contenders.len() > 1 {
        words.push(row.contender.clone());
    }
    for (key, value) in &row.parameters {
        words.push(match (value, name_and_unit(key)) {
            (Scalar::Text(text), _) => text.clone(),
            (_, (name, Some(unit))) => format!("{name} {value} {unit}"),
            (_, (name, None)) => format!("{name} {value}"),
        });
    }
    let unit = results.unit(row);
    let figure = row.shown(unit);
    let unit = if unit == results.unit {
        String::new()
    } else {
        format!(" {unit}")
    };
    format!("{}: {figure}{unit}", words.join(", "))
}

/// The origin of the figures. For several runs it is a table, except in a point.
fn source(file: &File) -> String {
    let results = &file.results;
    let runs = results.complete_runs();
    let mut source = String::new();
    if results.runs.is_empty() || results.is_brief {
        for (name, get) in [
            (
                "Command",
                (|run| run.command.clone()) as fn(&Run) -> Option<String>,
            ),
            ("Machine", |run| run.machine.clone()),
            ("Conditions", |run| run.conditions.clone()),
            ("Date", |run| Some(moment(run))),
        ] {
            let values = runs.iter().map(|run| (run.name.as_str(), get(run)));
            source.push_str(&by_run(name, &values.collect::<Vec<_>>()));
        }
    }
    let _ = write!(source, "Data: [{0}](benches/results/{0}).", file.name);
    source
}

/// The value that all runs have in common, or otherwise the values of all runs that have one.
fn by_run(name: &str, values: &[(&str, Option<String>)]) -> String {
    let value = |text: &str| match name {
        "Command" => format!("`{text}`"),
        _ => text.to_string(),
    };
    match values {
        [(_, first), rest @ ..] if rest.iter().all(|(_, other)| other == first) => {
            let first = first.as_ref();
            first.map_or(String::new(), |text| format!("{name}: {}. ", value(text)))
        }
        _ => {
            let of_run = |(run, text): &(&str, Option<String>)| {
                let text = text.as_ref()?;
                Some(format!("{} ({run})", value(text)))
            };
            let all: Vec<String> = values.iter().filter_map(of_run).collect();
            format!("{name}: {}. ", all.join(", "))
        }
    }
}

fn moment(run: &Run) -> String {
    match (&run.date, &run.commit, &run.recorded) {
        (Some(date), Some(commit), _) => format!("{date}, commit {commit}"),
        (Some(date), None, _) => date.clone(),
        (None, Some(commit), _) => format!("commit {commit}"),
        (None, None, Some(recorded)) => format!("recorded {recorded}"),
        (None, None, None) => "unknown".to_string(),
    }
}

/// The contenders with more data than a name.
fn contenders(results: &Results) -> Option<String> {
    let mut all: Vec<String> = Vec::new();
    for contender in &results.contenders {
        let mut text = format!("`{}`", contender.name.replace('`', ""));
        if let Some(version) = &contender.version {
            let _ = write!(text, " {version}");
        }
        if let Some(about) = &contender.about {
            let _ = write!(text, " ({about})");
        }
        if contender.version.is_some() || contender.about.is_some() {
            all.push(text);
        }
    }
    (!all.is_empty()).then(|| format!("Contenders: {}.", all.join(", ")))
}

/// The runs, if there are several.
fn runs(results: &Results, page: &mut String) {
    if results.runs.is_empty() {
        return;
    }
    page.push_str("| run | command | machine and conditions | date |\n|---|---|---|---|\n");
    for run in results.complete_runs() {
        let command = run.command.as_ref();
        let command = command.map_or(String::new(), |command| {
            format!("`{}`", command.replace('|', "\\|"))
        });
        let (name, moment) = (&run.name, moment(&run));
        let about: Vec<&str> = [&run.machine, &run.conditions]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        let about = about.join("; ");
        let _ = writeln!(page, "| {name} | {command} | {about} | {moment} |");
    }
    page.push('\n');
}

/// The number of conditions under which another project is better.
fn peers(results: &Results) -> Option<String> {
    let ours = results
        .contenders
        .iter()
        .find(|contender| contender.role == Role::Ours)?;
    let mut all: Vec<String> = Vec::new();
    for (bench, unit) in benches(results) {
        let (n_better, n_all) = n_peer_is_better(results, bench, unit);
        if n_all > 0 {
            all.push(format!("{n_better} of {n_all} in {bench} ({unit})"));
        }
    }
    let ours = &ours.name;
    (!all.is_empty()).then(|| {
        format!(
            "Conditions under which a peer is better than `{ours}`: {}.",
            all.join(", ")
        )
    })
}

/// All pairs of a bench and a unit, in the order of the rows.
fn benches(results: &Results) -> Vec<(&str, &str)> {
    let mut all = Vec::new();
    for row in &results.rows {
        let pair = (row.bench.as_str(), results.unit(row));
        if !all.contains(&pair) {
            all.push(pair);
        }
    }
    all
}
