//! Documents: links have valid targets, each chapter of the user guide is listed and tested, and no document is too long.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the folder of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the package is in the workspace")
        .to_owned()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the Markdown files in a folder, sorted.
fn markdown_in(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    files.sort();
    files
}

fn chapters() -> Vec<PathBuf> {
    let mut chapters = markdown_in(&root().join("docs/book/src"));
    chapters.retain(|path| !path.ends_with("SUMMARY.md"));
    chapters
}

/// Returns the lines outside of code blocks, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    (1..).zip(text.lines()).filter(move |(_, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// Returns the targets of the links in a line: `[text](target)`.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target)
}

/// Returns the anchors that GitHub and mdBook generate for the headings of a document.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|(_, line)| line.starts_with('#'));
    let anchor = |(_, line): (usize, &str)| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
        title
            .chars()
            .filter(kept)
            .collect::<String>()
            .replace(' ', "-")
    };
    headings.map(anchor).collect()
}

/// Returns the files in a folder and its subfolders, without the build results.
fn files_in(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name == "target" || name.starts_with('.') {
            continue;
        }
        if path.is_dir() {
            files_in(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn source_files_have_at_most_600_lines() {
    let mut files = Vec::new();
    files_in(&root(), &mut files);
    let is_source = |file: &&PathBuf| file.extension().is_some_and(|extension| extension == "rs");
    for file in files.iter().filter(is_source) {
        let n_lines = read(file).lines().count();
        assert!(n_lines <= 600, "{}: {n_lines} lines", file.display());
    }
}

#[test]
fn architecture_names_files_that_exist() {
    let root = root();
    let mut files = Vec::new();
    files_in(&root, &mut files);
    let text = read(&root.join("ARCHITECTURE.md"));
    let quoted: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
    let is_file = |name: &&&str| name.ends_with(".rs") && !name.contains('*');
    let is_folder = |name: &&&str| name.ends_with('/') && name.len() > 1;
    for name in quoted.iter().filter(is_file) {
        assert!(
            files.iter().any(|file| file.ends_with(name)),
            "`{name}` does not exist"
        );
    }
    for name in quoted.iter().filter(is_folder) {
        let folders = files.iter().filter_map(|file| file.parent());
        let mut folders = folders.flat_map(Path::ancestors);
        assert!(
            folders.any(|folder| folder.ends_with(name)),
            "`{name}` does not exist"
        );
    }
}

/// The first column of the tables of files in the pages of the engines.
#[test]
fn pages_of_the_engines_name_existing_files() {
    for (page, folder) in [
        ("schedule-stream/src/README.md", "schedule-stream/src"),
        (
            "schedule/src/run/executor/README.md",
            "schedule/src/run/executor",
        ),
    ] {
        let text = read(&root().join(page));
        let (_, files) = text.split_once("\n## Files\n").expect("a table of files");
        let rows = files.lines().skip_while(|line| !line.starts_with("| `"));
        let mut n_files = 0;
        for row in rows.take_while(|line| line.starts_with("| `")) {
            let first = row.split('|').nth(1).unwrap();
            for name in first.split('`').skip(1).step_by(2) {
                let path = root().join(folder).join(name.replace("/*.rs", ".rs"));
                assert!(path.exists(), "{page}: `{name}` does not exist");
                n_files += 1;
            }
        }
        assert!(n_files > 10, "{page}: {n_files} files");
    }
}

#[test]
fn architecture_lists_every_folder() {
    assert_lists_folders("schedule");
    assert_lists_folders("schedule-stream");
}

/// Compares the table of a package in ARCHITECTURE.md with the folders of its sources.
fn assert_lists_folders(package: &str) {
    let text = read(&root().join("ARCHITECTURE.md"));
    let table = text.split_once(&format!("## Folders of `{package}`\n"));
    let (_, table) = table.unwrap_or_else(|| panic!("`{package}` has no table"));
    let rows = table.lines().skip_while(|line| !line.starts_with("| `"));
    let listed = rows
        .take_while(|line| line.starts_with("| `"))
        .map(|line| line.split('`').nth(1).unwrap().to_owned());
    let entries = fs::read_dir(root().join(package).join("src")).unwrap();
    let folders = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned());
    assert_eq!(
        listed.collect::<BTreeSet<_>>(),
        folders.collect::<BTreeSet<_>>(),
        "{package}"
    );
}

#[test]
fn links_point_to_existing_files_and_headings() {
    let root = root();
    let mut documents = markdown_in(&root);
    documents.extend(markdown_in(&root.join("docs/book/src")));
    documents.extend(markdown_in(&root.join("docs/decisions")));
    documents.push(root.join("schedule/src/run/executor/README.md"));
    documents.push(root.join("schedule-stream/src/README.md"));
    let mut broken = Vec::new();
    for document in &documents {
        let text = read(document);
        for (number, line) in prose(&text) {
            for target in targets(line).filter(|target| !target.contains("://")) {
                let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
                let path = match path {
                    "" => document.clone(),
                    path => document.parent().unwrap().join(path),
                };
                let is_found =
                    path.exists() && (anchor.is_empty() || anchors(&read(&path)).contains(anchor));
                if !is_found {
                    broken.push(format!("{}:{number}: {target}", document.display()));
                }
            }
        }
    }
    assert!(broken.is_empty(), "broken links:\n{}", broken.join("\n"));
}

#[test]
fn each_chapter_is_listed_and_tested() {
    let summary = read(&root().join("docs/book/src/SUMMARY.md"));
    let listed: Vec<&str> = summary.lines().flat_map(targets).collect();
    let tests = include_str!("../../src/lib.rs");
    for chapter in chapters() {
        let name = chapter.file_name().unwrap().to_str().unwrap();
        assert!(listed.contains(&name), "SUMMARY.md does not list {name}");
        let include = format!("include_str!(\"../../docs/book/src/{name}\")");
        assert!(
            tests.contains(&include),
            "tests/src/lib.rs does not test {name}"
        );
    }
}

#[test]
fn documents_are_short() {
    let mut limits = vec![
        (root().join("README.md"), 250),
        (root().join("ARCHITECTURE.md"), 200),
    ];
    limits.extend(chapters().into_iter().map(|chapter| (chapter, 250)));
    for (document, most) in limits {
        let n_lines = read(&document).lines().count();
        assert!(
            n_lines <= most,
            "{}: {n_lines} lines, at most {most}",
            document.display()
        );
        for (number, line) in prose(&read(&document)).filter(|(_, line)| !line.starts_with('|')) {
            let length = line.chars().count();
            assert!(
                length <= 140,
                "{}:{number}: {length} characters",
                document.display()
            );
        }
    }
}
