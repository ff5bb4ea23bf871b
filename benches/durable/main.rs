//! Durable streams and services, compared with loops that only write and sync.
//!
//! `cargo bench -p benches --bench durable -- [--quick] [--stretches N] [--only PART] [--json FILE]`
//!
//! Parts: `batches` compares the time of 62 batches of 2,048 events of 64 bytes. `latency` has 64 tasks that submit events and
//! wait for the answers. `snapshot` does the same while a snapshot of 1,000,000 records is taken.
//!
//! All files are in a folder of the build directory. So its disk is measured.

mod bank;
mod batches;
mod latency;
mod redb_journal;

use std::path::Path;
use std::process::ExitCode;

use bench_report::{Results, Role};
use benches::options::Options;

const USAGE: &str = "usage: durable [--quick] [--stretches N] [--only PART] [--json FILE]";

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1), |_, _| Ok(false)) {
        Ok(options) => options,
        Err(mistake) => {
            eprintln!("{mistake}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("durable");
    let is_wanted = |part: &str| {
        let only = options.only.as_deref();
        only.is_none_or(|only| part.starts_with(only))
    };
    let effort = options.effort();
    let mut rows = Vec::new();
    if is_wanted("batches") {
        rows.extend(batches::measure(effort, &folder));
    }
    if is_wanted("latency") {
        rows.extend(latency::measure(effort, &folder));
    }
    if is_wanted("snapshot") {
        rows.extend(latency::during_snapshot(
            effort.n_stretches * effort.n_rounds,
            &folder,
        ));
    }
    drop(batches::empty(&folder));
    if rows.is_empty() {
        eprintln!("`--only` must be a part: `batches`, `latency` or `snapshot`\n{USAGE}");
        return ExitCode::from(2);
    }
    let results = Results::here(
        "Durable streams",
        "62 batches of 2,048 events of 64 bytes, one record for each batch, and the latency of 64 tasks.",
        "ms",
    );
    let role = |contender: &str| match contender {
        batches::LOOP => Role::Baseline,
        "durable stream" | "service" => Role::Ours,
        name if name.contains("redb") || name == latency::CHANNELS => Role::Peer,
        _ => Role::Variant,
    };
    options.write_json(|| results.with(rows, role).to_json())
}
