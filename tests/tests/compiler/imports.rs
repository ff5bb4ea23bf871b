//! Crates and modules depend on each other in only one direction.
//!
//! `ci/imports.txt` contains the rules. Test modules (`mod tests`) may import anything.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

const RULES: &str = include_str!("../../../ci/imports.txt");

/// An import of one module by another. The names are those of the folder and of the module in it, or only of the module.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Import {
    source: Vec<String>,
    target: Vec<String>,
    file: String,
}

/// The allowed dependencies of a crate or module.
#[derive(Debug)]
enum Rule {
    /// Only these.
    Only(BTreeSet<String>),
    /// All except these.
    Not(BTreeSet<String>),
}

impl Rule {
    /// `targets`: the names of the target: those of its folder, and its own.
    fn allows(&self, targets: &[impl AsRef<str>]) -> bool {
        let is_listed = |set: &BTreeSet<String>| {
            let mut targets = targets.iter();
            targets.any(|target| set.contains(target.as_ref()))
        };
        match self {
            Self::Only(allowed) => allowed.contains("*") || is_listed(allowed),
            Self::Not(forbidden) => !is_listed(forbidden),
        }
    }
}

/// Returns the rules, keyed by crate, by crate and module as `crate::module`, or by a module in a folder as `crate::folder::module`.
fn rules(text: &str) -> BTreeMap<String, Rule> {
    let mut rules = BTreeMap::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap().trim();
        if line.is_empty() {
            continue;
        }
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
        let (source, rule) = if let Some((source, targets)) = line.split_once("-/>") {
            (source, Rule::Not(words(targets)))
        } else if let Some((source, targets)) = line.split_once("->") {
            (source, Rule::Only(words(targets)))
        } else {
            panic!("`{line}` is not a rule: it has no `->` and no `-/>`");
        };
        for source in source.split_whitespace() {
            let old = rules.insert(
                source.to_owned(),
                match &rule {
                    Rule::Only(set) => Rule::Only(set.clone()),
                    Rule::Not(set) => Rule::Not(set.clone()),
                },
            );
            assert!(old.is_none(), "`{source}` has two rules");
        }
    }
    rules
}

/// Returns the packages of the workspace, as `cargo metadata` describes them.
fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--format-version",
            "1",
            "--offline",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

