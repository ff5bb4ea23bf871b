//! The graph of a schedule as an SVG.

mod label;
mod legend;

use core::fmt::{self, Write};

use self::label::Label;
use self::legend::Legend;
use crate::layout::{Frame, Item, Layout, Line, Link, Point, Size, lay_out};
use crate::sheet::{self, CHAR, Colour, MARGIN, number, width};
use crate::xml::xml;
use schedule::graph::Picture;
use schedule::internal::{Arrow, Form, Scene, Shape, Style};

const COLOURS: [Colour<'_>; 24] = [
    (".bad", "fill", "#d1242f", "#ff7b72"),
    (".system", "fill", "#f6f8fa", "#1c2129"),
    (".system", "stroke", "#59636e", "#9198a1"),
    (".condition", "fill", "#ddf4ff", "#0c2d4a"),
    (".condition", "stroke", "#0969da", "#58a6ff"),
    (".selector", "fill", "#fbefff", "#2e1f4a"),
    (".selector", "stroke", "#8250df", "#bc8cff"),
    (".checkpoint,.apply_commands", "fill", "#fff8c5", "#362a0c"),
    (
        ".checkpoint,.apply_commands",
        "stroke",
        "#9a6700",
        "#d29922",
    ),
    (".loop", "fill", "#1a7f37", "#3fb950"),
    (".loop", "stroke", "#1a7f37", "#3fb950"),
    (".group", "fill", "#818b98", "#9198a1"),
    (".group", "stroke", "#818b98", "#768390"),
    (".sweep", "fill", "#1b7c83", "#39c5cf"),
    (".sweep", "stroke", "#1b7c83", "#39c5cf"),
    (".resource", "fill", "#fff1e5", "#3d2112"),
    (".resource", "stroke", "#bc4c00", "#f0883e"),
    (".order", "stroke", "#424a53", "#b1bac4"),
    (".guard", "stroke", "#0969da", "#58a6ff"),
    (".policy", "stroke", "#bc4c00", "#f0883e"),
    (".never", "stroke", "#818b98", "#768390"),
    (".commands", "stroke", "#8250df", "#a371f7"),
    (".touch", "stroke", "#a0673a", "#b98a62"),
    (".problem", "stroke", "#d1242f", "#ff7b72"),
];

const LOOK: &str = "\
.bad{font-size:10px}.shape>*{stroke-width:1.2}.shape>text{stroke:none}\
.loop>rect,.group>rect,.sweep>rect{fill-opacity:.07}.loop>rect+rect{fill:none}.exclusive>*{stroke-width:3}.off{opacity:.5}.group>rect{stroke-dasharray:5 4}.line{fill:none;stroke-width:1.2}\
.guard{stroke-dasharray:1.5 3}.weak{stroke-dasharray:8 4}.policy{stroke-dasharray:4 3}.never{stroke-dasharray:1 4}.commands{stroke-dasharray:6 3}.reads{stroke-dasharray:2 2}\
.folds{stroke-dasharray:6 2}\
.problem{stroke-width:2.2}marker path{stroke:none}marker circle{fill:none}";

/// Draws a graph as an SVG: a [`ScheduleGraph`], or the part of one that a [`Picture`] selects.
///
/// [`Picture`] documents the content. Colours follow the reader's choice of light or dark mode. The same data gives the same
/// text.
///
/// The layout has layers of nodes by longest path (Sugiyama, Tagawa, Toda 1981). Each loop and each group is laid out
/// separately. Cost: O(sweeps × (nodes + edges × layers) log nodes).
///
/// # Panics
///
/// If the graph was read or changed, and [`ScheduleGraph::check`] would return an error.
///
/// ```
/// use schedule::prelude::*;
///
/// #[derive(Resource)]
/// struct Health(i32);
///
/// #[system]
/// fn poison(health: &mut Health) {}
///
/// #[system]
/// fn heal(health: &mut Health) {}
///
/// let error = Schedule::builder().add::<poison>().add::<heal>().build().unwrap_err();
/// let graph = error.graph();
/// let all = schedule_view::graph_svg(&graph);
/// assert!(all.contains(">races on Health</text>"));
///
/// let heal = graph.picture().around(graph.named("heal"), 0).without_places();
/// let part = schedule_view::graph_svg(heal);
/// assert!(part.contains(">heal</text>") && !part.contains(">poison</text>"));
/// ```
///
/// [`ScheduleGraph`]: schedule::graph::ScheduleGraph
/// [`ScheduleGraph::check`]: schedule::graph::ScheduleGraph::check
pub fn graph_svg<'g>(picture: impl Into<Picture<'g>>) -> String {
    write(&Scene::new(&picture.into()))
}

