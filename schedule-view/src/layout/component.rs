//! The layout of connected items, in layers from left to right.

use std::collections::HashMap;

use super::layers::{Layers, Segment, Slot};
use super::{Point, Size};

/// An item, or a port.
#[derive(Clone, Copy)]
pub(super) struct Vertex {
    pub(super) size: Size,
    /// For a port, whether it is at the right border. `None` for an item.
    pub(super) border: Option<bool>,
}

/// A line between two vertices.
#[derive(Clone, Copy)]
pub(super) struct Join {
    pub(super) from: usize,
    pub(super) to: usize,
    /// The start of the line, in pixels below the middle of the vertex.
    pub(super) from_dy: f64,
    pub(super) to_dy: f64,
    pub(super) kind: usize,
    /// Whether the line runs from right to left.
    pub(super) is_backward: bool,
}

/// A connected component: the indices of its vertices and joins.
pub(super) struct Component {
    vertices: Vec<usize>,
    joins: Vec<usize>,
}

/// The layout of a component.
pub(super) struct Arranged {
    pub(super) size: Size,
    /// The top left of each vertex.
    pub(super) places: Vec<(usize, Point)>,
    /// The points of each join, from left to right.
    pub(super) lines: Vec<(usize, Vec<Point>)>,
}

/// The minimum distance between two layers, in pixels.
const LAYER_GAP: f64 = 30.0;
/// The additional distance for each line between two layers, in pixels.
const LINE_GAP: f64 = 2.0;
/// The maximum distance between two layers, in pixels.
const MAX_LAYER_GAP: f64 = 110.0;

impl Component {
    /// Splits the vertices into components, and returns them in the order of their first vertices. Vertices without joins are
    /// returned separately.
    pub(super) fn all(vertices: &[Vertex], joins: &[Join]) -> (Vec<Self>, Vec<usize>) {
        let mut roots: Vec<usize> = (0..vertices.len()).collect();
        for join in joins {
            let (a, b) = (root(&mut roots, join.from), root(&mut roots, join.to));
            roots[a.max(b)] = a.min(b);
        }
        let mut of_root: HashMap<usize, usize> = HashMap::new();
        let mut components: Vec<Self> = Vec::new();
        for vertex in 0..vertices.len() {
            let root = root(&mut roots, vertex);
            let idx = *of_root.entry(root).or_insert_with(|| {
                components.push(Self {
                    vertices: Vec::new(),
                    joins: Vec::new(),
                });
                components.len() - 1
            });
            components[idx].vertices.push(vertex);
        }
        for (idx, join) in joins.iter().enumerate() {
            components[of_root[&root(&mut roots, join.from)]]
                .joins
                .push(idx);
        }
        let (joined, unlinked_vertices): (Vec<Self>, Vec<Self>) = components
            .into_iter()
            .partition(|one| !one.joins.is_empty());
        let unlinked_vertices = unlinked_vertices.into_iter().flat_map(|one| one.vertices);
        (joined, unlinked_vertices.collect())
    }

    /// Assigns a layer and a position to each vertex.
    pub(super) fn arrange(&self, vertices: &[Vertex], joins: &[Join]) -> Arranged {
        let local: HashMap<usize, usize> = self.vertices.iter().copied().zip(0..).collect();
        let oriented = self.joins.iter().map(|&join| {
            let Join { from, to, .. } = joins[join];
            let (from, to) = (local[&from], local[&to]);
            if joins[join].is_backward {
                (to, from)
            } else {
                (from, to)
            }
        });
        let oriented: Vec<(usize, usize)> = oriented.collect();
        let ranks = self.ranks(vertices, &oriented);
        let n_layers = ranks.iter().max().map_or(0, |&last| last + 1);

        let slots = self
            .vertices
            .iter()
            .zip(&ranks)
            .map(|(&vertex, &layer)| Slot {
                layer,
                height: vertices[vertex].size.height,
                is_bend: false,
            });
        let mut layers = Layers::new(n_layers, slots);
        let routes = self.route(joins, &oriented, &ranks, &mut layers);
        let middles = layers.arrange();

        // widths[l] and starts[l]: the width and the left of layer l.
        let mut widths = vec![0.0_f64; n_layers];
        for (&vertex, &layer) in self.vertices.iter().zip(&ranks) {
            widths[layer] = widths[layer].max(vertices[vertex].size.width);
        }
        let mut starts = Vec::with_capacity(n_layers);
        let mut x = 0.0;
        for (layer, width) in widths.iter().enumerate() {
            starts.push(x);
            let n_lines = layers.n_segments_from(layer) as f64;
            x += width + (LAYER_GAP + LINE_GAP * n_lines).min(MAX_LAYER_GAP);
        }
        let last = n_layers - 1;
        let width = starts[last] + widths[last];

        let edges = (0..layers.slots.len()).map(|slot| {
            let half = layers.slots[slot].height / 2.0;
            (middles[slot] - half, middles[slot] + half)
        });
        let edges: Vec<(f64, f64)> = edges.collect();
        let top = edges
            .iter()
            .fold(f64::INFINITY, |top, edge| top.min(edge.0));
        let bottom = edges
            .iter()
            .fold(0.0_f64, |bottom, edge| bottom.max(edge.1 - top));

        let places = self.vertices.iter().enumerate().map(|(slot, &vertex)| {
            let at = Point {
                x: starts[ranks[slot]],
                y: edges[slot].0 - top,
            };
            (vertex, at)
        });
        let lines = self.joins.iter().zip(routes).map(|(&join, route)| {
            let mut points = Vec::new();
            for (idx, &(slot, dy)) in route.iter().enumerate() {
                let layer = layers.slots[slot].layer;
                let y = middles[slot] - top + dy;
                let (left, right) = (starts[layer], starts[layer] + widths[layer]);
                let own = self
                    .vertices
                    .get(slot)
                    .map(|&vertex| vertices[vertex].size.width);
                // The line starts at the right side of its first slot, and ends at the left side of its last slot.
                if idx > 0 {
                    points.push(Point { x: left, y });
                }
                if idx + 1 < route.len() {
                    if idx == 0 {
                        let x = left + own.unwrap_or(0.0);
                        points.push(Point { x, y });
                    }
                    points.push(Point { x: right, y });
                }
            }
            (join, points)
        });
        Arranged {
            size: Size {
                width,
                height: bottom,
            },
            places: places.collect(),
            lines: lines.collect(),
        }
    }

