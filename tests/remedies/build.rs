//! Writes the twins of the compile-fail cases of `tests/ui`, and a module `twins.rs` that has all of them.
//!
//! A case with a wrong annotation gets an error instead of a twin.

#[path = "src/remedy.rs"]
mod remedy;

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    let ui = Path::new("../ui");
    println!("cargo::rerun-if-changed={}", ui.display());
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo"));
    let mut index = String::new();
    for subject in sorted(ui) {
        let folder = out.join(&subject);
        fs::create_dir_all(&folder).expect("the target directory is writable");
        let mut modules = String::new();
        for file in sorted(&ui.join(&subject)) {
            let Some(case) = file.strip_suffix(".rs") else {
                continue;
            };
            let source = ui.join(&subject).join(&file);
            let text = fs::read_to_string(&source).expect("a case is a text");
            let twins = remedy::twins(&text).unwrap_or_else(|fault| {
                let fault = format!("tests/ui/{subject}/{file}: {fault}");
                vec![format!("compile_error!({fault:?});\n")]
            });
            for (idx, twin) in twins.iter().enumerate() {
                let module = if idx == 0 {
                    case.to_owned()
                } else {
                    format!("{case}_{}", idx + 1)
                };
                let path = folder.join(&module).with_extension("rs");
                fs::write(&path, twin).expect("the target directory is writable");
                writeln!(modules, "    #[path = {path:?}]\n    mod r#{module};")
                    .expect("a string can grow");
            }
        }
        if !modules.is_empty() {
            writeln!(index, "mod r#{subject} {{\n{modules}}}").expect("a string can grow");
        }
    }
    fs::write(out.join("twins.rs"), index).expect("the target directory is writable");
}

/// The names of what is in a folder, in their order.
fn sorted(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder of cases");
    let mut names: Vec<_> = entries
        .map(|entry| entry.expect("an entry of the folder").file_name())
        .map(|name| name.into_string().expect("names of cases are Unicode"))
        .collect();
    names.sort_unstable();
    names
}
