//! The `Debug` output of a schedule.

use core::fmt;

use super::Schedule;
use crate::base::escape::shown;
use crate::run::node::Work;

/// Shows the systems with their conditions, in the order of a serial run. The body of a loop is indented.
///
/// ```
/// use schedule::prelude::*;
///
/// #[derive(Resource)]
/// struct Steps(u32);
///
/// #[system]
/// fn is_step_due(steps: &mut Steps) -> bool {
///     steps.0 -= 1;
///     steps.0 > 0
/// }
///
/// #[system]
/// fn is_visible() -> bool {
///     true
/// }
///
/// #[system]
/// fn integrate() {}
///
/// #[system(if = not(is_visible))]
/// fn wait() {}
///
/// let frame = Schedule::builder()
///     .name("frame")
///     .repeat_while::<is_step_due>(|step| step.add::<integrate>())
///     .add::<wait>()
///     .build()?;
/// let text = "\
/// schedule `frame`
///   repeat while `is_step_due`
///     integrate
///   is_visible
///   wait, if not is_visible";
/// assert_eq!(format!("{frame:?}"), text);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl fmt::Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "schedule `{}`", shown(&self.name))?;
        let nodes = &self.nodes.by_rank;
        let mut depth = 1;
        for (rank, node) in (0..).zip(nodes) {
            let name = shown(&node.about.place.name);
            let (text, inside) = match &node.work {
                Work::Nothing => continue,
                Work::LoopEnd(_) => {
                    depth -= 1;
                    continue;
                }
                Work::System(_) => (name.to_string(), 0),
                Work::ApplyCommands => (format!("apply_commands `{name}`"), 0),
                Work::Loop(_) => (format!("repeat while `{name}`"), 1),
            };
            write!(f, "\n{:width$}{text}", "", width = 2 * depth)?;
            if let Some(guard) = self.plan.formula(rank) {
                let guard = guard.map(|answer| {
                    let about = &nodes[answer.rank as usize].about;
                    about.text_of(answer.index)
                });
                write!(f, ", if {}", shown(guard))?;
            }
            if !self.nodes.outcomes.is_enabled(rank) {
                write!(f, ", disabled")?;
            }
            depth += inside;
        }
        Ok(())
    }
}
