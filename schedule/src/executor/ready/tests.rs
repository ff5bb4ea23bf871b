use super::{PlannedNodes, Ready, Role};
use schedule_graph::Edge;

#[test]
fn caller_runs_its_bound_nodes_before_its_own_chain() {
    // 0 → 1, and 2 → 3. Node 3 is bound.
    let edges = [(0, 1), (2, 3)].map(|(from, to)| Edge { from, to });
    let ready = Ready::new(&edges, &[false, false, false, true], 4);
    let (_, found) = ready.begin();
    assert_eq!(found.next, Some(0));
    let mut planned = PlannedNodes::EMPTY;
    let taken = ready.take(Role::Helper, &mut planned);
    assert_eq!(taken.next, Some(2));
    let put = ready.complete(Role::Helper, 2);
    assert_eq!((put.next, put.has_put, put.has_open), (None, true, false));

    let found = ready.complete(Role::Caller, 0);
    assert_eq!(found.next, Some(3), "the bound one first");
    assert!(found.has_open, "others may run the next link meanwhile");
    assert_eq!(
        ready.take(Role::Helper, &mut planned).next,
        Some(1),
        "and find it"
    );
}