    /// The layer of each vertex: one after the last layer of its predecessors. A vertex without predecessors is one layer before
    /// the first of its successors. Ports are in the outer layers.
    fn ranks(&self, vertices: &[Vertex], oriented: &[(usize, usize)]) -> Vec<usize> {
        let n_vertices = self.vertices.len();
        let border = |vertex: usize| vertices[self.vertices[vertex]].border;
        let has_entry = (0..n_vertices).any(|vertex| border(vertex) == Some(false));
        let mut after = vec![Vec::new(); n_vertices];
        let mut n_before = vec![0; n_vertices];
        for &(from, to) in oriented {
            after[from].push(to);
            n_before[to] += 1;
        }
        let is_first: Vec<bool> = n_before.iter().map(|&n| n == 0).collect();
        let mut order: Vec<usize> = (0..n_vertices).filter(|&one| is_first[one]).collect();
        // Ports at the left border have a separate layer.
        let first = |vertex: usize| usize::from(has_entry && border(vertex) != Some(false));
        let mut ranks: Vec<usize> = (0..n_vertices).map(first).collect();
        let mut next = 0;
        while next < order.len() {
            let vertex = order[next];
            next += 1;
            for &to in &after[vertex] {
                ranks[to] = ranks[to].max(ranks[vertex] + 1);
                n_before[to] -= 1;
                if n_before[to] == 0 {
                    order.push(to);
                }
            }
        }
        for vertex in 0..n_vertices {
            let nearest = after[vertex].iter().map(|&to| ranks[to]).min();
            if let (true, None, Some(nearest)) = (is_first[vertex], border(vertex), nearest) {
                ranks[vertex] = nearest - 1;
            }
        }
        let items = (0..n_vertices).filter(|&vertex| border(vertex).is_none());
        let last = items.map(|vertex| ranks[vertex] + 1).max().unwrap_or(1);
        for (vertex, rank) in ranks.iter_mut().enumerate() {
            if border(vertex) == Some(true) {
                *rank = last;
            }
        }
        ranks
    }

    /// Adds a bend for each layer between the ends of a join. Lines of one kind with the same start share bends.
    fn route(
        &self,
        joins: &[Join],
        oriented: &[(usize, usize)],
        ranks: &[usize],
        layers: &mut Layers,
    ) -> Vec<SlotPath> {
        // By start and kind: the bends so far, one for each layer.
        let mut trunks: HashMap<(usize, i64, usize, bool), Vec<usize>> = HashMap::new();
        let mut routes = Vec::with_capacity(oriented.len());
        for (&idx, &(from, to)) in self.joins.iter().zip(oriented) {
            let join = &joins[idx];
            let (from_dy, to_dy) = if join.is_backward {
                (join.to_dy, join.from_dy)
            } else {
                (join.from_dy, join.to_dy)
            };
            let key = (from, (from_dy * 16.0) as i64, join.kind, join.is_backward);
            let trunk = trunks.entry(key).or_default();
            let mut route = vec![(from, from_dy)];
            for layer in ranks[from] + 1..ranks[to] {
                let nth = layer - ranks[from] - 1;
                if nth == trunk.len() {
                    let bend = layers.push(Slot {
                        layer,
                        height: 0.0,
                        is_bend: true,
                    });
                    let &(before, before_dy) = route.last().expect("it has a start");
                    layers.join(Segment {
                        from: before,
                        to: bend,
                        from_dy: before_dy,
                        to_dy: 0.0,
                    });
                    trunk.push(bend);
                }
                route.push((trunk[nth], 0.0));
            }
            let &(before, before_dy) = route.last().expect("it has a start");
            layers.join(Segment {
                from: before,
                to,
                from_dy: before_dy,
                to_dy,
            });
            route.push((to, to_dy));
            routes.push(route);
        }
        routes
    }
}

/// The slots of a line, each with the distance below its middle, in pixels.
type SlotPath = Vec<(usize, f64)>;

fn root(roots: &mut [usize], mut vertex: usize) -> usize {
    while roots[vertex] != vertex {
        roots[vertex] = roots[roots[vertex]];
        vertex = roots[vertex];
    }
    vertex
}
