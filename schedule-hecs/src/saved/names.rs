//! The names of saved components.

use std::collections::HashMap;

use super::component::SavedEntry;
use super::kept::Refusal;

/// The entries by their saved names.
pub(super) struct Names(HashMap<&'static str, Vec<&'static SavedEntry>>);

impl Names {
    /// Collects the entries that have a name.
    pub(super) fn new(name: impl Fn(&'static SavedEntry) -> Option<&'static str>) -> Self {
        let mut names = HashMap::<_, Vec<&SavedEntry>>::new();
        for entry in inventory::iter::<SavedEntry>() {
            let Some(name) = name(entry) else { continue };
            let same = names.entry(name).or_default();
            // A component can be declared twice.
            if same.iter().all(|other| other.component != entry.component) {
                same.push(entry);
            }
        }
        // The order of the registry depends on the linker.
        for same in names.values_mut() {
            same.sort_by_key(|entry| (entry.type_name)());
        }
        Self(names)
    }

    /// Refuses a name that several components have, because it could not be read.
    pub(super) fn check(&self, name: &'static str) -> Result<(), Refusal> {
        match self.0.get(name).map(|same| &same[..]) {
            Some([first, second, ..]) => Err(Refusal::SameName {
                name,
                components: [first, second].map(|entry| (entry.type_name)()),
            }),
            _ => Ok(()),
        }
    }

    /// Returns the entry with this name.
    ///
    /// # Errors
    ///
    /// Fails with a reason unless there is exactly one.
    pub(super) fn find(&self, name: &str) -> Result<&'static SavedEntry, String> {
        match self.0.get(name).map(|same| &same[..]) {
            None | Some([]) => Err(format!(
                "this program has no component with the saved name `{name}`: add `#[derive(SavedComponent)]` to its type"
            )),
            Some([entry]) => Ok(entry),
            Some([first, second, ..]) => Err(format!(
                "the components `{}` and `{}` have the same saved name `{name}`",
                (first.type_name)(),
                (second.type_name)()
            )),
        }
    }
}
