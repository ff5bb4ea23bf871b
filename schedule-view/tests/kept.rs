//! The pictures of kept documents equal the kept pictures, byte for byte. If the variable `BLESS` is set, the pictures are
//! written.

use std::path::PathBuf;

use schedule_view::{Document, graph_svg, timeline_svg};

fn file(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "data", name]
        .iter()
        .collect()
}

fn document(name: &str) -> (String, Document) {
    let json = std::fs::read_to_string(file(&format!("{name}.json"))).unwrap();
    let document = Document::from_json(&json).unwrap();
    (json, document)
}

fn svg(document: &Document) -> String {
    match document {
        Document::Graph(graph) => graph_svg(graph.picture().with_resources().with_implied()),
        Document::Timeline(timeline) => timeline_svg(timeline),
        other => panic!("{other:?}"),
    }
}

#[test]
fn kept_documents_are_drawn_as_kept_pictures() {
    for name in ["all_kinds", "refused", "timeline", "limits"] {
        let svg = svg(&document(name).1);
        let file = file(&format!("{name}.svg"));
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&file, &svg).unwrap();
        }
        let kept = std::fs::read_to_string(file).unwrap();
        assert!(svg == kept, "{name}: the picture differs from the kept one");
    }
}

/// Programs that read these documents depend on their format. If the format changes, the version must change.
#[test]
fn stored_documents_are_unchanged_after_a_round_trip() {
    for name in ["all_kinds", "refused", "timeline", "limits"] {
        let (json, document) = document(name);
        let written = match &document {
            Document::Graph(graph) => serde_json::to_string_pretty(graph),
            Document::Timeline(timeline) => serde_json::to_string_pretty(timeline),
            other => panic!("{other:?}"),
        };
        assert!(
            written.unwrap() + "\n" == json,
            "{name}: the form of the document has changed"
        );
    }
}
