//! The rows of deadlines and budgets, below the rows of systems.

use core::fmt::{self, Write};
use core::time::Duration;

use super::{Chart, ROW};
use crate::sheet::{CHAR, Colour, NOTE_CHAR, number, width};
use crate::xml::xml;
use schedule::internal::shown;
use schedule::report::LimitKind;
use schedule::timeline::{AppliedLimit, Misses, RelativeTime, Timeline};

pub(super) const LOOK: &str = ".deadline,.missed{fill:none}.deadline{stroke-width:1;stroke-dasharray:4 3}.missed{stroke-width:2}\
.late{font-size:10px;font-weight:bold}";

pub(super) const COLOURS: [Colour<'_>; 3] = [
    (".deadline", "stroke", "#59636e", "#9198a1"),
    (".missed", "stroke", "#cf222e", "#ff7b72"),
    (".late", "fill", "#cf222e", "#ff7b72"),
];

/// The explanation of the marks.
pub(super) const KEY: &str = "a vertical line: a deadline, dashed if it was met; a thin line in its row: from the due time to the end of its last system";

/// The row of a limit.
pub(super) struct LimitRow {
    pub(super) label: String,
    /// The mark of a deadline. `None` for a budget.
    mark: Option<Mark>,
    note: String,
    is_missed: bool,
}

/// The mark of a deadline.
struct Mark {
    at: Duration,
    /// Whether the deadline is in the run. If not, the mark is at the begin or at the end.
    is_in_run: bool,
    /// From the due time to the end, as far as it is in the run.
    response: [Duration; 2],
}

impl LimitRow {
    /// Returns the rows of all limits. Later deadlines are above earlier ones, so that no line crosses the text of another row.
    pub(super) fn of_all(timeline: &Timeline) -> Vec<LimitRow> {
        let row = |limit| LimitRow::new(limit, timeline.makespan);
        let mut rows: Vec<LimitRow> = timeline.limits.iter().map(row).collect();
        let place = |row: &LimitRow| row.mark.as_ref().map(|mark| mark.at);
        rows.sort_by_key(|row| core::cmp::Reverse(place(row)));
        rows
    }

    fn new(limit: &AppliedLimit, makespan: Duration) -> Self {
        let AppliedLimit {
            ref of,
            limit: allowed,
            took,
            due,
            ..
        } = *limit;
        let outcome = match limit.exceeded_by() {
            Some(by) => format!("missed by {by:.1?}"),
            None => "met".to_string(),
        };
        let of = shown(of);
        let Some(deadline) = limit.deadline() else {
            return Self {
                label: format!("budget of {of}"),
                mark: None,
                note: format!("{outcome}; took {took:.1?} of {allowed:.1?}"),
                is_missed: limit.is_missed(),
            };
        };
        let at = deadline.since_begin().min(makespan);
        let is_in_run = deadline == RelativeTime::After(at);
        let place = if is_in_run {
            String::new()
        } else {
            format!("deadline {deadline}, ")
        };
        let end = due.later_by(took).since_begin().min(makespan);
        Self {
            label: format!("deadline of {of}"),
            mark: Some(Mark {
                at,
                is_in_run,
                response: [due.since_begin().min(end), end],
            }),
            note: format!("{place}{outcome}; due {due}, took {took:.1?} of {allowed:.1?}"),
            is_missed: limit.is_missed(),
        }
    }

    pub(super) fn label_width(&self) -> f64 {
        width(&self.label, CHAR.0)
    }

    /// The horizontal position of the text, in pixels.
    fn note_x(&self, chart: &Chart<'_>) -> f64 {
        let at = self.mark.as_ref().map_or(Duration::ZERO, |mark| mark.at);
        chart.x(at) + 4.0
    }

    /// The horizontal position of the end of the text, in pixels.
    pub(super) fn right(&self, chart: &Chart<'_>) -> f64 {
        self.note_x(chart) + width(&self.note, NOTE_CHAR)
    }

    /// Writes the row at the vertical position `top`. `lanes`: that of the first worker, where the line of a deadline begins.
    pub(super) fn write(
        &self,
        out: &mut String,
        chart: &Chart<'_>,
        lanes: f64,
        top: f64,
    ) -> fmt::Result {
        chart.write_label(out, &self.label, top)?;
        if let Some(mark) = &self.mark {
            let from = if mark.is_in_run { lanes } else { top };
            let [x, from, to] = [chart.x(mark.at), from, top + ROW - 1.0].map(number);
            let class = if self.is_missed { "missed" } else { "deadline" };
            writeln!(out, "<path class=\"{class}\" d=\"M{x},{from} V{to}\"/>")?;
            let [due, end] = mark.response.map(|at| number(chart.x(at)));
            let y = number(top + ROW - 2.0);
            writeln!(out, "<path class=\"ready\" d=\"M{due},{y} H{end}\"/>")?;
        }
        writeln!(
            out,
            "<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>",
            if self.is_missed { "late" } else { "note" },
            number(self.note_x(chart)),
            number(top + ROW / 2.0 + 3.5),
            xml(&self.note)
        )
    }
}

/// Describes the limits that an execution exceeded, one in each line.
pub(super) fn describe(misses: &Misses<'_>, execution: usize) -> String {
    let mut text = String::new();
    for (limit, by) in misses.of(execution) {
        let of = shown(&limit.of);
        // Writing to a string cannot fail.
        let _ = match limit.kind {
            LimitKind::Deadline => write!(text, "\nended {by:.1?} after the deadline of {of}"),
            _ => write!(text, "\nthe budget of {of} was exceeded by {by:.1?}"),
        };
    }
    text
}
