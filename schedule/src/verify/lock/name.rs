//! Names in a lock file, quoted if they could be ambiguous.
//!
//! A plain name is written unchanged. It consists of words with one space between them. A word has letters, digits, `_`
//! and `::`, and any text of a type in brackets (`Grid<u8, 3>`). Any other name is a quoted literal: see [`quoted`].

use crate::base::escape::{has_hidden, quoted};

/// Returns the name, quoted if necessary.
pub(crate) fn name(name: &str) -> String {
    if is_plain(name) {
        name.to_string()
    } else {
        quoted(name)
    }
}

/// Returns the name of a node, with a number unless it is the first one with this name.
pub(crate) fn occurrence(of: &str, nth: usize) -> String {
    match nth {
        1 => name(of),
        nth => format!("{} #{nth}", name(of)),
    }
}

/// Words with a meaning in a guard, or between two names.
const RESERVED: [&str; 6] = ["not", "and", "or", "is", "always", "never"];
/// Words with a meaning before a name.
const PREFIXES: [&str; 4] = ["apply_commands", "repeat", "group", "checkpoint"];

/// Whether a name needs no quotes. O(length).
pub(super) fn is_plain(name: &str) -> bool {
    let mut open = Vec::new();
    // The ends of words: spaces outside of brackets.
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
    fn names_of_types_functions_and_words_are_not_quoted() {
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
    fn ambiguous_names_are_quoted() {
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
