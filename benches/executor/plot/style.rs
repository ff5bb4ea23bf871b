//! Colours in light and dark mode.

use core::fmt;

/// The line style of a contender: name, colours in light and dark mode, dashes.
///
/// Contenders of one project share a colour. Those with one thread are dotted.
const LINES: [(&str, &str, &str, &str); 11] = [
    ("schedule serial", "#0b62d6", "#6cb0ff", DOTTED),
    ("schedule parallel", "#0b62d6", "#6cb0ff", DASHED),
    ("schedule auto", "#0b62d6", "#6cb0ff", SOLID),
    ("rayon from outside", "#1a7f37", "#56d364", DASHED),
    ("rayon from inside", "#1a7f37", "#56d364", SOLID),
    ("bevy_ecs single", "#b35900", "#f0a04b", DOTTED),
    ("bevy_ecs multi", "#b35900", "#f0a04b", SOLID),
    ("legion", "#7a3fc2", "#c297ff", SOLID),
    ("shred sequential", "#c11f3a", "#ff7b8a", DOTTED),
    ("shred parallel", "#c11f3a", "#ff7b8a", SOLID),
    ("shipyard", "#0a7c86", "#4fd1d9", SOLID),
];

const SOLID: &str = "none";
const DASHED: &str = "7 3";
const DOTTED: &str = "1.5 3";

/// The CSS class of the line, the points and the label of a contender.
pub(super) fn class(contender: &str) -> String {
    contender.replace([' ', '_'], "-")
}

/// Formats the style element.
pub(super) struct Sheet;

impl fmt::Display for Sheet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "<style>\n\
             text {{ font: 12px system-ui, 'DejaVu Sans', sans-serif; }}\n\
             text.title {{ font-size: 15px; font-weight: 600; }}\n\
             path {{ fill: none; }} path.line {{ stroke-width: 1.6; }} path.schedule-auto {{ stroke-width: 3; }}\n\
             path.grid, path.leader {{ stroke-width: 1; }} path.leader {{ opacity: 0.5; }}\n\
             path.best {{ stroke-width: 1.4; stroke-dasharray: 2 4; }} circle {{ fill: none; }}"
        )?;
        for (name, _, _, dashes) in LINES {
            writeln!(
                f,
                "path.line.{} {{ stroke-dasharray: {dashes}; }}",
                class(name)
            )?;
        }
        write_colours(f, "#ffffff", "#24292f", "#dde2e7", |line| line.1)?;
        writeln!(f, "@media (prefers-color-scheme: dark) {{")?;
        write_colours(f, "#0d1117", "#d7dee6", "#30363d", |line| line.2)?;
        writeln!(f, "}}\n</style>")
    }
}

fn write_colours(
    f: &mut fmt::Formatter<'_>,
    paper: &str,
    ink: &str,
    grid: &str,
    colour: impl Fn((&'static str, &'static str, &'static str, &'static str)) -> &'static str,
) -> fmt::Result {
    writeln!(f, ".paper {{ fill: {paper}; }} text {{ fill: {ink}; }}")?;
    writeln!(
        f,
        "path.grid {{ stroke: {grid}; }} path.best, path.loop {{ stroke: {ink}; }}"
    )?;
    for line in LINES {
        let (class, colour) = (class(line.0), colour(line));
        writeln!(
            f,
            "path.{class} {{ stroke: {colour}; }} text.{class}, circle.{class} {{ fill: {colour}; }}"
        )?;
    }
    Ok(())
}
