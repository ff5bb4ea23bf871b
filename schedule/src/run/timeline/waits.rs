//! Analysis of waits: finds, for each execution of a finished run, the execution for which it waited. Goes through the run node by node.

use crate::verify::plan::Plan;
use schedule_graph::Edge;

/// An execution of a node. Times are in nanoseconds from the begin of the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExecutionInterval {
    pub(crate) start_ns: u64,
    pub(crate) end_ns: u64,
    /// The numbers of the start and the end among those of all executions, because many can have the same time. 0 in a simulation, in
    /// which a node has one execution.
    pub(crate) nth_start: u64,
    pub(crate) nth_end: u64,
    pub(crate) worker: u32,
    /// Whether a loop evaluates its condition again, at its end.
    pub(crate) is_repeat: bool,
    /// For a loop, whether its body runs next.
    pub(crate) goes_on: bool,
    /// For the first member of a sweep that ran: bit i is set if member i of its group ran with it, also for a sweep of one member. 0 for
    /// other nodes, and for members that ran one after the other.
    pub(crate) members: u64,
    /// Whether this is the part of another thread in the execution before it.
    pub(crate) is_part: bool,
}

/// The executions of all nodes in one list, so that a recorded run allocates little.
#[derive(Clone, Debug)]
pub(crate) struct ExecutionIntervals {
    /// Sorted by rank. The executions of a node are in order. The parts of one execution are consecutive.
    pub(crate) all: Vec<ExecutionInterval>,
    /// `firsts[rank]`: the index in `all` of the first execution of a node; len = n_nodes + 1.
    firsts: Vec<usize>,
}

impl ExecutionIntervals {
    fn n_nodes(&self) -> usize {
        self.firsts.len() - 1
    }

    fn of(&self, rank: usize) -> &[ExecutionInterval] {
        &self.all[self.firsts[rank]..self.firsts[rank + 1]]
    }
}

/// The executions of each node, by rank.
impl<I: IntoIterator<Item = ExecutionInterval>> FromIterator<I> for ExecutionIntervals {
    fn from_iter<T: IntoIterator<Item = I>>(nodes: T) -> Self {
        let nodes = nodes.into_iter();
        let n_nodes = nodes.size_hint().0;
        let mut all = Vec::with_capacity(n_nodes);
        let mut firsts = Vec::with_capacity(n_nodes + 1);
        firsts.push(0);
        for intervals in nodes {
            all.extend(intervals);
            firsts.push(all.len());
        }
        Self { all, firsts }
    }
}

/// An execution, and the index in its list of the execution that it waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RankedExecution {
    pub(crate) rank: u32,
    pub(crate) interval: ExecutionInterval,
    pub(crate) waited_for: Option<usize>,
}

/// Returns all executions, sorted by start and then by worker.
///
/// If a node comes before another, it has ended or was skipped before the other starts. So the execution that ended
/// last is found along the edges to a node. For nodes without an execution, their predecessors count. In a loop, an
/// execution belongs to the current iteration if it starts before the loop evaluates its condition again.
/// The members of a sweep that run together wait for the predecessors of all of them.
///
/// O(edges × iterations + executions × log(executions)).
pub(crate) fn find_waits(plan: &Plan, intervals: &ExecutionIntervals) -> Vec<RankedExecution> {
    let n_nodes = intervals.n_nodes();
    let mut incoming = Incoming {
        edges: plan.sweeps.incoming().unwrap_or_else(|| plan.incoming()),
        next: 0,
    };
    let mut end_of = vec![None; n_nodes];
    let mut begin_of = vec![None; n_nodes];
    for one in &plan.loops {
        end_of[one.begin as usize] = Some(one.end as usize);
        begin_of[one.end as usize] = Some(one.begin as usize);
    }
    let mut analysis = WaitAnalysis {
        intervals,
        executions: Vec::with_capacity(intervals.all.len()),
        n_taken: vec![0; n_nodes],
        latest: vec![None; n_nodes],
    };
    let sweeps = &plan.sweeps;
    let mut position = 0;
    while position < n_nodes {
        let rank = sweeps.rank_at(position as u32) as usize;
        // The last node of this step.
        let mut last = rank;
        if let Some(begin) = begin_of[rank] {
            let before = analysis.latest_of(incoming.to(rank as u32));
            analysis.latest[rank] = analysis.later(before, analysis.latest[begin]);
            if let Some(interval) = analysis.next(begin).filter(|interval| interval.is_repeat) {
                analysis.push(begin, interval, analysis.latest[rank]);
                analysis.latest[rank] = analysis.latest[begin];
                if interval.goes_on {
                    last = begin;
                }
            }
            position = sweeps.position(last as u32) as usize + 1;
            continue;
        }
        let enclosing_loop = plan.enclosing_loop(rank as u32);
        let begin = enclosing_loop.map(|idx| plan.loops[idx].begin);
        let ends = begin.and_then(|begin| analysis.next(begin as usize));
        let is_of_this_iteration = |interval: &ExecutionInterval| {
            !interval.is_repeat && ends.is_none_or(|end| interval.nth_start <= end.nth_start)
        };
        match sweeps.of(rank as u32).filter(|sweep| sweep.has_several()) {
            Some(sweep) => {
                for group in sweep.together() {
                    analysis.push_group(group, &mut incoming, is_of_this_iteration);
                }
                position += sweep.members.len();
                continue;
            }
            None => {
                let before = analysis.latest_of(incoming.to(rank as u32));
                let interval = analysis.next(rank).filter(is_of_this_iteration);
                match interval {
                    Some(interval) => analysis.push(rank, interval, before),
                    None => analysis.latest[rank] = before,
                }
                if let Some(end) = end_of[rank]
                    && !interval.is_some_and(|interval| interval.goes_on)
                {
                    analysis.latest[end] = analysis.latest[rank];
                    last = end;
                }
            }
        }
        position = sweeps.position(last as u32) as usize + 1;
    }
    analysis.by_start()
}

