//! The environment of a bench.

use std::env::{args, consts};
use std::process::Command;
use std::{fs, thread};

/// The cargo command that runs this program.
pub(crate) fn command() -> String {
    let mut arguments = args();
    let program = arguments.next().unwrap_or_default();
    let program = program.rsplit(['/', '\\']).next().unwrap_or_default();
    command_of(program, arguments)
}

fn command_of(program: &str, arguments: impl Iterator<Item = String>) -> String {
    // Cargo adds a hash to the name of the program, and the option `--bench`.
    let bench = program.rsplit_once('-').map_or(program, |(name, _)| name);
    let mut command = format!("cargo bench -p benches --bench {bench}");
    let mut is_file = false;
    for (idx, argument) in arguments.filter(|one| one != "--bench").enumerate() {
        command.push_str(if idx == 0 { " -- " } else { " " });
        // The file name does not matter.
        command.push_str(if is_file { "FILE" } else { &argument });
        is_file = ["--json", "--svg"].contains(&&*argument);
    }
    command
}

/// The processors, the system and the compiler, if known.
pub(crate) fn machine() -> String {
    let n_processors = thread::available_parallelism().map_or(1, |n| n.get());
    let mut machine = format!("{n_processors} processors");
    if let Some(model) = model() {
        machine.push_str(&format!(" ({model})"));
    }
    machine.push_str(&format!(", {}, {}", consts::OS, consts::ARCH));
    if let Some(compiler) = output("rustc", &["--version"]) {
        machine.push_str(&format!(", {compiler}"));
    }
    machine
}

/// The current date, in UTC.
pub(crate) fn date() -> Option<String> {
    output("date", &["-u", "+%Y-%m-%d"])
}

/// The commit of the current folder.
pub(crate) fn commit() -> Option<String> {
    output("git", &["describe", "--always", "--dirty"])
}

/// Reads `/proc` on Linux.
fn model() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let mut lines = text.lines();
    let line = lines.find_map(|line| line.strip_prefix("model name"))?;
    let (_, model) = line.split_once(':')?;
    Some(model.trim().to_string())
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !text.trim().is_empty()).then(|| text.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_names_the_bench_and_its_options() {
        let command = |arguments: &str| {
            let arguments = arguments.split_whitespace().map(str::to_string);
            command_of("executor-0123456789abcdef", arguments)
        };
        let plain = "cargo bench -p benches --bench executor";
        assert_eq!(command("--bench"), plain);
        assert_eq!(
            command("--only Render --json a.json --svg b.svg --quick --bench"),
            format!("{plain} -- --only Render --json FILE --svg FILE --quick")
        );
    }
}
