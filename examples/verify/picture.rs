//! Draws a graph, also if its schedule is rejected.

use std::io;

use inputs::graphs::declaration::Declaration;
use inputs::graphs::graph::SystemGraph;
use schedule_view::graph_svg;

use crate::options::Options;

/// Draws the graph to a file in the folder of pictures, if the options name one.
///
/// # Errors
///
/// Fails if the file cannot be written.
pub(crate) fn draw(input: &SystemGraph, options: &Options) -> io::Result<()> {
    let Some(folder) = &options.pictures else {
        return Ok(());
    };
    let built = Declaration::of(input, options.policy).builder.build();
    let graph = match built {
        Ok(schedule) => schedule.graph(),
        Err(error) => error.graph(),
    };
    let mut picture = graph.picture().without_paths();
    if let Some(system) = &options.around {
        let middle: Vec<usize> = graph.named(system).collect();
        if middle.is_empty() {
            return Ok(());
        }
        picture = picture.around(middle, 1);
    }
    std::fs::create_dir_all(folder)?;
    std::fs::write(
        folder.join(format!("{}.svg", input.name)),
        graph_svg(picture),
    )
}
