//! The lines that run from right to left, because items are on a cycle.

use std::collections::BTreeMap;

/// Whether each join has to run backward, such that the other joins have no cycle. The two vertices of a join differ.
///
/// A greedy heuristic for the feedback arc set (Eades, Lin, Smyth 1993): removes sources and sinks first, then the vertex with
/// the greatest difference between outgoing and incoming joins. O(vertices² + joins).
pub(super) fn backward(n_vertices: usize, joins: &[(usize, usize)]) -> Vec<bool> {
    let mut n_between: BTreeMap<(usize, usize), i64> = BTreeMap::new();
    for &join in joins {
        *n_between.entry(join).or_default() += 1;
    }
    let mut after = vec![Vec::new(); n_vertices];
    let mut before = vec![Vec::new(); n_vertices];
    // The number of joins between each vertex and the remaining ones.
    let mut n_behind = vec![0; n_vertices];
    let mut n_before = vec![0; n_vertices];
    for (&(from, to), &n) in &n_between {
        after[from].push((to, n));
        before[to].push((from, n));
        n_behind[from] += n;
        n_before[to] += n;
    }
    let mut left: Vec<usize> = (0..n_vertices).collect();
    let (mut head, mut tail) = (Vec::new(), Vec::new());
    while !left.is_empty() {
        let find = |is_it: &dyn Fn(usize) -> bool| left.iter().position(|&one| is_it(one));
        let is_end = |vertex: usize| n_behind[vertex] == 0 && n_before[vertex] > 0;
        let (position, is_tail) = if let Some(position) = find(&|one| n_before[one] == 0) {
            (position, false)
        } else if let Some(position) = find(&is_end) {
            (position, true)
        } else {
            let gain = |vertex: usize| n_behind[vertex] - n_before[vertex];
            let best = left.iter().map(|&one| gain(one)).max();
            let position = find(&|one| Some(gain(one)) == best);
            (position.expect("a vertex is left"), false)
        };
        let vertex = left.remove(position);
        if is_tail {
            tail.push(vertex);
        } else {
            head.push(vertex);
        }
        for &(to, n) in &after[vertex] {
            n_before[to] -= n;
        }
        for &(from, n) in &before[vertex] {
            n_behind[from] -= n;
        }
    }
    let mut position = vec![0; n_vertices];
    for (idx, vertex) in head.into_iter().chain(tail.into_iter().rev()).enumerate() {
        position[vertex] = idx;
    }
    let is_backward = joins
        .iter()
        .map(|&(from, to)| position[from] > position[to]);
    is_backward.collect()
}

#[cfg(test)]
mod tests {
    use super::backward;

    #[test]
    fn without_a_cycle_no_join_runs_backward() {
        let joins = [(2, 0), (0, 1), (2, 1), (3, 4)];
        assert_eq!(backward(5, &joins), [false; 4]);
    }

    #[test]
    fn the_fewest_joins_of_a_cycle_run_backward() {
        let joins = [(0, 1), (0, 1), (1, 2), (1, 2), (2, 0), (2, 3)];
        assert_eq!(
            backward(4, &joins),
            [false, false, false, false, true, false]
        );
    }
}
