//! The arguments of the command.

use std::path::PathBuf;

use lexopt::Parser;
use lexopt::prelude::*;

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

/// # Errors
///
/// If an option is unknown, repeated or has no value or a wrong value, or if there is a second file.
pub(crate) fn parse(mut parser: Parser) -> Result<Request, lexopt::Error> {
    let mut options = Options::default();
    let mut input = None;
    while let Some(argument) = parser.next()? {
        let drawing = &mut options.drawing;
        match argument {
            Short('h') | Long("help") => return Ok(Request::Help),
            Short('V') | Long("version") => return Ok(Request::Version),
            Short('o') | Long("output") => {
                set("--output", &mut options.output, parser.value()?.into())?;
            }
            Long("around") => drawing.around.push(parser.value()?.string()?),
            Long("inside") => drawing.inside.push(parser.value()?.string()?),
            Long("radius") => {
                let radius = parser.value()?.parse_with(|text| {
                    let radius = text.parse();
                    radius.map_err(|_| "`--radius` must be a number")
                })?;
                set("--radius", &mut drawing.radius, radius)?;
            }
            Long("with-resources") => drawing.has_resources = true,
            Long("with-implied") => drawing.has_implied = true,
            Long("without-paths") => drawing.is_without_paths = true,
            Long("without-places") => drawing.is_without_places = true,
            Value(file) if input.is_none() => input = Some(file),
            other => return Err(other.unexpected()),
        }
    }
    options.input = input.filter(|file| file != "-").map(PathBuf::from);
    if options.drawing.radius.is_some() && options.drawing.around.is_empty() {
        return Err("`--radius` needs `--around`".into());
    }
    Ok(Request::Draw(options))
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
        parse(Parser::from_args(text.split_whitespace())).map_err(|error| error.to_string())
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
            ("a b", "unexpected argument \"b\""),
            ("--colour", "invalid option '--colour'"),
            ("-x", "invalid option '-x'"),
            ("--output", "missing argument for option '--output'"),
            ("-o a -o b", "`--output` is given twice"),
            ("--radius 1", "`--radius` needs `--around`"),
            (
                "--around a --radius x",
                "cannot parse argument \"x\": `--radius` must be a number",
            ),
            (
                "--with-implied=yes",
                "unexpected argument for option '--with-implied': \"yes\"",
            ),
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
