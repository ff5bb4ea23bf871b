//! Things without lines, in rows.

use super::{Point, Size};

/// Between things.
pub(super) const GAP: f64 = 14.0;

/// Where things are.
pub(super) struct Rows {
    pub(super) size: Size,
    pub(super) places: Vec<Point>,
}

/// Places things from left to right and from top to bottom, as wide as is wanted, or so that all is wider than high.
pub(super) fn arrange(things: &[Size], wanted: f64) -> Rows {
    let area: f64 = things
        .iter()
        .map(|size| (size.width + GAP) * (size.height + GAP))
        .sum();
    let width = wanted.max((2.0 * area).sqrt());
    let mut rows = Rows {
        size: Size::default(),
        places: Vec::new(),
    };
    let (mut at, mut row_height) = (Point::default(), 0.0_f64);
    for size in things {
        if at.x > 0.0 && at.x + size.width > width {
            at = Point {
                x: 0.0,
                y: at.y + row_height + GAP,
            };
            row_height = 0.0;
        }
        rows.places.push(at);
        row_height = row_height.max(size.height);
        rows.size.width = rows.size.width.max(at.x + size.width);
        rows.size.height = at.y + row_height;
        at.x += size.width + GAP;
    }
    rows
}
