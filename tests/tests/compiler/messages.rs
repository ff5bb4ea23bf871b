//! A page with all texts that users can see: errors, warnings, reports, and notes of the compiler.
//!
//! `MESSAGES=FILE cargo test -p schedule-tests --test compiler messages` writes it. Compare the pages of two commits to see which texts
//! a change affects.
//!
//! The page is generated from the source files. Each string literal with at least two words outside of tests is a text. Literals of
//! invariants (`expect`, `unreachable!`, `debug_assert!`) are not texts, and neither are literals in attributes other than diagnostics.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, ImplItem, Item, TraitItem};

/// The tables of texts. All contents of these files are listed, with their names.
const TABLES: [&str; 4] = [
    "schedule/src/declare/messages.rs",
    "schedule-macros/src/messages.rs",
    "schedule-macros/src/messages/policies.rs",
    "schedule-macros/src/clauses/rows.rs",
];

/// Crates with texts in their code.
const CRATES: [&str; 4] = [
    "schedule",
    "schedule-graph",
    "schedule-stream",
    "schedule-view",
];

/// The crate whose texts are all in its table.
const MACROS: &str = "schedule-macros";

/// Strings of that crate that are not messages: a message of `syn` that it recognizes, and a link in a doc comment.
const NOT_MESSAGES: [&str; 2] = ["unexpected end of input", "[`{name}`]: {krate}::{path}"];

/// Macros and methods whose literals are not for users, because they describe broken invariants of the crate itself.
const INTERNAL: [&str; 7] = [
    "expect",
    "unreachable",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "model_fence",
    "env",
];

/// Attributes with texts for users.
const DIAGNOSTICS: [&str; 3] = ["diagnostic", "deprecated", "must_use"];

/// An item and its texts.
struct Entry {
    name: String,
    texts: Vec<String>,
}

/// The entries below a heading of a table, or of a file.
struct Section {
    heading: String,
    entries: Vec<Entry>,
}

pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the package is in the workspace")
        .to_owned()
}

/// Returns the source files in a folder and its subfolders, sorted, without test modules.
pub(super) fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    let tests: Vec<PathBuf> = found.iter().flat_map(|path| test_modules(path)).collect();
    found.retain(|path| {
        !tests
            .iter()
            .any(|test| path.with_extension("").starts_with(test))
    });
    found
}

/// Returns the test modules that a source file declares, as paths without extension.
fn test_modules(path: &Path) -> Vec<PathBuf> {
    let is_root = path.ends_with("src/lib.rs") || path.ends_with("src/main.rs");
    let folder = if is_root {
        path.parent().unwrap().to_owned()
    } else {
        path.with_extension("")
    };
    let text = fs::read_to_string(path).unwrap();
    let items = parse(&text, &path.display().to_string());
    let modules = items.iter().filter_map(|item| match item {
        Item::Mod(module) if is_test(&module.attrs) => Some(folder.join(module.ident.to_string())),
        _ => None,
    });
    modules.collect()
}

pub(super) fn parse(text: &str, path: &str) -> Vec<Item> {
    let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{path}: {error}"));
    file.items
}

