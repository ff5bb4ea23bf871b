//! The layout of a picture: nested boxes, and lines between items that do not cross other items.
//!
//! Each box is laid out separately, inner boxes first. It then is one item of the box around it. A line crosses the border of
//! a box at a port. In the layout of the box, the port is an additional item at the border.

mod component;
mod direction;
mod layers;
mod rows;

use std::collections::{BTreeMap, HashMap, HashSet};

use self::component::{Component, Join};
use self::direction::backward;

/// A position, in pixels from the top left.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

/// A size, in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Size {
    pub(super) width: f64,
    pub(super) height: f64,
}

/// A part of the picture: a single shape, or a box around other items.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    /// The box that contains the item. It has a smaller index.
    pub(super) parent: Option<usize>,
    /// The size of the item. For a box with content, the size of its label.
    pub(super) size: Size,
}

/// A connection from one item to another. Neither contains the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Lines of the same kind from the same item may be merged.
    pub(super) kind: usize,
}

/// The positions of all items and lines.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) size: Size,
    /// `frames[i]`: the rectangle of item i.
    pub(super) frames: Vec<Frame>,
    pub(super) lines: Vec<Line>,
}

/// A rectangle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Frame {
    pub(super) at: Point,
    pub(super) size: Size,
}

/// A line through points. Between two points of the same height it is straight, otherwise a curve with horizontal ends.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) link: usize,
    pub(super) points: Vec<Point>,
    /// Whether it starts at the source of the link, and not at the border of a box.
    pub(super) is_first: bool,
    /// Whether it ends at the target of the link, and not at the border of a box.
    pub(super) is_last: bool,
    /// Whether the link runs from right to left. Then the first point is at the target of the link.
    pub(super) is_backward: bool,
}

/// The distance between the border of a box and its content, in pixels.
const PADDING: f64 = 12.0;

/// One end of a line inside a box.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum End {
    /// An item. If the item is a box and the line continues inside, the port at which it enters.
    Item(usize, Option<usize>),
    /// A port of the box itself.
    Port(usize),
}

/// The section of a link inside one box.
struct Piece {
    from: End,
    to: End,
    link: usize,
    is_backward: bool,
}

/// The point at which lines cross the border of a box.
struct Port {
    is_right: bool,
    /// The distance from the top of the box, in pixels. Known once the box is laid out.
    y: f64,
}

/// The boxes whose borders a link crosses, innermost first.
struct Route {
    /// The innermost box around both ends.
    common: Option<usize>,
    leaves: Vec<usize>,
    enters: Vec<usize>,
}

/// The content of one box.
#[derive(Default)]
struct Content {
    items: Vec<usize>,
    pieces: Vec<Piece>,
    ports: Vec<usize>,
}

/// Lays out all items and links. A box without content is laid out like a single shape.
///
/// Cost: O(sweeps × (things + links × layers) log things).
pub(super) fn lay_out(items: &[Item], links: &[Link]) -> Layout {
    let mut plan = Plan::new(items, links);
    // The content of each box. The items of a box come after the box.
    let mut placed: HashMap<Option<usize>, Placed> = HashMap::new();
    let boxes = (0..items.len()).rev().map(Some).chain([None]);
    let mut sizes: Vec<Size> = items.iter().map(|item| item.size).collect();
    for holder in boxes {
        let Some(content) = plan.contents.remove(&holder) else {
            continue;
        };
        let mut inside = place(&content, &plan.ports, &sizes, links);
        if let Some(holder) = holder {
            let label = items[holder].size;
            let top = label.height + PADDING;
            sizes[holder] = Size {
                width: (inside.size.width + 2.0 * PADDING).max(label.width),
                height: inside.size.height + top + PADDING,
            };
            for (port, y) in inside.ports.drain(..) {
                plan.ports[port].y = y + top;
            }
        }
        placed.insert(holder, inside);
    }
    let mut layout = Layout {
        size: placed.get(&None).map_or(Size::default(), |root| root.size),
        frames: sizes
            .iter()
            .map(|&size| Frame {
                at: Point::default(),
                size,
            })
            .collect(),
        lines: Vec::new(),
    };
    let holders = [None].into_iter().chain((0..items.len()).map(Some));
    for holder in holders {
        let Some(inside) = placed.remove(&holder) else {
            continue;
        };
        let (origin, right) = match holder {
            None => (Point::default(), layout.size.width),
            Some(holder) => {
                let Frame { at, size } = layout.frames[holder];
                let origin = Point {
                    x: at.x + PADDING,
                    y: at.y + items[holder].size.height + PADDING,
                };
                (origin, at.x + size.width)
            }
        };
        for (item, at) in inside.items {
            layout.frames[item].at = at.plus(origin);
        }
        for mut line in inside.lines {
            for point in &mut line.line.points {
                *point = point.plus(origin);
            }
            // The line extends to the border of the box.
            let points = &mut line.line.points;
            let left = origin.x - PADDING;
            if line.enters {
                let y = points[0].y;
                points.insert(0, Point { x: left, y });
            }
            if line.leaves {
                let y = points[points.len() - 1].y;
                points.push(Point { x: right, y });
            }
            layout.lines.push(line.line);
        }
    }
    layout
}

