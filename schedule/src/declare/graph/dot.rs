//! Writes a picture in the DOT language of Graphviz.

use core::fmt::Write;

use super::picture::Picture;
use super::scene::{Form, Scene, Shape, Style};
use crate::base::escape::dot as quoted;

impl Picture<'_> {
    /// Returns the picture in the DOT language of Graphviz.
    pub fn to_dot(&self) -> String {
        write(&Scene::new(self))
    }
}

/// Every name is quoted, so that it can contain any character.
fn write(scene: &Scene) -> String {
    let mut out = String::new();
    let title = quoted(&scene.title);
    // `newrank` computes the ranks of all nodes together. Without it, Graphviz sometimes fails to combine the ranks of
    // boxes.
    let head = "  rankdir=LR;\n  compound=true;\n  newrank=true;\n  node [fontname=\"monospace\", fontsize=11];\n  \
        edge [fontname=\"monospace\", fontsize=10];\n  graph [fontname=\"monospace\", fontsize=11];";
    let _ = writeln!(out, "digraph {title} {{\n  label={title};\n{head}");
    write_children(&mut out, scene, None, 1);
    for arrow in &scene.arrows {
        let (from, to) = (arrow.from, arrow.to);
        let _ = write!(out, "  n{from} -> n{to} [{}", style(arrow.style));
        // An edge of a box ends at the border of the box, and not at the invisible point inside.
        for (end, attribute) in [(from, "ltail"), (to, "lhead")] {
            if scene.shapes[end].is_open {
                let _ = write!(out, ", {attribute}=cluster_n{end}");
            }
        }
        if let Some(label) = &arrow.label {
            let _ = write!(out, ", label={}", quoted(label));
        }
        let _ = writeln!(out, ", tooltip={}];", quoted(&arrow.hint));
    }
    for (idx, note) in scene.notes.iter().enumerate() {
        let label = quoted(note);
        let _ = writeln!(
            out,
            "  problem{idx} [shape=note, color=red, label={label}];"
        );
    }
    write_legend(&mut out, scene);
    out.push_str("}\n");
    out
}

fn write_children(out: &mut String, scene: &Scene, parent: Option<usize>, depth: usize) {
    for idx in scene.children(parent) {
        let shape = &scene.shapes[idx];
        let indent = 2 * depth;
        let label = quoted(&label(shape));
        let look = look(shape);
        if shape.is_open {
            let _ = writeln!(out, "{:indent$}subgraph cluster_n{idx} {{", "");
            let _ = writeln!(out, "{:indent$}  label={label}; {look};", "");
            // Edges of a box need a node as their end.
            let _ = writeln!(out, "{:indent$}  n{idx} [shape=point, style=invis];", "");
            write_children(out, scene, Some(idx), depth + 1);
            let _ = writeln!(out, "{:indent$}}}", "");
        } else {
            let hint = quoted(&shape.hint);
            let look = look.replace("; ", ", ");
            let _ = writeln!(
                out,
                "{:indent$}n{idx} [label={label}, {look}, tooltip={hint}];",
                ""
            );
        }
    }
}

fn label(shape: &Shape) -> String {
    let lines = [&shape.label].into_iter().chain(&shape.notes);
    lines.map(String::as_str).collect::<Vec<_>>().join("\n")
}

/// The attributes of a node. For a box, the attributes are statements.
fn look(shape: &Shape) -> String {
    let (form, style) = match shape.form {
        Form::System => ("shape=box", "rounded"),
        Form::Condition => ("shape=hexagon", "solid"),
        Form::Selector => ("shape=diamond", "solid"),
        Form::Checkpoint => ("shape=oval", "solid"),
        Form::ApplyCommands => ("shape=doubleoctagon", "solid"),
        Form::Loop => ("shape=box; peripheries=2", "rounded"),
        Form::Group => ("shape=box", "dashed"),
        Form::Sweep => ("shape=box; color=seagreen", "rounded"),
        Form::Resource => ("shape=cylinder", "solid"),
    };
    // Graphviz clusters have no `shape` attribute.
    let form = if shape.is_open {
        form.replace("shape=box; ", "")
            .replace("shape=box", "fontcolor=gray30")
    } else {
        form.to_string()
    };
    let colour = match (shape.is_enabled, shape.is_exclusive) {
        (false, _) => "; color=gray; fontcolor=gray",
        (true, true) => "; penwidth=2.5",
        (true, false) => "",
    };
    format!("{form}; style={style}{colour}")
}

fn style(style: Style) -> &'static str {
    match style {
        Style::Declared => "style=solid",
        Style::Guard => "style=solid, arrowhead=odot, color=royalblue",
        Style::Weak => "style=dashed",
        Style::Policy => "style=dashed, color=darkorange3",
        Style::NeverBoth => "style=dotted, color=gray70",
        Style::Commands => "style=dashed, color=mediumpurple3",
        Style::Reads => "style=dotted, color=gray40",
        Style::Writes => "style=solid, color=gray40, arrowhead=vee",
        Style::Folds => "style=dashed, color=gray40, arrowhead=vee",
        Style::Cycle => "style=bold, color=red",
        Style::Race => "style=bold, color=red, fontcolor=red, dir=none",
    }
}

fn write_legend(out: &mut String, scene: &Scene) {
    out.push_str(
        "  subgraph cluster_legend {\n    label=\"legend\"; color=gray; fontcolor=gray;\n",
    );
    for form in scene.forms() {
        let look = look(&Shape::sample(form)).replace("; ", ", ");
        let name = form.text();
        let _ = writeln!(out, "    legend_{name} [label=\"{name}\", {look}];");
    }
    for (idx, one) in scene.styles().enumerate() {
        let (look, text) = (style(one), one.text());
        let ends = "[shape=plaintext, label=\"\", width=0]";
        let _ = writeln!(out, "    legend_from{idx} {ends}; legend_to{idx} {ends};");
        let _ = writeln!(
            out,
            "    legend_from{idx} -> legend_to{idx} [{look}, label=\"{text}\"];"
        );
    }
    out.push_str("  }\n");
}
