//! Pictures: what is in them, and that those who read them can.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use roxmltree::{Document, Node};
use schedule::view::{Origin, Outline};
use schedule::{Builder, DynamicSystem};

use super::*;

/// A frame in an SVG, in pixels.
#[derive(Clone, Copy, Debug)]
struct Frame {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Frame {
    fn meets(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    /// Up to what is lost as numbers are written to a tenth.
    fn holds(&self, other: &Self) -> bool {
        let slack = 0.2;
        self.left <= other.left + slack
            && self.top <= other.top + slack
            && other.right <= self.right + slack
            && other.bottom <= self.bottom + slack
    }
}

fn number(node: Node<'_, '_>, name: &str) -> f64 {
    let text = node.attribute(name).unwrap_or_else(|| panic!("no {name}"));
    text.parse().unwrap()
}

/// What is drawn of a shape, and its texts; those that stand in the frame of the picture and not in the legend.
fn shapes(document: &Document<'_>) -> Vec<(Frame, Vec<Frame>)> {
    let mut groups = document.root_element().children();
    let drawn = groups.find(|node| node.has_tag_name("g")).unwrap();
    let is_shape = |node: &Node<'_, '_>| {
        let class = node.attribute("class").unwrap_or_default();
        class.split(' ').any(|one| one == "shape")
    };
    let shapes = drawn.children().filter(is_shape).map(|shape| {
        let form = shape
            .children()
            .find(|node| node.has_tag_name("rect") || node.has_tag_name("polygon"));
        let form = form.unwrap();
        let frame = match form.attribute("points") {
            None => {
                let (left, top) = (number(form, "x"), number(form, "y"));
                Frame {
                    left,
                    top,
                    right: left + number(form, "width"),
                    bottom: top + number(form, "height"),
                }
            }
            Some(points) => {
                let points = points.split(' ').map(|point| {
                    let (x, y) = point.split_once(',').unwrap();
                    (x.parse().unwrap(), y.parse().unwrap())
                });
                let points: Vec<(f64, f64)> = points.collect();
                let least = |of: fn(&(f64, f64)) -> f64| {
                    points.iter().map(of).fold(f64::INFINITY, f64::min)
                };
                let most = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).fold(0.0, f64::max);
                Frame {
                    left: least(|point| point.0),
                    top: least(|point| point.1),
                    right: most(|point| point.0),
                    bottom: most(|point| point.1),
                }
            }
        };
        let texts = shape.children().filter(|node| node.has_tag_name("text"));
        let texts = texts.map(|text| {
            // The widest of the fonts that are asked for: 0.602 of the size of the font.
            let size = if text.attribute("class") == Some("note") {
                10.0
            } else {
                12.0
            };
            let n_chars = text.text().unwrap_or_default().chars().count();
            let (left, base) = (number(text, "x"), number(text, "y"));
            Frame {
                left,
                top: base - 0.76 * size,
                right: left + 0.602 * size * n_chars as f64,
                bottom: base + 0.24 * size,
            }
        });
        (frame, texts.collect())
    });
    shapes.collect()
}

/// That a picture can be read, and that nothing in it overlaps.
fn check_svg(svg: &str) {
    let document = Document::parse(svg).unwrap();
    let shapes = shapes(&document);
    for (idx, (frame, texts)) in shapes.iter().enumerate() {
        for text in texts {
            assert!(frame.holds(text), "{text:?} is not in {frame:?}");
        }
        for (other, other_texts) in &shapes[..idx] {
            assert!(
                !frame.meets(other) || frame.holds(other) || other.holds(frame),
                "{frame:?} and {other:?} overlap"
            );
            let texts = texts
                .iter()
                .flat_map(|one| other_texts.iter().map(move |two| (one, two)));
            for (one, two) in texts {
                assert!(!one.meets(two), "{one:?} and {two:?} overlap");
            }
        }
    }
}

/// That Graphviz reads it without a word; `false` if there is no Graphviz.
fn check_dot(dot: &str) -> bool {
    let child = Command::new("dot")
        .arg("-Tcanon")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        eprintln!("passed over: there is no `dot`");
        return false;
    };
    child
        .stdin
        .take()
        .unwrap()
        .write_all(dot.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}\n{dot}");
    true
}

