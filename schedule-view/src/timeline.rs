//! A timeline as a chart. Time runs from left to right. There is a row for each worker, below a row for each system, and below that one
//! for each deadline and budget.
//!
//! The rows of workers show how busy they are. The rows of systems have room for all names.

mod limits;

use core::fmt::{self, Write};
use core::time::Duration;

use self::limits::LimitRow;
use crate::layout::Size;
use crate::sheet::{self, CHAR, Colour, MARGIN, NOTE_CHAR, number, width};
use crate::xml::xml;
use schedule::internal::shown;
use schedule::timeline::{Execution, Misses, Timeline};

/// The width of the run, in pixels.
const RUN: f64 = 960.0;
/// The height of a row, in pixels.
const ROW: f64 = 20.0;
/// The height of a bar, in pixels.
const BAR: f64 = 16.0;
/// The distance between adjacent bars, in pixels, if there is room for it.
const GAP: f64 = 0.6;
/// The maximum number of labelled times.
const MOST_TICKS: u128 = 8;
/// The length in bytes from which on a label names no more systems of a sweep.
const LABEL_CHARS: usize = 32;

/// The colours of workers in light and dark mode. The ninth worker has the colour of the first.
const WORKERS: [(&str, &str); 8] = [
    ("#a8d3ff", "#1f4f8f"),
    ("#ffc68a", "#8a4a12"),
    ("#b0e5a2", "#1f6b33"),
    ("#d9c2ff", "#5a3a94"),
    ("#ffb8bc", "#8c2f38"),
    ("#ecd861", "#6b5610"),
    ("#9fe0dc", "#14605c"),
    ("#cbd1d8", "#4a525c"),
];

const COLOURS: [Colour<'_>; 2] = [
    (".tick", "stroke", "#d1d9e0", "#3d444d"),
    (".ready", "stroke", "#59636e", "#9198a1"),
];

const LOOK: &str = ".name{font-size:10px}.tick{stroke-width:1}.ready{stroke-width:1.2}";

/// Draws a timeline as an SVG: above, a row for each worker; below, a row for each system; then one for each deadline and budget.
///
/// A bar is one execution. In the row of its system it has the colour of its worker. A sweep has a row of its own, and one more
/// for each worker that shares it. A thin line before a bar shows the time
/// during which it was ready, but not started. The tooltip of a bar names the execution that it waited for, and the limits that it
/// exceeded.
///
/// A vertical line is a deadline: dashed if it was met, thick if it was missed. A deadline before the begin or after the end of the run
/// has only a mark in its row, and the text in the row contains its time. The text also says by how much a deadline was missed.
///
/// Colours follow the reader's choice of light or dark mode. The same data gives the same text.
///
/// # Panics
///
/// If the timeline was read or changed, and [`Timeline::check`] would return an error.
///
/// ```
/// use std::time::Duration;
///
/// use schedule::prelude::*;
/// use schedule::report::Machine;
///
/// #[system]
/// fn step() {}
///
/// let frame = Schedule::builder().name("frame").add::<step>().build()?;
/// let simulation = frame.simulate(Machine::new(2), |_| Duration::from_millis(3));
/// let svg = schedule_view::timeline_svg(simulation.timeline());
/// assert!(svg.contains("schedule `frame`: 3.0ms on 2 workers"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn timeline_svg(timeline: &Timeline) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = Chart::new(timeline).write(&mut out);
    out
}

/// A timeline with its rows of systems.
struct Chart<'t> {
    timeline: &'t Timeline,
    /// The label of each row of systems, and the indices of its executions by start.
    rows: Vec<(String, Vec<usize>)>,
    limits: Vec<LimitRow>,
    misses: Misses<'t>,
    /// The horizontal position of the begin of the run, in pixels.
    left: f64,
}

impl<'t> Chart<'t> {
    fn new(timeline: &'t Timeline) -> Self {
        let mut rows: Vec<Vec<usize>> = Vec::new();
        for (idx, execution) in timeline.executions.iter().enumerate() {
            // Systems with the same name may run at the same time, and several workers may share a sweep.
            let has_room = |row: &&mut Vec<usize>| {
                let last = &timeline.executions[row[row.len() - 1]];
                let is_same = last.system == execution.system && last.with == execution.with;
                is_same && last.end <= ready(timeline, execution)
            };
            match rows.iter_mut().find(has_room) {
                Some(row) => row.push(idx),
                None => rows.push(vec![idx]),
            }
        }
        let rows = rows
            .into_iter()
            .map(|row| (label(&timeline.executions[row[0]]), row));
        let rows: Vec<_> = rows.collect();
        let limits = LimitRow::of_all(timeline);
        let workers = (0..timeline.n_workers).map(|worker| width(&worker_name(worker), CHAR.0));
        let names = rows.iter().map(|(name, _)| width(name, CHAR.0));
        let of_limits = limits.iter().map(LimitRow::label_width);
        let widest = workers.chain(names).chain(of_limits).fold(0.0, f64::max);
        Self {
            timeline,
            rows,
            limits,
            misses: timeline.misses(),
            left: MARGIN + widest + 10.0,
        }
    }

