//! The memory of a stream with a long input. It should not depend on the length.

use std::fs;

use bench_report::{Results, Role, Row};
use benches::random_graph::Dice;
use schedule::Resources;
use schedule_stream::internal::{ProcessingMode, set_mode};
use schedule_stream::{Records, Stream};

use crate::business::Transfer;
use crate::entry::Entry;
use crate::handlers::{Account, Checking, Quote, Savings};

const N_ACCOUNTS: u32 = 10_000;

/// Processes inputs that are generated on demand, each ten times as long as the previous one, in each mode. Reports the maximum
/// resident set size after each.
pub(crate) fn measure(is_long: bool) -> Results {
    let mut resources = Resources::new();
    resources.insert(Records::<Quote>::new());
    resources.insert(Records::<Savings>::new());
    resources.insert(Records::<Checking>::new());
    let accounts = (0..N_ACCOUNTS).map(|number| (number, Account(1_000_000)));
    resources.insert(Records::from_iter(accounts));
    println!("| way | events | settled | peak resident set, kB |\n|---|---:|---:|---:|");
    println!("| none | 0 | 0 | {} |", shown(peak_kb()));
    let mut rows = Vec::new();
    for processing in [
        ProcessingMode::Auto,
        ProcessingMode::Lanes,
        ProcessingMode::Queues,
        ProcessingMode::Tickets,
    ] {
        let mut stream = Stream::new();
        set_mode(&mut stream, processing);
        let powers: &[u32] = if is_long { &[5, 6, 7, 8] } else { &[5, 6, 7] };
        for power in powers {
            let n_events = 10_usize.pow(*power);
            let n_settled = settle(&mut stream, &mut resources, n_events);
            let peak = peak_kb();
            let shown = shown(peak);
            println!("| {processing:?} | {n_events} | {n_settled} | {shown} |");
            rows.extend(peak.map(|peak| {
                let row = Row::new("memory", "stream").with("events", n_events);
                let mode = format!("{processing:?}").to_lowercase();
                row.with("mode", mode).median_of(peak as f64)
            }));
        }
    }
    let measured = "Peak resident set of this process after each input, in turn.";
    Results::here("Memory of a stream", measured, "kB").with(rows, |_| Role::Ours)
}

/// Processes this number of transfers. Returns the number of settled ones.
fn settle(stream: &mut Stream<Entry>, resources: &mut Resources, n_events: usize) -> usize {
    let mut dice = Dice::new(8);
    let events = (0..n_events).map(|_| {
        let from = dice.below(N_ACCOUNTS as usize) as u32;
        Entry::from(Transfer {
            from,
            to: (from + 1 + dice.below(N_ACCOUNTS as usize - 1) as u32) % N_ACCOUNTS,
            amount: 1,
            n_steps: 0,
        })
    });
    let mut n_settled = 0_usize;
    let result = stream.process(resources, events, |outcome| {
        n_settled += usize::from(outcome.is_applied());
    });
    result.expect("all stores are there");
    n_settled
}

fn shown(kb: Option<u64>) -> String {
    kb.map_or("unknown".to_string(), |kb| kb.to_string())
}

/// Reads `/proc` on Linux: see `man 5 proc_pid_status`.
fn peak_kb() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}