fn write(scene: &Scene) -> String {
    let drawing = Drawing::new(scene);
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = drawing.write(&mut out);
    out
}

/// A scene with its layout.
struct Drawing<'s> {
    scene: &'s Scene,
    /// The labels of all shapes, then those of races.
    labels: Vec<Label>,
    layout: Layout,
    /// `arrows[l]`: the arrow of link l of the layout.
    arrows: Vec<usize>,
}

impl<'s> Drawing<'s> {
    fn new(scene: &'s Scene) -> Self {
        let mut labels: Vec<Label> = scene
            .shapes
            .iter()
            .map(|shape| Label::new(&shape.label, &shape.notes))
            .collect();
        let shapes = scene.shapes.iter().zip(&labels);
        let mut items: Vec<Item> = shapes
            .map(|(shape, label)| Item {
                parent: shape.parent,
                size: size(shape, label),
            })
            .collect();
        let mut links = Vec::new();
        let mut arrows = Vec::new();
        for (idx, arrow) in scene.arrows.iter().enumerate() {
            let kind = arrow.style as usize;
            let Arrow { from, to, .. } = *arrow;
            let ends = match &arrow.label {
                // The label is an item between the ends.
                Some(text) => {
                    let label = Label::new("", std::slice::from_ref(text));
                    let middle = items.len();
                    items.push(Item {
                        parent: common(scene, from, to),
                        size: Size {
                            width: label.size.width + 8.0,
                            height: label.size.height + 4.0,
                        },
                    });
                    labels.push(label);
                    vec![(from, middle), (middle, to)]
                }
                // A resource is placed to the left of the nodes that use it.
                None if arrow.style == Style::Writes => vec![(to, from)],
                None => vec![(from, to)],
            };
            for (from, to) in ends {
                links.push(Link { from, to, kind });
                arrows.push(idx);
            }
        }
        Self {
            scene,
            layout: lay_out(&items, &links),
            labels,
            arrows,
        }
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        let title = format!("schedule `{}`", self.scene.title);
        let legend = Legend::new(self.scene);
        let size = self.layout.size;
        let top = 2.0 * MARGIN + CHAR.1;
        let notes = &self.scene.notes;
        let notes: Vec<Label> = notes
            .iter()
            .map(|note| Label::new("", std::slice::from_ref(note)))
            .collect();
        let widest = notes
            .iter()
            .map(|note| note.size.width)
            .fold(size.width.max(width(&title, CHAR.0)), f64::max);
        let (legend, legend_size) = legend.arrange(widest.max(640.0));
        let notes_top = top + size.height + MARGIN;
        let notes_height: f64 = notes.iter().map(|note| note.size.height + 4.0).sum();
        let legend_top = notes_top + notes_height + MARGIN;
        let all = Size {
            width: widest.max(legend_size.width) + 2.0 * MARGIN,
            height: legend_top + legend_size.height + MARGIN,
        };
        let heads: Vec<(String, [&str; 3])> = self.head_colours().collect();
        let heads = heads
            .iter()
            .map(|(head, [property, light, dark])| (head.as_str(), *property, *light, *dark));
        let colours: Vec<Colour<'_>> = COLOURS.into_iter().chain(heads).collect();
        sheet::begin(out, &title, all, LOOK, &colours)?;
        out.push_str("<defs>\n");
        for style in self.scene.styles() {
            let name = class(style).split(' ').next().unwrap_or_default();
            let (id, shape) = match style {
                Style::Race => continue,
                Style::Guard => (
                    name,
                    "<circle cx=\"4\" cy=\"4\" r=\"3\" class=\"HEAD\"/>".to_string(),
                ),
                _ => (
                    name,
                    "<path d=\"M0,0.5 L8,4 L0,7.5 z\" class=\"HEAD\"/>".to_string(),
                ),
            };
            let shape = shape.replace("HEAD", &format!("head-{id}"));
            writeln!(
                out,
                "<marker id=\"{}\" viewBox=\"0 0 8 8\" refX=\"7.5\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
                 markerUnits=\"userSpaceOnUse\" orient=\"auto-start-reverse\">{shape}</marker>",
                marker(style)
            )?;
        }
        out.push_str("</defs>\n");
        sheet::write_page(out, &title)?;
        let (x, y) = (number(MARGIN), number(top));
        writeln!(out, "<g transform=\"translate({x} {y})\">")?;
        self.write_shapes(out, true)?;
        for line in &self.layout.lines {
            self.write_line(out, line)?;
        }
        self.write_shapes(out, false)?;
        for (idx, label) in self.labels.iter().enumerate().skip(self.scene.shapes.len()) {
            let frame = self.layout.frames[idx];
            let at = Point {
                x: frame.at.x + 4.0,
                y: frame.at.y + 2.0,
            };
            label.write(out, at, "bad")?;
        }
        out.push_str("</g>\n");
        let mut y = notes_top;
        for note in &notes {
            note.write(out, Point { x: MARGIN, y }, "bad")?;
            y += note.size.height + 4.0;
        }
        writeln!(
            out,
            "<g transform=\"translate({} {})\">",
            number(MARGIN),
            number(legend_top)
        )?;
        for (entry, at) in legend {
            entry.write(out, at)?;
        }
        out.push_str("</g>\n</svg>\n");
        Ok(())
    }

