use proptest::prelude::*;

use super::*;

/// Boxes in boxes, and links between any two of which neither is in the other.
fn nests() -> impl Strategy<Value = (Vec<Thing>, Vec<Link>)> {
    let thing = (any::<prop::sample::Index>(), 0..4, 10.0..120.0, 10.0..60.0);
    let things = prop::collection::vec(thing, 1..24).prop_map(|things| {
        let mut made: Vec<Thing> = Vec::new();
        for (parent, rank, width, height) in things {
            let parent = (rank > 0 && !made.is_empty()).then(|| parent.index(made.len()));
            made.push(Thing {
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
    (things, prop::collection::vec(link, 0..40)).prop_map(|(things, links)| {
        let links = links.into_iter().map(|(from, to, kind)| Link {
            from: from.index(things.len()),
            to: to.index(things.len()),
            kind,
        });
        let is_apart = |link: &Link| {
            !is_in(&things, link.from, link.to) && !is_in(&things, link.to, link.from)
        };
        let links = links.filter(is_apart).collect();
        (things, links)
    })
}

fn is_in(things: &[Thing], thing: usize, holder: usize) -> bool {
    let mut around = core::iter::successors(Some(thing), |one| things[*one].parent);
    around.any(|one| one == holder)
}

/// Points on a line, close to each other, as an SVG draws it.
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
    fn no_two_things_overlap_and_each_is_in_its_box((things, links) in nests()) {
        let layout = lay_out(&things, &links);
        let frames = &layout.frames;
        let all = Frame { at: Point::default(), size: layout.size };
        for (a, thing) in things.iter().enumerate() {
            prop_assert!(all.holds(&frames[a]));
            prop_assert!(frames[a].size.width >= thing.size.width);
            for b in 0..a {
                if is_in(&things, a, b) {
                    // Below the label.
                    let mut inner = frames[b];
                    inner.at.y += things[b].size.height;
                    inner.size.height -= things[b].size.height;
                    prop_assert!(inner.holds(&frames[a]));
                } else {
                    prop_assert!(!frames[a].meets(&frames[b]), "{a} and {b} overlap");
                }
            }
        }
    }

    #[test]
    fn no_line_runs_through_what_is_not_its_own((things, links) in nests()) {
        let layout = lay_out(&things, &links);
        for line in &layout.lines {
            let link = links[line.link];
            for point in points(line) {
                // Clear of borders, at which lines end.
                let dot = Frame { at: point, size: Size { width: 1e-3, height: 1e-3 } };
                for (thing, frame) in layout.frames.iter().enumerate() {
                    let is_around = |end: usize| is_in(&things, end, thing) && end != thing;
                    let is_own = is_around(link.from) || is_around(link.to);
                    let inner = Frame {
                        at: Point { x: frame.at.x + 0.01, y: frame.at.y + 0.01 },
                        size: Size {
                            width: frame.size.width - 0.02,
                            height: frame.size.height - 0.02,
                        },
                    };
                    prop_assert!(is_own || !inner.meets(&dot), "{thing} is crossed by {line:?}");
                }
            }
        }
    }

    /// From one end to the other, maybe in several pieces, each of which may serve other links too.
    #[test]
    fn every_link_has_a_line_to_its_end((things, links) in nests()) {
        let layout = lay_out(&things, &links);
        for link in &links {
            let frame = layout.frames[link.to];
            let is_there = layout.lines.iter().any(|line| {
                let point = match line.is_backward {
                    true => line.points[0],
                    false => line.points[line.points.len() - 1],
                };
                line.is_last && links[line.link].to == link.to
                    && (point.y >= frame.at.y && point.y <= frame.at.y + frame.size.height)
                    && ((point.x - frame.at.x).abs() < 0.01
                        || (point.x - frame.at.x - frame.size.width).abs() < 0.01)
            });
            prop_assert!(is_there, "{link:?}");
        }
    }

    #[test]
    fn the_same_things_are_laid_out_in_the_same_way((things, links) in nests()) {
        let (one, other) = (lay_out(&things, &links), lay_out(&things, &links));
        prop_assert_eq!(one.frames, other.frames);
    }
}

#[test]
fn nothing_has_no_size() {
    assert_eq!(lay_out(&[], &[]).size, Size::default());
}

#[test]
fn what_is_linked_stands_from_left_to_right() {
    let thing = Thing {
        parent: None,
        size: Size {
            width: 30.0,
            height: 20.0,
        },
    };
    let link = |from, to| Link { from, to, kind: 0 };
    let layout = lay_out(&[thing; 3], &[link(2, 0), link(0, 1)]);
    let left = |thing: usize| layout.frames[thing].at.x;
    assert!(left(2) + 30.0 < left(0) && left(0) + 30.0 < left(1));
    let straight = layout.frames.iter().all(|frame| frame.at.y == 0.0);
    assert!(straight, "{:?}", layout.frames);
}