    /// The horizontal position of a time, in pixels.
    fn x(&self, at: Duration) -> f64 {
        let whole = self.timeline.makespan.as_nanos().max(1) as f64;
        self.left + RUN * at.as_nanos() as f64 / whole
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        let Timeline {
            ref schedule,
            n_workers,
            makespan,
            ref executions,
            ..
        } = *self.timeline;
        let workers = match n_workers {
            1 => "1 worker".to_string(),
            n => format!("{n} workers"),
        };
        let schedule = shown(schedule);
        let title = format!("schedule `{schedule}`: {makespan:.1?} on {workers}");
        let ticks = MARGIN + CHAR.1 + 8.0;
        let lanes = ticks + ROW;
        let systems = lanes + ROW * (n_workers as f64 + 0.5);
        let bottom = systems + ROW * self.rows.len() as f64;
        let limits = bottom + ROW / 2.0;
        let mut keys =
            vec!["a thin line before a bar: the system was ready, but no worker had started it"];
        let mut notes = bottom;
        if !self.limits.is_empty() {
            keys.push(limits::KEY);
            notes = limits + ROW * self.limits.len() as f64;
        }
        let of_keys = keys.iter().map(|key| self.left + width(key, NOTE_CHAR));
        let of_limits = self.limits.iter().map(|row| row.right(self));
        let widest = of_keys.chain(of_limits).fold(0.0, f64::max);
        let of_title = MARGIN + width(&title, CHAR.0);
        // The label of the last time may extend beyond the run.
        let right = (self.left + RUN + 60.0).max(widest).max(of_title);
        let size = Size {
            width: right + MARGIN,
            height: notes + ROW * keys.len() as f64 + MARGIN,
        };
        let names: Vec<String> = (0..WORKERS.len()).map(bars_of).collect();
        let workers = names
            .iter()
            .zip(&WORKERS)
            .map(|(bars, (light, dark))| (bars.as_str(), "fill", *light, *dark));
        let mut colours: Vec<Colour<'_>> = COLOURS.into_iter().chain(workers).collect();
        let mut look = LOOK.to_string();
        if !self.limits.is_empty() {
            colours.extend(limits::COLOURS);
            look.push_str(limits::LOOK);
        }
        sheet::begin(out, &title, size, &look, &colours)?;
        sheet::write_page(out, &title)?;
        self.write_ticks(out, ticks, bottom)?;
        for worker in 0..n_workers {
            let top = lanes + ROW * worker as f64;
            self.write_label(out, &worker_name(worker), top)?;
            let of_worker = |idx: &usize| executions[*idx].worker == worker;
            let of_worker = (0..executions.len()).filter(of_worker);
            self.write_bars(out, &of_worker.collect::<Vec<usize>>(), top, true)?;
        }
        for (row, (name, of_row)) in self.rows.iter().enumerate() {
            let top = systems + ROW * row as f64;
            self.write_label(out, name, top)?;
            let middle = number(top + ROW / 2.0);
            for execution in of_row.iter().map(|&idx| &executions[idx]) {
                let (from, to) = (
                    self.x(ready(self.timeline, execution)),
                    self.x(execution.start),
                );
                if to - from >= 0.5 {
                    let (from, to) = (number(from), number(to));
                    writeln!(out, "<path class=\"ready\" d=\"M{from},{middle} H{to}\"/>")?;
                }
            }
            self.write_bars(out, of_row, top, false)?;
        }
        for (row, limit) in self.limits.iter().enumerate() {
            limit.write(out, self, lanes, limits + ROW * row as f64)?;
        }
        for (nth, key) in keys.iter().enumerate() {
            writeln!(
                out,
                "<text class=\"note\" x=\"{}\" y=\"{}\">{key}</text>",
                number(self.left),
                number(notes + ROW * (nth + 1) as f64)
            )?;
        }
        out.push_str("</svg>\n");
        Ok(())
    }

