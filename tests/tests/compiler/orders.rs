//! Every order of the example `village` is necessary: the village does not compile without it.
//!
//! One crate contains a module for each order, in which only this order is missing. The compiler must find a race in each of these modules,
//! and no other errors.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::num::NonZero;
use std::ops::Range;
use std::path::PathBuf;
use std::thread::{self, available_parallelism};

use schedule_tests::has_full_counts;

use super::scratch::Scratch;

const VILLAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/village");

/// The file with the listing.
const MAIN: &str = "main.rs";

/// The texts of the village, keyed by file name.
type Texts = BTreeMap<String, String>;

#[test]
fn every_order_of_the_village_is_needed() {
    let village = texts();
    let orders = village.iter().flat_map(|(file, text)| {
        let sections = if file == MAIN {
            listing(text)
        } else {
            attributes(text)
        };
        let orders = sections
            .into_iter()
            .flat_map(|section| orders(text, section));
        orders.map(move |order| (file, order))
    });
    let orders: Vec<_> = orders.collect();
    assert!(orders.len() > 30, "found {} orders only", orders.len());
    // `cargo test` tries each fourth order, and `ci/all_tests.sh` all of them.
    let stride = if has_full_counts() { 1 } else { 4 };
    let orders: Vec<_> = orders.into_iter().step_by(stride).collect();

    let output = check(&village, &orders);
    let refused = refused(&output);
    let mut needless = String::new();
    for (idx, (file, order)) in orders.iter().enumerate() {
        if !refused.contains(&idx) {
            let line = village[*file][..order.at].matches('\n').count() + 1;
            needless += &format!("\n  {file}:{line}: {}", order.name);
        }
    }
    assert!(
        needless.is_empty(),
        "the village compiles without{needless}\n{output}"
    );
}

fn texts() -> Texts {
    let files = fs::read_dir(VILLAGE).expect("the example is there");
    let paths = files.map(|file| file.expect("the example is there").path());
    let sources = paths.filter(|path| path.extension().is_some_and(|found| found == "rs"));
    let texts = sources.map(|path| {
        let name = path.file_name().expect("is a file");
        let text = fs::read_to_string(&path).expect("is a text");
        (
            name.to_string_lossy().into_owned(),
            text.replace("\r\n", "\n"),
        )
    });
    texts.collect()
}

/// Writes the village with all copies, and returns the messages of the compiler. The module `without_n` omits order `n`. The modules
/// are distributed over several programs, which are compiled at the same time.
///
/// The root of each program is the whole village. For an order of the listing, only the listing is copied. For an order in an
/// attribute, everything is copied, because the listing names the system with the attribute.
fn check(village: &Texts, orders: &[(&String, Order)]) -> String {
    let scratch = Scratch::new("orders");
    let n_parts = available_parallelism().map_or(1, NonZero::get).min(8);
    for part in 0..n_parts {
        let folder = part_folder(part);
        let mut root = format!(
            "#![allow(warnings, reason = \"of the copies, only errors matter\")] {}",
            village[MAIN]
        );
        for (idx, (file, order)) in orders.iter().enumerate().skip(part).step_by(n_parts) {
            let name = format!("without_{idx}");
            root += &format!("mod {name};\n");
            let text = order.without(&village[*file]);
            let folder = folder.join(&name);
            if *file == MAIN {
                let listing = listing(&text).remove(0);
                let text = format!("use super::*;\nschedule! {{{}}}\n", &text[listing]);
                scratch.write(folder.join("mod.rs"), &text);
            } else {
                let mut copy = village.clone();
                copy.insert(file.to_string(), text);
                for (file, text) in copy {
                    let file = if file == MAIN { "mod.rs" } else { &file };
                    let text = text.replace("crate::", &format!("crate::{name}::"));
                    scratch.write(folder.join(file), &text);
                }
            }
        }
        for (file, text) in village {
            scratch.write(folder.join(file), if file == MAIN { &root } else { text });
        }
    }
    thread::scope(|scope| {
        let check = |part| {
            let root = part_folder(part).join(MAIN);
            scratch.compile(&root.to_string_lossy(), "metadata", "short")
        };
        let threads: Vec<_> = (0..n_parts)
            .map(|part| scope.spawn(move || check(part)))
            .collect();
        let outputs = threads
            .into_iter()
            .map(|thread| thread.join().expect("the compiler runs"));
        outputs
            .map(|output| String::from_utf8_lossy(&output.stderr).into_owned())
            .collect()
    })
}

fn part_folder(part: usize) -> PathBuf {
    format!("part_{part}").into()
}

/// Returns the copies that were rejected.
///
/// # Panics
///
/// Panics if the compiler found any error other than a race.
fn refused(output: &str) -> BTreeSet<usize> {
    // Further races at the same place have their own lines, which do not contain the word "error".
    let errors = output
        .lines()
        .filter(|line| line.contains("error"))
        .filter(|line| !line.starts_with("error: aborting due to "));
    errors
        .map(|line| {
            let is_race = line.contains("error[E0080]") && line.contains("nothing orders ");
            assert!(is_race, "no race: {line}\n{output}");
            let (_, copy) = line.split_once("without_").expect("is in a copy");
            let (idx, _) = copy.split_once(['/', '\\']).expect("is in a folder");
            idx.parse().expect("is numbered")
        })
        .collect()
}

/// An order, and the edits that remove it.
struct Order {
    /// The name in messages.
    name: String,
    /// The position in the text.
    at: usize,
    /// The replaced ranges with their replacements, in the order of the text.
    edits: Vec<(Range<usize>, String)>,
}

