//! Plain English: patterns of words that a reader has to read twice are counted in comments, messages and documents.
//!
//! `ci/words.txt` has how often each pattern is left in each folder of the workspace. A new use of a pattern fails, and so does a
//! count that is too high. With `BLESS=1`, the counts are lowered to what is found; they are never raised.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The counts that are left: `folder: n pattern, n pattern`. Lines that begin with `#` are comments.
const COUNTS: &str = "ci/words.txt";

/// Sequences of words that are not used, whatever stands between them.
///
/// The subject is named instead: "`build` reports", "a thread that waits", "the caller holds the lock". "There is no" and
/// "is no longer" are usual, and do not count.
const PHRASES: [&str; 8] = [
    "told of",
    "told about",
    "comes to what",
    "whoever",
    "nobody",
    "is no",
    "are no",
    "said by",
];

/// "What is missing is reported": a sentence whose subject is a clause. The name of the subject is shorter.
const CLAUSE: &str = "what … is";

/// Files that quote the patterns.
const EXCEPT: [&str; 2] = ["tests/tests/compiler/words.rs", "CONTRIBUTING.md"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the package is in the workspace")
        .to_owned()
}

/// Adds the files below a folder whose names end in `.rs`, `.md`, `.sh` or `.toml`.
fn add_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.starts_with('.') || name == "target" {
            continue;
        }
        if path.is_dir() {
            add_files(&path, files);
        } else if ["rs", "md", "sh", "toml"]
            .iter()
            .any(|one| path.extension().is_some_and(|found| found == *one))
        {
            files.push(path);
        }
    }
}

/// The words of a text in lower case, and whether a sentence begins with each. Identifiers with `_` are words of their own.
fn words(text: &str) -> Vec<(String, bool)> {
    let mut words = Vec::new();
    let mut begins = true;
    for part in text.split_whitespace() {
        let is_in_word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
        let mut ends = false;
        for word in part
            .split(|c| !is_in_word(c))
            .filter(|word| !word.is_empty())
        {
            words.push((word.to_lowercase(), begins));
            begins = false;
        }
        if part.ends_with(['.', '?', '!', ':', ';']) {
            ends = true;
        }
        begins |= ends;
    }
    words
}

/// The prose of a line of a source file: its comment, or its string. Of a document, the line.
fn prose(line: &str, is_source: bool) -> &str {
    if !is_source {
        return line;
    }
    match (line.find("//"), line.find('"'), line.find('#')) {
        (Some(at), _, _) => line[at..].trim_start_matches(['/', '!', '"']),
        (None, Some(at), _) => &line[at + 1..],
        (None, None, Some(at)) => &line[at + 1..],
        (None, None, None) => "",
    }
}

/// How often each pattern is in a text.
fn counts(text: &str, is_source: bool) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for line in text.lines() {
        let words = words(prose(line, is_source));
        for phrase in PHRASES {
            let parts: Vec<&str> = phrase.split(' ').collect();
            let found = words
                .windows(parts.len())
                .enumerate()
                .filter(|(at, window)| {
                    let is_same = |((word, _), part): (&(String, bool), &&str)| word == *part;
                    let before = at.checked_sub(1).map(|at| words[at].0.as_str());
                    let after = words.get(at + parts.len()).map(|(word, _)| word.as_str());
                    let is_usual = phrase.ends_with(" no")
                        && (before == Some("there")
                            || ["longer", "more"].map(Some).contains(&after));
                    window.iter().zip(&parts).all(is_same) && !is_usual
                });
            match found.count() {
                0 => {}
                n => *counts.entry(phrase).or_insert(0) += n,
            }
        }
        let is_clause = |(idx, (word, begins)): (usize, &(String, bool))| {
            let rest = &words[idx + 1..];
            let verbs = rest.iter().take_while(|(_, begins)| !begins);
            *begins && word == "what" && verbs.filter(|(word, _)| word == "is").count() > 1
        };
        match words
            .iter()
            .enumerate()
            .filter(|one| is_clause((one.0, one.1)))
            .count()
        {
            0 => {}
            n => *counts.entry(CLAUSE).or_insert(0) += n,
        }
    }
    counts
}

