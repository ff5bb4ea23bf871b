//! Labels: lines of text, and their size.

use core::fmt::{self, Write};

use crate::layout::{Point, Size};
use crate::sheet::{CHAR, NOTE_CHAR, number, width};
use crate::xml::xml;

/// The height of a line of a note, in pixels.
pub(super) const NOTE_LINE: f64 = 12.5;

/// The maximum number of characters in a line, unless there is no place to break it.
const MOST_CHARS: usize = 34;
/// The same for a note.
const MOST_NOTE_CHARS: usize = 42;

/// Lines of text, and lines of notes below.
#[derive(Clone, Debug)]
pub(super) struct Label {
    pub(super) lines: Vec<String>,
    pub(super) notes: Vec<String>,
    pub(super) size: Size,
}

impl Label {
    pub(super) fn new(text: &str, notes: &[String]) -> Self {
        let lines = match text {
            "" => Vec::new(),
            text => broken(text, MOST_CHARS),
        };
        let notes: Vec<String> = notes
            .iter()
            .flat_map(|note| broken(note, MOST_NOTE_CHARS))
            .collect();
        let widths = lines
            .iter()
            .map(|line| width(line, CHAR.0))
            .chain(notes.iter().map(|note| width(note, NOTE_CHAR)));
        Self {
            size: Size {
                width: widths.fold(0.0, f64::max),
                height: CHAR.1 * lines.len() as f64 + NOTE_LINE * notes.len() as f64,
            },
            lines,
            notes,
        }
    }

    /// Writes the label with this top left.
    pub(super) fn write(&self, out: &mut String, at: Point, class: &str) -> fmt::Result {
        let lines = self.lines.iter().map(|line| (line, CHAR.1, 3.5, ""));
        let notes = self.notes.iter().map(|line| (line, NOTE_LINE, 3.0, "note"));
        let mut bottom = at.y;
        for (line, height, below, own) in lines.chain(notes) {
            bottom += height;
            let class = if class.is_empty() { own } else { class };
            let class = match class {
                "" => String::new(),
                class => format!(" class=\"{class}\""),
            };
            let (x, y) = (number(at.x), number(bottom - below));
            write!(out, "<text{class} x=\"{x}\" y=\"{y}\">{}</text>", xml(line))?;
        }
        Ok(())
    }
}

/// Breaks a text into lines of at most `most` characters, after separators of words.
fn broken(text: &str, most: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for text in text.lines() {
        let mut line = String::new();
        for word in words(text) {
            let is_too_long = line.chars().count() + word.chars().count() > most;
            if is_too_long && !line.is_empty() {
                lines.push(core::mem::take(&mut line).trim_end().to_string());
            }
            line.push_str(word);
        }
        lines.push(line.trim_end().to_string());
    }
    // An empty text has one empty line.
    if lines.is_empty() {
        lines.push(String::new());
    }
    lines
}

/// The pieces between which a text may be broken: after spaces, `_` and `::`, and before `<`.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    core::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut chars = rest.char_indices().peekable();
        while let Some((_, c)) = chars.next() {
            let next = chars.peek();
            let breaks = match (c, next) {
                (_, None) => false,
                (_, Some((_, '<'))) => true,
                (' ' | '_', _) => true,
                (':', Some((_, next))) => *next != ':',
                _ => false,
            };
            if let (true, Some(&(at, _))) = (breaks, next) {
                let (word, behind) = rest.split_at(at);
                rest = behind;
                return Some(word);
            }
        }
        Some(core::mem::take(&mut rest))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_is_broken_between_words() {
        assert_eq!(broken("draw", 10), ["draw"]);
        assert_eq!(
            broken("render::mesh::draw_all<ui::Panel>", 12),
            ["render::", "mesh::draw_", "all<ui::", "Panel>"]
        );
        assert_eq!(broken("if a and b", 6), ["if a", "and b"]);
        assert_eq!(broken("", 6), [""]);
        assert_eq!(broken("a\nb", 6), ["a", "b"]);
    }

    #[test]
    fn the_pieces_of_a_text_join_to_the_text() {
        for text in ["", "_", "a_b::c<d>", "::<", "ü ß_漢::字"] {
            assert_eq!(words(text).collect::<String>(), text);
        }
    }
}