/// The layout of the content of one box, relative to its top left.
struct Placed {
    size: Size,
    items: Vec<(usize, Point)>,
    ports: Vec<(usize, f64)>,
    lines: Vec<PlacedLine>,
}

struct PlacedLine {
    line: Line,
    enters: bool,
    leaves: bool,
}

/// The content of each box before it is laid out.
struct Plan {
    contents: BTreeMap<Option<usize>, Content>,
    ports: Vec<Port>,
}

impl Plan {
    fn new(items: &[Item], links: &[Link]) -> Self {
        let mut plan = Self {
            contents: BTreeMap::new(),
            ports: Vec::new(),
        };
        for (idx, item) in items.iter().enumerate() {
            let content = plan.contents.entry(item.parent).or_default();
            content.items.push(idx);
        }
        let around = |item: usize| {
            let parents = core::iter::successors(Some(item), |one| items[*one].parent);
            parents.skip(1).collect::<Vec<usize>>()
        };
        let routes = links.iter().map(|link| {
            let (above_from, above_to) = (around(link.from), around(link.to));
            let common = above_from.iter().find(|one| above_to.contains(one));
            let inside = |above: &[usize]| -> Vec<usize> {
                let inside = above.iter().take_while(|one| Some(*one) != common);
                inside.copied().collect()
            };
            Route {
                common: common.copied(),
                leaves: inside(&above_from),
                enters: inside(&above_to),
            }
        });
        let routes: Vec<Route> = routes.collect();
        let is_backward = plan.backward(links, &routes);
        let mut known: HashMap<(usize, bool, usize, usize), usize> = HashMap::new();
        let mut visited: HashSet<(Option<usize>, End, End, usize)> = HashSet::new();
        for (idx, (link, route)) in links.iter().zip(&routes).enumerate() {
            let is_backward = is_backward[idx];
            let mut pieces = Vec::new();
            let mut from = End::Item(link.from, None);
            for &holder in &route.leaves {
                let port = plan.port(&mut known, holder, !is_backward, link);
                pieces.push((Some(holder), from, End::Port(port)));
                from = End::Item(holder, Some(port));
            }
            let mut to = End::Item(link.to, None);
            for &holder in &route.enters {
                let port = plan.port(&mut known, holder, is_backward, link);
                pieces.push((Some(holder), End::Port(port), to));
                to = End::Item(holder, Some(port));
            }
            pieces.push((route.common, from, to));
            for (holder, from, to) in pieces {
                if visited.insert((holder, from, to, link.kind)) {
                    let content = plan.contents.entry(holder).or_default();
                    content.pieces.push(Piece {
                        from,
                        to,
                        link: idx,
                        is_backward,
                    });
                }
            }
        }
        plan
    }

    /// Whether each link has to run from right to left, because the items that it joins are on a cycle.
    fn backward(&self, links: &[Link], routes: &[Route]) -> Vec<bool> {
        let mut of_holder: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
        for (idx, route) in routes.iter().enumerate() {
            of_holder.entry(route.common).or_default().push(idx);
        }
        let mut is_backward = vec![false; links.len()];
        for (holder, inside) in of_holder {
            let items = &self.contents[&holder].items;
            let local = |item: usize| items.binary_search(&item).expect("the item is in that box");
            let joins = inside.iter().map(|&idx| {
                let end = |item: usize, above: &[usize]| *above.last().unwrap_or(&item);
                let from = end(links[idx].from, &routes[idx].leaves);
                (local(from), local(end(links[idx].to, &routes[idx].enters)))
            });
            let joins: Vec<(usize, usize)> = joins.collect();
            for (idx, one) in inside.into_iter().zip(backward(items.len(), &joins)) {
                is_backward[idx] = one;
            }
        }
        is_backward
    }

    fn port(
        &mut self,
        known: &mut HashMap<(usize, bool, usize, usize), usize>,
        holder: usize,
        is_right: bool,
        link: &Link,
    ) -> usize {
        *known
            .entry((holder, is_right, link.from, link.kind))
            .or_insert_with(|| {
                self.ports.push(Port { is_right, y: 0.0 });
                let port = self.ports.len() - 1;
                let content = self.contents.entry(Some(holder)).or_default();
                content.ports.push(port);
                port
            })
    }
}

