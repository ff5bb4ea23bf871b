//! The arguments of the command.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

pub(crate) const USAGE: &str = "\
Draws the graph or the timeline of a schedule, as an SVG.

Usage: schedule-view [OPTIONS] [FILE]

Arguments:
  [FILE]               JSON of a graph (`Schedule::graph`, `BuildError::graph`) or of a timeline
                       (`Recording::timeline`, `Simulation::timeline`); without it, or with `-`, the standard input

Options:
  -o, --output <FILE>  Write to this file, not to the standard output
      --around <NAME>  Draw this node and its neighbours; can be repeated
      --radius <N>     How many edges a neighbour is away at most; with --around [default: 1]
      --inside <NAME>  Draw the content of this loop or group; can be repeated
      --with-resources Draw resources, with an edge to each node that uses them
      --with-implied   Draw edges that others imply
      --without-paths  Leave the modules out of names
      --without-places Leave out where nodes and edges were declared
  -h, --help           Print this text
  -V, --version        Print the version

A graph is drawn whole without --around and --inside. Options that select a part of a graph cannot be used with a timeline.
";

/// The action of the command.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Request {
    Help,
    Version,
    Draw(Options),
}

/// The options of a drawing.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// The file to read; the standard input if `None`.
    pub(crate) input: Option<PathBuf>,
    /// The file to write; the standard output if `None`.
    pub(crate) output: Option<PathBuf>,
    pub(crate) drawing: Selection,
}

/// The options that select a part of a graph.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    pub(crate) around: Vec<String>,
    pub(crate) radius: Option<usize>,
    pub(crate) inside: Vec<String>,
    pub(crate) has_resources: bool,
    pub(crate) has_implied: bool,
    pub(crate) is_without_paths: bool,
    pub(crate) is_without_places: bool,
}

/// Parses the arguments after the name of the command. The value of an option is the next argument, or follows `=`.
///
/// # Errors
///
/// If an option is unknown, repeated or has no value, or if there is a second file.
pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Request, String> {
    let mut arguments = arguments.into_iter();
    let mut options = Options::default();
    let mut has_input = false;
    let mut is_file = false;
    while let Some(argument) = arguments.next() {
        let text = argument.to_str().unwrap_or_default();
        if is_file || text == "-" || !argument.as_encoded_bytes().starts_with(b"-") {
            if has_input {
                return Err(format!("`{}` is a second file", argument.display()));
            }
            has_input = true;
            options.input = (is_file || text != "-").then(|| argument.into());
            continue;
        }
        let (name, value) = match text.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(OsString::from(value))),
            _ => (text, None),
        };
        let drawing = &mut options.drawing;
        let flag = match name {
            "--" => {
                is_file = true;
                continue;
            }
            "-h" | "--help" => return Ok(Request::Help),
            "-V" | "--version" => return Ok(Request::Version),
            "-o" | "--output" => {
                let file = needed(name, value.or_else(|| arguments.next()))?;
                set(name, &mut options.output, file.into())?;
                continue;
            }
            "--around" => {
                let value = needed(name, value.or_else(|| arguments.next()))?;
                drawing.around.push(utf8(name, &value)?);
                continue;
            }
            "--inside" => {
                let value = needed(name, value.or_else(|| arguments.next()))?;
                drawing.inside.push(utf8(name, &value)?);
                continue;
            }
            "--radius" => {
                let value = utf8(name, &needed(name, value.or_else(|| arguments.next()))?)?;
                let radius = value.parse().map_err(|_| {
                    format!("the value of `--radius` must be a number, not `{value}`")
                })?;
                set(name, &mut drawing.radius, radius)?;
                continue;
            }
            "--with-resources" => &mut drawing.has_resources,
            "--with-implied" => &mut drawing.has_implied,
            "--without-paths" => &mut drawing.is_without_paths,
            "--without-places" => &mut drawing.is_without_places,
            _ => return Err(format!("unknown option `{}`", argument.display())),
        };
        if value.is_some() {
            return Err(format!("`{name}` takes no value"));
        }
        *flag = true;
    }
    if options.drawing.radius.is_some() && options.drawing.around.is_empty() {
        return Err("`--radius` needs `--around`".to_string());
    }
    Ok(Request::Draw(options))
}

fn needed(name: &str, value: Option<OsString>) -> Result<OsString, String> {
    value.ok_or_else(|| format!("`{name}` needs a value"))
}

fn utf8(name: &str, value: &OsStr) -> Result<String, String> {
    let text = value.to_str().map(str::to_string);
    text.ok_or_else(|| format!("the value of `{name}` must be UTF-8"))
}

fn set<T>(name: &str, place: &mut Option<T>, value: T) -> Result<(), String> {
    match place.replace(value) {
        None => Ok(()),
        Some(_) => Err(format!("`{name}` is given twice")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Request, String> {
        parse(text.split_whitespace().map(OsString::from))
    }

    #[test]
    fn without_arguments_the_standard_input_is_drawn_completely() {
        assert_eq!(parsed(""), Ok(Request::Draw(Options::default())));
        assert_eq!(parsed("-"), Ok(Request::Draw(Options::default())));
    }

    #[test]
    fn each_option_sets_its_field() {
        let text = "--around a --around=b --radius 2 --inside G --with-resources --with-implied \
                    --without-paths --without-places -o out.svg in.json";
        let options = Options {
            input: Some("in.json".into()),
            output: Some("out.svg".into()),
            drawing: Selection {
                around: vec!["a".to_string(), "b".to_string()],
                radius: Some(2),
                inside: vec!["G".to_string()],
                has_resources: true,
                has_implied: true,
                is_without_paths: true,
                is_without_places: true,
            },
        };
        assert_eq!(parsed(text), Ok(Request::Draw(options)));
    }

    #[test]
    fn arguments_after_two_hyphens_are_files() {
        let Ok(Request::Draw(options)) = parsed("-- --help") else {
            panic!()
        };
        assert_eq!(options.input, Some("--help".into()));
    }

    #[test]
    fn wrong_arguments_are_errors() {
        for (text, error) in [
            ("a b", "`b` is a second file"),
            ("--colour", "unknown option `--colour`"),
            ("-x", "unknown option `-x`"),
            ("--output", "`--output` needs a value"),
            ("-o a -o b", "`-o` is given twice"),
            ("--radius 1", "`--radius` needs `--around`"),
            (
                "--around a --radius x",
                "the value of `--radius` must be a number, not `x`",
            ),
            ("--with-implied=yes", "`--with-implied` takes no value"),
        ] {
            assert_eq!(parsed(text), Err(error.to_string()), "{text}");
        }
    }

    #[test]
    fn the_usage_names_every_option_and_fits_a_terminal() {
        for option in [
            "--output",
            "--around",
            "--radius",
            "--inside",
            "--with-resources",
            "--with-implied",
            "--without-paths",
            "--without-places",
            "--help",
            "--version",
        ] {
            assert!(USAGE.contains(option), "{option}");
        }
        assert!(USAGE.lines().all(|line| line.chars().count() <= 125));
    }
}
