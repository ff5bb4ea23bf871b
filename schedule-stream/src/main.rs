//! The command `schedule-stream`: prints and checks the files of a journal directory. It changes nothing, and the directory may be open.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use schedule_stream::journal::{self, Directory, Inspection};

const USAGE: &str = "\
Prints or checks the journal and the snapshots of a durable stream.

Usage: schedule-stream inspect DIR
       schedule-stream verify DIR

inspect  prints the segments, the snapshots, the dead letters, and what is torn or damaged
verify   reads all files; the exit code is 1 if a file is damaged

A torn end is not damage: the next start of the program cuts it off.
The directory may be in use. Nothing is changed.
";

/// The exit code for wrong arguments.
const MISUSED: u8 = 2;

enum Request {
    Inspect(PathBuf),
    Verify(PathBuf),
    Help,
    Version,
}

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let Some(request) = parse(&arguments) else {
        eprint!("error: the arguments must be `inspect DIR` or `verify DIR`\n\n{USAGE}");
        return ExitCode::from(MISUSED);
    };
    let done = match request {
        Request::Inspect(path) => read(&path).map(|inspection| inspection.to_string()),
        Request::Verify(path) => read(&path).and_then(|inspection| verified(&inspection)),
        Request::Help => Ok(USAGE.to_owned()),
        Request::Version => {
            Ok(concat!("schedule-stream ", env!("CARGO_PKG_VERSION"), "\n").to_owned())
        }
    };
    match done.and_then(|text| print(&text)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns `None` for arguments that are not understood.
fn parse(arguments: &[OsString]) -> Option<Request> {
    match arguments {
        [word] if word == "--help" || word == "-h" => Some(Request::Help),
        [word] if word == "--version" || word == "-V" => Some(Request::Version),
        [word, path] if word == "inspect" => Some(Request::Inspect(path.into())),
        [word, path] if word == "verify" => Some(Request::Verify(path.into())),
        _ => None,
    }
}

fn read(path: &Path) -> Result<Inspection, String> {
    let directory = Directory::existing(path);
    let directory =
        directory.map_err(|error| format!("cannot open `{}`: {error}", path.display()))?;
    journal::inspect(&directory).map_err(|error| error.to_string())
}

/// The summary of a directory without damage.
fn verified(inspection: &Inspection) -> Result<String, String> {
    if let Some(error) = inspection.error() {
        return Err(error.to_string());
    }
    let mut text = format!(
        "{} in {} and {} are whole\n",
        counted(inspection.n_batches(), "batch", "batches"),
        counted(inspection.segments.len() as u64, "segment", "segments"),
        counted(inspection.snapshots.len() as u64, "snapshot", "snapshots"),
    );
    if let Some(torn) = &inspection.torn {
        text += &format!("torn: {torn}\n");
    }
    Ok(text)
}

fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

fn print(text: &str) -> Result<(), String> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| format!("cannot write the standard output: {error}"))
}