/// That Mermaid's own parser reads these. The folder in which `mermaid` and `jsdom` are installed is that of `MERMAID`.
fn check_mermaid(charts: &[String]) -> bool {
    let Some(folder) = std::env::var_os("MERMAID") else {
        eprintln!("passed over: `MERMAID` names no folder with Mermaid in it");
        return false;
    };
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/behaviour/view/mermaid.mjs"
    );
    let mut child = Command::new("node")
        .arg(script)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("where Mermaid is, there is `node`");
    let text = serde_json::to_string(charts).unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    true
}

/// A cycle, races, and something else.
fn refused() -> Outline {
    let mut builder = Schedule::builder();
    builder
        .name("refused")
        .add::<render>()
        .add::<integrate>()
        .add::<collide>()
        .in_group::<Physics>()
        .group::<World>()
        .before::<collide>()
        .add::<run>()
        .in_group::<World>();
    builder
        .order("collide", "run")
        .order("collide", "never added");
    builder.build().unwrap_err().outline()
}

#[test]
fn every_kind_of_node_has_a_shape_of_its_own() {
    let outline = all_kinds().outline();
    let dot = outline.picture().with_resources().to_dot();
    let mermaid = outline.picture().with_resources().to_mermaid();
    for (label, in_dot, in_mermaid) in [
        (
            "render",
            "shape=box, style=rounded",
            "(\"render<br/>if is_alive\")",
        ),
        ("is_alive", "shape=hexagon", "{{\"is_alive\"}}"),
        ("gait", "shape=diamond", "{\"gait\"}"),
        ("Ready", "shape=oval", "([\"Ready\"])"),
        (
            "Applied",
            "shape=doubleoctagon",
            "[[\"Applied<br/>runs alone\"]]",
        ),
        ("Health", "shape=cylinder", "[(\"Health\")]"),
        (
            "repeat while is_due",
            "peripheries=2",
            "[\"repeat while is_due",
        ),
        ("Physics", "style=dashed", "[\"Physics\"]"),
    ] {
        let quoted = format!("label=\"{label}");
        let mut lines = dot.lines().filter(|line| line.contains(&quoted));
        assert!(lines.any(|line| line.contains(in_dot)), "{label}\n{dot}");
        assert!(mermaid.contains(in_mermaid), "{label}\n{mermaid}");
    }
}

#[test]
fn what_touches_everything_is_joined_with_everything() {
    let mut builder = Schedule::builder();
    builder.policy(Policy::AsAdded);
    let system = |name: &str| DynamicSystem::new(name, |_| ());
    builder.add_dynamic(system("look").reads_all_except(["Sound".into()]));
    builder.add_dynamic(system("hum").writes("Sound"));
    builder.add_dynamic(system("wipe").writes_all_except([]));
    let outline = builder.build().unwrap().outline();
    let picture = outline.picture().with_resources();
    let dot = picture.to_dot();
    let number = |label: &str| {
        let label = format!(" [label=\"{label}\"");
        let mut lines = dot.lines();
        lines.find_map(|line| Some(line.split_once(&label)?.0.trim()))
    };
    let [look, wipe, all] = ["look", "wipe", "everything"].map(|label| number(label).unwrap());
    for edge in [
        format!("  {all} -> {look} [style=dotted, color=gray40, tooltip=\"all but Sound\"];"),
        format!("  {wipe} -> {all} [style=solid, color=gray40, arrowhead=vee, tooltip=\"\"];"),
    ] {
        assert!(dot.lines().any(|line| line == edge), "{edge}\n{dot}");
    }
    check_dot(&dot);
    check_svg(&picture.to_svg());
    check_mermaid(&[picture.to_mermaid()]);
}

