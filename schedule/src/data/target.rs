//! Targets of orders, policies and conditions.

use core::fmt;
use core::ops::Deref;
use std::borrow::Cow;

use crate::base::escape::shown;
use crate::base::place::NodeId;
use crate::data::order::{Anchor, Reference};

/// The target of an order: a node, a type, or the name of a system as any kind of string.
///
/// A name can include any suffix of the module path: `"update"`, `"ai::update"`, `"game::ai::update"`, or
/// `"crate::ai::update"` from the root of the crate. Closures and systems that the program renamed have no path. If two
/// systems of a schedule share a name, messages and reports include the path.
///
/// ```
/// use schedule::prelude::*;
///
/// mod ai {
///     #[schedule::system]
///     pub(super) fn update() {}
/// }
///
/// mod physics {
///     #[schedule::system]
///     pub(super) fn update() {}
/// }
///
/// let frame = Schedule::builder()
///     .add::<ai::update>()
///     .add::<physics::update>()
///     .order("physics::update", "ai::update")
///     .build()?;
/// assert_eq!(frame.systems().collect::<Vec<_>>(), ["physics::update", "ai::update"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Target(pub(crate) Named);

/// See [`Target`].
#[derive(Clone, Debug)]
pub(crate) enum Named {
    Node(NodeId),
    Type(Reference),
    Name(TargetName),
}

/// The longest name that is stored without an allocation. It is the largest length that does not make [`Named`] larger.
const SHORT: usize = 46;

/// A name to look up. Short names are stored in place, so that `set_enabled` allocates nothing for them.
#[derive(Clone)]
pub(crate) enum TargetName {
    Short { len: u8, bytes: [u8; SHORT] },
    Long(Box<str>),
}

impl TargetName {
    fn new(name: &str) -> Self {
        let mut bytes = [0; SHORT];
        match bytes.get_mut(..name.len()) {
            Some(start) => {
                start.copy_from_slice(name.as_bytes());
                Self::Short {
                    len: name.len() as u8,
                    bytes,
                }
            }
            None => Self::Long(name.into()),
        }
    }
}

impl Deref for TargetName {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Short { len, bytes } => {
                str::from_utf8(&bytes[..usize::from(*len)]).expect("a whole `str` was copied")
            }
            Self::Long(name) => name,
        }
    }
}

impl fmt::Debug for TargetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl Target {
    /// The system, group or checkpoint of this type.
    pub fn of<A: Anchor>() -> Self {
        Self(Named::Type(A::REFERENCE))
    }

    /// The target in messages.
    pub(crate) fn described(&self) -> impl fmt::Display {
        fmt::from_fn(|f| match &self.0 {
            Named::Node(_) => f.write_str("a node"),
            Named::Type(reference) => write!(f, "`{}`", shown(reference.name)),
            Named::Name(name) => write!(f, "`{}`", shown(&**name)),
        })
    }

    /// The group with this name, as created by [`Builder::group_named`](crate::Builder::group_named) or
    /// [`in_group_named`](crate::Builder::in_group_named). Nothing else with this name matches.
    ///
    /// ```
    /// use schedule::Target;
    /// use schedule::dynamic::DynamicSystem;
    /// use schedule::prelude::*;
    ///
    /// let frame = Schedule::builder()
    ///     .add_dynamic(DynamicSystem::new("ai", |_| ()))
    ///     .in_group_named("ai")
    ///     .add_dynamic(DynamicSystem::new("input", |_| ()))
    ///     .order("input", Target::group("ai"))
    ///     .build()?;
    /// assert_eq!(frame.systems().collect::<Vec<_>>(), ["input", "ai"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn group(name: impl AsRef<str>) -> Self {
        Self(Named::Type(Reference::of_group_named(name.as_ref())))
    }
}

impl From<NodeId> for Target {
    fn from(node: NodeId) -> Self {
        Self(Named::Node(node))
    }
}

impl From<&str> for Target {
    fn from(name: &str) -> Self {
        Self(Named::Name(TargetName::new(name)))
    }
}

impl From<String> for Target {
    fn from(name: String) -> Self {
        Self::from(name.as_str())
    }
}

impl From<&String> for Target {
    fn from(name: &String) -> Self {
        Self::from(name.as_str())
    }
}

impl From<Cow<'_, str>> for Target {
    fn from(name: Cow<'_, str>) -> Self {
        Self::from(&*name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_keeps_names_of_any_length() {
        for len in [0, 1, SHORT - 1, SHORT, SHORT + 1, 300] {
            // "ä" has two bytes.
            for name in ["n".repeat(len), "ä".repeat(len)] {
                let Target(Named::Name(kept)) = Target::from(name.as_str()) else {
                    unreachable!("it is a name");
                };
                assert_eq!(*kept, name);
                assert_eq!(format!("{kept:?}"), format!("{name:?}"));
            }
        }
    }

    #[test]
    fn short_name_does_not_enlarge_a_target() {
        assert_eq!(
            size_of::<Named>(),
            size_of::<Reference>() + align_of::<Reference>()
        );
    }
}
