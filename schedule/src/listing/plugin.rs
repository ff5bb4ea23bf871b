//! Listings that are plugins of others.

use super::{Listed, Listing};
use crate::order::{Anchor, Membership};
use crate::text::Text;

/// A schedule that `schedule!` lists, and that another one may therefore take in.
///
/// Orders name it as they name a group: what it lists, with its own plugins, is in it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a plugin of a schedule",
    label = "not a plugin",
    note = "a plugin is a `schedule!` without `open`; a function that adds systems can be a plugin of a `Builder`"
)]
pub trait ListedPlugin: Anchor {
    #[doc(hidden)]
    const LISTING: &'static Listing;
}

/// What `schedule!` implements for a schedule that can be a plugin.
///
/// Apart from [`ListedPlugin`]: the compiler lists the implementations of a trait that is missing, and one schedule is no
/// advice to who names another. `do_not_recommend` in the expansion would not do, since it is unknown under
/// `#![no_implicit_prelude]`.
pub trait Lists: Anchor {
    /// What it lists.
    const LISTED: &'static Listing;
}

#[diagnostic::do_not_recommend]
impl<L: Lists> ListedPlugin for L {
    const LISTING: &'static Listing = L::LISTED;
}

/// A plugin, where it was taken in. Plugins have numbers from 1 on, and number 0 is the schedule itself; a plugin has a larger
/// number than the one that it is in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    /// Its entry, behind which come those that are in it.
    pub(crate) entry: u32,
    /// What it is directly in.
    pub(crate) around: u32,
    /// What the compiler tells of it where it is listed itself.
    pub(crate) reported: &'static [Text],
}

impl Taken {
    /// For memory that nothing was written to.
    pub(super) const BLANK: Self = Self {
        entry: 0,
        around: 0,
        reported: &[],
    };
}

impl Listing {
    /// The entry of this number, as what is `base` numbers on counts its own.
    pub(crate) const fn number(&self, base: u32, number: u32) -> u32 {
        if self.numbers.is_empty() {
            number
        } else {
            self.numbers[(base + number) as usize]
        }
    }

    /// That an entry is directly in a plugin, and where that was said. Of a group in a plugin others may be members, too, so
    /// it is in none; what is listed in it is.
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

    /// The innermost plugin that both are in, or are. O(plugins around them).
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

    /// Whether the compiler tells this where this plugin is listed itself, or a plugin that it is in. O(all that it tells there).
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

    /// The entry of the plugin that this plugin is in, or is, and that is in no other.
    pub(crate) const fn outermost(&self, plugin: u32) -> u32 {
        let mut plugin = plugin;
        while self.plugins[plugin as usize - 1].around > 0 {
            plugin = self.plugins[plugin as usize - 1].around;
        }
        self.plugins[plugin as usize - 1].entry
    }

    /// The number that the listing itself gives to an entry of its own.
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
    fn a_fault_of_a_part_is_reported_for_all_parts_in_it() {
        let text = |text| Text::new().str(text);
        let reported: &'static [Text] = vec![text("a"), text("b\nc")].leak();
        let plugin = |around, reported| Taken {
            entry: 0,
            around,
            reported,
        };
        let listing = Listing {
            plugins: vec![plugin(0, reported), plugin(1, &[]), plugin(0, &[])].leak(),
            ..Listing::new("all", &[], &[])
        };
        for plugin in [1, 2] {
            assert!(listing.is_reported(plugin, &text("a")));
            assert!(listing.is_reported(plugin, &text("c")));
            assert!(!listing.is_reported(plugin, &text("d")));
        }
        assert!(!listing.is_reported(3, &text("a")));
    }
}
