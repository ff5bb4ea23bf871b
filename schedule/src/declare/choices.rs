//! Orders that a build chose under [`Policy::Optimize`](crate::Policy::Optimize), as text that can be saved.

use core::fmt;
use core::str::FromStr;
use std::collections::BTreeSet;

use crate::base::escape::{has_hidden, quoted, unquoted};

/// The orders that a build chose, by name: see [`Schedule::choices`](crate::Schedule::choices).
///
/// As text, each order has its own line, so that a diff of a saved file shows the changes. Empty lines and lines that
/// begin with `#` are ignored. The second of several systems with the name `poison` is written `poison #2`. A name is
/// quoted if it contains characters other than letters, digits, spaces and ``_:<>(),&'[]{};``. In quotes, `"` and `\`
/// are escaped by `\`, and invisible characters are written as `\n`, `\r`, `\t` or `\u{…}`.
///
/// ```
/// use schedule::{Policy, prelude::*};
/// use schedule::report::Choices;
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
/// let frame = Schedule::builder()
///     .policy(Policy::Optimize)
///     .add::<poison>()
///     .add::<heal>()
///     .build()?;
/// assert_eq!(frame.choices().to_string(), "poison -> heal\n");
///
/// let pinned: Choices = "# decided in winter\nheal -> poison".parse()?;
/// let frame = Schedule::builder()
///     .policy(Policy::Optimize)
///     .add::<poison>()
///     .add::<heal>()
///     .pin(pinned)
///     .build()?;
/// assert_eq!(frame.systems().collect::<Vec<_>>(), ["heal", "poison"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Choices {
    choices: BTreeSet<Choice>,
}

/// An order that a build chose.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Choice {
    /// The system that runs first.
    pub first: Occurrence,
    /// The system that runs after it.
    pub then: Occurrence,
}

/// One of the systems with the same name. A loop has the name of its condition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Occurrence {
    /// The name.
    pub name: String,
    /// The number among the systems with this name, in the order in which they were added, from 1.
    pub nth: usize,
}

/// An error in the text of [`Choices`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChoicesError {
    /// The line, from 1.
    line: usize,
    what: &'static str,
}

impl Choices {
    /// All choices, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &Choice> {
        self.choices.iter()
    }

    /// The number of choices.
    pub fn len(&self) -> usize {
        self.choices.len()
    }

    /// Whether there are no choices.
    pub fn is_empty(&self) -> bool {
        self.choices.is_empty()
    }
}

impl FromIterator<Choice> for Choices {
    fn from_iter<I: IntoIterator<Item = Choice>>(choices: I) -> Self {
        Self {
            choices: choices.into_iter().collect(),
        }
    }
}

impl Extend<Choice> for Choices {
    fn extend<I: IntoIterator<Item = Choice>>(&mut self, choices: I) {
        self.choices.extend(choices);
    }
}

impl IntoIterator for Choices {
    type Item = Choice;
    type IntoIter = std::collections::btree_set::IntoIter<Choice>;

    fn into_iter(self) -> Self::IntoIter {
        self.choices.into_iter()
    }
}

impl fmt::Display for Choices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for choice in &self.choices {
            writeln!(f, "{choice}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {}", self.first, self.then)
    }
}

impl fmt::Display for Occurrence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, nth } = self;
        if is_plain(name) {
            f.write_str(name)?;
        } else {
            f.write_str(&quoted(name))?;
        }
        if *nth == 1 {
            return Ok(());
        }
        write!(f, " #{nth}")
    }
}

/// Whether a name needs no quotes: it contains no character that may begin an arrow, a number or a comment.
fn is_plain(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || " _:<>(),&'[]{};".contains(c);
    !name.is_empty() && name.trim() == name && name.chars().all(is_plain) && !has_hidden(name)
}

impl FromStr for Choices {
    type Err = ChoicesError;

    fn from_str(text: &str) -> Result<Self, ChoicesError> {
        let mut choices = BTreeSet::new();
        for (line, text) in (1..).zip(text.lines()) {
            let text = text.trim();
            if !text.is_empty() && !text.starts_with('#') {
                let choice = choice(text).map_err(|what| ChoicesError { line, what })?;
                choices.insert(choice);
            }
        }
        Ok(Self { choices })
    }
}

