//! Listings that are plugins of others.

use super::{Listed, Listing};
use crate::base::text::Text;
use crate::data::order::{Anchor, Membership};
use crate::data::settings::Settings;

/// A schedule that `schedule!` lists and that another listed schedule can include.
///
/// Orders can name a plugin like a group. The group contains all entries of the plugin and of its own plugins.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a listed schedule",
    label = "not a listed schedule",
    note = "name a schedule that `schedule!` declares, without `open`; after `include`, a group is instead listed as `group {Self} {{ … }}`",
    note = "a function that adds systems needs a builder: `Builder::include`"
)]
pub trait ListedPlugin: Anchor {
    #[doc(hidden)]
    const LISTING: &'static Listing;
}

/// Implemented by `schedule!` for a schedule that can be a plugin.
///
/// It is separate from [`ListedPlugin`] because the compiler lists the implementations of a missing trait. Such a list would suggest
/// unrelated schedules. The expansion cannot contain `do_not_recommend`, which is unknown under `#![no_implicit_prelude]`.
pub trait Lists: Anchor {
    /// The listing.
    const LISTED: &'static Listing;
}

#[diagnostic::do_not_recommend]
impl<L: Lists> ListedPlugin for L {
    const LISTING: &'static Listing = L::LISTED;
}

/// An included plugin. Plugins have numbers from 1, and 0 is the schedule itself. A plugin has a larger number than the plugin around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IncludedPlugin {
    /// The entry of the plugin, which precedes the entries in the plugin.
    pub(crate) entry: u32,
    /// The plugin directly around this one.
    pub(crate) around: u32,
    /// The faults that the compiler reports at the listing of the plugin.
    pub(crate) reported: &'static [Text],
    pub(crate) settings: Settings,
}

impl IncludedPlugin {
    /// The value of unused memory.
    pub(super) const BLANK: Self = Self {
        entry: 0,
        around: 0,
        reported: &[],
        settings: Settings::NONE,
    };

    /// Returns a plugin with this listing, whose place is not known yet.
    pub(super) const fn of(listing: &Listing) -> Self {
        Self {
            reported: listing.reported,
            settings: listing.settings,
            ..Self::BLANK
        }
    }
}

impl Listing {
    /// Returns the entry of a number in a clause or rule of the plugin whose numbers begin at `base`.
    pub(crate) const fn number(&self, base: u32, number: u32) -> u32 {
        if self.numbers.is_empty() {
            number
        } else {
            self.numbers[(base + number) as usize]
        }
    }

    /// Returns the membership of an entry in the group of its plugin, if the entry is directly in the plugin. A listed group is not a
    /// member, because it may also have members outside of the plugin. Its entries in the plugin are members themselves.
    pub(crate) const fn membership(&self, entry: usize) -> Option<Membership> {
        let entry = &self.entries[entry];
        if entry.plugin == 0 || matches!(entry.subject, Listed::Group(_)) {
            return None;
        }
        let plugin = &self.entries[self.plugins[entry.plugin as usize - 1].entry as usize];
        let is_direct = match (entry.around, plugin.around) {
            (None, None) => true,
            (Some(one), Some(other)) => one == other,
            _ => false,
        };
        match plugin.subject {
            Listed::Plugin(group, _) if is_direct => Some(Membership {
                group,
                location: plugin.location,
            }),
            _ => None,
        }
    }

    /// Returns the innermost plugin that contains or equals both. O(plugins around them).
    pub(crate) const fn common_plugin(&self, a: u32, b: u32) -> u32 {
        let (mut a, mut b) = (a, b);
        while a != b {
            if a > b {
                a = self.plugins[a as usize - 1].around;
            } else {
                b = self.plugins[b as usize - 1].around;
            }
        }
        a
    }

    /// Returns whether the compiler reports this text at the listing of this plugin or of a plugin around it. O(length of these reports).
    pub(crate) const fn is_reported(&self, plugin: u32, text: &Text) -> bool {
        let mut plugin = plugin;
        while plugin > 0 {
            let taken = &self.plugins[plugin as usize - 1];
            let mut idx = 0;
            while idx < taken.reported.len() {
                if taken.reported[idx].has_lines(text) {
                    return true;
                }
                idx += 1;
            }
            plugin = taken.around;
        }
        false
    }

    /// Returns the entry of the outermost plugin that contains or equals this plugin.
    pub(crate) const fn outermost(&self, plugin: u32) -> u32 {
        self.directly_in(0, plugin)
    }

    /// Returns the entry of the plugin that is directly in `scope` and contains or equals `plugin`, which is in `scope`.
    pub(crate) const fn directly_in(&self, scope: u32, plugin: u32) -> u32 {
        let mut plugin = plugin;
        while self.plugins[plugin as usize - 1].around != scope {
            plugin = self.plugins[plugin as usize - 1].around;
        }
        self.plugins[plugin as usize - 1].entry
    }

    /// Returns the number that the listing itself uses for one of its own entries.
    pub(crate) const fn own_number(&self, entry: u32) -> u32 {
        let mut number = 0;
        while self.number(0, number) != entry {
            number += 1;
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_of_a_plugin_is_reported_for_all_plugins_in_it() {
        let text = |text| Text::new().str(text);
        let reported: &'static [Text] = vec![text("a"), text("b\nc")].leak();
        let plugin = |around, reported| IncludedPlugin {
            entry: 0,
            around,
            reported,
            settings: Settings::NONE,
        };
        let listing = Listing {
            plugins: vec![plugin(0, reported), plugin(1, &[]), plugin(0, &[])].leak(),
            ..Listing::new("all", &[], &[], Settings::NONE)
        };
        for plugin in [1, 2] {
            assert!(listing.is_reported(plugin, &text("a")));
            assert!(listing.is_reported(plugin, &text("c")));
            assert!(!listing.is_reported(plugin, &text("d")));
        }
        assert!(!listing.is_reported(3, &text("a")));
    }
}
