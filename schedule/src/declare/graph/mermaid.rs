//! Writes a picture as a Mermaid flowchart.

use core::fmt::Write;

use super::picture::Picture;
use super::scene::{Form, Scene, Shape, Style};
use crate::base::escape::{mermaid as escaped, yaml};

impl Picture<'_> {
    /// Returns the picture as a Mermaid flowchart. Many sites render this language in Markdown.
    pub fn to_mermaid(&self) -> String {
        write(&Scene::new(self))
    }
}

fn write(scene: &Scene) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "---\ntitle: \"{}\"\n---\nflowchart LR",
        yaml(&scene.title)
    );
    write_children(&mut out, scene, None, 1);
    for arrow in &scene.arrows {
        let line = match arrow.style {
            Style::Declared => "-->",
            Style::Guard => "--o",
            Style::Weak | Style::NeverBoth | Style::Commands | Style::Reads => "-.->",
            Style::Policy => "==>",
            Style::Writes | Style::Folds => "-->",
            Style::Cycle => "==>",
            Style::Race => "---",
        };
        let label = match (arrow.style, &arrow.label) {
            (_, Some(label)) => Some(label.as_str()),
            (Style::Weak, None) => Some("if they conflict"),
            (Style::NeverBoth, None) => Some("never both run"),
            (Style::Commands, None) => Some("commands"),
            (Style::Folds, None) => Some("folds into"),
            _ => None,
        };
        let label = label
            .map(|label| format!("|\"{}\"|", escaped(label)))
            .unwrap_or_default();
        let _ = writeln!(out, "  n{} {line}{label} n{}", arrow.from, arrow.to);
    }
    for (idx, note) in scene.notes.iter().enumerate() {
        let _ = writeln!(out, "  problem{idx}>\"{}\"]:::problem", escaped(note));
    }
    for style in Style::ALL {
        let of_style = |&idx: &usize| scene.arrows[idx].style == style;
        let arrows = (0..scene.arrows.len()).filter(of_style);
        let arrows: Vec<String> = arrows.map(|idx| idx.to_string()).collect();
        let look = match style {
            Style::Guard => "stroke:#4169e1",
            Style::Policy => "stroke:#cd6600",
            Style::Commands => "stroke:#8968cd",
            Style::NeverBoth | Style::Reads | Style::Writes | Style::Folds => "stroke:#888888",
            Style::Cycle | Style::Race => "stroke:#dd0000,stroke-width:2px",
            Style::Declared | Style::Weak => continue,
        };
        if !arrows.is_empty() {
            let _ = writeln!(out, "  linkStyle {} {look}", arrows.join(","));
        }
    }
    out.push_str("  classDef off opacity:0.5\n  classDef alone stroke-width:3px\n");
    out.push_str("  classDef problem stroke:#dd0000\n");
    out
}

fn write_children(out: &mut String, scene: &Scene, parent: Option<usize>, depth: usize) {
    for idx in scene.children(parent) {
        let shape = &scene.shapes[idx];
        let indent = 2 * depth;
        let label = label(shape);
        let class = match (shape.is_enabled, shape.is_exclusive) {
            (false, _) => ":::off",
            (true, true) => ":::alone",
            (true, false) => "",
        };
        if shape.is_open {
            let _ = writeln!(out, "{:indent$}subgraph n{idx}[\"{label}\"]", "");
            let _ = writeln!(out, "{:indent$}  direction LR", "");
            write_children(out, scene, Some(idx), depth + 1);
            let _ = writeln!(out, "{:indent$}end", "");
        } else {
            let (open, close) = match shape.form {
                Form::System => ("(", ")"),
                Form::Condition => ("{{", "}}"),
                Form::Selector => ("{", "}"),
                Form::Checkpoint => ("([", "])"),
                Form::ApplyCommands | Form::Loop => ("[[", "]]"),
                Form::Group | Form::Sweep => ("[", "]"),
                Form::Resource => ("[(", ")]"),
            };
            let _ = writeln!(out, "{:indent$}n{idx}{open}\"{label}\"{close}{class}", "");
        }
    }
}

fn label(shape: &Shape) -> String {
    let mut label = escaped(&shape.label);
    for note in &shape.notes {
        let _ = write!(label, "<br/>{}", escaped(note));
    }
    label
}
