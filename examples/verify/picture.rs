//! A picture of each graph, as its schedule was built or refused.

use std::io;

use inputs::graphs::declaration::Declaration;
use inputs::graphs::graph::SystemGraph;
use schedule_view::graph_svg;

use crate::options::Options;

/// Writes a picture of the graph to the folder of pictures, if there is one.
///
/// # Errors
///
/// If it cannot be written.
pub(crate) fn draw(graph: &SystemGraph, options: &Options) -> io::Result<()> {
    let Some(folder) = &options.pictures else {
        return Ok(());
    };
    let built = Declaration::of(graph, options.policy).builder.build();
    let outline = match built {
        Ok(schedule) => schedule.outline(),
        Err(error) => error.outline(),
    };
    let mut picture = outline.picture().without_paths();
    if let Some(system) = &options.around {
        let middle: Vec<usize> = outline.named(system).collect();
        if middle.is_empty() {
            return Ok(());
        }
        picture = picture.around(middle, 1);
    }
    std::fs::create_dir_all(folder)?;
    std::fs::write(
        folder.join(format!("{}.svg", graph.name)),
        graph_svg(picture),
    )
}
