//! The command `schedule-view`: reads the graph or the timeline of a schedule as JSON, and draws it as SVG.

mod options;

use std::io::{self, Read, Write};
use std::process::ExitCode;

use lexopt::Parser;
use schedule::graph::ScheduleGraph;
use schedule_view::{Document, graph_svg, timeline_svg};

use self::options::{Options, Request, Selection, USAGE};

/// The exit code for wrong arguments.
const MISUSED: u8 = 2;

fn main() -> ExitCode {
    match options::parse(Parser::from_env()) {
        Ok(Request::Help) => finish(print(None, USAGE)),
        Ok(Request::Version) => finish(print(
            None,
            concat!("schedule-view ", env!("CARGO_PKG_VERSION"), "\n"),
        )),
        Ok(Request::Draw(options)) => finish(draw(&options)),
        Err(error) => {
            eprintln!("error: {error}\nhelp: `schedule-view --help` lists the options");
            ExitCode::from(MISUSED)
        }
    }
}

fn finish(done: Result<(), String>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn draw(options: &Options) -> Result<(), String> {
    let name = match &options.input {
        Some(file) => format!("`{}`", file.display()),
        None => "the standard input".to_string(),
    };
    let json = match &options.input {
        Some(file) => std::fs::read_to_string(file),
        None => {
            let mut json = String::new();
            io::stdin().read_to_string(&mut json).map(|_| json)
        }
    };
    let json = json.map_err(|error| format!("cannot read {name}: {error}"))?;
    let document = Document::from_json(&json).map_err(|error| format!("{name}: {error}"))?;
    let svg = match &document {
        Document::Graph(graph) => graph_svg(options.drawing.of(graph)?),
        Document::Timeline(timeline) => {
            if options.drawing != Selection::default() {
                return Err(format!(
                    "{name} is a timeline; options that select a part of a graph cannot be used with it"
                ));
            }
            timeline_svg(timeline)
        }
        other => return Err(format!("{name}: cannot draw {other:?}")),
    };
    print(options.output.as_deref(), &svg)
}

/// Writes to a file, or to the standard output.
fn print(file: Option<&std::path::Path>, text: &str) -> Result<(), String> {
    match file {
        Some(file) => std::fs::write(file, text)
            .map_err(|error| format!("cannot write `{}`: {error}", file.display())),
        None => {
            let mut out = io::stdout().lock();
            let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
            written.map_err(|error| format!("cannot write the standard output: {error}"))
        }
    }
}

impl Selection {
    /// The part of a graph that is drawn.
    fn of<'g>(&self, graph: &'g ScheduleGraph) -> Result<schedule::graph::Picture<'g>, String> {
        let mut picture = graph.picture();
        let named = |name: &String| -> Result<Vec<usize>, String> {
            let nodes: Vec<usize> = graph.named(name).collect();
            if nodes.is_empty() {
                Err(format!(
                    "schedule `{}` has no node `{name}`",
                    graph.schedule
                ))
            } else {
                Ok(nodes)
            }
        };
        for name in &self.around {
            picture = picture.around(named(name)?, self.radius.unwrap_or(1));
        }
        for name in &self.inside {
            for node in named(name)? {
                picture = picture.inside(node);
            }
        }
        if self.has_resources {
            picture = picture.with_resources();
        }
        if self.has_implied {
            picture = picture.with_implied();
        }
        if self.is_without_paths {
            picture = picture.without_paths();
        }
        if self.is_without_places {
            picture = picture.without_places();
        }
        Ok(picture)
    }
}
