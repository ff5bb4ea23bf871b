//! A plot of the results: speed-up over cost per system, with a line for each contender.
//!
//! The SVG is written without a plot crate. None of these crates places names at the ends of lines without overlap, or follows
//! the reader's colour scheme.

mod panel;
mod style;

use core::fmt;

use self::panel::Panel;
use benches::temperature::Temperature;

use crate::row::Row;

/// Formats the plot as SVG, with a panel for each workload, below each other.
pub(crate) struct Plot<'a>(Vec<Panel<'a>>);

impl<'a> Plot<'a> {
    /// The workloads with these names that were measured at two or more costs. Uses hot runs, pinned if possible.
    pub(crate) fn new(rows: &'a [Row], names: &[&str]) -> Self {
        let is_pinned = rows.iter().any(|row| row.is_pinned);
        let is_shown = |row: &&Row| {
            row.temperature == Temperature::Hot && row.is_pinned == is_pinned && row.cost_ns > 0
        };
        let panels = names.iter().map(|&name| {
            let rows = rows.iter().filter(is_shown);
            Panel::new(rows.filter(|row| row.workload == name).collect())
        });
        Self(panels.collect())
    }
}

impl fmt::Display for Plot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (width, height) = (panel::WIDTH, panel::HEIGHT * self.0.len() as f64);
        writeln!(
            f,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">"#
        )?;
        write!(f, "{}", style::Sheet)?;
        writeln!(
            f,
            r#"<rect class="paper" width="{width}" height="{height}"/>"#
        )?;
        for (panel_idx, panel) in self.0.iter().enumerate() {
            let top = panel::HEIGHT * panel_idx as f64;
            writeln!(f, "<g transform=\"translate(0 {top})\">\n{panel}</g>")?;
        }
        writeln!(f, "</svg>")
    }
}
