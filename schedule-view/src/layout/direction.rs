//! Which lines have to run from right to left, where things go in circles.

use std::collections::BTreeMap;

/// Whether each join, of two different vertices, is to run backward, so that no circle is left.
///
/// Vertices that nothing is behind, or before, are taken away first, and else the one with the most behind it and the
/// least before it (Eades, Lin, Smyth 1993). O(vertices² + joins) where there are circles.
pub(super) fn backward(n_vertices: usize, joins: &[(usize, usize)]) -> Vec<bool> {
    let mut n_between: BTreeMap<(usize, usize), i64> = BTreeMap::new();
    for &join in joins {
        *n_between.entry(join).or_default() += 1;
    }
    let mut behind = vec![Vec::new(); n_vertices];
    let mut before = vec![Vec::new(); n_vertices];
    // How many joins there are to what is left.
    let mut n_behind = vec![0; n_vertices];
    let mut n_before = vec![0; n_vertices];
    for (&(from, to), &n) in &n_between {
        behind[from].push((to, n));
        before[to].push((from, n));
        n_behind[from] += n;
        n_before[to] += n;
    }
    let mut left: Vec<usize> = (0..n_vertices).collect();
    let (mut head, mut tail) = (Vec::new(), Vec::new());
    while !left.is_empty() {
        let position = |is_it: &dyn Fn(usize) -> bool| left.iter().position(|&one| is_it(one));
        let is_end = |vertex: usize| n_behind[vertex] == 0 && n_before[vertex] > 0;
        let (place, is_tail) = if let Some(place) = position(&|one| n_before[one] == 0) {
            (place, false)
        } else if let Some(place) = position(&is_end) {
            (place, true)
        } else {
            let gain = |vertex: usize| n_behind[vertex] - n_before[vertex];
            let best = left.iter().map(|&one| gain(one)).max();
            let place = position(&|one| Some(gain(one)) == best);
            (place.expect("something is left"), false)
        };
        let vertex = left.remove(place);
        if is_tail {
            tail.push(vertex);
        } else {
            head.push(vertex);
        }
        for &(to, n) in &behind[vertex] {
            n_before[to] -= n;
        }
        for &(from, n) in &before[vertex] {
            n_behind[from] -= n;
        }
    }
    let mut place = vec![0; n_vertices];
    for (idx, vertex) in head.into_iter().chain(tail.into_iter().rev()).enumerate() {
        place[vertex] = idx;
    }
    let is_backward = joins.iter().map(|&(from, to)| place[from] > place[to]);
    is_backward.collect()
}

#[cfg(test)]
mod tests {
    use super::backward;

    #[test]
    fn nothing_runs_backward_without_a_circle() {
        let joins = [(2, 0), (0, 1), (2, 1), (3, 4)];
        assert_eq!(backward(5, &joins), [false; 4]);
    }

    #[test]
    fn of_a_circle_the_fewest_run_backward() {
        let joins = [(0, 1), (0, 1), (1, 2), (1, 2), (2, 0), (2, 3)];
        assert_eq!(
            backward(4, &joins),
            [false, false, false, false, true, false]
        );
    }
}
