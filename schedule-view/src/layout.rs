//! Where everything is in a picture: boxes in boxes, and lines between them that run around what is not theirs.
//!
//! Each box is laid out by itself, the innermost first, and is then one thing in the box around it. A line that leaves a box
//! does so at a port of that box: inside, that is one thing more at its border.

mod component;
mod direction;
mod layers;
mod rows;

use std::collections::{BTreeMap, HashMap, HashSet};

use self::component::{Component, Join};
use self::direction::backward;

/// From the top left, in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

/// Pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Size {
    pub(super) width: f64,
    pub(super) height: f64,
}

/// A thing, or a box around things.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thing {
    /// The box that it is in, which comes before it.
    pub(super) parent: Option<usize>,
    /// Of a box with something in it, that of its label.
    pub(super) size: Size,
}

/// That a line goes from one thing to another; neither is in the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Lines of one kind that come from the same thing may run together.
    pub(super) kind: usize,
}

/// Where everything is.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) size: Size,
    /// `frames[i]`: where thing i is.
    pub(super) frames: Vec<Frame>,
    pub(super) lines: Vec<Line>,
}

/// A rectangle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Frame {
    pub(super) at: Point,
    pub(super) size: Size,
}

/// A line through these points: between two of one height it is straight, else a curve that begins and ends level.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) link: usize,
    pub(super) points: Vec<Point>,
    /// It starts at the thing that the link comes from, and not at the border of a box.
    pub(super) is_first: bool,
    /// It ends at the thing that the link leads to, and not at the border of a box.
    pub(super) is_last: bool,
    /// It runs from right to left: the first point is at the end of the link.
    pub(super) is_backward: bool,
}

/// Between the border of a box and what is in it.
const PADDING: f64 = 12.0;

/// One end of a line inside a box.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum End {
    /// A thing; at this port of it, if that is a box and the line goes on inside.
    Thing(usize, Option<usize>),
    /// A port of the box itself.
    Port(usize),
}

/// A piece of a link inside one box.
struct Piece {
    from: End,
    to: End,
    link: usize,
    is_backward: bool,
}

/// Where lines cross the border of a box.
struct Port {
    is_right: bool,
    /// Below the top of the box; known when that is laid out.
    y: f64,
}

/// The boxes whose borders a link crosses, from the inside.
struct Route {
    /// The innermost box around both ends.
    common: Option<usize>,
    leaves: Vec<usize>,
    enters: Vec<usize>,
}

/// What is in one box.
#[derive(Default)]
struct Content {
    things: Vec<usize>,
    pieces: Vec<Piece>,
    ports: Vec<usize>,
}