impl Order {
    fn without(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (range, new) in self.edits.iter().rev() {
            text.replace_range(range.clone(), new);
        }
        text
    }
}

/// Returns the contents of `schedule!`.
fn listing(text: &str) -> Vec<Range<usize>> {
    sections(text, "\nschedule! {", "\n}\n")
}

/// Returns the contents of `#[system(…)]`.
fn attributes(text: &str) -> Vec<Range<usize>> {
    sections(text, "\n#[system(", ")]\n")
}

fn sections(text: &str, start: &str, end: &str) -> Vec<Range<usize>> {
    let starts = text.match_indices(start).map(|(at, _)| at + start.len());
    starts
        .map(|start| start..start + text[start..].find(end).expect("has an end"))
        .collect()
}

/// Returns an order for each name in a clause, each arrow of a chain, and each name in the parentheses of a link.
fn orders(text: &str, section: Range<usize>) -> Vec<Order> {
    let tokens = tokens(text, section);
    let is = |idx, what: &str| match tokens.get::<usize>(idx) {
        Some(token) => &text[token.clone()] == what,
        None => false,
    };
    let is_before = |idx: usize, what: &str| idx > 0 && is(idx - 1, what);
    // Finds the matching parenthesis. Parentheses are not nested.
    let brackets = (0..tokens.len()).filter(|&idx| is(idx, "(") || is(idx, ")"));
    let close = |open| brackets.clone().find(|&idx| idx > open).expect("is closed");
    let open = |close| {
        brackets
            .clone()
            .rfind(|&idx| idx < close)
            .expect("is opened")
    };
    let name = |idx: usize| &text[tokens[idx].clone()];
    let delete = |idx: usize| (tokens[idx].clone(), String::new());
    // Deletes one name in parentheses, with the comma that separates it from the others.
    let delete_one = |idx: usize| {
        if is(idx + 1, ",") {
            vec![delete(idx), delete(idx + 1)]
        } else if is_before(idx, ",") {
            vec![delete(idx - 1), delete(idx)]
        } else {
            vec![delete(idx)]
        }
    };
    let names = |open: usize| {
        (open + 1..close(open))
            .filter(|&idx| !is(idx, ","))
            .collect::<Vec<_>>()
    };

    let mut orders = Vec::new();
    for idx in 0..tokens.len() {
        let at = tokens[idx].start;
        if is(idx, "after") || is(idx, "before") {
            let is_attribute = is(idx + 1, "=");
            let other = idx + 1 + usize::from(is_attribute);
            if is(other, "(") {
                orders.extend(names(other).into_iter().map(|one| Order {
                    name: format!("`{} {}`", name(idx), name(one)),
                    at: tokens[one].start,
                    edits: delete_one(one),
                }));
                continue;
            }
            let mut edits: Vec<_> = (idx..=other).map(delete).collect();
            if is_attribute {
                if is(other + 1, ",") {
                    edits.push(delete(other + 1));
                }
            } else if is_before(idx, ":") && [",", "{", "}"].iter().any(|end| is(other + 1, end)) {
                edits.insert(0, delete(idx - 1));
            }
            let name = format!("`{} {}`", name(idx), name(other));
            orders.push(Order { name, at, edits });
        } else if is(idx, "->") {
            let mut edits = vec![(tokens[idx].clone(), ",".to_owned())];
            // Parentheses without an arrow are not a chain.
            if is_before(idx, ")") {
                let start = open(idx - 1);
                if !is_before(start, "->") {
                    edits.splice(0..0, [delete(start), delete(idx - 1)]);
                }
            }
            if is(idx + 1, "(") {
                let end = close(idx + 1);
                if !is(end + 1, "->") {
                    edits.extend([delete(idx + 1), delete(end)]);
                }
            }
            let name = format!("`->` before `{}`", name(idx + 1));
            orders.push(Order { name, at, edits });
        } else if is(idx, "(") && (is_before(idx, "->") || is(close(idx) + 1, "->")) {
            let mut start = idx;
            while is_before(start, "->") {
                start -= 2;
                if is(start, ")") {
                    start = open(start);
                }
            }
            let start = tokens[start].start;
            orders.extend(names(idx).into_iter().map(|one| {
                let mut edits = vec![(start..start, format!("{}, ", name(one)))];
                edits.extend(delete_one(one));
                Order {
                    name: format!("`{}` in its chain", name(one)),
                    at: tokens[one].start,
                    edits,
                }
            }));
        }
    }
    orders
}

/// Returns the tokens without comments: paths with their generic arguments, arrows, and single characters.
fn tokens(text: &str, section: Range<usize>) -> Vec<Range<usize>> {
    let mut tokens = Vec::new();
    let mut at = section.start;
    while at < section.end {
        let rest = &text[at..section.end];
        let first = rest.chars().next().expect("is not at the end");
        let len = if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if rest.starts_with("->") {
            2
        } else if first.is_alphanumeric() || first == '_' {
            path_len(rest)
        } else {
            first.len_utf8()
        };
        tokens.push(at..at + len);
        at += len;
    }
    tokens
}

/// Returns the length of the path at the start of a text.
fn path_len(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '<' => depth += 1,
            '>' if depth > 0 => depth -= 1,
            _ if depth > 0 || c.is_alphanumeric() || c == '_' => {}
            ':' if text[at..].starts_with("::") => {
                chars.next();
            }
            _ => return at,
        }
    }
    text.len()
}
