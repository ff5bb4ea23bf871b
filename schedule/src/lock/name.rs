//! Names in a lock file: written so that what stands beside them cannot be mistaken for a part of them.
//!
//! A plain name stands as it is: words with one space between them, of letters, digits, `_` and `::`, and anything that a type
//! has between brackets (`Grid<u8, 3>`). Any other name is a literal in quotes: see [`quoted`].

use crate::escape::{has_hidden, quoted};

/// The name, in quotes if it needs them.
pub(crate) fn name(name: &str) -> String {
    match is_plain(name) {
        true => name.to_string(),
        false => quoted(name),
    }
}

/// The name of a node, with its number if it is not the first of this name.
pub(crate) fn occurrence(of: &str, nth: usize) -> String {
    match nth {
        1 => name(of),
        nth => format!("{} #{nth}", name(of)),
    }
}

/// Words that mean something in a guard, or between two names.
const RESERVED: [&str; 6] = ["not", "and", "or", "is", "always", "never"];
/// Words that mean something before a name.
const PREFIXES: [&str; 4] = ["apply_commands", "repeat", "group", "checkpoint"];

/// Whether a name can stand without quotes. O(length).
pub(super) fn is_plain(name: &str) -> bool {
    let mut open = Vec::new();
    // Where words end: spaces outside of brackets.
    let mut spaces = Vec::new();
    for (at, c) in name.char_indices() {
        let is_outside = open.is_empty();
        match c {
            '<' => open.push('>'),
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            '>' | ')' | ']' | '}' if open.pop() != Some(c) => return false,
            '>' | ')' | ']' | '}' => {}
            ' ' if is_outside => spaces.push(at),
            ' ' | ',' | ';' | '&' | '\'' if !is_outside => {}
            '_' | ':' => {}
            c if c.is_alphanumeric() => {}
            _ => return false,
        }
    }
    let ends = spaces.iter().copied().chain([name.len()]);
    let starts = [0].into_iter().chain(spaces.iter().map(|at| at + 1));
    let mut words = starts.zip(ends).map(|(start, end)| &name[start..end]);
    let is_word = |word: &str| {
        word.starts_with(|c: char| c.is_alphanumeric() || c == '_')
            && !word.ends_with(':')
            && !word.replace("::", "").contains(':')
            && !RESERVED.contains(&word)
    };
    let has_prefix = !spaces.is_empty() && PREFIXES.iter().any(|one| name.starts_with(one));
    open.is_empty() && words.all(is_word) && !has_prefix && !has_hidden(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_types_functions_and_words_stand_without_quotes() {
        for plain in [
            "draw",
            "ui::draw",
            "exists<Grid<u8, 3>>",
            "array<f32, 3>",
            "List<(A, &'a B)>",
            "every 3",
            "apply_commands",
            "naïve_漢",
        ] {
            assert_eq!(name(plain), plain);
            assert_eq!(occurrence(plain, 2), format!("{plain} #2"));
        }
    }

    #[test]
    fn names_that_could_be_mistaken_stand_in_quotes() {
        for other in [
            "",
            " a",
            "a ",
            "a  b",
            "a, b",
            "a -> b",
            "a #2",
            "a: b",
            "a:",
            "a:b",
            "a\"",
            "`a`",
            "not",
            "not a",
            "a and b",
            "a or b",
            "a is b",
            "(a)",
            "a (b",
            "a)",
            "a<b",
            "a<(>)",
            "apply_commands a",
            "repeat while a",
            "group a",
            "checkpoint a",
            "always",
            "a\nb",
            "a\u{202e}",
            "Grid<\u{200b}>",
            "-",
            "a.b",
            "<a>",
        ] {
            assert_eq!(name(other), quoted(other));
        }
    }
}
