//! Schedules whose runs do different amounts of work.

use super::{Machine, Mode, US};

/// Counts the modes of `n_runs` runs: serial, by timetable, by readiness. `cycle`: the work of the runs in microseconds, repeated.
///
/// There are ten systems. The first one does up to 100 µs of the work of a run. The others do equal parts of what is left, or do not run
/// if nothing is left.
fn modes_in_cycles(cycle: &[u32], n_runs: usize) -> [u32; 3] {
    let mut machine = Machine::new(10);
    let mut modes = [0; 3];
    for &work in cycle.iter().cycle().take(n_runs) {
        let took = |mode| match mode {
            Mode::Serial => work * US,
            Mode::Timetabled | Mode::Parallel => (work * 11 / 20 + 15) * US,
        };
        let start = machine.now;
        let mode = if let Some((mode, _)) = machine.auto.repetition(start) {
            machine.auto.end_repetition(start, start + took(mode));
            mode
        } else {
            let choice = machine.auto.choose(start, 2);
            if choice.is_timed {
                let rest = work.saturating_sub(100) / 9;
                for (rank, node) in machine.nodes.by_rank.iter_mut().enumerate() {
                    let took = if rank == 0 { work.min(100) } else { rest };
                    (node.about.took, node.about.n_timed) = (took * US, took.min(1));
                }
            }
            let (took, end) = (took(choice.mode), start + took(choice.mode));
            let (nodes, plan) = (&mut machine.nodes, &machine.plan);
            machine.auto.learn(choice, end, Some(took), 2, nodes, plan);
            choice.mode
        };
        machine.now = start + took(mode) + US;
        modes[mode as usize] += 1;
    }
    modes
}

/// As in a game whose rules run in every second frame only.
#[test]
fn several_threads_are_selected_although_the_work_of_runs_varies() {
    let cycles: [&[u32]; 4] = [
        &[100, 7_000],
        &[5_000, 100, 100],
        &[100, 300, 7_500, 7_700],
        &[100, 100, 100, 100, 9_000, 9_000, 9_000],
    ];
    for cycle in cycles {
        let [n_serial, ..] = modes_in_cycles(cycle, 2_400);
        assert!(n_serial < 120, "{cycle:?}: {n_serial}");
    }
}
