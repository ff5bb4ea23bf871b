//! Programs that a test writes and compiles.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::COMPILER;

/// A folder for the source files of programs.
///
/// It is kept in the temporary folder of the tests.
#[derive(Debug)]
pub(super) struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    /// Creates the folder, without any files of an earlier test.
    pub(super) fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder).expect("a folder can be removed");
        }
        fs::create_dir_all(&folder).expect("a folder can be made");
        Self { folder }
    }

    /// Writes a source file.
    pub(super) fn write(&self, file: impl AsRef<Path>, text: &str) {
        let path = self.folder.join(file);
        let folder = path.parent().expect("a file is in a folder");
        fs::create_dir_all(folder).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }

    /// Compiles a program from its root file, with the crates of this executable. `emit` is the output: `metadata`, or `link` for a
    /// program that can be run. The messages are on `stderr`, in the format `error_format`.
    pub(super) fn compile(&self, file: &str, emit: &str, error_format: &str) -> Output {
        let mut lines = COMPILER.lines();
        Command::new(lines.next().expect("begins with the compiler"))
            .args(lines)
            .args(["--crate-type=bin", "--crate-name=program", "--edition=2024"])
            .args([
                "--color=never".to_owned(),
                format!("--error-format={error_format}"),
            ])
            .arg(format!("--emit={emit}"))
            .args(["-o", "program"])
            .arg(file)
            .current_dir(&self.folder)
            .env("CARGO_CRATE_NAME", "program")
            .env("CARGO_PKG_NAME", "program")
            .output()
            .expect("the compiler runs")
    }

    /// Runs the compiled program.
    pub(super) fn run(&self) -> Output {
        Command::new(self.folder.join("program"))
            .output()
            .expect("the program starts")
    }
}
