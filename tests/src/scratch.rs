//! Packages that a test writes, and builds like a user builds a package.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A package that depends on `schedule` and `schedule-view`.
///
/// It is kept in the temporary folder of the tests. All these packages share one target directory, one profile and the versions of the
/// workspace's `Cargo.lock`, so that their dependencies are compiled once. Use `cargo build` instead of `cargo check`: it finds the same
/// errors, and reuses the compiled dependencies.
#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    /// Creates the package, or opens it. `temporary` is `env!("CARGO_TARGET_TMPDIR")` of the test.
    ///
    /// # Panics
    /// Panics if a file cannot be written.
    pub fn new(temporary: &str, name: &str) -> Self {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
        let workspace = tests.parent().expect("the workspace is around the tests");
        let path = |name: &str| format!("{:?}", workspace.join(name));
        let (schedule, view) = (path("schedule"), path("schedule-view"));
        let scratch = Self {
            folder: Path::new(temporary).join(name),
        };
        let manifest = format!(
            "[package]\nname = {name:?}\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
             [dependencies]\nschedule = {{ path = {schedule} }}\nschedule-view = {{ path = {view} }}\n\n\
             [profile.dev]\ndebug = false\nincremental = false\n\n[workspace]\n"
        );
        scratch.write("Cargo.toml", &manifest);
        let lock = fs::read_to_string(workspace.join("Cargo.lock"));
        // Cargo removes entries that this package does not need.
        fs::write(
            scratch.folder.join("Cargo.lock"),
            lock.expect("the workspace has one"),
        )
        .expect("a file can be written");
        scratch
    }

    /// Writes a file of the package, unless it already has this text.
    ///
    /// # Panics
    /// Panics if it cannot be written.
    pub fn write(&self, file: impl AsRef<Path>, text: &str) {
        let path = self.folder.join(file);
        if fs::read_to_string(&path).ok().as_deref() != Some(text) {
            let folder = path.parent().expect("a file is in a folder");
            fs::create_dir_all(folder).expect("a folder can be made");
            fs::write(path, text).expect("a file can be written");
        }
    }

    /// Removes a folder of the package, if it exists.
    ///
    /// # Panics
    /// Panics if it cannot be removed.
    pub fn remove(&self, folder: &str) {
        let path = self.folder.join(folder);
        if path.exists() {
            fs::remove_dir_all(path).expect("a folder can be removed");
        }
    }

    /// Runs cargo in the package, offline.
    ///
    /// # Panics
    /// Panics if cargo cannot be started.
    pub fn cargo(&self, arguments: &[&str]) -> Output {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        Command::new(cargo)
            .current_dir(&self.folder)
            .args(arguments)
            .args(["--offline", "--target-dir", "../scratch"])
            .output()
            .expect("cargo runs")
    }
}