    /// Writes the labelled times, each with a vertical line.
    fn write_ticks(&self, out: &mut String, top: f64, bottom: f64) -> fmt::Result {
        let step = step(self.timeline.makespan);
        let mut at = Duration::ZERO;
        while at <= self.timeline.makespan {
            let x = number(self.x(at));
            writeln!(
                out,
                "<path class=\"tick\" d=\"M{x},{} V{}\"/><text class=\"note\" x=\"{}\" y=\"{}\">{at:?}</text>",
                number(top),
                number(bottom),
                number(self.x(at) + 3.0),
                number(top + 10.0),
            )?;
            at += step;
        }
        Ok(())
    }

    fn write_label(&self, out: &mut String, name: &str, top: f64) -> fmt::Result {
        writeln!(
            out,
            "<text x=\"{MARGIN}\" y=\"{}\">{}</text>",
            number(top + ROW / 2.0 + 4.0),
            xml(name)
        )
    }

    /// Writes the bars of consecutive executions, sorted by start. Names are written if there is room for them.
    fn write_bars(
        &self,
        out: &mut String,
        executions: &[usize],
        top: f64,
        has_names: bool,
    ) -> fmt::Result {
        let all = &self.timeline.executions;
        let ends = executions
            .iter()
            .skip(1)
            .map(|&next| self.x(all[next].start))
            .chain([f64::INFINITY]);
        for (&idx, next) in executions.iter().zip(ends) {
            let execution = &all[idx];
            let x = self.x(execution.start);
            // A bar that is too short to be visible is drawn longer, up to the next bar.
            let length = (self.x(execution.end) - x).max(1.0).min(next - x);
            let length = if length > 2.0 { length - GAP } else { length };
            writeln!(
                out,
                "<g class=\"execution w{}\"><title>{}</title><rect x=\"{x:.2}\" y=\"{}\" width=\"{length:.2}\" \
                 height=\"{BAR}\"/>",
                execution.worker % WORKERS.len(),
                xml(&self.hint(idx)),
                number(top + (ROW - BAR) / 2.0),
            )?;
            let label = label(execution);
            if has_names && width(&label, NOTE_CHAR) + 6.0 <= length {
                write!(
                    out,
                    "<text class=\"name\" x=\"{}\" y=\"{}\">{}</text>",
                    number(x + 3.0),
                    number(top + ROW / 2.0 + 3.5),
                    xml(&label)
                )?;
            }
            out.push_str("</g>\n");
        }
        Ok(())
    }

    /// The tooltip of an execution.
    fn hint(&self, idx: usize) -> String {
        let timeline = self.timeline;
        let execution = &timeline.executions[idx];
        let Execution {
            worker, start, end, ..
        } = execution;
        let took = end.saturating_sub(*start);
        let systems: Vec<String> = execution
            .systems()
            .map(|system| shown(system).to_string())
            .collect();
        let systems = systems.join(" + ");
        let mut hint =
            format!("{systems}\n{took:.1?} on worker {worker}, from {start:.1?} to {end:.1?}");
        if let Some(before) = execution
            .waited_for
            .and_then(|idx| timeline.executions.get(idx))
        {
            hint.push_str(&format!("\nwaited for {}", shown(&before.system)));
        }
        hint.push_str(&limits::describe(&self.misses, idx));
        hint
    }
}

/// The CSS selector of the bars of a worker.
fn bars_of(worker: usize) -> String {
    format!(".w{worker}>rect")
}

fn worker_name(worker: usize) -> String {
    format!("worker {worker}")
}

/// The end of the execution that this one waited for.
fn ready(timeline: &Timeline, execution: &Execution) -> Duration {
    let before = execution
        .waited_for
        .and_then(|idx| timeline.executions.get(idx));
    before.map_or(Duration::ZERO, |before| before.end)
}

/// The names of the systems of an execution. Those that exceed [`LABEL_CHARS`] are only counted.
fn label(execution: &Execution) -> String {
    let n_systems = execution.systems().count();
    let mut label = String::new();
    for (nth, system) in execution.systems().enumerate() {
        let system = shown(system).to_string();
        if nth > 0 && label.len() + system.len() > LABEL_CHARS {
            label.push_str(&format!(" + {} more", n_systems - nth));
            break;
        }
        label.push_str(if nth > 0 { " + " } else { "" });
        label.push_str(&system);
    }
    label
}

/// The distance of labelled times: 1, 2 or 5 times a power of ten nanoseconds, at least the makespan divided by [`MOST_TICKS`].
fn step(makespan: Duration) -> Duration {
    let mut unit = 1_u128;
    loop {
        for step in [unit, 2 * unit, 5 * unit] {
            if step * MOST_TICKS >= makespan.as_nanos() {
                return Duration::from_nanos_u128(step);
            }
        }
        unit *= 10;
    }
}