/// Returns `true` for `#[cfg(test)]` and `#[cfg(all(test, …))]`.
pub(super) fn is_test(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| {
        let text = attr.to_token_stream().to_string().replace(' ', "");
        text.starts_with("#[cfg(test)]") || text.starts_with("#[cfg(all(test,")
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Returns the entries of items, with one entry for each function of an `impl` or trait. `is_counted` selects the texts.
fn entries(items: &[Item], is_counted: fn(&str) -> bool) -> Vec<Entry> {
    let mut found = Vec::new();
    let mut add = |name: String, tokens: TokenStream| {
        let mut texts = Vec::new();
        literals(tokens, is_counted, &mut texts);
        if !texts.is_empty() {
            found.push(Entry { name, texts });
        }
    };
    let shown = |tokens: &dyn ToTokens| {
        let text = tokens
            .to_token_stream()
            .to_string()
            .replace(" :: ", "::")
            .replace(" < ", "<");
        text.replace(" >", ">").replace("& ", "&")
    };
    let mut inner = Vec::new();
    for item in items.iter().filter(|item| !is_test(attributes(item))) {
        match item {
            Item::Const(item) => add(item.ident.to_string(), item.to_token_stream()),
            Item::Static(item) => add(item.ident.to_string(), item.to_token_stream()),
            Item::Fn(item) => add(item.sig.ident.to_string(), item.to_token_stream()),
            Item::Struct(item) => add(item.ident.to_string(), item.to_token_stream()),
            Item::Enum(item) => add(item.ident.to_string(), item.to_token_stream()),
            Item::Impl(item) => {
                let ty = shown(&item.self_ty);
                let of = item
                    .trait_
                    .as_ref()
                    .map(|(path, _)| path)
                    .and_then(|path| path.segments.last());
                for part in &item.items {
                    let (name, attrs) = match part {
                        ImplItem::Fn(part) => (part.sig.ident.to_string(), &part.attrs),
                        ImplItem::Const(part) => (part.ident.to_string(), &part.attrs),
                        _ => continue,
                    };
                    if is_test(attrs) {
                        continue;
                    }
                    let name = match of {
                        Some(of) if of.ident == "Display" => format!("{ty}, displayed"),
                        Some(of) => format!("<{ty} as {}>::{name}", of.ident),
                        None => format!("{ty}::{name}"),
                    };
                    add(name, part.to_token_stream());
                }
            }
            Item::Trait(item) => {
                let attrs = item.attrs.iter().map(ToTokens::to_token_stream);
                add(format!("trait {}", item.ident), attrs.collect());
                for part in &item.items {
                    if let TraitItem::Fn(part) = part {
                        let name = format!("{}::{}", item.ident, part.sig.ident);
                        add(name, part.to_token_stream());
                    }
                }
            }
            Item::Macro(item) => {
                let name = item.ident.as_ref().map_or_else(
                    || shown(&item.mac.path) + "!",
                    |name| format!("macro {name}"),
                );
                add(name, item.to_token_stream());
            }
            Item::Mod(item) => {
                if let Some((_, items)) = &item.content {
                    inner.extend(entries(items, is_counted));
                }
            }
            Item::Use(_) => {}
            other => add("other".to_owned(), other.to_token_stream()),
        }
    }
    found.extend(inner);
    found
}

/// Adds the texts in the tokens, in order.
fn literals(tokens: TokenStream, is_counted: fn(&str) -> bool, texts: &mut Vec<String>) {
    let trees: Vec<_> = tokens.into_iter().collect();
    for (idx, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&text)
                    && is_counted(&text.value())
                {
                    texts.push(text.value());
                }
            }
            TokenTree::Group(group) => {
                let before = |n: usize| idx.checked_sub(n).map(|idx| trees[idx].to_string());
                let is_attribute = group.delimiter() == Delimiter::Bracket
                    && (before(1).as_deref() == Some("#")
                        || before(1).as_deref() == Some("!") && before(2).as_deref() == Some("#"));
                let first = group
                    .stream()
                    .into_iter()
                    .next()
                    .map(|tree| tree.to_string());
                if is_attribute && !DIAGNOSTICS.contains(&first.as_deref().unwrap_or("")) {
                    continue;
                }
                // `name!(…)` or `name(…)`.
                let name = match before(1).as_deref() {
                    Some("!") => before(2),
                    _ => before(1),
                };
                if name.is_some_and(|name| INTERNAL.contains(&name.as_str())) {
                    continue;
                }
                literals(group.stream(), is_counted, texts);
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
    }
}

/// Returns whether a string has at least two words and is not markup. Names, keys and parts of pictures are not texts.
fn is_text(text: &str) -> bool {
    let is_markup = ["=\"", "<path ", "style=", "shape=", "stroke-", "font-"];
    if is_markup.iter().any(|part| text.contains(part)) {
        return false;
    }
    let words = text.split_whitespace();
    let has_letters = |word: &&str| word.chars().filter(|c| c.is_alphabetic()).count() > 1;
    words.filter(has_letters).count() > 1
}

/// Returns the sections of a table. Each begins with a line `// ---- Heading ----`.
fn table(path: &str) -> Vec<Section> {
    let text = fs::read_to_string(root().join(path)).unwrap();
    let mut sections = vec![(String::new(), String::new())];
    for line in text.lines() {
        let heading = line.strip_prefix("// ---- ");
        match heading.and_then(|rest| rest.strip_suffix(" ----")) {
            Some(heading) => sections.push((heading.to_owned(), String::new())),
            None => {
                let (_, text) = sections.last_mut().expect("begins with one");
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    let entries = |text: &str| entries(&parse(text, path), |_| true);
    sections
        .into_iter()
        .map(|(heading, text)| Section {
            heading,
            entries: entries(&text),
        })
        .filter(|section| !section.entries.is_empty())
        .collect()
}

/// Returns the sections of a crate, one for each file with texts, without the tables.
fn texts_of(folder: &str) -> Vec<Section> {
    let root = root();
    let mut sections = Vec::new();
    for path in sources(&root.join(folder).join("src")) {
        let name = path
            .strip_prefix(&root)
            .unwrap()
            .to_str()
            .unwrap()
            .replace('\\', "/");
        if TABLES.contains(&name.as_str()) {
            continue;
        }
        let entries = entries(&parse(&fs::read_to_string(&path).unwrap(), &name), is_text);
        if !entries.is_empty() {
            sections.push(Section {
                heading: name,
                entries,
            });
        }
    }
    sections
}

const HEAD: &str = "\
# Messages

All texts that a user of this project can see: errors, warnings, reports, and notes of the compiler.

- The tables are complete. `schedule!` and `Builder::build` share the first one. The second one has all texts of the macros.
- Of the other files, each string with at least two words is listed, except markup, tests, `expect` and `unreachable!`.
- `{…}` is a hole that a value fills. In the first table, `[…]` is left out if a hole in it has no value.
";

fn page() -> String {
    let mut page = HEAD.to_owned();
    let mut write = |title: &str, sections: Vec<Section>| {
        write!(page, "\n## {title}\n").unwrap();
        for Section { heading, entries } in sections {
            if !heading.is_empty() {
                write!(page, "\n### {heading}\n").unwrap();
            }
            page.push_str("\n```text\n");
            for Entry { name, texts } in entries {
                writeln!(page, "{name}").unwrap();
                for text in texts {
                    // The first line of a text has a mark that separates it from other texts of the same item.
                    for (idx, line) in text.split('\n').enumerate() {
                        let mark = if idx == 0 { "  | " } else { "    " };
                        writeln!(page, "{}", format!("{mark}{line}").trim_end()).unwrap();
                    }
                }
            }
            page.push_str("```\n");
        }
    };
    for path in TABLES {
        write(&format!("Table `{path}`"), table(path));
    }
    for folder in CRATES {
        write(&format!("Crate `{folder}`"), texts_of(folder));
    }
    page
}

#[test]
fn page_of_messages_has_the_texts_of_every_crate() {
    let page = page();
    if let Some(path) = std::env::var_os("MESSAGES") {
        fs::write(path, &page).unwrap();
    }
    // The parts of the page, each with a text that it must contain.
    let mut parts = page.split("\n## ").skip(1);
    for (title, text) in [
        ("Table `schedule/src/declare/messages.rs`", "nothing orders"),
        (
            "Table `schedule-macros/src/messages.rs`",
            "cannot be `async`",
        ),
        ("Table `schedule-macros/src/messages/policies.rs`", "policy"),
        (
            "Table `schedule-macros/src/clauses/rows.rs`",
            "failure policy",
        ),
        ("Crate `schedule`", "is missing"),
        ("Crate `schedule-graph`", ""),
        ("Crate `schedule-stream`", "journal"),
        ("Crate `schedule-view`", "--radius"),
    ] {
        let part = parts.next().unwrap();
        assert!(part.starts_with(title), "`{title}` is missing");
        assert!(part.contains(text) && part.contains("\n  | "), "{part}");
    }
    assert_eq!(parts.next(), None);
}

#[test]
fn texts_are_listed_with_their_items_and_tests_are_not() {
    let source = r#"
        const LIMIT: &str = "at most one";
        impl Display for Fault { fn fmt(&self) { write!(f, "it is broken") } }
        fn invariant() { all.expect("it is never empty") }
        #[cfg(test)] mod tests { const TEXT: &str = "of a test"; }
        #[diagnostic::on_unimplemented(message = "it cannot be used")] trait Usable {}
    "#;
    let found = entries(&parse(source, "here"), is_text);
    let found: Vec<_> = found
        .iter()
        .map(|entry| (entry.name.as_str(), entry.texts.join("; ")))
        .collect();
    let expected = [
        ("LIMIT", "at most one"),
        ("Fault, displayed", "it is broken"),
        ("trait Usable", "it cannot be used"),
    ];
    assert_eq!(found, expected.map(|(name, text)| (name, text.to_owned())));
}

#[test]
fn all_texts_of_the_macros_are_in_their_table() {
    let mut elsewhere = Vec::new();
    for Section { heading, entries } in texts_of(MACROS) {
        let texts = entries
            .into_iter()
            .flat_map(|entry| entry.texts)
            .filter(|text| !NOT_MESSAGES.contains(&text.as_str()));
        elsewhere.extend(texts.map(|text| format!("{heading}: {text}")));
    }
    assert!(
        elsewhere.is_empty(),
        "put these into schedule-macros/src/messages.rs:\n{}",
        elsewhere.join("\n")
    );
}
