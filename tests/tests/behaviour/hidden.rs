//! Texts escape hidden characters in user strings, and no user string can fake a line of its own.

use std::time::Duration;

use schedule::access::ResourceId;
use schedule::dynamic::DynamicSystem;
use schedule::prelude::*;
use schedule::report::{Profile, ProfileError, SystemCost};
use schedule::{BoxError, Condition, Policy, Target};
use serde_json::Value;

use crate::trace::named;

/// A name with invisible characters, and with a fake line.
fn hostile(name: &str) -> String {
    format!("{name}\u{202e}\u{0}\u{1b}[31m\u{200b}\t\r\nFAKE \u{2028}\u{85}")
}

/// Returns the form of [`hostile`] in messages.
fn shown(name: &str) -> String {
    format!("{name}\\u{{202e}}\\u{{0}}\\u{{1b}}[31m\\u{{200b}}\\t\\r\\nFAKE \\u{{2028}}\\u{{85}}")
}

#[track_caller]
fn assert_clean(text: &str) {
    let is_hidden = |c: char| c.is_control() && c != '\n' || "\u{202e}\u{200b}\u{2028}".contains(c);
    assert!(!text.contains(is_hidden), "{text:?}");
    for line in text.lines() {
        assert!(!line.starts_with("FAKE"), "{text}");
    }
}

/// Like `assert_clean`, for a text that must contain this name.
#[track_caller]
fn assert_shows(text: &str, name: &str) {
    assert_clean(text);
    assert!(text.contains(&shown(name)), "{text}");
}

fn system(name: &str) -> DynamicSystem {
    DynamicSystem::new(hostile(name), |_| ())
}

#[derive(Group)]
struct Physics;

/// A schedule with one declaration of every kind.
fn frame() -> schedule::Builder {
    let mut builder = Schedule::builder();
    builder
        .name(hostile("frame"))
        .policy(Policy::InsertionOrder);
    builder.add_closure(hostile("is_due"), || true);
    let is_due = Condition::added(builder.last().unwrap());
    builder.add_dynamic(system("a").writes(hostile("R").as_str()));
    builder.run_if(!is_due.clone());
    let a = builder.last().unwrap();
    builder.add_dynamic(system("b").writes(hostile("R").as_str()));
    builder.in_group::<Physics>();
    let b = builder.last().unwrap();
    builder.accept(a, b, hostile("reason"));
    builder.add_dynamic(system("c").writes(hostile("S").as_str()));
    builder.run_if(is_due);
    builder.add_dynamic(system("c").writes(hostile("S").as_str()));
    builder.repeat_while_closure(
        hostile("loop"),
        || false,
        |step| step.add_dynamic(system("part")),
    );
    builder
}

fn resources() -> Resources {
    named(&[&hostile("R"), &hostile("S")])
}

#[test]
fn pictures_show_no_hidden_characters() {
    let graph = frame().build().unwrap().graph();
    let picture = graph.picture().with_resources();
    assert_shows(&picture.to_dot().replace("\\\\", "\\"), "a");
    assert_clean(&picture.to_mermaid());
    let svg = schedule_view::graph_svg(&picture);
    assert_clean(&svg);
    roxmltree::Document::parse(&svg).unwrap();
    let mut racing = frame();
    racing.policy(Policy::Reject);
    let error = racing.build().unwrap_err();
    let graph = error.graph();
    let picture = graph.picture().with_resources();
    for text in [
        picture.to_dot(),
        picture.to_mermaid(),
        schedule_view::graph_svg(&picture),
    ] {
        assert_clean(&text);
    }
}