/// Lays out the content of one box: connected components below each other, then items without lines in rows.
fn place(content: &Content, ports: &[Port], sizes: &[Size], links: &[Link]) -> Placed {
    let n_items = content.items.len();
    let mut vertex_of: HashMap<End, usize> = HashMap::new();
    for (vertex, &item) in content.items.iter().enumerate() {
        vertex_of.insert(End::Item(item, None), vertex);
    }
    for (vertex, &port) in (n_items..).zip(&content.ports) {
        vertex_of.insert(End::Port(port), vertex);
    }
    let joins = content.pieces.iter().map(|piece| {
        let end = |end: End| match end {
            End::Item(item, port) => {
                let middle = sizes[item].height / 2.0;
                let vertex = vertex_of[&End::Item(item, None)];
                (vertex, port.map_or(0.0, |port| ports[port].y - middle))
            }
            port => (vertex_of[&port], 0.0),
        };
        let ((from, from_dy), (to, to_dy)) = (end(piece.from), end(piece.to));
        Join {
            from,
            to,
            from_dy,
            to_dy,
            kind: links[piece.link].kind,
            is_backward: piece.is_backward,
        }
    });
    let joins: Vec<Join> = joins.collect();
    let vertices = content
        .items
        .iter()
        .map(|&item| component::Vertex {
            size: sizes[item],
            border: None,
        })
        .chain(content.ports.iter().map(|&port| component::Vertex {
            size: Size::default(),
            border: Some(ports[port].is_right),
        }));
    let vertices: Vec<component::Vertex> = vertices.collect();

    let mut placed = Placed {
        size: Size::default(),
        items: Vec::new(),
        ports: Vec::new(),
        lines: Vec::new(),
    };
    let (components, unlinked_vertices) = Component::all(&vertices, &joins);
    for component in components {
        let arranged = component.arrange(&vertices, &joins);
        let top = match placed.size.height {
            0.0 => 0.0,
            height => height + rows::GAP,
        };
        let origin = Point { x: 0.0, y: top };
        for &(vertex, at) in &arranged.places {
            match vertex.checked_sub(n_items) {
                None => placed.items.push((content.items[vertex], at.plus(origin))),
                Some(port) => placed.ports.push((content.ports[port], at.y + top)),
            }
        }
        for (join, mut points) in arranged.lines {
            points
                .iter_mut()
                .for_each(|point| *point = point.plus(origin));
            let piece = &content.pieces[join];
            let (left, right) = if piece.is_backward {
                (piece.to, piece.from)
            } else {
                (piece.from, piece.to)
            };
            placed.lines.push(PlacedLine {
                line: Line {
                    link: piece.link,
                    points,
                    is_first: matches!(piece.from, End::Item(_, None)),
                    is_last: matches!(piece.to, End::Item(_, None)),
                    is_backward: piece.is_backward,
                },
                enters: matches!(left, End::Port(_)),
                leaves: matches!(right, End::Port(_)),
            });
        }
        placed.size.width = placed.size.width.max(arranged.size.width);
        placed.size.height = top + arranged.size.height;
    }
    let unlinked: Vec<Size> = unlinked_vertices
        .iter()
        .map(|&vertex| vertices[vertex].size)
        .collect();
    let rows = rows::arrange(&unlinked, placed.size.width);
    let top = match placed.size.height {
        0.0 => 0.0,
        height => height + rows::GAP,
    };
    if !unlinked_vertices.is_empty() {
        for (&vertex, at) in unlinked_vertices.iter().zip(&rows.places) {
            let at = at.plus(Point { x: 0.0, y: top });
            placed.items.push((content.items[vertex], at));
        }
        placed.size.width = placed.size.width.max(rows.size.width);
        placed.size.height = top + rows.size.height;
    }
    placed
}

impl Point {
    fn plus(self, other: Self) -> Self {
        Self {
            x: self.x + other.x,
            y: self.y + other.y,
        }
    }
}

impl Frame {
    /// Whether the interiors of two rectangles overlap.
    #[cfg(test)]
    pub(super) fn meets(&self, other: &Self) -> bool {
        let apart = |a: f64, a_size: f64, b: f64, b_size: f64| {
            a + a_size <= b + 1e-6 || b + b_size <= a + 1e-6
        };
        !apart(self.at.x, self.size.width, other.at.x, other.size.width)
            && !apart(self.at.y, self.size.height, other.at.y, other.size.height)
    }

    #[cfg(test)]
    pub(super) fn holds(&self, other: &Self) -> bool {
        self.at.x <= other.at.x
            && self.at.y <= other.at.y
            && other.at.x + other.size.width <= self.at.x + self.size.width + 1e-6
            && other.at.y + other.size.height <= self.at.y + self.size.height + 1e-6
    }
}

#[cfg(test)]
mod tests;
