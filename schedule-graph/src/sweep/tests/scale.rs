//! Schedules of 10,000 nodes.

use super::*;

const N_NODES: u32 = if cfg!(miri) { 100 } else { 10_000 };

/// Asserts that the sweeps can be contracted, and returns their numbers of members.
fn sizes(case: &SweepCase) -> Vec<usize> {
    case.with(|input| {
        let sweeps = Sweeps::new(input);
        let contracted = sweeps.contract(input.edges);
        let n_inner: usize = sweeps.iter().map(|members| members.len() - 1).sum();
        assert_eq!(contracted.n_nodes() + n_inner, input.n_nodes());
        sweeps.iter().map(<[u32]>::len).collect()
    })
}

#[test]
fn long_chain_of_per_entity_nodes_is_one_sweep() {
    let edges: Vec<(u32, u32)> = (1..N_NODES).map(|to| (to - 1, to)).collect();
    let case = SweepCase::new(N_NODES as usize).edges(&edges);
    assert_eq!(sizes(&case), [N_NODES as usize]);
}

/// Every tenth node is of another kind, and is after all earlier nodes and before all later ones.
#[test]
fn barriers_separate_sweeps() {
    let barriers: Vec<u32> = (9..N_NODES).step_by(10).collect();
    let edges: Vec<(u32, u32)> = (0..N_NODES)
        .flat_map(|rank| {
            let barrier = rank / 10 * 10 + 9;
            match rank {
                _ if rank < barrier => vec![(rank, barrier)],
                _ => (rank + 1..N_NODES.min(rank + 11))
                    .map(|to| (rank, to))
                    .collect(),
            }
        })
        .collect();
    let case = SweepCase::new(N_NODES as usize)
        .others(&barriers)
        .edges(&edges);
    assert_eq!(sizes(&case), vec![9; barriers.len()]);
    let last = N_NODES - 2;
    let apart = case.apart(0, last);
    let is_path = matches!(apart, Some(Apart::Path { from, .. }) if from < 9);
    assert!(is_path, "{apart:?}");
}

/// Sweeps are refused one after the other, by conflicts and by paths, so each node considers all of them.
#[test]
fn nodes_without_any_permitted_sweep_stay_single() {
    let mut case = SweepCase::new(N_NODES as usize);
    let edges: Vec<(u32, u32)> = (1..N_NODES).map(|to| (to - 1, to)).collect();
    case = case.edges(&edges);
    for rank in 0..N_NODES {
        match rank % 2 {
            0 => case = case.other(rank, 0, AccessKind::Write),
            _ => case.nodes[rank as usize].as_mut().unwrap().store = 1,
        }
    }
    assert!(sizes(&case).is_empty());
}

/// Two stores in turn, with edges that each join respects.
#[test]
fn sweeps_of_two_stores_interleave() {
    let mut case = SweepCase::new(N_NODES as usize);
    for rank in 0..N_NODES {
        case.nodes[rank as usize].as_mut().unwrap().store = rank % 2;
        if rank % 4 == 3 {
            case = case.edges(&[(rank - 3, rank)]);
        }
    }
    assert_eq!(sizes(&case), vec![N_NODES as usize / 2; 2]);
}
