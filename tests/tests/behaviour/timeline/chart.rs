//! Charts are readable: their elements do not overlap.

use roxmltree::{Document, Node};
use schedule::Executor;
use schedule::report::Machine;
use schedule::timeline::Timeline;
use std::time::Duration;

use super::{resources, set_way, year};

/// Left, top, right, bottom.
type Frame = [f64; 4];

fn number(node: Node<'_, '_>, name: &str) -> f64 {
    node.attribute(name).unwrap().parse().unwrap()
}

/// Computes the size of a label with the widest of the requested fonts.
fn frame_of_text(node: Node<'_, '_>) -> Frame {
    let (x, y) = (number(node, "x"), number(node, "y"));
    let (of_char, ascent) = match node.attribute("class") {
        Some(_) => (6.05, 9.0),
        None => (7.25, 11.0),
    };
    let n_chars = node.text().unwrap_or_default().chars().count();
    [x, y - ascent, x + of_char * n_chars as f64, y + 2.5]
}

fn frame_of_bar(node: Node<'_, '_>) -> Frame {
    let [x, y, w, h] = ["x", "y", "width", "height"].map(|name| number(node, name));
    [x, y, x + w, y + h]
}

fn overlap(a: Frame, b: Frame) -> bool {
    // With the precision of the written numbers, two decimal places.
    let is_before = |a: f64, b: f64| a <= b + 0.011;
    !(is_before(a[2], b[0])
        || is_before(b[2], a[0])
        || is_before(a[3], b[1])
        || is_before(b[3], a[1]))
}

/// The line of a deadline: a path of the form `M1,2 V3`.
fn frame_of_line(node: Node<'_, '_>) -> Frame {
    let path = node.attribute("d").unwrap().strip_prefix('M').unwrap();
    let (x, rest) = path.split_once(',').unwrap();
    let (from, to) = rest.split_once(" V").unwrap();
    let [x, from, to] = [x, from, to].map(|number| number.parse::<f64>().unwrap());
    [x - 1.0, from, x + 1.0, to]
}

pub(super) fn check(timeline: &Timeline) {
    let svg = schedule_view::timeline_svg(timeline);
    let document = Document::parse(&svg).unwrap();
    let root = document.root_element();
    let size = [number(root, "width"), number(root, "height")];
    let all = || root.descendants();
    let has = |node: Node<'_, '_>, name: &str| node.tag_name().name() == name;
    let bars: Vec<Node<'_, '_>> = all()
        .filter(|node| has(*node, "rect") && node.attribute("class").is_none())
        .collect();
    // One bar in the row of the worker, and one in the row of the system.
    assert_eq!(bars.len(), 2 * timeline.executions.len());
    let texts: Vec<Node<'_, '_>> = all().filter(|node| has(*node, "text")).collect();
    let frames: Vec<Frame> = bars.iter().map(|bar| frame_of_bar(*bar)).collect();
    for (idx, bar) in frames.iter().enumerate() {
        for other in &frames[..idx] {
            assert!(!overlap(*bar, *other), "{bar:?} and {other:?}");
        }
    }
    for (idx, text) in texts.iter().enumerate() {
        let frame = frame_of_text(*text);
        assert!(frame[0] >= 0.0 && frame[2] <= size[0] && frame[3] <= size[1]);
        for other in &texts[..idx] {
            assert!(!overlap(frame, frame_of_text(*other)), "{text:?} {other:?}");
        }
        for bar in &bars {
            let is_its_own = bar.parent() == text.parent();
            let bar = frame_of_bar(*bar);
            if is_its_own && text.attribute("class") == Some("name") {
                assert!(bar[0] <= frame[0] && frame[2] <= bar[2]);
            } else {
                assert!(!overlap(frame, bar), "{text:?} and {bar:?}");
            }
        }
    }
    let is_deadline = |node: &Node<'_, '_>| {
        let class = node.attribute("class");
        has(*node, "path") && (class == Some("missed") || class == Some("deadline"))
    };
    let marks: Vec<Frame> = all().filter(is_deadline).map(frame_of_line).collect();
    let deadlines = timeline.limits.iter();
    let n_deadlines = deadlines.filter(|limit| limit.deadline().is_some()).count();
    assert_eq!(marks.len(), n_deadlines);
    for mark in &marks {
        assert!(mark[0] >= 0.0 && mark[2] <= size[0] && mark[3] <= size[1]);
        // The names in bars and the times of the axis are beside other lines, too.
        let is_of_row = |text: &&Node<'_, '_>| {
            text.attribute("class") != Some("name") && frame_of_text(**text)[1] > 2.0 * 20.0
        };
        for text in texts.iter().filter(is_of_row) {
            assert!(!overlap(*mark, frame_of_text(*text)), "{mark:?} {text:?}");
        }
    }
    for execution in &timeline.executions {
        let names = texts.iter().filter_map(|text| text.text());
        assert!(names.into_iter().any(|name| name == execution.system));
    }
}

#[test]
fn bars_and_labels_in_a_chart_do_not_overlap() {
    let mut resources = resources();
    for executor in [Executor::Serial, Executor::Parallel, Executor::Auto] {
        let mut year = year();
        set_way(&mut year, (executor, 4));
        for _ in 0..4 {
            check(&year.record(&mut resources).1.timeline());
        }
    }
}

#[test]
fn simulation_is_drawn_like_a_run() {
    for us in [0, 1, 3, 70_000_000] {
        let year = year();
        let simulation = year.simulate(Machine::new(12), |_| Duration::from_micros(us));
        check(simulation.timeline());
    }
}

#[test]
fn empty_timeline_has_a_valid_chart() {
    check(&year().record(&mut schedule::Resources::new()).1.timeline());
}
