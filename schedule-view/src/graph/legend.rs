//! The legend below a picture, which explains its shapes and lines.

use core::fmt::{self, Write};

use super::label::{Label, NOTE_LINE};
use super::{class, marker, size, write_shape};
use crate::layout::{Frame, Point, Size};
use crate::sheet::{MARGIN, NOTE_CHAR, number, width};
use schedule::internal::{Scene, Shape, Style};

/// The entries for the shapes and lines of a picture.
pub(super) struct Legend {
    entries: Vec<Entry>,
}

/// A shape or a line with its meaning.
pub(super) enum Entry {
    Form(Shape, Label),
    Style(Style),
}

/// The length of a line in a legend, in pixels.
const SAMPLE: f64 = 44.0;

impl Legend {
    pub(super) fn new(scene: &Scene) -> Self {
        let forms = scene.forms().into_iter().map(|form| {
            let shape = Shape::sample(form);
            let label = Label::new(&shape.label, &[]);
            Entry::Form(shape, label)
        });
        Self {
            entries: forms.chain(scene.styles().map(Entry::Style)).collect(),
        }
    }

    /// Places the entries in rows of this width.
    pub(super) fn arrange(self, width: f64) -> (Vec<(Entry, Point)>, Size) {
        let mut placed = Vec::new();
        let (mut at, mut row, mut widest) = (Point::default(), 0.0_f64, 0.0_f64);
        for entry in self.entries {
            let size = entry.size();
            if at.x > 0.0 && at.x + size.width > width {
                at = Point {
                    x: 0.0,
                    y: at.y + row + 8.0,
                };
                row = 0.0;
            }
            placed.push((entry, at));
            row = row.max(size.height);
            widest = widest.max(at.x + size.width);
            at.x += size.width + MARGIN;
        }
        let size = Size {
            width: widest,
            height: at.y + row,
        };
        (placed, size)
    }
}

impl Entry {
    fn size(&self) -> Size {
        match self {
            Entry::Form(shape, label) => size(shape, label),
            Entry::Style(style) => Size {
                width: SAMPLE + 6.0 + width(style.text(), NOTE_CHAR),
                height: 25.0,
            },
        }
    }

    pub(super) fn write(&self, out: &mut String, at: Point) -> fmt::Result {
        match self {
            Entry::Form(shape, label) => {
                let size = self.size();
                write_shape(out, shape, label, Frame { at, size })
            }
            Entry::Style(style) => {
                let y = at.y + 12.5;
                let head = match style {
                    Style::Race => String::new(),
                    style => format!(" marker-end=\"url(#{})\"", marker(*style)),
                };
                writeln!(
                    out,
                    "<path class=\"line {}\" d=\"M{},{} h{SAMPLE}\"{head}/><text class=\"note\" x=\"{}\" y=\"{}\">{}</text>",
                    class(*style),
                    number(at.x),
                    number(y),
                    number(at.x + SAMPLE + 6.0),
                    number(y + NOTE_LINE / 3.0),
                    style.text()
                )
            }
        }
    }
}
