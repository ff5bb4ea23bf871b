//! Applies the remedies that are written at the end of a compile-fail case.
//!
//! A case that must not compile ends with the change that makes it compile, written as a diff:
//!
//! ```text
//! //~ remedy
//! //~ - heal <- poison,
//! //~ + poison -> heal,
//! ```
//!
//! - `//~ remedy` starts a remedy. A case with alternative remedies has several; each is applied to the case on its own.
//! - `//~ - line` removes a line, `//~ + line` adds one, and `//~   line` keeps one, to show where the change applies.
//! - `//~` alone separates two changes of one remedy.
//!
//! The removed and kept lines of a change must be consecutive in the case, up to indentation, and must occur there exactly once.
//! The annotations are the last lines of a case, so that they do not shift the line numbers of the expected errors.

/// Returns the case after each of its remedies, as a module with a test; empty if the case has no remedy.
///
/// `fn main()` of the case becomes the test `it_compiles`.
///
/// # Errors
/// Returns a description of the first annotation that cannot be read or does not apply.
pub(crate) fn twins(case: &str) -> Result<Vec<String>, String> {
    let lines: Vec<_> = case.lines().collect();
    let n_code = lines
        .iter()
        .position(|line| line.trim_start().starts_with(MARK))
        .unwrap_or(lines.len());
    let (code, annotations) = lines.split_at(n_code);
    remedies(annotations, n_code + 1)?
        .iter()
        .map(|remedy| twin(code, remedy))
        .collect()
}

/// The start of each line of an annotation.
const MARK: &str = "//~";

/// The changes of one remedy.
type Remedy<'a> = Vec<Change<'a>>;

/// One change: `old`, which is not empty, becomes `new`.
#[derive(Default)]
struct Change<'a> {
    /// The number of the first of its lines in the case, from 1.
    line: usize,
    /// The removed and kept lines, without indentation.
    old: Vec<&'a str>,
    /// The kept and added lines, with the added ones as they are written.
    new: Vec<&'a str>,
    /// Whether any line is removed or added.
    is_change: bool,
}

/// Reads annotations, of which the first is line `first` of the case.
fn remedies<'a>(annotations: &[&'a str], first: usize) -> Result<Vec<Remedy<'a>>, String> {
    let mut remedies: Vec<Remedy<'a>> = Vec::new();
    let mut is_separate = true;
    for (line, annotation) in (first..).zip(annotations) {
        let fault = |text: &str| Err(format!("line {line}: {text}"));
        let Some(rest) = annotation.strip_prefix(MARK) else {
            return fault("only lines that start with `//~` can follow a remedy");
        };
        if rest == " remedy" {
            remedies.push(Vec::new());
            is_separate = true;
            continue;
        }
        let Some(remedy) = remedies.last_mut() else {
            return fault("a remedy must start with `//~ remedy`");
        };
        if rest.is_empty() {
            is_separate = true;
            continue;
        }
        if is_separate {
            remedy.push(Change {
                line,
                ..Change::default()
            });
            is_separate = false;
        }
        let change = remedy.last_mut().expect("one was just added");
        let (sign, text) = rest.split_at_checked(3).unwrap_or((rest, ""));
        match sign {
            " - " => change.old.push(text.trim()),
            " + " => change.new.push(text),
            "   " => {
                change.old.push(text.trim());
                change.new.push(text);
            }
            _ => {
                return fault(
                    "expected `//~ remedy`, `//~ - line`, `//~ + line`, `//~   line` or `//~`",
                );
            }
        }
        change.is_change |= sign != "   ";
    }
    for remedy in &remedies {
        if remedy.is_empty() {
            return Err("a remedy changes nothing".to_owned());
        }
        for change in remedy {
            let fault = |text: &str| Err(format!("line {}: {text}", change.line));
            if !change.is_change {
                return fault("this change neither removes nor adds a line");
            }
            if change.old.is_empty() {
                return fault("this change must keep or remove a line, to show where it applies");
            }
        }
    }
    Ok(remedies)
}

/// Applies a remedy to the code of a case. Each change is looked for in the code as it stands, whatever the others do.
fn twin(code: &[&str], remedy: &Remedy<'_>) -> Result<String, String> {
    let mut places = Vec::new();
    for change in remedy {
        let n_old = change.old.len();
        let is_place = |window: &[&str]| {
            let window = window.iter().map(|line| line.trim());
            window.eq(change.old.iter().copied())
        };
        let found: Vec<_> = code
            .windows(n_old)
            .enumerate()
            .filter(|(_, window)| is_place(window))
            .collect();
        let &[(start, _)] = &found[..] else {
            return Err(format!(
                "line {}: the removed and kept lines must occur once in the case, but occur {} times",
                change.line,
                found.len()
            ));
        };
        places.push((start..start + n_old, change));
    }
    places.sort_unstable_by_key(|(place, _)| place.start);
    for pair in places.windows(2) {
        if pair[1].0.start < pair[0].0.end {
            return Err(format!(
                "line {}: this change overlaps another one",
                pair[1].1.line
            ));
        }
    }
    let mut lines = code.to_vec();
    for (place, change) in places.into_iter().rev() {
        lines.splice(place, change.new.iter().copied());
    }
    let mut n_tests = 0;
    let mut twin = String::new();
    for line in lines {
        if let Some(body) = line.strip_prefix("fn main()") {
            n_tests += 1;
            twin += "#[test]\nfn it_compiles()";
            twin += body;
        } else {
            twin += line;
        }
        twin.push('\n');
    }
    if n_tests == 1 {
        Ok(twin)
    } else {
        Err(format!(
            "the case must have one `fn main()`, but has {n_tests}"
        ))
    }
}