#[test]
fn two_that_never_run_both_have_an_edge_that_says_so() {
    let mut builder = Schedule::builder();
    builder.add_closure("is_won", || true);
    let is_won = Condition::added(builder.last().unwrap());
    for (name, guard) in [("cheer", is_won.clone()), ("weep", !is_won)] {
        let system = DynamicSystem::new(name, |_| ()).writes("Sound");
        builder.add_dynamic(system).guard(guard);
    }
    let outline = builder.build().unwrap().outline();
    let at = |name: &str| outline.named(name).next().unwrap();
    let is_pair = |edge: &&schedule::view::Edge| (edge.from, edge.to) == (at("cheer"), at("weep"));
    let edge = outline.edges.iter().find(is_pair).unwrap();
    let condition = at("is_won");
    assert_eq!(edge.origins, [Origin::Exclusive { condition }]);
    let picture = outline.picture();
    let (dot, mermaid, svg) = (picture.to_dot(), picture.to_mermaid(), picture.to_svg());
    assert!(dot.contains("never both, by the answer of is_won"), "{dot}");
    assert!(mermaid.contains("|\"never both\"|"), "{mermaid}");
    assert!(svg.contains("class=\"line never\""), "{svg}");
    check_dot(&dot);
    check_svg(&svg);
    check_mermaid(&[mermaid]);
}

#[test]
fn what_is_in_a_loop_or_a_group_stands_in_its_box() {
    let dot = all_kinds().outline().picture().to_dot();
    let depth_of = |label: &str| {
        let quoted = format!("label=\"{label}");
        let line = dot.lines().find(|line| line.contains(&quoted)).unwrap();
        line.len() - line.trim_start().len()
    };
    assert_eq!(depth_of("World"), 4);
    assert_eq!(depth_of("Physics"), 6);
    assert_eq!(depth_of("repeat while is_due"), 8);
    assert_eq!(depth_of("collide"), 8);
    assert_eq!(depth_of("render"), 2);
}

#[test]
fn a_refused_schedule_has_its_problems_drawn_in() {
    let outline = refused();
    let dot = outline.picture().to_dot();
    let races = dot.matches("label=\"races on Health\"").count();
    assert_eq!(
        (races, dot.matches("dir=none").count()),
        (2, 3),
        "and one in the legend"
    );
    assert!(dot.contains("`never added` was never added"));
    let mermaid = outline.picture().to_mermaid();
    assert_eq!(mermaid.matches("---|\"races on Health\"|").count(), 2);
    let svg = outline.picture().to_svg();
    // Each race is two lines, with its label between; of the cycle there are two orders, as one is in the group.
    assert_eq!(svg.matches("class=\"line race problem\"").count(), 4 + 1);
    assert!(svg.contains(">races on Health</text>"));
    check_svg(&svg);
}

#[test]
fn names_may_hold_anything() {
    let names = [
        "",
        "\"",
        "\\",
        "\\\"",
        "<b>",
        "a::b<c::D, 'e>",
        "&amp;",
        "&#34;",
        "]",
        "}",
        "|",
        "--> x",
        "%% comment",
        "end",
        "`code`",
        "#quot;",
        "ü漢字🦀",
        "a\nb\r\tc\0\u{7f}",
        "subgraph",
        "1. one",
        "- x",
        "graph\\N\\G\\l",
        "%{init}",
        "click n1",
        ";",
    ];
    let mut builder = Schedule::builder();
    builder.name("a \"name\": <of> \\ `any` kind\n---");
    for name in names {
        builder.add_dynamic(DynamicSystem::new(name, |_| ()).writes(format!("of {name}").as_str()));
    }
    for pair in names.windows(2).skip(1) {
        builder.order(pair[0], pair[1]);
    }
    let outline = builder.build().unwrap().outline();
    let picture = outline.picture().with_resources();
    check_svg(&picture.to_svg());
    check_dot(&picture.to_dot());
    check_mermaid(&[picture.to_mermaid()]);
}

