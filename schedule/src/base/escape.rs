//! Escapes user strings in text, since names and reasons may contain any character.
//!
//! A character is *hidden* if readers cannot see it, or if it changes the display of the text around it. These are
//! control characters, line and paragraph separators, spaces other than `' '`, marks of writing direction, and
//! characters without width. No text that this library writes contains a hidden character of a user string. Each format
//! has one rule:
//!
//! | format | rule | function |
//! |---|---|---|
//! | messages, reports, labels of pictures | hidden characters as `\n`, `\r`, `\t` or `\u{…}`; others unchanged | [`shown`] |
//! | lock files, choices | the same between `"`, with `\` before `"` and `\`; can be read back | [`quoted`] |
//! | JSON | hidden characters as `\u….`, in UTF-16; can be read back | [`json`] |
//! | DOT | `"`, `\` and `&` escaped, a line break as `\n`; otherwise as messages | [`dot`] |
//! | Mermaid | all but letters, digits and harmless punctuation as `#number;`, a line break as `<br/>`; otherwise as messages | [`mermaid`] |
//! | YAML, in the head of Mermaid | `\` before `"` and `\`; otherwise as messages | [`yaml`] |
//!
//! For labels of several lines, code that builds a label applies [`shown`] to each user string. So only the line breaks
//! of the label itself are left for the format.

use core::fmt::{self, Display, Write};

/// Whether the character is hidden, as defined in the module documentation.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || (c.is_whitespace() && c != ' ')
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a text contains a hidden character.
pub(crate) fn has_hidden(text: &str) -> bool {
    text.chars().any(is_hidden)
}

/// Writes a hidden character as an escape.
fn write_hidden(out: &mut dyn Write, c: char) -> fmt::Result {
    match c {
        '\n' => out.write_str("\\n"),
        '\r' => out.write_str("\\r"),
        '\t' => out.write_str("\\t"),
        c => write!(out, "\\u{{{:x}}}", u32::from(c)),
    }
}

/// Displays a user string in a message.
pub fn shown<T: Display>(text: T) -> Shown<T> {
    Shown(text)
}

/// See [`shown`].
#[derive(Clone, Copy, Debug)]
pub struct Shown<T>(T);

impl<T: Display> Display for Shown<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Showing(f), "{}", self.0)
    }
}

/// A writer that escapes hidden characters.
struct Showing<'w>(&'w mut dyn Write);

impl Write for Showing<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        while let Some(at) = rest.find(is_hidden) {
            let (before, behind) = rest.split_at(at);
            self.0.write_str(before)?;
            let mut chars = behind.chars();
            chars
                .next()
                .map_or(Ok(()), |hidden| write_hidden(self.0, hidden))?;
            rest = chars.as_str();
        }
        self.0.write_str(rest)
    }
}

/// Returns a string literal that [`unquoted`] can read. Different texts have different literals.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if is_hidden(c) => drop(write_hidden(&mut quoted, c)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Reads a literal that [`quoted`] wrote, after its first `"`. Returns the text, and the rest after the literal.
///
/// # Errors
///
/// If the text is not such a literal.
pub(crate) fn unquoted(text: &str) -> Result<(String, &str), &'static str> {
    const ESCAPE: &str = "expected `\"`, `\\`, `n`, `r`, `t` or `u{…}` after `\\`";
    let mut name = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => return Ok((name, chars.as_str())),
            '\\' => name.push(match chars.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some(c @ ('"' | '\\')) => c,
                Some('u') => {
                    let number = chars.as_str().strip_prefix('{').ok_or(ESCAPE)?;
                    let (number, behind) = number.split_once('}').ok_or(ESCAPE)?;
                    chars = behind.chars();
                    let number = u32::from_str_radix(number, 16).map_err(|_| ESCAPE)?;
                    char::from_u32(number).ok_or(ESCAPE)?
                }
                _ => return Err(ESCAPE),
            }),
            c => name.push(c),
        }
    }
    Err("the name has no closing quote")
}

/// Returns a JSON string.
pub(crate) fn json(text: &str) -> String {
    let mut json = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => json.extend(['\\', c]),
            c if is_hidden(c) => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    // Writing to a string cannot fail.
                    let _ = write!(json, "\\u{unit:04x}");
                }
            }
            c => json.push(c),
        }
    }
    json.push('"');
    json
}

/// Returns a DOT string. Graphviz reads a backslash as the start of an escape, and replaces HTML entities everywhere.
pub(crate) fn dot(text: &str) -> String {
    let mut dot = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => dot.push_str("\\\""),
            '\\' => dot.push_str("\\\\"),
            '\n' => dot.push_str("\\n"),
            '&' => dot.push_str("&amp;"),
            c if is_hidden(c) => {
                dot.push('\\');
                let _ = write_hidden(&mut dot, c);
            }
            c => dot.push(c),
        }
    }
    dot.push('"');
    dot
}

/// Escapes a text for a Mermaid label between quotes. Characters with a meaning in Mermaid, HTML or Markdown are
/// replaced by their numbers.
pub(crate) fn mermaid(text: &str) -> String {
    let mut mermaid = String::new();
    for (nth, line) in text.split('\n').enumerate() {
        if nth > 0 {
            mermaid.push_str("<br/>");
        }
        for c in shown(line).to_string().chars() {
            match c {
                c if c.is_alphanumeric() || " _,:()!?".contains(c) || !c.is_ascii() => {
                    mermaid.push(c);
                }
                // Writing to a string cannot fail.
                c => drop(write!(mermaid, "#{};", u32::from(c))),
            }
        }
    }
    if mermaid.is_empty() {
        // An empty label is a syntax error in Mermaid.
        mermaid.push(' ');
    }
    mermaid
}

/// Escapes a text for a YAML string between quotes.
pub(crate) fn yaml(text: &str) -> String {
    let shown = shown(text).to_string();
    shown.replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests;
