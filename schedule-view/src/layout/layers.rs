//! The vertical order and position of the slots in each layer.

/// A vertex, or a bend of a line that passes through a layer.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    pub(super) layer: usize,
    pub(super) height: f64,
    pub(super) is_bend: bool,
}

/// A line from a slot to a slot of the next layer.
#[derive(Clone, Copy)]
pub(super) struct Segment {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) from_dy: f64,
    pub(super) to_dy: f64,
}

/// Slots in layers, with the segments between them.
pub(super) struct Layers {
    pub(super) slots: Vec<Slot>,
    segments: Vec<Segment>,
    n_layers: usize,
}

/// The maximum number of sweeps that reduce crossings.
const N_ORDER_SWEEPS: usize = 24;
/// The number of sweeps that straighten lines.
const N_PLACE_SWEEPS: usize = 16;

impl Layers {
    pub(super) fn new(n_layers: usize, slots: impl Iterator<Item = Slot>) -> Self {
        Self {
            slots: slots.collect(),
            segments: Vec::new(),
            n_layers,
        }
    }

    pub(super) fn push(&mut self, slot: Slot) -> usize {
        self.slots.push(slot);
        self.slots.len() - 1
    }

    pub(super) fn join(&mut self, segment: Segment) {
        self.segments.push(segment);
    }

    /// The number of lines between a layer and the next one.
    pub(super) fn n_segments_from(&self, layer: usize) -> usize {
        let segments = self.segments.iter();
        segments
            .filter(|one| self.slots[one.from].layer == layer)
            .count()
    }

    /// The vertical position of the middle of each slot. The slots of a layer do not overlap.
    pub(super) fn arrange(&self) -> Vec<f64> {
        let mut before = vec![Vec::new(); self.slots.len()];
        let mut after = vec![Vec::new(); self.slots.len()];
        for segment in &self.segments {
            before[segment.to].push(*segment);
            after[segment.from].push(*segment);
        }
        let order = self.order(&before, &after);
        self.heights(&order, &before, &after)
    }

    /// Orders the slots of each layer such that few lines cross (barycentre method, Sugiyama, Tagawa, Toda 1981).
    ///
    /// Sweeps forward and backward over the layers, and sorts each by the mean position of the neighbours in the previous
    /// layer of the sweep. Returns the order with the fewest crossings.
    fn order(&self, before: &[Vec<Segment>], after: &[Vec<Segment>]) -> Vec<Vec<usize>> {
        let mut layers = vec![Vec::new(); self.n_layers];
        let mut is_visited = vec![false; self.slots.len()];
        // The initial order is that of a depth-first search, which keeps connected slots together.
        for start in 0..self.slots.len() {
            let mut open = vec![start];
            while let Some(slot) = open.pop() {
                if !core::mem::replace(&mut is_visited[slot], true) {
                    layers[self.slots[slot].layer].push(slot);
                    open.extend(after[slot].iter().rev().map(|one| one.to));
                    open.extend(before[slot].iter().rev().map(|one| one.from));
                }
            }
        }
        let mut position = vec![0; self.slots.len()];
        let number = |layers: &[Vec<usize>], position: &mut [usize]| {
            for layer in layers {
                for (idx, &slot) in layer.iter().enumerate() {
                    position[slot] = idx;
                }
            }
        };
        number(&layers, &mut position);
        let mut best = (self.n_crossings(&layers, &position, after), layers.clone());
        for sweep in 0..N_ORDER_SWEEPS {
            if best.0 == 0 {
                break;
            }
            let is_forward = sweep % 2 == 0;
            for nth in 1..self.n_layers {
                let layer = if is_forward {
                    nth
                } else {
                    self.n_layers - 1 - nth
                };
                let barycentre = |&slot: &usize| {
                    let others: Vec<usize> = if is_forward {
                        before[slot].iter().map(|one| position[one.from]).collect()
                    } else {
                        after[slot].iter().map(|one| position[one.to]).collect()
                    };
                    match others.len() {
                        0 => position[slot] as f64,
                        n => others.iter().sum::<usize>() as f64 / n as f64,
                    }
                };
                let mut keyed: Vec<(f64, usize)> = layers[layer]
                    .iter()
                    .map(|slot| (barycentre(slot), *slot))
                    .collect();
                keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
                for (idx, (_, slot)) in keyed.into_iter().enumerate() {
                    layers[layer][idx] = slot;
                    position[slot] = idx;
                }
            }
            let n_crossings = self.n_crossings(&layers, &position, after);
            if n_crossings < best.0 {
                best = (n_crossings, layers.clone());
            }
        }
        best.1
    }