#[test]
fn crates_depend_on_each_other_in_one_direction() {
    let packages = packages();
    let names: BTreeSet<_> = packages
        .iter()
        .map(|package| package["name"].as_str().unwrap())
        .collect();
    let rules = rules(RULES);
    let mut wrong = Vec::new();
    for package in &packages {
        let name = package["name"].as_str().unwrap();
        let Some(rule) = rules.get(name) else {
            wrong.push(format!("`{name}` has no rule"));
            continue;
        };
        // Includes normal, build and dev-dependencies. `name` is the name of the package even if it is renamed.
        for dependency in package["dependencies"].as_array().unwrap() {
            let target = dependency["name"].as_str().unwrap();
            if names.contains(target) && target != name && !rule.allows(&[target]) {
                let kind = dependency["kind"].as_str().unwrap_or("normal");
                wrong.push(format!(
                    "`{name}` must not depend on `{target}` ({kind} dependency)"
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "against ci/imports.txt:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn modules_import_each_other_in_one_direction() {
    let rules = rules(RULES);
    let mut wrong = Vec::new();
    for package in packages() {
        let name = package["name"].as_str().unwrap();
        if !rules
            .keys()
            .any(|source| source.starts_with(&format!("{name}::")))
        {
            continue;
        }
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let prefix = format!("{name}::");
        for (source, rule) in &rules {
            let Some(source) = source.strip_prefix(&prefix) else {
                continue;
            };
            let (Rule::Only(targets) | Rule::Not(targets)) = rule;
            for module in targets.iter().map(String::as_str).chain([source]) {
                let path = format!("src/{}.rs", module.replace("::", "/"));
                assert!(
                    module == "*" || manifest.with_file_name(&path).exists(),
                    "ci/imports.txt names `{prefix}{module}`, which does not exist"
                );
            }
        }
        for Import {
            source,
            target,
            file,
        } in imports(&manifest.with_file_name("src"))
        {
            for n_names in 1..=source.len() {
                let (source, rule) = {
                    let source = source[..n_names].join("::");
                    let rule = rules.get(&format!("{name}::{source}"));
                    (source, rule)
                };
                // The target is named as exactly as the source: a rule of a folder is about folders, and one of a module about modules.
                let targets = (1..=n_names.min(target.len())).map(|n| target[..n].join("::"));
                let targets: Vec<String> = targets.collect();
                let is_inside = targets.last().is_none_or(|target| *target == source);
                if !is_inside && rule.is_some_and(|rule| !rule.allows(&targets)) {
                    let target = &targets[targets.len() - 1];
                    wrong.push(format!(
                        "{name}/{file}: `{source}` must not import `{target}`"
                    ));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "against ci/imports.txt:\n{}",
        wrong.join("\n")
    );
}

/// Libraries of the workspace use `internal`. `__private` is for generated code, so only `private.rs` re-exports
/// it.
#[test]
fn no_library_names_private_items_of_another() {
    let mut wrong = Vec::new();
    for package in packages() {
        let name = package["name"].as_str().unwrap();
        let is_library = name.starts_with("schedule-") && !name.starts_with("schedule-tests");
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let src = manifest.with_file_name("src");
        if !is_library || name == "schedule-macros" {
            continue;
        }
        for file in files(&src) {
            let text = fs::read_to_string(&file).unwrap();
            let tokens = tokens(&text);
            // Macros name `$crate::__private`.
            let is_named = tokens
                .windows(3)
                .any(|path| path[0] != "crate" && path[1..] == ["::", "__private"]);
            if is_named
                && !["private.rs", "lib.rs"]
                    .iter()
                    .any(|name| file.ends_with(name))
            {
                wrong.push(file.display().to_string());
            }
        }
    }
    assert!(wrong.is_empty(), "they name `__private`: {wrong:?}");
}

/// Returns the imports between the top-level modules of a crate: the importing module, the imported module, and the file.
fn imports(src: &Path) -> BTreeSet<Import> {
    let root = tokens(&fs::read_to_string(src.join("lib.rs")).unwrap());
    let modules: BTreeSet<_> = root
        .windows(3)
        .filter(|window| window[0] == "mod" && window[2] == ";")
        .map(|window| window[1].clone())
        .collect();
    // Names at the root of the crate, with the modules that export them.
    let mut exported: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (idx, token) in root.iter().enumerate() {
        if token == "use" {
            for path in paths(&root[idx + 1..]) {
                let path: Vec<_> = path
                    .into_iter()
                    .skip_while(|name| name == "crate" || name == "self")
                    .collect();
                if let [module @ .., name] = &path[..]
                    && !module.is_empty()
                {
                    let is_module = |name: &String| name.starts_with(char::is_lowercase);
                    let names = module
                        .iter()
                        .chain([name].into_iter().filter(|name| is_module(name)));
                    exported.insert(name.clone(), names.cloned().collect());
                }
            }
        }
    }
    let mut found = BTreeSet::new();
    for file in files(src) {
        let relative = file.strip_prefix(src).unwrap();
        let mut module: Vec<_> = relative
            .with_extension("")
            .iter()
            .map(|part| part.to_str().unwrap().to_owned())
            .collect();
        module.retain(|part| part != "mod" && part != "lib");
        if module.is_empty() || module.iter().any(|part| part == "tests") {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        for path in paths_from_root(&tokens(&text), &module) {
            let Some(first) = path.first() else { continue };
            let target = if modules.contains(first) {
                Some(&path)
            } else {
                exported.get(first)
            };
            if let Some(target) = target {
                found.insert(Import {
                    source: module[..module.len().min(2)].to_vec(),
                    target: target[..target.len().min(2)].to_vec(),
                    file: format!("src/{}", relative.display()),
                });
            }
        }
    }
    found
}

/// Returns the paths in a file that start at the root of its crate, without `crate`.
///
/// `module`: the path of the file's module. Inline modules named `tests` are ignored.
fn paths_from_root(tokens: &[String], module: &[String]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    // Open inline modules, each with the brace depth outside of it.
    let mut inline: Vec<(String, usize)> = Vec::new();
    let mut depth = 0;
    let token = |idx: usize| tokens.get(idx).map_or("", |token| &token[..]);
    let mut idx = 0;
    while idx < tokens.len() {
        match token(idx) {
            "mod" if token(idx + 2) == "{" => inline.push((tokens[idx + 1].clone(), depth)),
            "{" => depth += 1,
            "}" => {
                depth -= 1;
                inline.pop_if(|(_, outside)| *outside == depth);
            }
            "crate"
                if token(idx + 1) == "::"
                    && !matches!(token(idx.wrapping_sub(1)), "$" | "in")
                    && !inline.iter().any(|(name, _)| name == "tests") =>
            {
                found.extend(paths(&tokens[idx + 2..]));
            }
            "super" if token(idx + 1) == "::" && token(idx.wrapping_sub(1)) != "in" => {
                let mut n_up = 1;
                while token(idx + 2 * n_up) == "super" {
                    n_up += 1;
                }
                if !inline.iter().any(|(name, _)| name == "tests") {
                    let depth = (module.len() + inline.len()).saturating_sub(n_up);
                    // Inside braces, there can be more of them.
                    found.extend(
                        paths(&tokens[idx + 2 * n_up..])
                            .into_iter()
                            .filter(|path| {
                                path.iter().take_while(|name| *name == "super").count() == depth
                            })
                            .map(|path| path[depth..].to_vec()),
                    );
                }
                idx += 2 * n_up - 1;
            }
            _ => {}
        }
        idx += 1;
    }
    found
}

/// Returns the paths of the `use` tree or path at the start of these tokens. A renamed item has its new name.
fn paths(tokens: &[String]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    read_tree(tokens, &[], &mut found);
    found
}

/// Adds the paths of one tree, each prefixed with `prefix`. Returns the number of tokens in the tree.
fn read_tree(tokens: &[String], prefix: &[String], found: &mut Vec<Vec<String>>) -> usize {
    let token = |idx: usize| tokens.get(idx).map_or("", |token| &token[..]);
    let mut path = prefix.to_vec();
    let mut idx = 0;
    loop {
        if token(idx) == "{" {
            idx += 1;
            while !matches!(token(idx), "}" | "") {
                let n_read = read_tree(&tokens[idx..], &path, found);
                idx += n_read.max(1);
                if token(idx) == "," {
                    idx += 1;
                }
            }
            return idx + 1;
        }
        if !is_name(token(idx)) {
            break;
        }
        path.push(tokens[idx].clone());
        idx += 1;
        if token(idx) == "as" {
            path.pop();
            path.push(token(idx + 1).to_owned());
            idx += 2;
        }
        if token(idx) != "::" {
            break;
        }
        idx += 1;
    }
    found.push(path);
    idx + usize::from(token(idx) == "*")
}

fn is_name(token: &str) -> bool {
    token.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// Returns the words and punctuation of a Rust file, without comments and text literals. `::` is one token.
fn tokens(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let n_bytes = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(n_bytes) = raw_string(rest) {
            n_bytes
        } else if first == '"' {
            quoted(rest, '"')
        } else if let Some(n_bytes) = character(rest) {
            n_bytes
        } else if first.is_alphanumeric() || first == '_' {
            let is_end = |c: char| !c.is_alphanumeric() && c != '_';
            let n_bytes = rest.find(is_end).unwrap_or(rest.len());
            found.push(rest[..n_bytes].to_owned());
            n_bytes
        } else if rest.starts_with("::") {
            found.push("::".to_owned());
            2
        } else {
            if !first.is_whitespace() {
                found.push(first.to_string());
            }
            first.len_utf8()
        };
        rest = &rest[n_bytes..];
    }
    found
}

/// Returns the length of the raw string at the start of a text.
fn raw_string(text: &str) -> Option<usize> {
    let hashes = text.strip_prefix("br").or(text.strip_prefix('r'))?;
    let n_hashes = hashes.len() - hashes.trim_start_matches('#').len();
    let inside = hashes[n_hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(n_hashes));
    Some(text.len() - inside.len() + inside.find(&end)? + end.len())
}

/// Returns the length of the literal at the start of a text, up to the next quote that is not escaped.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (idx, c) in text.char_indices().skip(1) {
        if c == quote && !is_escaped {
            return idx + 1;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    text.len()
}

/// Returns the length of the character literal at the start of a text. A lifetime is not a character literal.
fn character(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('\'')?;
    let first = inside.chars().next()?;
    let is_literal = first == '\\' || inside[first.len_utf8()..].starts_with('\'');
    is_literal.then(|| quoted(text, '\''))
}

/// Returns the Rust files in a folder and its subfolders.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn imports_of_every_form_are_found() {
    let text = r##"
        use crate::plan::Plan; // use crate::comment::Nothing;
        use crate::{graph::{self, Edge}, Builder as B, time};
        use super::{node, super::resource::{Resources, cell}};
        use super::super::view::*;
        use self::inner::Thing;
        const TEXT: &str = "crate::text::in_quotes";
        const RAW: &str = r#"crate::text::"in"::raw_quotes"#;
        const QUOTE: char = '"';
        fn f<'a>(x: &'a crate::access::Access) -> bool { x == crate::identity::of::<u8>() }
        pub(in crate::executor) fn g() {}
        macro_rules! m { () => { $crate::macros::User } }
        mod inner { use super::super::super::cost::Cost; use super::super::ready; }
        mod tests { use crate::stream::Stream; }
        mod after { use crate::lock::Lock; }
    "##;
    let module = ["executor", "serial"].map(str::to_owned);
    let found: Vec<_> = paths_from_root(&tokens(text), &module)
        .into_iter()
        .map(|path| path.join("::"))
        .collect();
    let expected = [
        "plan::Plan",
        "graph::self",
        "graph::Edge",
        "B",
        "time",
        "resource::Resources",
        "resource::cell",
        "view",
        "access::Access",
        "identity::of",
        "cost::Cost",
        "lock::Lock",
    ];
    assert_eq!(found, expected);
}

#[test]
fn an_import_against_a_rule_is_found() {
    let rules = rules("a -> b\nc::d c::e -/> f g # reason\nh ->\ni -> *");
    let allows = |source: &str, target: &str| rules[source].allows(&[target]);
    assert!(allows("a", "b") && !allows("a", "c"));
    assert!(!allows("c::d", "f") && !allows("c::e", "g") && allows("c::e", "d"));
    assert!(!allows("h", "a") && allows("i", "a"));
    // A folder stands for its modules.
    let targets = ["b".to_owned(), "b::x".to_owned()];
    assert!(rules["a"].allows(&targets));
    let targets = ["f".to_owned(), "f::x".to_owned()];
    assert!(!rules["c::d"].allows(&targets));
}