#[test]
fn timelines_show_no_hidden_characters_and_keep_them_in_json() {
    let mut schedule = frame().build().unwrap();
    let mut resources = resources();
    let (result, recording) = schedule.record(&mut resources);
    result.unwrap();
    let timeline = recording.timeline();
    assert_shows(&schedule_view::timeline_svg(&timeline), "b");
    let trace = timeline.to_trace();
    assert_clean(&trace);
    let trace: Value = serde_json::from_str(&trace).unwrap();
    let mut names = trace["traceEvents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["name"].as_str().unwrap());
    assert!(
        names.any(|name| name == hostile("b")),
        "the value is the same"
    );
}

#[test]
fn reports_and_advice_show_no_hidden_characters() {
    let schedule = frame().build().unwrap();
    let report = schedule.report().to_string();
    for name in ["frame", "reason", "S"] {
        assert_shows(&report, name);
    }
    assert_shows(&schedule.lock().to_string(), "reason");
    let written = hostile("R");
    let both = system("both").reads(&written).writes(&written);
    let mut builder = Schedule::builder();
    let both = builder.add_dynamic(both).build().unwrap();
    for name in ["both", "R"] {
        assert_shows(&both.warnings()[0].to_string(), name);
        assert_shows(&both.report().to_string(), name);
    }
    for name in ["frame", "a", "is_due", "loop"] {
        assert_shows(&format!("{schedule:?}"), name);
    }
    let cost = |_: &str| Duration::from_micros(100);
    assert_shows(&schedule.advise_with(4, cost).to_string(), "a");
    for (first, second) in [
        ("a", "b"),
        ("b", "a"),
        ("a", "is_due"),
        ("part", "loop"),
        ("b", "part"),
    ] {
        let (first, second) = (hostile(first), hostile(second));
        assert_clean(
            &schedule
                .why(first.as_str(), second.as_str())
                .unwrap()
                .to_string(),
        );
    }
    let why = schedule.why(Target::of::<Physics>(), hostile("loop").as_str());
    assert_shows(&why.unwrap().to_string(), "loop");
    let choices = frame().policy(Policy::Optimize).build().unwrap().choices();
    assert_clean(&choices.to_string());
}

#[test]
fn errors_of_a_build_show_no_hidden_characters() {
    let mut racing = frame();
    racing.policy(Policy::Reject);
    let nodes = || [hostile("a"), hostile("b"), hostile("part"), hostile("loop")];
    let [a, b, part, repeat] = nodes();
    let mut refused: Vec<schedule::Builder> = vec![racing];
    let mut with = |say: &dyn Fn(&mut schedule::Builder)| {
        let mut builder = frame();
        say(&mut builder);
        refused.push(builder);
    };
    with(&|builder| {
        builder
            .order(a.as_str(), b.as_str())
            .order(b.as_str(), a.as_str());
    });
    with(&|builder| {
        builder.order(hostile("missing").as_str(), hostile("aa").as_str());
    });
    with(&|builder| {
        builder.order(hostile("c").as_str(), a.as_str());
    });
    with(&|builder| {
        builder.order(part.as_str(), repeat.as_str());
    });
    with(&|builder| {
        builder.order(b.as_str(), Target::of::<Physics>());
    });
    with(&|builder| {
        builder
            .add_dynamic(system("d"))
            .run_if(Condition::added(part.as_str()));
    });
    with(&|builder| {
        let resource = hostile("R");
        builder.policy_for_resource(resource.as_str(), Policy::Reject);
        builder.policy_for_resource(resource.as_str(), Policy::WritersFirst);
    });
    with(&|builder| {
        builder.policy_between(a.as_str(), b.as_str(), Policy::WritersFirst);
    });
    for mut builder in refused {
        let error = builder.build().unwrap_err();
        assert_shows(&error.to_string(), "frame");
        assert_clean(&format!("{error:?}"));
        for problem in error.problems() {
            assert_clean(&problem.to_string());
        }
        if let Some(remedy) = error.remedy() {
            assert_clean(&remedy.to_string());
        }
        for fault in &error.graph().problems {
            assert_clean(&fault.text);
        }
    }
    let mut builder = frame();
    let error = builder.try_order(a.as_str(), hostile("missing").as_str());
    assert_shows(&error.unwrap_err().to_string(), "missing");
    let schedule = frame().build().unwrap();
    let error = schedule
        .is_enabled(hostile("missing").as_str())
        .unwrap_err();
    assert_shows(&error.to_string(), "missing");
}

#[test]
fn errors_of_a_run_show_no_hidden_characters() {
    let mut schedule = frame().build().unwrap();
    let error = schedule.run(&mut Resources::new()).unwrap_err();
    assert_shows(&error.to_string(), "R");
    let mut builder = Schedule::builder();
    let call = |view: &mut schedule::dynamic::View<'_>| {
        view.get_named_mut::<i64>(&hostile("R"))?;
        Ok::<(), BoxError>(())
    };
    builder.add_dynamic(DynamicSystem::new(hostile("fails"), call));
    let error = builder.build().unwrap().run(&mut resources()).unwrap_err();
    assert_shows(&error.to_string(), "fails");
    assert_shows(&format!("{:?}", ResourceId::named(hostile("R"))), "R");
}

#[test]
fn errors_of_files_show_no_hidden_characters() {
    let mut schedule = frame().build().unwrap();
    let error = schedule
        .lock()
        .check("no such folder/frame.lock")
        .unwrap_err();
    assert_shows(&error.to_string(), "frame");
    let profile = Profile {
        schedule: hostile("other"),
        costs: vec![SystemCost {
            system: hostile("other"),
            ns: 1,
            runs_per_1000: 1_000,
        }],
    };
    let error: ProfileError = schedule.set_profile(&profile).unwrap_err();
    assert_shows(&error.to_string(), "other");
}
