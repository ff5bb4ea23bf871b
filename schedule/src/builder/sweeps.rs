//! Settings for sweeps: which `for_each` systems may run together, chunk by chunk.

use core::panic::Location;

use super::Builder;
use crate::problem::Problem;
use crate::target::{Named, Target};

impl Builder {
    /// Sets whether `for_each` systems may share sweeps, in which they run together, chunk by chunk. The default is
    /// `true`. See [`macro@crate::system`].
    ///
    /// A sweep does not change components, resources or commands. But effects that systems do not declare may come in a
    /// different order: logs, atomics and channels. Without sweeps, all entities of a system are done before a system
    /// after it begins.
    ///
    /// The last call replaces previous ones, and the setting that [`schedule!`](crate::schedule!) lists. In a
    /// [`Plugin`](crate::Plugin), the call applies to the systems of the plugin. A system shares sweeps only if the
    /// system itself, all plugins around it, and the schedule permit it.
    ///
    /// ```
    /// use schedule::prelude::*;
    ///
    /// #[system]
    /// fn starve() {}
    ///
    /// let frame = Schedule::builder().sweep(false).add::<starve>().build()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sweep(&mut self, is_on: bool) -> &mut Self {
        self.rules().has_no_sweeps = !is_on;
        self
    }

    /// Keeps the last item out of sweeps. The last item is a `for_each` system.
    ///
    /// The option `sweep = false` of [`macro@crate::system`] does the same.
    ///
    /// [`build`](Self::build) fails with [`Problem::NotForEach`] if the last item is anything else.
    #[track_caller]
    pub fn without_sweeps(&mut self) -> &mut Self {
        let location = Location::caller();
        let named = match self.last_or_problem(location) {
            None => return self,
            Some(Target(Named::Node(id))) => {
                let node = self.declarations.node_mut(id);
                if node.keep_out_of_sweeps() {
                    return self;
                }
                node.place.name.clone()
            }
            Some(Target(Named::Type(group))) => group.to_string(),
            Some(Target(Named::Name(name))) => name.to_string(),
        };
        self.problems.push(Problem::NotForEach { named, location });
        self
    }
}
