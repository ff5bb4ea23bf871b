//! Fills the holes of a message, for `fmt` and for const evaluation.

use core::fmt::{self, Display};

/// A value for each hole. Bracketed sections of the message that contain a hole with the value `None` are omitted.
pub(crate) type Values<'v, V> = [(&'static str, Option<V>)];

/// The pieces of a message with the values of its holes.
///
/// It is generic because [`write`] fills holes with `Display` values, and const evaluation with values that need no trait.
pub(crate) struct Filling<'v, V> {
    rest: &'static str,
    values: &'v Values<'v, V>,
}

/// A piece of a message whose holes are filled.
pub(crate) enum Piece<'v, V> {
    Text(&'static str),
    Value(&'v V),
    /// A line break. The caller adds the indentation of the next line.
    LineBreak,
}

impl<'v, V> Filling<'v, V> {
    pub(crate) const fn new(text: &'static str, values: &'v Values<'v, V>) -> Self {
        Self { rest: text, values }
    }

    /// Returns the next piece. O(length of the piece + number of holes).
    pub(crate) const fn next(&mut self) -> Option<Piece<'v, V>> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            let special = find(self.rest, b"{[]\n");
            if special > 0 {
                let (text, rest) = self.rest.split_at(special);
                self.rest = rest;
                return Some(Piece::Text(text));
            }
            let (first, rest) = self.rest.split_at(1);
            match first.as_bytes()[0] {
                b'\n' => {
                    self.rest = rest;
                    return Some(Piece::LineBreak);
                }
                b'{' => {
                    let (hole, rest) = split(rest, b"}");
                    self.rest = rest;
                    if let Some(value) = self.value(hole) {
                        return Some(Piece::Value(value));
                    }
                }
                b'[' => {
                    let (part, behind) = split(rest, b"]");
                    self.rest = if self.has_all(part) { rest } else { behind };
                }
                // The end of a bracketed section that is not omitted.
                _ => self.rest = rest,
            }
        }
    }

    const fn value(&self, hole: &str) -> Option<&'v V> {
        let mut i = 0;
        while i < self.values.len() {
            let (name, value) = &self.values[i];
            if is_same(name, hole) {
                return value.as_ref();
            }
            i += 1;
        }
        None
    }

    /// Returns whether each hole of a section has a value.
    const fn has_all(&self, part: &'static str) -> bool {
        let mut holes = Holes::new(part);
        while let Some((hole, _)) = holes.next() {
            if self.value(hole).is_none() {
                return false;
            }
        }
        true
    }
}

/// The holes of a message, each with the fact whether it is in a bracketed section.
struct Holes {
    rest: &'static str,
    is_bracketed: bool,
}

impl Holes {
    const fn new(text: &'static str) -> Self {
        Self {
            rest: text,
            is_bracketed: false,
        }
    }

    const fn next(&mut self) -> Option<(&'static str, bool)> {
        loop {
            let special = find(self.rest, b"{[]");
            if special == self.rest.len() {
                return None;
            }
            let (first, rest) = self.rest.split_at(special).1.split_at(1);
            self.rest = rest;
            match first.as_bytes()[0] {
                b'{' => {
                    let (hole, rest) = split(rest, b"}");
                    self.rest = rest;
                    return Some((hole, self.is_bracketed));
                }
                bracket => self.is_bracketed = bracket == b'[',
            }
        }
    }
}

/// Returns whether a message fits these holes. It must contain every given hole and every optional hole. All of its other holes must be in
/// bracketed sections, and so must the optional ones.
pub(crate) const fn fits(text: &'static str, given: &[&str], optional: &[&str]) -> bool {
    let mut holes = Holes::new(text);
    while let Some((hole, is_bracketed)) = holes.next() {
        if !is_bracketed && !is_among(given, hole) {
            return false;
        }
    }
    has_each(text, given) && has_each(text, optional)
}

const fn has_each(text: &'static str, wanted: &[&str]) -> bool {
    let mut i = 0;
    while i < wanted.len() {
        let mut holes = Holes::new(text);
        let mut is_found = false;
        while let Some((hole, _)) = holes.next() {
            is_found |= is_same(hole, wanted[i]);
        }
        if !is_found {
            return false;
        }
        i += 1;
    }
    true
}

const fn is_among(names: &[&str], name: &str) -> bool {
    let mut i = 0;
    while i < names.len() {
        if is_same(names[i], name) {
            return true;
        }
        i += 1;
    }
    false
}

/// Returns the text before and after the first of these ASCII characters.
const fn split(text: &'static str, wanted: &[u8]) -> (&'static str, &'static str) {
    let at = find(text, wanted);
    assert!(at < text.len(), "a hole or a part has no end");
    let (before, rest) = text.split_at(at);
    (before, rest.split_at(1).1)
}

