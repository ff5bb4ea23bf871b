//! The documents that can be read and drawn: graphs and timelines.

use core::fmt;

use schedule::graph::{DataError, ScheduleGraph, Version};
use schedule::timeline::Timeline;
use serde::Deserialize;
use serde::de::IgnoredAny;

/// A graph or a timeline that was written as JSON.
///
/// ```
/// use schedule::prelude::*;
/// use schedule_view::Document;
///
/// #[system]
/// fn step() {}
///
/// let graph = Schedule::builder().add::<step>().build()?.graph();
/// let json = serde_json::to_string(&graph)?;
/// assert_eq!(Document::from_json(&json)?, Document::Graph(graph));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Document {
    /// The graph of a schedule.
    Graph(ScheduleGraph),
    /// The timeline of a run.
    Timeline(Timeline),
}

/// The fields that distinguish the kinds of documents.
#[derive(Deserialize)]
struct Fields {
    nodes: Option<IgnoredAny>,
    executions: Option<IgnoredAny>,
}

/// The version of a document.
#[derive(Deserialize)]
struct Head<V> {
    #[serde(rename = "version")]
    _version: V,
}

impl Document {
    /// Reads a document from JSON. An object with the field `nodes` is a graph, one with the field `executions` a timeline.
    ///
    /// # Errors
    ///
    /// - The text is not JSON.
    /// - It is neither a graph nor a timeline.
    /// - The version is missing, or this library does not read it.
    /// - A field is missing, unknown, or of another type.
    /// - The data contradicts itself: [`ScheduleGraph::check`] or [`Timeline::check`] returns an error.
    ///
    /// ```
    /// use schedule_view::Document;
    ///
    /// let error = Document::from_json(r#"{"version": 9, "nodes": []}"#).unwrap_err();
    /// assert!(error.to_string().starts_with("cannot read the graph: version 9 of this data cannot be read"));
    /// ```
    pub fn from_json(json: &str) -> Result<Self, DocumentError> {
        let any: Result<IgnoredAny, _> = serde_json::from_str(json);
        any.map_err(DocumentError::Syntax)?;
        match serde_json::from_str(json) {
            Ok(Fields { nodes: Some(_), .. }) => {
                let graph: ScheduleGraph = read::<Version<4>, _>(json, "graph")?;
                graph
                    .check()
                    .map_err(|error| DocumentError::Contradiction("graph", error))?;
                Ok(Self::Graph(graph))
            }
            Ok(Fields {
                executions: Some(_),
                ..
            }) => {
                let timeline: Timeline = read::<Version<3>, _>(json, "timeline")?;
                timeline
                    .check()
                    .map_err(|error| DocumentError::Contradiction("timeline", error))?;
                Ok(Self::Timeline(timeline))
            }
            _ => Err(DocumentError::Unknown),
        }
    }
}

/// Reads a document. A wrong version is reported before all other errors, because it explains them.
fn read<'j, V: Deserialize<'j>, T: Deserialize<'j>>(
    json: &'j str,
    kind: &'static str,
) -> Result<T, DocumentError> {
    let form = |error| DocumentError::Form(kind, error);
    let _: Head<V> = serde_json::from_str(json).map_err(form)?;
    serde_json::from_str(json).map_err(form)
}

/// The reason why a text is not a [`Document`].
#[derive(Debug)]
#[non_exhaustive]
pub enum DocumentError {
    /// The text is not JSON.
    Syntax(serde_json::Error),
    /// The text is JSON, but neither a graph nor a timeline.
    Unknown,
    /// The document, a `graph` or a `timeline`, has another version, or other fields.
    Form(&'static str, serde_json::Error),
    /// The document, a `graph` or a `timeline`, contradicts itself.
    Contradiction(&'static str, DataError),
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => write!(f, "the text is not JSON: {error}"),
            Self::Unknown => f.write_str(
                "the JSON is neither a graph, which has the field `nodes`, nor a timeline, which has the field `executions`",
            ),
            Self::Form(kind, error) => write!(f, "cannot read the {kind}: {error}"),
            Self::Contradiction(kind, error) => {
                write!(f, "the {kind} contradicts itself: {error}")
            }
        }
    }
}

impl core::error::Error for DocumentError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Syntax(error) | Self::Form(_, error) => Some(error),
            Self::Contradiction(_, error) => Some(error),
            Self::Unknown => None,
        }
    }
}
