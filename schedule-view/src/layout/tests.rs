use proptest::prelude::*;

use super::*;

/// Nested boxes, and links between items that do not contain each other.
fn nests() -> impl Strategy<Value = (Vec<Item>, Vec<Link>)> {
    let item = (any::<prop::sample::Index>(), 0..4, 10.0..120.0, 10.0..60.0);
    let items = prop::collection::vec(item, 1..24).prop_map(|items| {
        let mut made: Vec<Item> = Vec::new();
        for (parent, rank, width, height) in items {
            let parent = (rank > 0 && !made.is_empty()).then(|| parent.index(made.len()));
            made.push(Item {
                parent,
                size: Size { width, height },
            });
        }
        made
    });
    let link = (
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        0..3_usize,
    );
    (items, prop::collection::vec(link, 0..40)).prop_map(|(items, links)| {
        let links = links.into_iter().map(|(from, to, kind)| Link {
            from: from.index(items.len()),
            to: to.index(items.len()),
            kind,
        });
        let is_apart =
            |link: &Link| !is_in(&items, link.from, link.to) && !is_in(&items, link.to, link.from);
        let links = links.filter(is_apart).collect();
        (items, links)
    })
}

fn is_in(items: &[Item], item: usize, holder: usize) -> bool {
    let mut around = core::iter::successors(Some(item), |one| items[*one].parent);
    around.any(|one| one == holder)
}

/// Close points on a line, as an SVG draws it.
fn points(line: &Line) -> Vec<Point> {
    let mut points = Vec::new();
    for pair in line.points.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        for step in 0..=32 {
            let t = f64::from(step) / 32.0;
            let (s, middle) = (1.0 - t, (from.x + to.x) / 2.0);
            let (a, b, c, d) = (s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t);
            points.push(Point {
                x: a * from.x + (b + c) * middle + d * to.x,
                y: (a + b) * from.y + (c + d) * to.y,
            });
        }
    }
    points
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 2 } else { 512 }, ..ProptestConfig::default() })]

    #[test]
    fn items_do_not_overlap_and_are_in_their_boxes((items, links) in nests()) {
        let layout = lay_out(&items, &links);
        let frames = &layout.frames;
        let all = Frame { at: Point::default(), size: layout.size };
        for (a, item) in items.iter().enumerate() {
            prop_assert!(all.holds(&frames[a]));
            prop_assert!(frames[a].size.width >= item.size.width);
            for b in 0..a {
                if is_in(&items, a, b) {
                    // The content is below the label.
                    let mut inner = frames[b];
                    inner.at.y += items[b].size.height;
                    inner.size.height -= items[b].size.height;
                    prop_assert!(inner.holds(&frames[a]));
                } else {
                    prop_assert!(!frames[a].meets(&frames[b]), "{a} and {b} overlap");
                }
            }
        }
    }

    #[test]
    fn no_line_crosses_an_item_that_is_not_its_end((items, links) in nests()) {
        let layout = lay_out(&items, &links);
        for line in &layout.lines {
            let link = links[line.link];
            for point in points(line) {
                // Lines end at borders, so points at borders are not checked.
                let dot = Frame { at: point, size: Size { width: 1e-3, height: 1e-3 } };
                for (item, frame) in layout.frames.iter().enumerate() {
                    let is_around = |end: usize| is_in(&items, end, item) && end != item;
                    let is_own = is_around(link.from) || is_around(link.to);
                    let inner = Frame {
                        at: Point { x: frame.at.x + 0.01, y: frame.at.y + 0.01 },
                        size: Size {
                            width: frame.size.width - 0.02,
                            height: frame.size.height - 0.02,
                        },
                    };
                    prop_assert!(is_own || !inner.meets(&dot), "{item} is crossed by {line:?}");
                }
            }
        }
    }

    /// The line may consist of several sections, each of which may belong to several links.
    #[test]
    fn every_link_has_a_line_to_its_end((items, links) in nests()) {
        let layout = lay_out(&items, &links);
        for link in &links {
            let frame = layout.frames[link.to];
            let is_there = layout.lines.iter().any(|line| {
                let point = if line.is_backward { line.points[0] } else { line.points[line.points.len() - 1] };
                line.is_last && links[line.link].to == link.to
                    && (point.y >= frame.at.y && point.y <= frame.at.y + frame.size.height)
                    && ((point.x - frame.at.x).abs() < 0.01
                        || (point.x - frame.at.x - frame.size.width).abs() < 0.01)
            });
            prop_assert!(is_there, "{link:?}");
        }
    }

    #[test]
    fn the_layout_is_deterministic((items, links) in nests()) {
        let (one, other) = (lay_out(&items, &links), lay_out(&items, &links));
        prop_assert_eq!(one.frames, other.frames);
    }
}

#[test]
fn an_empty_picture_has_no_size() {
    assert_eq!(lay_out(&[], &[]).size, Size::default());
}

#[test]
fn linked_items_are_placed_from_left_to_right() {
    let item = Item {
        parent: None,
        size: Size {
            width: 30.0,
            height: 20.0,
        },
    };
    let link = |from, to| Link { from, to, kind: 0 };
    let layout = lay_out(&[item; 3], &[link(2, 0), link(0, 1)]);
    let left = |item: usize| layout.frames[item].at.x;
    assert!(left(2) + 30.0 < left(0) && left(0) + 30.0 < left(1));
    let straight = layout.frames.iter().all(|frame| frame.at.y == 0.0);
    assert!(straight, "{:?}", layout.frames);
}
