//! Compares the lengths of the two programs.

use std::fs;
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// Prints how many lines with code the example and this program have. Fails if the example has more.
pub(crate) fn compare() -> ExitCode {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let counts = [here.join("../../examples/arena"), here.join("arena")].map(|folder| {
        let files = fs::read_dir(&folder)?;
        let counts = files.map(|file| Ok(n_lines(&fs::read_to_string(file?.path())?)));
        counts.sum::<io::Result<usize>>()
    });
    let [Ok(schedule), Ok(bevy)] = counts else {
        eprintln!("error: the files of both programs cannot be read: {counts:?}");
        return ExitCode::FAILURE;
    };
    // Each program has a file without a counterpart in the other one.
    let schedule = schedule - n_lines(include_str!("../../../examples/arena/predict.rs"));
    let bevy = bevy - n_lines(include_str!("lines.rs"));
    println!("lines with code: {schedule} with `schedule`, {bevy} with `bevy_ecs`");
    if schedule > bevy {
        eprintln!("error: the example needs more lines than this program");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// The number of lines with code, without the tests at the end of a file.
fn n_lines(file: &str) -> usize {
    let lines = file
        .lines()
        .map(str::trim)
        .take_while(|line| *line != "#[cfg(test)]");
    let is_code = |line: &&str| !line.is_empty() && !line.starts_with("//");
    lines.filter(is_code).count()
}