/// Returns the index of the first of these ASCII characters, or the length of the text.
const fn find(text: &str, wanted: &[u8]) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let mut i = 0;
        while i < wanted.len() {
            if bytes[at] == wanted[i] {
                return at;
            }
            i += 1;
        }
        at += 1;
    }
    at
}

/// Returns whether two texts are equal.
pub(crate) const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let mut i = 0;
    while i < one.len() {
        if one[i] != other[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// Starts a new line that is indented below a problem.
const INDENTED: &str = "\n      ";

/// Writes a message with its values.
pub(crate) fn write(
    f: &mut fmt::Formatter<'_>,
    text: &'static str,
    values: &Values<'_, &dyn Display>,
) -> fmt::Result {
    let mut filling = Filling::new(text, values);
    while let Some(piece) = filling.next() {
        match piece {
            Piece::Text(text) => f.write_str(text)?,
            Piece::Value(value) => value.fmt(f)?,
            Piece::LineBreak => f.write_str(INDENTED)?,
        }
    }
    Ok(())
}

/// `write_message!(f, TEXT, hole = value, …; hole = option, …)`: writes a message whose holes are filled with `Display` values.
macro_rules! write_message {
    ($f:expr, $text:ident $(, $hole:ident = $value:expr)* $(,)? $(; $($maybe:ident = $option:expr),+ $(,)?)?) => {{
        const { assert!($crate::declare::messages::fits(
            $crate::declare::messages::$text,
            &[$(stringify!($hole)),*],
            &[$($(stringify!($maybe)),+)?],
        )) };
        $crate::declare::messages::write($f, $crate::declare::messages::$text, &[
            $((stringify!($hole), Some(&$value as &dyn ::core::fmt::Display)),)*
            $($((stringify!($maybe), $option.as_ref().map(|value| value as &dyn ::core::fmt::Display)),)+)?
        ])
    }};
}
pub(crate) use write_message;

/// `message!(TEXT, hole = value, …)`: returns a message as a `String`.
macro_rules! message {
    ($($message:tt)+) => {
        ::core::fmt::from_fn(|f| $crate::declare::messages::write_message!(f, $($message)+)).to_string()
    };
}
pub(crate) use message;

/// `fill_in!(filler, text, TEXT, hole = value, …; hole = option, …)`: calls `filler.fill(text, TEXT, values)`. Also works in const
/// evaluation.
macro_rules! fill_in {
    ($filler:expr, $to:expr, $text:ident $(, $hole:ident = $value:expr)* $(,)? $(; $($maybe:ident = $option:expr),+ $(,)?)?) => {{
        const { assert!($crate::declare::messages::fits(
            $crate::declare::messages::$text,
            &[$(stringify!($hole)),*],
            &[$($(stringify!($maybe)),+)?],
        )) };
        $filler.fill($to, $crate::declare::messages::$text, &[
            $((stringify!($hole), Some($value)),)*
            $($((stringify!($maybe), $option),)+)?
        ])
    }};
}
pub(crate) use fill_in;

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "{a}[, at {b},] is odd[: {c} {d}]\nhelp: ä [{b}]{a}";

    fn filled(values: &Values<'_, &dyn Display>) -> String {
        fmt::from_fn(|f| write(f, TEXT, values)).to_string()
    }

    #[test]
    fn optional_text_without_all_its_values_is_left_out() {
        let (a, b): (&dyn Display, &dyn Display) = (&"`x`", &7);
        assert_eq!(filled(&[("a", Some(a))]), "`x` is odd\n      help: ä `x`");
        let without_d = filled(&[("c", Some(b)), ("d", None), ("a", Some(a))]);
        assert_eq!(without_d, "`x` is odd\n      help: ä `x`");
        assert_eq!(
            filled(&[
                ("a", Some(a)),
                ("b", Some(b)),
                ("c", Some(a)),
                ("d", Some(b))
            ]),
            "`x`, at 7, is odd: `x` 7\n      help: ä 7`x`"
        );
    }

    #[test]
    fn placeholders_in_values_are_not_expanded() {
        let a: &dyn Display = &"[{a}]";
        assert_eq!(
            filled(&[("a", Some(a))]),
            "[{a}] is odd\n      help: ä [{a}]"
        );
    }

    #[test]
    fn arguments_must_match_the_placeholders_exactly() {
        assert!(fits(TEXT, &["a"], &[]));
        assert!(fits(TEXT, &["a", "b"], &["c", "d"]));
        assert!(!fits(TEXT, &["b"], &[]));
        assert!(!fits(TEXT, &[], &["a"]));
        assert!(!fits(TEXT, &["a", "e"], &[]));
        assert!(!fits(TEXT, &["a"], &["e"]));
    }
}
