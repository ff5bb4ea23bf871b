//! Readers of pictures. Each panics if it cannot read a picture. One also checks the positions of all elements.

use std::io::Write;
use std::process::{Child, Command, Stdio};

use roxmltree::{Document, Node};

/// Checks that an SVG is well-formed and that its elements do not overlap.
pub(super) fn check_svg(svg: &str) {
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

/// Checks that Graphviz reads the text without a message. Returns `false` if Graphviz is not installed.
pub(super) fn check_dot(dot: &str) -> bool {
    let child = Command::new("dot")
        .arg("-Tcanon")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(child) = child else {
        eprintln!("passed over: there is no `dot`");
        return false;
    };
    let (is_read, output_text) = pipe(child, dot);
    assert!(is_read && output_text.is_empty(), "{output_text}\n{dot}");
    true
}

/// Checks that Mermaid's own parser reads these charts. The variable `MERMAID` names the folder in which `mermaid` and `jsdom` are
/// installed.
pub(super) fn check_mermaid(charts: &[String]) -> bool {
    let Some(folder) = std::env::var_os("MERMAID") else {
        eprintln!("passed over: `MERMAID` names no folder with Mermaid in it");
        return false;
    };
    let script = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/behaviour/view/mermaid.mjs"
    );
    let child = Command::new("node")
        .arg(script)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("where Mermaid is, there is `node`");
    let text = serde_json::to_string(charts).unwrap();
    let (is_read, output_text) = pipe(child, &text);
    assert!(is_read, "{output_text}");
    true
}

/// Passes a text to a program. Returns whether the program accepts it, and its messages.
fn pipe(mut child: Child, text: &str) -> (bool, String) {
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(text.as_bytes()).unwrap();
    // The program reads until the end of its input.
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let output_text = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.success(), output_text)
}

/// A rectangle in an SVG, in pixels.
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

    /// Allows for numbers that are rounded to one decimal place.
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

/// Returns the frame of each shape and of its texts. Also returns the texts in the frame of the picture, without the legend.
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
            .find(|node| node.has_tag_name("rect") || node.has_tag_name("polygon"))
            .unwrap();
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
        let texts = shape
            .children()
            .filter(|node| node.has_tag_name("text"))
            .map(|text| {
                // The widest of the requested fonts: 0.602 of the font size.
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
