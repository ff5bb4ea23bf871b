//! Each example of one file prints the lines in `outputs`. With `BLESS=1`, the files are written again.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the names of the files with this extension in a folder of the package.
fn names(folder: &str, extension: &str) -> BTreeSet<String> {
    let files = fs::read_dir(package().join(folder)).unwrap();
    let paths = files.map(|file| file.unwrap().path());
    paths
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect()
}

/// Returns the path of a compiled example. `cargo test -p examples`, without the name of a test, also compiles the examples.
fn program(name: &str) -> PathBuf {
    let test = env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap();
    let program = profile
        .join("examples")
        .join(name)
        .with_extension(env::consts::EXE_EXTENSION);
    assert!(
        program.exists(),
        "{} is missing: use `cargo test -p examples --examples --test outputs`",
        program.display()
    );
    program
}

#[test]
fn each_example_of_one_file_prints_its_lines() {
    let is_blessed = env::var_os("BLESS").is_some();
    let mut faults = String::new();
    for name in names("", "rs") {
        let output = Command::new(program(&name)).output().unwrap();
        if !output.status.success() {
            let stderr = String::from_utf8_lossy(&output.stderr);
            faults += &format!("`{name}` fails ({}):\n{stderr}\n", output.status);
            continue;
        }
        let printed = String::from_utf8(output.stdout).unwrap();
        // Places in messages have the separators of the system.
        let printed = printed.replace("\r\n", "\n").replace('\\', "/");
        let path = package().join("outputs").join(&name).with_extension("txt");
        if is_blessed {
            fs::write(&path, &printed).unwrap();
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        if printed != expected {
            faults += &format!("`{name}` prints:\n{printed}\ninstead of:\n{expected}\n");
        }
    }
    assert!(
        faults.is_empty(),
        "{faults}`BLESS=1 cargo test -p examples --examples --test outputs` writes the files again"
    );
}

#[test]
fn each_example_has_an_output_and_is_short() {
    let examples = names("", "rs");
    assert_eq!(examples, names("outputs", "txt"));
    assert_eq!(examples.len(), 12);
    for name in examples {
        let path = package().join(&name).with_extension("rs");
        let n_lines = fs::read_to_string(&path).unwrap().lines().count();
        assert!(n_lines < 80, "{}: {n_lines} lines", path.display());
    }
}
