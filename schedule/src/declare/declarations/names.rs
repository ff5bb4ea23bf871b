//! Names of declared nodes and groups, and the match of a target with them.

use core::fmt::{self, Write};

use super::Declared;
use crate::base::module_path::{ends_in, split};
use crate::data::order::Reference;
use crate::data::target::{Named, Target};

impl Declared {
    /// Returns the name without modules.
    pub(crate) fn short_name(&self) -> &str {
        &self.place.name
    }

    /// Returns the module of the type, if the node has the name of its type.
    pub(crate) fn module(&self) -> Option<&'static str> {
        let path = self.path.filter(|_| !self.is_renamed)?;
        Some(path.module())
    }

    /// Sets a different name.
    pub(crate) fn rename(&mut self, name: String) {
        self.place.name = name;
        self.is_renamed = true;
    }

    /// Returns whether this text names the node.
    pub(crate) fn is_called(&self, text: &str) -> bool {
        self.short_name() == text
            || split(text).is_some_and(|(module, short)| {
                self.short_name() == short && self.is_in_module(module)
            })
    }

    fn is_in_module(&self, module: &str) -> bool {
        self.module().is_some_and(|own| ends_in(own, module))
    }
}

/// Returns whether a target matches this node.
pub(crate) fn matches(target: &Target, node: &Declared) -> bool {
    match &target.0 {
        Named::Node(id) => *id == node.id,
        Named::Type(reference) => node.ty.is_some_and(|(_, id)| id == reference.id),
        Named::Name(name) => node.is_called(name),
    }
}

/// Returns whether a target matches this group. Does not allocate.
pub(crate) fn matches_group(target: &Target, group: Reference) -> bool {
    match &target.0 {
        Named::Node(_) => false,
        Named::Type(reference) => reference.id == group.id,
        Named::Name(name) => {
            displays_as(&group, name)
                || split(name).is_some_and(|(module, short)| {
                    displays_as(&group, short)
                        && group.module().is_some_and(|own| ends_in(own, module))
                })
        }
    }
}

/// Returns whether a value displays as this text.
fn displays_as(value: &impl fmt::Display, text: &str) -> bool {
    /// The rest of the text, without the parts that were written.
    struct Remainder<'t>(&'t str);

    impl fmt::Write for Remainder<'_> {
        fn write_str(&mut self, written: &str) -> fmt::Result {
            self.0 = self.0.strip_prefix(written).ok_or(fmt::Error)?;
            Ok(())
        }
    }

    let mut left = Remainder(text);
    write!(left, "{value}").is_ok() && left.0.is_empty()
}
