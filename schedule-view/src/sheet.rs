//! The frame of an SVG: its fonts, and its colours for light and dark mode.

use core::fmt::{self, Write};

use crate::layout::Size;
use crate::xml::xml;

/// The margin around the picture and between its sections, in pixels.
pub(super) const MARGIN: f64 = 16.0;
/// The width of a character and the height of a line, in pixels, for the widest of the requested fonts.
pub(super) const CHAR: (f64, f64) = (7.25, 15.0);
/// The width of a character of a note, in pixels.
pub(super) const NOTE_CHAR: f64 = 6.05;

/// A CSS selector, a property, and its colours in light and dark mode.
pub(super) type Colour<'c> = (&'c str, &'c str, &'c str, &'c str);

const COLOURS: [Colour<'_>; 3] = [
    (".page", "fill", "#ffffff", "#0d1117"),
    ("text", "fill", "#1f2328", "#e6edf3"),
    (".note", "fill", "#59636e", "#9198a1"),
];

const LOOK: &str = "text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;\
font-size:12px;white-space:pre}.note{font-size:10px}";

/// Writes the begin of an SVG of this size. `look` and `colours`: the additional styles of the content.
pub(super) fn begin(
    out: &mut String,
    title: &str,
    size: Size,
    look: &str,
    colours: &[Colour<'_>],
) -> fmt::Result {
    let (w, h) = (number(size.width), number(size.height));
    write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" \
         role=\"img\"><title>{}</title>\n<style>{LOOK}{look}",
        xml(title),
    )?;
    for (what, property, light, _) in COLOURS.iter().chain(colours) {
        write!(out, "{what}{{{property}:{light}}}")?;
    }
    out.push_str("@media(prefers-color-scheme:dark){");
    for (what, property, _, dark) in COLOURS.iter().chain(colours) {
        write!(out, "{what}{{{property}:{dark}}}")?;
    }
    out.push_str("}</style>\n");
    Ok(())
}

/// Writes the background and the title. Definitions must be written before.
pub(super) fn write_page(out: &mut String, title: &str) -> fmt::Result {
    writeln!(
        out,
        "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n<text x=\"{MARGIN}\" y=\"{}\">{}</text>",
        number(MARGIN + CHAR.1 - 3.0),
        xml(title)
    )
}

/// The width of a line of text, in pixels. Wide characters count as two.
pub(super) fn width(line: &str, of_char: f64) -> f64 {
    let chars = line.chars().map(|c| if is_wide(c) { 2.0 } else { 1.0 });
    of_char * chars.sum::<f64>()
}

/// Whether a character may be wide: scripts of East Asia, symbols and pictographs. True for some that are not wide.
fn is_wide(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{115f}' | '\u{2190}'..='\u{303e}' | '\u{3041}'..)
}

/// A number of pixels, rounded to tenths.
pub(super) fn number(pixels: f64) -> String {
    let tenths = (pixels * 10.0).round() as i64;
    match tenths % 10 {
        0 => format!("{}", tenths / 10),
        _ => format!("{:.1}", tenths as f64 / 10.0),
    }
}
