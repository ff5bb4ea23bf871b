//! The layout of items without lines, in rows.

use super::{Point, Size};

/// The distance between items, in pixels.
pub(super) const GAP: f64 = 14.0;

/// The positions of items in rows.
pub(super) struct Rows {
    pub(super) size: Size,
    pub(super) places: Vec<Point>,
}

/// Places items from left to right and from top to bottom. The width of rows is at least `wanted`, and so great that the
/// result is wider than high.
pub(super) fn arrange(items: &[Size], wanted: f64) -> Rows {
    let area: f64 = items
        .iter()
        .map(|size| (size.width + GAP) * (size.height + GAP))
        .sum();
    let width = wanted.max((2.0 * area).sqrt());
    let mut rows = Rows {
        size: Size::default(),
        places: Vec::new(),
    };
    let (mut at, mut row_height) = (Point::default(), 0.0_f64);
    for size in items {
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
