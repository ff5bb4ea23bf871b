//! Pictures: their contents, and their validity for the programs that read them.

use schedule::graph::{Origin, ScheduleGraph};
use schedule_tests::child::Child;
use schedule_view::graph_svg;

use super::reader::{check_dot, check_mermaid, check_svg};
use super::*;

#[derive(Resource)]
struct Tally(u32);

impl Foldable for Tally {
    type Partial = u32;

    fn join(&mut self, partial: u32) {
        self.0 += partial;
    }
}

/// The graph of a rejected schedule with a cycle, races, and another problem.
fn refused() -> ScheduleGraph {
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
    builder.build().unwrap_err().graph()
}

#[test]
fn every_kind_of_node_has_its_own_shape() {
    let graph = all_kinds().graph();
    let dot = graph.picture().with_resources().to_dot();
    let mermaid = graph.picture().with_resources().to_mermaid();
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
            "[[\"Applied<br/>exclusive\"]]",
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
fn system_that_accesses_everything_has_an_edge_to_everything() {
    let mut builder = Schedule::builder();
    builder.policy(Policy::InsertionOrder);
    let system = |name: &str| DynamicSystem::new(name, |_| ());
    builder.add_dynamic(system("look").reads_all_except(["Sound".into()]));
    builder.add_dynamic(system("hum").writes("Sound"));
    builder.add_dynamic(system("wipe").writes_all_except([]));
    let graph = builder.build().unwrap().graph();
    let picture = graph.picture().with_resources();
    let dot = picture.to_dot();
    let number = |label: &str| {
        let label = format!(" [label=\"{label}\"");
        let mut lines = dot.lines();
        lines.find_map(|line| Some(line.split_once(&label)?.0.trim()))
    };
    let [look, wipe, all] = ["look", "wipe", "everything"].map(|label| number(label).unwrap());
    for edge in [
        format!("  {all} -> {look} [style=dotted, color=gray40, tooltip=\"all except Sound\"];"),
        format!("  {wipe} -> {all} [style=solid, color=gray40, arrowhead=vee, tooltip=\"\"];"),
    ] {
        assert!(dot.lines().any(|line| line == edge), "{edge}\n{dot}");
    }
    check_dot(&dot);
    check_svg(&graph_svg(&picture));
    check_mermaid(&[picture.to_mermaid()]);
}

#[test]
fn nodes_that_never_both_run_have_a_labelled_edge() {
    let mut builder = Schedule::builder();
    builder.add_closure("is_won", || true);
    let is_won = Condition::added(builder.last().unwrap());
    for (name, guard) in [("cheer", is_won.clone()), ("weep", !is_won)] {
        let system = DynamicSystem::new(name, |_| ()).writes("Sound");
        builder.add_dynamic(system).run_if(guard);
    }
    let graph = builder.build().unwrap().graph();
    let at = |name: &str| graph.named(name).next().unwrap();
    let is_pair = |edge: &&schedule::graph::Edge| (edge.from, edge.to) == (at("cheer"), at("weep"));
    let edge = graph.edges.iter().find(is_pair).unwrap();
    let condition = at("is_won");
    assert_eq!(edge.origins, [Origin::NeverBoth { condition }]);
    let picture = graph.picture();
    let (dot, mermaid, svg) = (picture.to_dot(), picture.to_mermaid(), graph_svg(&picture));
    assert!(
        dot.contains("never both run, by the result of is_won"),
        "{dot}"
    );
    assert!(mermaid.contains("|\"never both run\"|"), "{mermaid}");
    assert!(svg.contains("class=\"line never\""), "{svg}");
    check_dot(&dot);
    check_svg(&svg);
    check_mermaid(&[mermaid]);
}

#[test]
fn folds_are_drawn_differently_from_writes() {
    let builder = &mut Schedule::builder();
    let graph = builder
        .add_closure("count", |mut tally: Fold<Tally>| *tally += 1)
        .add_closure("clear", |tally: &mut Tally| tally.0 = 0)
        .order("clear", "count")
        .build()
        .unwrap()
        .graph();
    let picture = graph.picture().with_resources();
    let (dot, mermaid, svg) = (picture.to_dot(), picture.to_mermaid(), graph_svg(picture));
    let lines = |text: &str, part: &str| text.lines().filter(|line| line.contains(part)).count();
    for style in ["solid", "dashed"] {
        let style = format!("style={style}, color=gray40, arrowhead=vee");
        // An arrow, and the legend.
        assert_eq!(lines(&dot, &style), 2, "{dot}");
    }
    assert_eq!(lines(&mermaid, "|\"folds into\"|"), 1, "{mermaid}");
    for (class, legend) in [("writes", ">writes<"), ("folds", ">folds into<")] {
        let class = format!("class=\"line {class} touch\"");
        assert!(svg.contains(&class), "{svg}");
        assert!(svg.contains(legend), "{svg}");
    }
    check_dot(&dot);
    check_svg(&svg);
    check_mermaid(&[mermaid]);
}

#[test]
fn nodes_in_a_loop_or_group_are_drawn_in_its_box() {
    let dot = all_kinds().graph().picture().to_dot();
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
fn picture_of_a_rejected_schedule_shows_its_problems() {
    let graph = refused();
    let dot = graph.picture().to_dot();
    let races = dot.matches("label=\"races on Health\"").count();
    assert_eq!(
        (races, dot.matches("dir=none").count()),
        (2, 3),
        "and one in the legend"
    );
    assert!(dot.contains("`never added` is not in this schedule, but "));
    let mermaid = graph.picture().to_mermaid();
    assert_eq!(mermaid.matches("---|\"races on Health\"|").count(), 2);
    let svg = graph_svg(&graph);
    // Each race consists of two lines with its label in between. The cycle shows only two orders, because one is in the group.
    assert_eq!(svg.matches("class=\"line race problem\"").count(), 4 + 1);
    assert!(svg.contains(">races on Health</text>"));
    check_svg(&svg);
}

#[test]
fn names_may_contain_any_characters() {
    let names = [
        "\u{200b}",
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
    let graph = builder.build().unwrap().graph();
    let picture = graph.picture().with_resources();
    check_svg(&graph_svg(&picture));
    check_dot(&picture.to_dot());
    check_mermaid(&[picture.to_mermaid()]);
}

#[test]
fn graphviz_reads_every_picture() {
    for graph in [all_kinds().graph(), refused()] {
        let pictures = [
            graph.picture(),
            graph.picture().with_resources().with_implied(),
        ];
        for picture in pictures {
            check_dot(&picture.to_dot());
        }
    }
}

#[test]
fn mermaid_reads_every_picture() {
    let graphs = [all_kinds().graph(), refused()];
    let charts = graphs.iter().flat_map(|graph| {
        let pictures = [
            graph.picture(),
            graph.picture().with_resources().with_implied(),
        ];
        pictures.map(|picture| picture.to_mermaid())
    });
    check_mermaid(&charts.collect::<Vec<_>>());
}

#[test]
fn an_svg_has_every_label_in_its_shape_and_nothing_overlaps() {
    let graph = all_kinds().graph();
    check_svg(&graph_svg(&graph));
    check_svg(&graph_svg(graph.picture().with_resources().with_implied()));
    let physics = graph.named("Physics").next().unwrap();
    check_svg(&graph_svg(graph.picture().without_paths().inside(physics)));
}

#[test]
fn picture_around_a_node_shows_nodes_within_the_radius() {
    let mut builder = Schedule::builder();
    for name in ["a", "b", "c", "d", "e"] {
        builder.add_dynamic(DynamicSystem::new(name, |_| ()));
    }
    for pair in ["a", "b", "c", "d", "e"].windows(2) {
        builder.order(pair[0], pair[1]);
    }
    let graph = builder.build().unwrap().graph();
    let shown = |radius: usize| {
        let dot = graph.picture().around(graph.named("c"), radius).to_dot();
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
fn picture_of_a_group_shows_its_neighbours() {
    let graph = all_kinds().graph();
    let physics = graph.named("Physics").next().unwrap();
    let dot = graph.picture().inside(physics).to_dot();
    for (label, is_shown) in [("World", true), ("integrate", true), ("render", false)] {
        assert_eq!(
            dot.contains(&format!("label=\"{label}\"")),
            is_shown,
            "{label}"
        );
    }
}

#[test]
fn scattered_group_is_drawn_closed_with_its_orders() {
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
    let graph = builder.build().unwrap().graph();
    let dot = graph.picture().to_dot();
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

/// A group that is drawn as closed may be part of a cycle. Drawing it must terminate.
#[test]
fn cycle_of_a_group_and_a_system_is_drawn() {
    Child::new(|| {
        let mut builder = Schedule::builder();
        builder.add_dynamic(DynamicSystem::new("inside", |_| ()));
        builder.in_group::<World>();
        builder.add_dynamic(DynamicSystem::new("outside", |_| ()));
        builder.order(schedule::Target::of::<World>(), "outside");
        builder.order("outside", schedule::Target::of::<World>());
        let graph = builder.build().unwrap_err().graph();
        let svg = graph_svg(&graph);
        assert!(svg.contains("class=\"line cycle problem\""), "{svg}");
        check_svg(&svg);
        assert!(graph.picture().to_dot().contains("color=red"));
    })
    .run();
}