    /// The number of crossings, counted with a Fenwick tree (Barth, Mutzel, Jünger 2004). O(segments × log slots).
    fn n_crossings(
        &self,
        layers: &[Vec<usize>],
        position: &[usize],
        after: &[Vec<Segment>],
    ) -> usize {
        let mut n_crossings = 0;
        for (layer, next) in layers.iter().zip(layers.iter().skip(1)) {
            let mut sums = vec![0; next.len() + 1];
            let mut n_visited = 0;
            for &slot in layer {
                let mut ends: Vec<usize> = after[slot].iter().map(|one| position[one.to]).collect();
                ends.sort_unstable();
                for &end in &ends {
                    // Earlier lines that end further down cross this line.
                    let mut n_above = 0;
                    let mut idx = end + 1;
                    while idx > 0 {
                        n_above += sums[idx];
                        idx &= idx - 1;
                    }
                    n_crossings += n_visited - n_above;
                }
                for &end in &ends {
                    let mut idx = end + 1;
                    while idx <= next.len() {
                        sums[idx] += 1;
                        idx += idx & idx.wrapping_neg();
                    }
                    n_visited += 1;
                }
            }
        }
        n_crossings
    }

    /// The vertical positions of all slots. Sweeps forward and backward over the layers, and moves the slots of each layer as
    /// close to the positions of straight lines as their order permits.
    fn heights(
        &self,
        order: &[Vec<usize>],
        before: &[Vec<Segment>],
        after: &[Vec<Segment>],
    ) -> Vec<f64> {
        let mut middles = vec![0.0; self.slots.len()];
        for layer in order {
            let offsets = self.offsets(layer);
            for (&slot, offset) in layer.iter().zip(offsets) {
                middles[slot] = offset;
            }
        }
        // Long lines have a greater weight than short ones.
        let weight = |segment: &Segment| match (
            self.slots[segment.from].is_bend,
            self.slots[segment.to].is_bend,
        ) {
            (true, true) => 8.0,
            (false, false) => 1.0,
            _ => 2.0,
        };
        for sweep in 0..N_PLACE_SWEEPS {
            let is_last = sweep + 2 >= N_PLACE_SWEEPS;
            let is_forward = sweep % 2 == 0;
            for nth in 0..self.n_layers {
                let layer = if is_forward {
                    &order[nth]
                } else {
                    &order[self.n_layers - 1 - nth]
                };
                let target = |&slot: &usize| {
                    let mut sum = 0.0;
                    let mut weights = 0.0;
                    for segment in &before[slot] {
                        if is_forward || is_last {
                            let y = middles[segment.from] + segment.from_dy - segment.to_dy;
                            sum += weight(segment) * y;
                            weights += weight(segment);
                        }
                    }
                    for segment in &after[slot] {
                        if !is_forward || is_last {
                            let y = middles[segment.to] + segment.to_dy - segment.from_dy;
                            sum += weight(segment) * y;
                            weights += weight(segment);
                        }
                    }
                    match weights {
                        0.0 => (middles[slot], 0.01),
                        weights => (sum / weights, weights),
                    }
                };
                let targets: Vec<(f64, f64)> = layer.iter().map(target).collect();
                let offsets = self.offsets(layer);
                for (&slot, y) in layer.iter().zip(nearest(&targets, &offsets)) {
                    middles[slot] = y;
                }
            }
        }
        middles
    }

    /// The positions of the slots of a layer with the least distances, where the first is at 0.
    fn offsets(&self, layer: &[usize]) -> Vec<f64> {
        let mut offset = 0.0;
        let mut offsets = Vec::with_capacity(layer.len());
        for (idx, &slot) in layer.iter().enumerate() {
            if let Some(&above) = idx.checked_sub(1).and_then(|above| layer.get(above)) {
                let (a, b) = (&self.slots[above], &self.slots[slot]);
                let gap = match (a.is_bend || a.height == 0.0, b.is_bend || b.height == 0.0) {
                    (true, true) => 7.0,
                    (false, false) => 14.0,
                    _ => 10.0,
                };
                offset += (a.height + b.height) / 2.0 + gap;
            }
            offsets.push(offset);
        }
        offsets
    }
}

/// The positions with the least weighted sum of squared distances from the targets, and with distances of at least those of
/// `offsets`. `targets`: the position and the weight of each slot.
///
/// Isotonic regression by pooling adjacent violators (Ayer and others 1955). O(targets).
fn nearest(targets: &[(f64, f64)], offsets: &[f64]) -> Vec<f64> {
    // The mean of each pool, its weight, and its number of slots.
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for (&(target, weight), offset) in targets.iter().zip(offsets) {
        let mut pool = (target - offset, weight, 1);
        while let Some(&(mean, weight, n)) = pools.last() {
            if mean <= pool.0 {
                break;
            }
            pools.pop();
            let both = weight + pool.1;
            pool = ((mean * weight + pool.0 * pool.1) / both, both, n + pool.2);
        }
        pools.push(pool);
    }
    let means = pools
        .into_iter()
        .flat_map(|(mean, _, n)| core::iter::repeat_n(mean, n));
    means
        .zip(offsets)
        .map(|(mean, offset)| mean + offset)
        .collect()
}