    /// The colours of arrowheads: selector, property, and the colours in light and dark mode. They repeat the colours of lines,
    /// because not all viewers support `context-stroke` in markers.
    fn head_colours(&self) -> impl Iterator<Item = (String, [&'static str; 3])> {
        let styles = self.scene.styles().filter(|style| *style != Style::Race);
        styles.map(|style| {
            let names = class(style);
            let name = names.split(' ').next().unwrap_or_default();
            let of_class = |one: &&Colour<'_>| {
                names
                    .split(' ')
                    .any(|name| one.0.strip_prefix('.') == Some(name))
            };
            let (.., light, dark) = COLOURS
                .iter()
                .find(of_class)
                .expect("each style has a colour");
            let property = match style {
                Style::Guard => "stroke",
                _ => "fill",
            };
            (format!("marker .head-{name}"), [property, *light, *dark])
        })
    }

    /// Writes the boxes with content, which are below the lines, or all other shapes, which are above.
    fn write_shapes(&self, out: &mut String, is_open: bool) -> fmt::Result {
        for (idx, shape) in self.scene.shapes.iter().enumerate() {
            if shape.is_open == is_open {
                write_shape(out, shape, &self.labels[idx], self.layout.frames[idx])?;
            }
        }
        Ok(())
    }

    fn write_line(&self, out: &mut String, line: &Line) -> fmt::Result {
        let arrow = &self.scene.arrows[self.arrows[line.link]];
        let mut d = String::new();
        let [first, rest @ ..] = &line.points[..] else {
            return Ok(());
        };
        write!(d, "M{},{}", number(first.x), number(first.y))?;
        let mut at = *first;
        for point in rest {
            if (point.y - at.y).abs() < 0.05 {
                write!(d, "H{}", number(point.x))?;
                at.x = point.x;
                continue;
            }
            let middle = number((at.x + point.x) / 2.0);
            write!(
                d,
                "C{middle},{} {middle},{} {},{}",
                number(at.y),
                number(point.y),
                number(point.x),
                number(point.y)
            )?;
            at = *point;
        }
        // The line of a write starts at the resource and points at it.
        let is_backward = line.is_backward != (arrow.style == Style::Writes);
        let has_head = match arrow.style {
            Style::Race => false,
            Style::Writes => line.is_first,
            _ => line.is_last,
        };
        let end = match (has_head, is_backward) {
            (false, _) => String::new(),
            (true, true) => format!(" marker-start=\"url(#{})\"", marker(arrow.style)),
            (true, false) => format!(" marker-end=\"url(#{})\"", marker(arrow.style)),
        };
        write!(
            out,
            "<path class=\"line {}\" d=\"{d}\"{end}>",
            class(arrow.style)
        )?;
        if !arrow.hint.is_empty() {
            write!(out, "<title>{}</title>", xml(&arrow.hint))?;
        }
        out.push_str("</path>\n");
        Ok(())
    }
}