/// Places everything. A box with nothing in it is a thing like others.
///
/// Cost: O(sweeps × (things + links × layers) log things).
pub(super) fn lay_out(things: &[Thing], links: &[Link]) -> Layout {
    let mut plan = Plan::new(things, links);
    // By box; what is in a box comes behind it.
    let mut placed: HashMap<Option<usize>, Placed> = HashMap::new();
    let boxes = (0..things.len()).rev().map(Some).chain([None]);
    let mut sizes: Vec<Size> = things.iter().map(|thing| thing.size).collect();
    for holder in boxes {
        let Some(content) = plan.contents.remove(&holder) else {
            continue;
        };
        let mut inside = place(&content, &plan.ports, &sizes, links);
        if let Some(holder) = holder {
            let label = things[holder].size;
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
    let holders = [None].into_iter().chain((0..things.len()).map(Some));
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
                    y: at.y + things[holder].size.height + PADDING,
                };
                (origin, at.x + size.width)
            }
        };
        for (thing, at) in inside.things {
            layout.frames[thing].at = at.plus(origin);
        }
        for mut line in inside.lines {
            for point in &mut line.line.points {
                *point = point.plus(origin);
            }
            // From the border to the border.
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

/// The content of one box, from its own top left.
struct Placed {
    size: Size,
    things: Vec<(usize, Point)>,
    ports: Vec<(usize, f64)>,
    lines: Vec<PlacedLine>,
}

struct PlacedLine {
    line: Line,
    enters: bool,
    leaves: bool,
}

/// What is in which box, before anything has a place.
struct Plan {
    contents: BTreeMap<Option<usize>, Content>,
    ports: Vec<Port>,
}

impl Plan {
    fn new(things: &[Thing], links: &[Link]) -> Self {
        let mut plan = Self {
            contents: BTreeMap::new(),
            ports: Vec::new(),
        };
        for (idx, thing) in things.iter().enumerate() {
            let content = plan.contents.entry(thing.parent).or_default();
            content.things.push(idx);
        }
        let around = |thing: usize| {
            let parents = core::iter::successors(Some(thing), |one| things[*one].parent);
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
        let mut met: HashSet<(Option<usize>, End, End, usize)> = HashSet::new();
        for (idx, (link, route)) in links.iter().zip(&routes).enumerate() {
            let is_backward = is_backward[idx];
            let mut pieces = Vec::new();
            let mut from = End::Thing(link.from, None);
            for &holder in &route.leaves {
                let port = plan.port(&mut known, holder, !is_backward, link);
                pieces.push((Some(holder), from, End::Port(port)));
                from = End::Thing(holder, Some(port));
            }
            let mut to = End::Thing(link.to, None);
            for &holder in &route.enters {
                let port = plan.port(&mut known, holder, is_backward, link);
                pieces.push((Some(holder), End::Port(port), to));
                to = End::Thing(holder, Some(port));
            }
            pieces.push((route.common, from, to));
            for (holder, from, to) in pieces {
                if met.insert((holder, from, to, link.kind)) {
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

    /// Whether each link has to run from right to left, as the boxes that it joins go in circles.
    fn backward(&self, links: &[Link], routes: &[Route]) -> Vec<bool> {
        let mut of_holder: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
        for (idx, route) in routes.iter().enumerate() {
            of_holder.entry(route.common).or_default().push(idx);
        }
        let mut is_backward = vec![false; links.len()];
        for (holder, inside) in of_holder {
            let things = &self.contents[&holder].things;
            let local = |thing: usize| things.binary_search(&thing).expect("it is in that box");
            let joins = inside.iter().map(|&idx| {
                let end = |thing: usize, above: &[usize]| *above.last().unwrap_or(&thing);
                let from = end(links[idx].from, &routes[idx].leaves);
                (local(from), local(end(links[idx].to, &routes[idx].enters)))
            });
            let joins: Vec<(usize, usize)> = joins.collect();
            for (idx, one) in inside.into_iter().zip(backward(things.len(), &joins)) {
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

/// Places what is in one box: what hangs together one below the other, and below that what has no line, in rows.
fn place(content: &Content, ports: &[Port], sizes: &[Size], links: &[Link]) -> Placed {
    let n_things = content.things.len();
    let mut vertex_of: HashMap<End, usize> = HashMap::new();
    for (vertex, &thing) in content.things.iter().enumerate() {
        vertex_of.insert(End::Thing(thing, None), vertex);
    }
    for (vertex, &port) in (n_things..).zip(&content.ports) {
        vertex_of.insert(End::Port(port), vertex);
    }
    let joins = content.pieces.iter().map(|piece| {
        let end = |end: End| match end {
            End::Thing(thing, port) => {
                let middle = sizes[thing].height / 2.0;
                let vertex = vertex_of[&End::Thing(thing, None)];
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
    let vertices = content.things.iter().map(|&thing| component::Vertex {
        size: sizes[thing],
        border: None,
    });
    let vertices = vertices.chain(content.ports.iter().map(|&port| component::Vertex {
        size: Size::default(),
        border: Some(ports[port].is_right),
    }));
    let vertices: Vec<component::Vertex> = vertices.collect();

    let mut placed = Placed {
        size: Size::default(),
        things: Vec::new(),
        ports: Vec::new(),
        lines: Vec::new(),
    };
    let (components, alone) = Component::all(&vertices, &joins);
    for component in components {
        let arranged = component.arrange(&vertices, &joins);
        let top = match placed.size.height {
            0.0 => 0.0,
            height => height + rows::GAP,
        };
        let origin = Point { x: 0.0, y: top };
        for &(vertex, at) in &arranged.places {
            match vertex.checked_sub(n_things) {
                None => placed
                    .things
                    .push((content.things[vertex], at.plus(origin))),
                Some(port) => placed.ports.push((content.ports[port], at.y + top)),
            }
        }
        for (join, mut points) in arranged.lines {
            points
                .iter_mut()
                .for_each(|point| *point = point.plus(origin));
            let piece = &content.pieces[join];
            let (left, right) = match piece.is_backward {
                true => (piece.to, piece.from),
                false => (piece.from, piece.to),
            };
            placed.lines.push(PlacedLine {
                line: Line {
                    link: piece.link,
                    points,
                    is_first: matches!(piece.from, End::Thing(_, None)),
                    is_last: matches!(piece.to, End::Thing(_, None)),
                    is_backward: piece.is_backward,
                },
                enters: matches!(left, End::Port(_)),
                leaves: matches!(right, End::Port(_)),
            });
        }
        placed.size.width = placed.size.width.max(arranged.size.width);
        placed.size.height = top + arranged.size.height;
    }
    let lonely: Vec<Size> = alone.iter().map(|&vertex| vertices[vertex].size).collect();
    let rows = rows::arrange(&lonely, placed.size.width);
    let top = match placed.size.height {
        0.0 => 0.0,
        height => height + rows::GAP,
    };
    if !alone.is_empty() {
        for (&vertex, at) in alone.iter().zip(&rows.places) {
            let at = at.plus(Point { x: 0.0, y: top });
            placed.things.push((content.things[vertex], at));
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
    /// Whether the two have a point in common, borders left out.
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