#[test]
fn graphviz_reads_every_picture() {
    for outline in [all_kinds().outline(), refused()] {
        let pictures = [
            outline.picture(),
            outline.picture().with_resources().with_implied(),
        ];
        for picture in pictures {
            check_dot(&picture.to_dot());
        }
    }
}

#[test]
fn mermaid_reads_every_picture() {
    let outlines = [all_kinds().outline(), refused()];
    let charts = outlines.iter().flat_map(|outline| {
        let pictures = [
            outline.picture(),
            outline.picture().with_resources().with_implied(),
        ];
        pictures.map(|picture| picture.to_mermaid())
    });
    check_mermaid(&charts.collect::<Vec<_>>());
}

#[test]
fn an_svg_has_every_label_in_its_shape_and_nothing_overlaps() {
    let outline = all_kinds().outline();
    check_svg(&outline.picture().to_svg());
    check_svg(&outline.picture().with_resources().with_implied().to_svg());
    check_svg(
        &outline
            .picture()
            .without_paths()
            .inside(outline.named("Physics").next().unwrap())
            .to_svg(),
    );
}

#[test]
fn a_picture_around_a_node_shows_what_is_so_near() {
    let mut builder = Schedule::builder();
    for name in ["a", "b", "c", "d", "e"] {
        builder.add_dynamic(DynamicSystem::new(name, |_| ()));
    }
    for pair in ["a", "b", "c", "d", "e"].windows(2) {
        builder.order(pair[0], pair[1]);
    }
    let outline = builder.build().unwrap().outline();
    let shown = |radius: usize| {
        let dot = outline
            .picture()
            .around(outline.named("c"), radius)
            .to_dot();
        let labels = dot
            .lines()
            .filter_map(|line| line.split_once("[label=\"")?.1.split('"').next());
        labels.filter(|label| label.len() == 1).collect::<String>()
    };
    assert_eq!(shown(0), "c");
    assert_eq!(shown(1), "bcd");
    assert_eq!(shown(2), "abcde");
}

#[test]
fn a_picture_of_a_group_shows_it_with_what_is_around() {
    let outline = all_kinds().outline();
    let physics = outline.named("Physics").next().unwrap();
    let dot = outline.picture().inside(physics).to_dot();
    for (label, is_shown) in [("World", true), ("integrate", true), ("render", false)] {
        assert_eq!(
            dot.contains(&format!("label=\"{label}\"")),
            is_shown,
            "{label}"
        );
    }
}

#[test]
fn a_group_that_is_scattered_is_drawn_closed_and_keeps_its_orders() {
    let mut builder = Schedule::builder();
    for name in ["zero", "one", "two", "three", "four"] {
        builder.add_dynamic(DynamicSystem::new(name, |_| ()));
        if name == "one" || name == "three" {
            builder.in_group::<World>();
        }
    }
    builder.order("one", "two").order("two", "three");
    builder.order("zero", schedule::Target::of::<World>());
    builder.order(schedule::Target::of::<World>(), "four");
    let outline = builder.build().unwrap().outline();
    let dot = outline.picture().to_dot();
    assert!(!dot.contains("lhead"), "{dot}");
    let n = |label: &str| {
        let quoted = format!("[label=\"{label}");
        let line = dot.lines().find(|line| line.contains(&quoted)).unwrap();
        line.trim().split(' ').next().unwrap().to_string()
    };
    assert!(dot.contains("label=\"one\\nalso in World\""), "{dot}");
    for (from, to) in [
        ("zero", "one"),
        ("one", "two"),
        ("two", "three"),
        ("three", "four"),
    ] {
        assert!(
            dot.contains(&format!("{} -> {} ", n(from), n(to))),
            "{from} {to}\n{dot}"
        );
    }
    assert!(!dot.contains(&format!("{} -> {} ", n("one"), n("four"))));
}

