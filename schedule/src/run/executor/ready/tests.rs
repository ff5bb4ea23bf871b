use super::{PlannedNodes, Ready, Role};
use schedule_graph::Edge;

#[test]
fn caller_runs_its_bound_nodes_before_its_own_chain() {
    // 0 → 1, and 2 → 3. Node 3 is bound.
    let edges = [(0, 1), (2, 3)].map(|(from, to)| Edge { from, to });
    let ready = Ready::new(&edges, &[false, false, false, true], false, 4);
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

#[test]
fn a_helper_hands_a_node_over_to_the_caller() {
    let edges = [(0, 1), (1, 2)].map(|(from, to)| Edge { from, to });
    let ready = Ready::new(&edges, &[false; 3], true, 3);
    let (mut count, found) = ready.begin();
    assert_eq!(found.next, Some(0));
    assert_eq!(ready.complete(Role::Helper, 0).next, Some(1));
    ready.count_done(1);
    let put = ready.hand_over(1);
    assert_eq!((put.next, put.has_put, put.has_open), (None, true, false));
    assert!(!ready.may_sleep(&count), "the caller has work");
    let mut planned = PlannedNodes::EMPTY;
    assert_eq!(ready.take(Role::Helper, &mut planned).next, None);
    assert_eq!(ready.take(Role::Caller, &mut planned).next, Some(1));
    assert_eq!(ready.complete(Role::Caller, 1).next, Some(2));
    assert_eq!(ready.complete(Role::Caller, 2).next, None);
    count.n_own = 2;
    assert!(ready.is_over(&count) && ready.is_reset());
}