/// The innermost box around both shapes.
fn common(scene: &Scene, a: usize, b: usize) -> Option<usize> {
    let parent = |shape: &usize| scene.shapes[*shape].parent;
    let mut around = core::iter::successors(scene.shapes[a].parent, parent);
    around.find(|&holder| scene.is_in(b, holder) && b != holder)
}

/// The size of a shape: its label, and the room that its form cuts off.
fn size(shape: &Shape, label: &Label) -> Size {
    let (width, height) = (label.size.width, label.size.height);
    let (more, above) = match (shape.is_open, shape.form) {
        (true, _) => (24.0, 8.0),
        (false, Form::Condition | Form::Selector) => (36.0, 10.0),
        (false, Form::Checkpoint | Form::ApplyCommands) => (32.0, 10.0),
        (false, _) => (20.0, 10.0),
    };
    Size {
        width: width + more,
        height: height + above,
    }
}

fn write_shape(out: &mut String, shape: &Shape, label: &Label, frame: Frame) -> fmt::Result {
    let Frame { at, size } = frame;
    let mut classes = format!("shape {}", shape.form.text());
    if shape.is_exclusive {
        classes.push_str(" exclusive");
    }
    if !shape.is_enabled {
        classes.push_str(" off");
    }
    write!(out, "<g class=\"{classes}\">")?;
    if !shape.hint.is_empty() {
        write!(out, "<title>{}</title>", xml(&shape.hint))?;
    }
    let (left, right) = (at.x, at.x + size.width);
    let (top, bottom) = (at.y, at.y + size.height);
    let middle = (top + bottom) / 2.0;
    let polygon = |points: &[(f64, f64)]| {
        let points = points
            .iter()
            .map(|(x, y)| format!("{},{}", number(*x), number(*y)));
        let points: Vec<String> = points.collect();
        format!("<polygon points=\"{}\"/>", points.join(" "))
    };
    let rect = |inset: f64, radius: f64| {
        format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>",
            number(left + inset),
            number(top + inset),
            number(size.width - 2.0 * inset),
            number(size.height - 2.0 * inset),
            number(radius)
        )
    };
    let cut = 10.0;
    out.push_str(&match shape.form {
        Form::System => rect(0.0, 4.0),
        Form::Condition => polygon(&[
            (left, middle),
            (left + cut, top),
            (right - cut, top),
            (right, middle),
            (right - cut, bottom),
            (left + cut, bottom),
        ]),
        Form::Selector => polygon(&[
            (left + cut, top),
            (right, top),
            (right - cut, bottom),
            (left, bottom),
        ]),
        Form::Checkpoint => rect(0.0, size.height / 2.0),
        Form::ApplyCommands => rect(0.0, size.height / 2.0) + &rect(3.0, size.height / 2.0 - 3.0),
        Form::Loop => rect(0.0, 12.0) + &rect(3.0, 9.0),
        Form::Group | Form::Sweep => rect(0.0, 6.0),
        Form::Resource => polygon(&[
            (left, top),
            (right - cut, top),
            (right, top + cut),
            (right, bottom),
            (left, bottom),
        ]),
    });
    let text = if shape.is_open {
        Point {
            x: left + 12.0,
            y: top + 5.0,
        }
    } else {
        Point {
            x: left + (size.width - label.size.width) / 2.0,
            y: top + 5.0,
        }
    };
    label.write(out, text, "")?;
    out.push_str("</g>\n");
    Ok(())
}

/// The CSS classes of a line. The first one is unique for the style.
fn class(style: Style) -> &'static str {
    match style {
        Style::Declared => "order",
        Style::Guard => "guard",
        Style::Weak => "weak order",
        Style::Policy => "policy",
        Style::NeverBoth => "never",
        Style::Commands => "commands",
        Style::Reads => "reads touch",
        Style::Writes => "writes touch",
        Style::Folds => "folds touch",
        Style::Cycle => "cycle problem",
        Style::Race => "race problem",
    }
}

fn marker(style: Style) -> String {
    let class = class(style);
    format!("to-{}", class.split(' ').next().unwrap_or(class))
}

#[cfg(test)]
mod tests;