/// The state of the analysis.
struct WaitAnalysis<'s> {
    intervals: &'s ExecutionIntervals,
    executions: Vec<RankedExecution>,
    /// `n_taken[rank]`: the number of executions of a node that the analysis has taken.
    n_taken: Vec<usize>,
    /// `latest[rank]`: of a node and all nodes before it, the execution that ended last.
    latest: Vec<Option<usize>>,
}

impl WaitAnalysis<'_> {
    fn next(&self, rank: usize) -> Option<ExecutionInterval> {
        self.intervals.of(rank).get(self.n_taken[rank]).copied()
    }

    /// Adds an execution, with the parts of other threads.
    fn push(&mut self, rank: usize, interval: ExecutionInterval, waited_for: Option<usize>) {
        self.push_part(rank, interval, waited_for);
        if interval.members == 0 {
            return;
        }
        while let Some(part) = self.next(rank).filter(|next| next.is_part) {
            let latest = self.latest[rank];
            self.push_part(rank, part, waited_for);
            self.latest[rank] = self.later(latest, self.latest[rank]);
        }
    }

    fn push_part(&mut self, rank: usize, interval: ExecutionInterval, waited_for: Option<usize>) {
        self.n_taken[rank] += 1;
        self.latest[rank] = Some(self.executions.len());
        self.executions.push(RankedExecution {
            rank: rank as u32,
            interval,
            waited_for,
        });
    }

    /// Adds the executions of members of a sweep. They have run together, or one after the other.
    fn push_group(
        &mut self,
        group: &[u32],
        incoming: &mut Incoming<'_>,
        is_of_this_iteration: impl Fn(&ExecutionInterval) -> bool,
    ) {
        let before = group.iter().fold(None, |latest, &rank| {
            self.later(latest, self.latest_of(incoming.to(rank)))
        });
        for &member in group {
            let rank = member as usize;
            // Another member may have run with this one.
            let latest = self.later(self.latest[rank], self.latest_of(incoming.to(member)));
            match self.next(rank).filter(&is_of_this_iteration) {
                None => self.latest[rank] = latest,
                Some(interval) if interval.members == 0 => self.push(rank, interval, latest),
                Some(interval) => {
                    self.push(rank, interval, before);
                    for other in bits_of(interval.members) {
                        self.latest[group[other] as usize] = self.latest[rank];
                    }
                }
            }
        }
    }

    fn later(&self, one: Option<usize>, other: Option<usize>) -> Option<usize> {
        let end = |idx: usize| {
            let interval = self.executions[idx].interval;
            (interval.end_ns, interval.nth_end)
        };
        match (one, other) {
            (Some(a), Some(b)) if end(a) >= end(b) => one,
            (_, None) => one,
            _ => other,
        }
    }

    fn latest_of(&self, edges: &[Edge]) -> Option<usize> {
        let executions = edges.iter().map(|edge| self.latest[edge.from as usize]);
        executions.fold(None, |latest, execution| self.later(latest, execution))
    }

    fn by_start(self) -> Vec<RankedExecution> {
        let key = |RankedExecution { interval, .. }: &RankedExecution| {
            (interval.start_ns, interval.worker, interval.nth_start)
        };
        if self.executions.is_sorted_by_key(key) {
            // A run on one thread is already sorted.
            return self.executions;
        }
        let mut order: Vec<usize> = (0..self.executions.len()).collect();
        order.sort_by_key(|&idx| key(&self.executions[idx]));
        let mut place_of = vec![0; order.len()];
        for (place, &idx) in order.iter().enumerate() {
            place_of[idx] = place;
        }
        let executions = order.into_iter().map(|idx| RankedExecution {
            waited_for: self.executions[idx].waited_for.map(|idx| place_of[idx]),
            ..self.executions[idx]
        });
        executions.collect()
    }
}

/// The numbers of the bits that are set, ascending.
pub(crate) fn bits_of(bits: u64) -> impl Iterator<Item = usize> {
    (0..u64::BITS as usize).filter(move |&bit| bits >> bit & 1 != 0)
}

/// All edges, sorted by target, with a position that follows the run. The position is searched for another iteration of a loop, and
/// around sweeps, whose members are not consecutive by rank.
struct Incoming<'e> {
    edges: &'e [Edge],
    next: usize,
}

impl<'e> Incoming<'e> {
    /// Returns the edges to this node.
    fn to(&mut self, rank: u32) -> &'e [Edge] {
        let is_passed = self.next > 0 && self.edges[self.next - 1].to >= rank;
        let is_far = self.edges.get(self.next).is_some_and(|edge| edge.to < rank);
        if is_passed || is_far {
            self.next = self.edges.partition_point(|edge| edge.to < rank);
        }
        let first = self.next;
        let is_to = |edge: &&Edge| edge.to == rank;
        self.next = first + self.edges[first..].iter().take_while(is_to).count();
        &self.edges[first..self.next]
    }
}
