//! The environment of a bench.

use std::env::{args, consts};
use std::path::Path;
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
    let caches = caches(Path::new("/sys/devices/system/cpu/cpu0/cache"));
    if !caches.is_empty() {
        machine.push_str(&format!(", caches {}", caches.join(", ")));
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

/// The data caches of a processor, smallest first. Reads a folder of `/sys` on Linux.
fn caches(folder: &Path) -> Vec<String> {
    let caches = (0..).map_while(|nth| {
        let read = |file: &str| {
            let text = fs::read_to_string(folder.join(format!("index{nth}/{file}"))).ok()?;
            Some(text.trim().to_string())
        };
        Some((
            read("type")?,
            format!("L{} {}", read("level")?, read("size")?),
        ))
    });
    let with_data = caches.filter(|(kind, _)| kind != "Instruction");
    with_data.map(|(_, cache)| cache).collect()
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
    fn caches_are_those_with_data() {
        let folder = std::env::temp_dir().join(format!("caches-{}", std::process::id()));
        let all = [
            ("Data", 1, "32K"),
            ("Instruction", 1, "64K"),
            ("Unified", 2, "1024K"),
        ];
        for (nth, (kind, level, size)) in all.into_iter().enumerate() {
            let folder = folder.join(format!("index{nth}"));
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("type"), format!("{kind}\n")).unwrap();
            fs::write(folder.join("level"), format!("{level}\n")).unwrap();
            fs::write(folder.join("size"), format!("{size}\n")).unwrap();
        }
        assert_eq!(caches(&folder), ["L1 32K", "L2 1024K"]);
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(caches(&folder), [""; 0]);
    }

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