/// Systems in groups and loops, with orders, built or refused.
fn outlines() -> impl Strategy<Value = Outline> {
    let system = (0..8_u8, 0..3_u8, 0..4_usize, any::<bool>());
    let order = (any::<prop::sample::Index>(), any::<prop::sample::Index>());
    let orders = prop::collection::vec(order, 0..16);
    let systems = prop::collection::vec(system, 1..14);
    (systems, orders, any::<bool>()).prop_map(|(systems, orders, is_strict)| {
        let mut builder = Schedule::builder();
        if !is_strict {
            builder.policy(Policy::AsAdded);
        }
        let mut of_loop: BTreeMap<u8, Vec<(usize, u8, usize, bool)>> = BTreeMap::new();
        for (idx, &(groups, level, resource, is_guarded)) in systems.iter().enumerate() {
            let system = (idx, groups, resource, is_guarded);
            of_loop.entry(level).or_default().push(system);
        }
        let add = |builder: &mut Builder, systems: &[(usize, u8, usize, bool)], is_inside: bool| {
            for &(idx, groups, resource, is_guarded) in systems {
                let resource = format!("r{resource}");
                let system = DynamicSystem::new(format!("system_{idx}"), |_| ());
                builder.add_dynamic(system.writes(resource.as_str()));
                if is_guarded {
                    builder.only_if::<is_alive>();
                }
                for bit in 0..3 {
                    if groups & (1 << bit) != 0 && !is_inside {
                        match bit {
                            0 => builder.in_group::<Physics>(),
                            1 => builder.in_group::<World>(),
                            _ => builder.in_group::<Other>(),
                        };
                    }
                }
            }
        };
        for (level, systems) in &of_loop {
            match level {
                0 => add(&mut builder, systems, false),
                1 => drop(builder.repeat_while::<is_due>(|step| {
                    add(step, systems, true);
                    step
                })),
                _ => drop(
                    builder
                        .repeat_while::<is_near>(|step| {
                            add(step, systems, true);
                            step
                        })
                        .in_group::<Other>(),
                ),
            }
        }
        for (a, b) in &orders {
            let (a, b) = (a.index(systems.len()), b.index(systems.len()));
            // Some go backward, so that there are cycles.
            if a < b || (is_strict && a > b && (a + b) % 7 == 0) {
                builder.order(
                    format!("system_{a}").as_str(),
                    format!("system_{b}").as_str(),
                );
            }
        }
        match builder.build() {
            Ok(schedule) => schedule.outline(),
            Err(error) => error.outline(),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn random_schedules_are_drawn_without_overlap(outline in outlines()) {
        check_svg(&outline.picture().to_svg());
        check_svg(&outline.picture().with_resources().with_implied().to_svg());
        check_svg(&outline.picture().around([0], 1).to_svg());
    }

    #[test]
    fn lines_of_what_was_built_run_forward_in_time(outline in outlines()) {
        let svg = outline.picture().to_svg();
        prop_assert!(!outline.is_built || !svg.contains("marker-start"), "{svg}");
    }

    #[test]
    fn random_outlines_are_written_and_read(outline in outlines()) {
        let text = serde_json::to_string(&outline).unwrap();
        prop_assert_eq!(serde_json::from_str::<Outline>(&text).unwrap(), outline);
    }

    #[test]
    fn edges_of_what_was_built_go_forward(outline in outlines()) {
        for edge in &outline.edges {
            prop_assert!(!outline.is_built || edge.from < edge.to, "{edge:?}");
            prop_assert!(!edge.origins.is_empty());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn graphviz_reads_random_schedules(outline in outlines()) {
        check_dot(&outline.picture().with_resources().to_dot());
    }
}

#[test]
fn mermaid_reads_random_schedules() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let charts = (0..24).map(|_| {
        let outline = outlines().new_tree(&mut runner).unwrap().current();
        outline.picture().with_resources().to_mermaid()
    });
    check_mermaid(&charts.collect::<Vec<_>>());
}
