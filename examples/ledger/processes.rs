//! The method with worker processes.

use std::sync::Arc;
use std::time::Instant;

use schedule::BoxError;
use schedule::prelude::*;
use schedule_cluster::Cluster;
use schedule_stream::durable::Durable;
use schedule_stream::journal::{MemoryJournal, MemorySnapshots};

use crate::method::{Results, Run};
use crate::work::Work;
use crate::workload::Workload;

/// Declares the cluster of a workload.
pub(crate) fn cluster<B: Workload>(workload: &Arc<B>, work: Work) -> Cluster<B::Entry> {
    let workload = Arc::clone(workload);
    let resources = move || {
        let mut resources = Resources::new();
        B::insert(workload.tables(), &mut resources);
        resources.insert(work);
        resources
    };
    B::declare(Cluster::new(Durable::new("ledger", 1), resources)).constant::<Work>()
}

/// Starts a cluster with a journal in memory, and processes all events. The start of the processes is not measured.
///
/// # Errors
///
/// Fails if the processes do not start, or if they reject an event before its handler runs.
pub(crate) fn run<B: Workload>(workload: &B, cluster: Cluster<B::Entry>) -> Result<Run, BoxError> {
    let folder = tempfile::tempdir()?;
    let (journal, snapshots) = (MemoryJournal::new(), MemorySnapshots::new());
    let mut stream = cluster.recover_from(Box::new(journal), Box::new(snapshots), folder.path())?;
    let entries = workload.entries();
    let mut results = Results::of(entries.len());
    let start = Instant::now();
    stream.process(entries.iter().copied(), |outcome| results.add(outcome))?;
    let elapsed = start.elapsed();
    let resources = stream.control().collect()?;
    Ok(Run {
        elapsed,
        balances: B::balances_in(&resources),
        results: results.finish()?,
    })
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::path::Path;
    use std::process::Command;

    use inputs::transfers::reader;

    use super::*;
    use crate::bank::Bank;
    use crate::method;
    use crate::transfers::Ledger;

    /// Compares 1, 2 and 3 processes with the loop. A worker process runs the test with this name again, and never returns.
    fn assert_same<B: Workload>(workload: B, test: &str) {
        let workload = Arc::new(workload);
        let work = Work::new(0);
        let expected = method::serial(&*workload, work);
        for n_processes in 1..=3 {
            let test = format!("processes::tests::{test}");
            let cluster = cluster(&workload, work)
                .work_if_asked()
                .processes(n_processes)
                .command(move |_| {
                    let mut command = Command::new(env::current_exe().unwrap());
                    command.args(["--exact", "--nocapture", &test]);
                    command
                });
            let found = run(&*workload, cluster).unwrap();
            assert!(
                found.balances == expected.balances,
                "{n_processes} processes"
            );
            assert!(found.results == expected.results, "{n_processes} processes");
        }
        let results = &expected.results;
        assert!(results.iter().any(Result::is_ok) && results.iter().any(Result::is_err));
    }

    #[test]
    fn processes_and_loop_have_the_same_transfers() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("ledger/sample.csv");
        let ledger = Ledger::new(&reader::read(&file).unwrap());
        assert_same(ledger, "processes_and_loop_have_the_same_transfers");
    }

    #[test]
    fn processes_and_loop_have_the_same_bank() {
        let bank = Bank::with_n_events(3_000);
        assert_same(bank, "processes_and_loop_have_the_same_bank");
    }
}