type Counts = BTreeMap<String, BTreeMap<String, usize>>;

/// The counts by folder; files beside the folders are in `.`.
fn found() -> Counts {
    let root = root();
    let mut files = Vec::new();
    add_files(&root, &mut files);
    let mut all = Counts::new();
    for path in files {
        let name = path
            .strip_prefix(&root)
            .unwrap()
            .to_str()
            .unwrap()
            .replace('\\', "/");
        if EXCEPT.contains(&name.as_str()) {
            continue;
        }
        let folder = name.split_once('/').map_or(".", |(folder, _)| folder);
        let is_source = !name.ends_with(".md");
        for (pattern, n) in counts(&fs::read_to_string(&path).unwrap(), is_source) {
            *all.entry(folder.to_owned())
                .or_default()
                .entry(pattern.to_owned())
                .or_insert(0) += n;
        }
    }
    all
}

fn parse(text: &str) -> Counts {
    let mut all = Counts::new();
    for line in text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
    {
        let (folder, patterns) = line.split_once(": ").unwrap_or_else(|| panic!("`{line}`"));
        for pattern in patterns.split(", ") {
            let (n, pattern) = pattern
                .split_once(' ')
                .unwrap_or_else(|| panic!("`{line}`"));
            let n = n.parse().unwrap_or_else(|_| panic!("`{line}`"));
            let patterns = all.entry(folder.to_owned()).or_default();
            patterns.insert(pattern.to_owned(), n);
        }
    }
    all
}

fn write(all: &Counts, old: &str) -> String {
    let head = old
        .lines()
        .take_while(|line| line.starts_with('#') || line.is_empty());
    let mut lines: Vec<String> = head.map(str::to_owned).collect();
    for (folder, patterns) in all {
        let patterns: Vec<String> = patterns
            .iter()
            .map(|(pattern, n)| format!("{n} {pattern}"))
            .collect();
        lines.push(format!("{folder}: {}", patterns.join(", ")));
    }
    lines.join("\n") + "\n"
}

/// The count of a pattern in a folder.
fn count(all: &Counts, folder: &str, pattern: &str) -> usize {
    all.get(folder)
        .and_then(|patterns| patterns.get(pattern))
        .copied()
        .unwrap_or(0)
}

#[test]
fn patterns_that_are_hard_to_read_become_fewer() {
    let path = root().join(COUNTS);
    let old = fs::read_to_string(&path).unwrap();
    let allowed = parse(&old);
    let found = found();
    let mut wrong = Vec::new();
    for (folder, patterns) in &found {
        for (pattern, n) in patterns {
            let most = count(&allowed, folder, pattern);
            if *n > most {
                wrong.push(format!(
                    "`{pattern}` in {folder}: {n} times, at most {most}; name the subject instead"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, write(&found, &old)).unwrap();
        return;
    }
    assert_eq!(
        found, allowed,
        "{COUNTS} is too high; lower it with: BLESS=1 cargo test -p schedule-tests --test compiler -- words"
    );
}

#[test]
fn patterns_are_found_in_comments_messages_and_documents() {
    let source = |text: &str| counts(text, true);
    let document = |text: &str| counts(text, false);
    assert_eq!(
        document("It is told of this."),
        BTreeMap::from([("told of", 1)])
    );
    assert_eq!(
        document("This is no system; nobody runs it."),
        BTreeMap::from([("is no", 1), ("nobody", 1)])
    );
    assert_eq!(
        document("If there is no rule, it is no longer used."),
        BTreeMap::new()
    );
    assert_eq!(
        document("What is missing is reported."),
        BTreeMap::from([(CLAUSE, 1)])
    );
    assert_eq!(
        document("See what is missing. It is reported."),
        BTreeMap::new()
    );
    assert_eq!(
        document("What is a system? It is a function."),
        BTreeMap::new()
    );
    assert_eq!(
        source("    // SAFETY: said by the caller"),
        BTreeMap::from([("said by", 1)])
    );
    assert_eq!(
        source("    panic!(\"`{name}` is no system\");"),
        BTreeMap::from([("is no", 1)])
    );
    assert_eq!(source("fn nobody_is_missed() {"), BTreeMap::new());
}