fn choice(text: &str) -> Result<Choice, &'static str> {
    const EXPECTED: &str = "expected `first -> then`";
    let (first, rest) = occurrence(text)?;
    let (then, rest) = occurrence(rest.strip_prefix("->").ok_or(EXPECTED)?.trim_start())?;
    if !rest.is_empty() {
        return Err(EXPECTED);
    }
    Ok(Choice { first, then })
}

/// Reads one occurrence from the start of a text. Returns it, and the rest of the text.
fn occurrence(text: &str) -> Result<(Occurrence, &str), &'static str> {
    let (name, rest) = match text.strip_prefix('"') {
        Some(quoted) => unquoted(quoted)?,
        None => {
            let end = text.find(['-', '#', '"']).unwrap_or(text.len());
            (text[..end].trim_end().to_string(), &text[end..])
        }
    };
    if name.is_empty() {
        return Err("expected the name of a system");
    }
    let rest = rest.trim_start();
    let Some(number) = rest.strip_prefix('#') else {
        return Ok((Occurrence { name, nth: 1 }, rest));
    };
    let end = number.find(|c: char| !c.is_ascii_digit());
    let (number, rest) = number.split_at(end.unwrap_or(number.len()));
    match number.parse() {
        Ok(nth) if nth > 0 => Ok((Occurrence { name, nth }, rest.trim_start())),
        _ => Err("expected a number of at least 1 after `#`"),
    }
}

impl ChoicesError {
    /// The number of the line with the error, from 1.
    pub fn line(&self) -> usize {
        self.line
    }
}

impl fmt::Display for ChoicesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl core::error::Error for ChoicesError {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(name: &str, nth: usize) -> Occurrence {
        Occurrence {
            name: name.to_string(),
            nth,
        }
    }

    #[test]
    fn each_line_is_one_choice() {
        let text = "\n# why\n  a::b<C, D> -> b #2\n\"a -> b\" #3->\"\"\"\"";
        assert_eq!(
            text.parse::<Choices>().unwrap_err().to_string(),
            "line 4: expected the name of a system"
        );
        let text = "b#2 -> a::b<C, D>\r\n\"a -> #b\\\"\" #3->c\n";
        let choices: Choices = text.parse().unwrap();
        let expected = [
            Choice {
                first: of("a -> #b\"", 3),
                then: of("c", 1),
            },
            Choice {
                first: of("b", 2),
                then: of("a::b<C, D>", 1),
            },
        ];
        assert!(choices.iter().eq(&expected));
        assert_eq!(
            choices.to_string(),
            "\"a -> #b\\\"\" #3 -> c\nb #2 -> a::b<C, D>\n"
        );
    }

    #[test]
    fn a_malformed_line_is_reported() {
        for (text, message) in [
            ("a", "line 1: expected `first -> then`"),
            ("a -> b -> c", "line 1: expected `first -> then`"),
            ("\na b -> \"c", "line 2: the name has no closing quote"),
            ("-> b", "line 1: expected the name of a system"),
            (
                "a #0 -> b",
                "line 1: expected a number of at least 1 after `#`",
            ),
            (
                "a -> b #x",
                "line 1: expected a number of at least 1 after `#`",
            ),
            (
                r#""\x" -> b"#,
                r#"line 1: expected `"`, `\`, `n`, `r`, `t` or `u{…}` after `\`"#,
            ),
        ] {
            assert_eq!(text.parse::<Choices>().unwrap_err().to_string(), message);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: if cfg!(miri) { 8 } else { 256 },
            // Miri has no files.
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn written_choices_are_read_back(
            choices in prop::collection::vec(("[a -#>\\\\\"\n\r\t\u{0}\u{202e}_é]{1,5}", 1..4_usize, ".{1,3}", 1..4_usize), 0..5),
        ) {
            let choices: Choices = choices
                .iter()
                .map(|(a, i, b, j)| Choice { first: of(a, *i), then: of(b, *j) })
                .collect();
            prop_assert_eq!(choices.to_string().parse::<Choices>(), Ok(choices));
        }
    }
}
