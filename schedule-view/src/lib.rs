//! Draws the graph of a [`schedule`] or the timeline of a run as SVG.
//!
//! [`graph_svg`] draws a [`ScheduleGraph`](schedule::graph::ScheduleGraph), or the part of it that a
//! [`Picture`](schedule::graph::Picture) selects. [`timeline_svg`] draws a [`Timeline`](schedule::timeline::Timeline).
//! Both follow the reader's choice of light or dark mode. They return the same text for the same data.
//!
//! ```
//! use schedule::prelude::*;
//!
//! #[derive(Resource)]
//! struct Health(i32);
//!
//! #[system]
//! fn poison(health: &mut Health) {}
//!
//! #[system(after = poison)]
//! fn heal(health: &mut Health) {}
//!
//! let mut frame = Schedule::builder().add::<poison>().add::<heal>().build()?;
//! let svg = schedule_view::graph_svg(&frame.graph());
//! assert!(svg.contains("poison -&gt; heal"));
//!
//! let mut resources = Resources::new();
//! resources.insert(Health(10));
//! let timeline = frame.record(&mut resources).1.timeline();
//! let svg = schedule_view::timeline_svg(&timeline);
//! assert!(svg.contains("waited for poison"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The command
//!
//! With the feature `serde` of `schedule`, a program can write the data as JSON. The command `schedule-view` reads such a
//! [`Document`] and writes an SVG:
//!
//! ```text
//! schedule-view graph.json --output graph.svg
//! my_program --print-graph | schedule-view --around heal --radius 2 > heal.svg
//! ```
//!
//! `schedule-view --help` lists its options.
//!
//! Both need the feature `json`, which is enabled by default. Without it, this crate does not need `serde`.

#[cfg(feature = "json")]
mod document;
mod graph;
mod layout;
mod sheet;
mod timeline;
mod xml;

#[cfg(feature = "json")]
pub use self::document::{Document, DocumentError};
pub use self::graph::graph_svg;
pub use self::timeline::timeline_svg;

/// Makes the example of the README a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
