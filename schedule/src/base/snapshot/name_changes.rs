//! Names of types that have changed since their values were saved.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Schema, SnapshotError};

/// The saved names that a program has given up: those that belong to types with other names now, and those that are not wanted.
///
/// A name of these calls may also be the argument of a saved name: `account` in `records<account>`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameChanges {
    renamed: Vec<(String, String)>,
    dropped: Vec<String>,
    /// Saved names that are dropped, although other calls give them the name of a type.
    ignored: Vec<String>,
}

/// The present name of a saved name that is ignored. No type has it.
const NO_NAME: &str = "";

impl NameChanges {
    /// Values with the name `from` belong to the type with the name `to`.
    pub fn rename(&mut self, from: &str, to: &str) {
        self.renamed.push((from.to_string(), to.to_string()));
    }

    /// Values with this name are not wanted.
    pub fn drop(&mut self, name: &str) {
        self.dropped.push(name.to_string());
    }

    /// Returns the name that a saved name has now.
    pub fn name_now<'n>(&self, saved: &'n str) -> Cow<'n, str> {
        if self.ignored.iter().any(|name| name == saved) {
            return Cow::Borrowed(NO_NAME);
        }
        let renamed = self.renamed.iter();
        renamed.fold(Cow::Borrowed(saved), |name, (from, to)| {
            rename(&name, from, to).map_or(name, Cow::Owned)
        })
    }

    /// Whether values with this saved name are not wanted.
    pub fn is_dropped(&self, saved: &str) -> bool {
        let mut dropped = self.dropped.iter();
        dropped.any(|name| rename(saved, name, name).is_some())
    }

    /// Returns the changes for these saved names: of several with the same present name, those that are dropped have none.
    #[must_use]
    pub fn resolved(&self, saved: &[String]) -> Self {
        let is_ambiguous = |name: &String| {
            let mut others = saved.iter().filter(|other| *other != name);
            others.any(|other| self.name_now(other) == self.name_now(name))
        };
        let ignored = saved
            .iter()
            .filter(|name| self.is_dropped(name) && is_ambiguous(name));
        Self {
            ignored: ignored.cloned().collect(),
            ..self.clone()
        }
    }

    /// Returns a saved schema with the names that its values have now.
    pub fn now<'s>(&self, schema: &'s Schema) -> Cow<'s, Schema> {
        if self.renamed.is_empty() {
            return Cow::Borrowed(schema);
        }
        let mut schema = schema.clone();
        schema.rename(|name| match self.name_now(name) {
            Cow::Borrowed(_) => None,
            Cow::Owned(name) => Some(name),
        });
        Cow::Owned(schema)
    }
}

/// Replaces the name `from` by `to`, also as an argument: `records<from>`. Returns `None` if the name does not contain it.
fn rename(name: &str, from: &str, to: &str) -> Option<String> {
    if name == from {
        return Some(to.to_string());
    }
    let (base, argument) = name.strip_suffix('>')?.split_once('<')?;
    rename(argument, from, to).map(|argument| format!("{base}<{argument}>"))
}

/// The error about saved values that the program does not want. `None` if there are none.
///
/// `wanted`: the names that the program wants, and that were not saved.
pub fn unclaimed<'n>(
    names: impl IntoIterator<Item = &'n str>,
    wanted: &[&'static str],
) -> Option<SnapshotError> {
    let with_similar = |name: &str| (name.to_string(), most_similar(name, wanted));
    let names: Vec<_> = names.into_iter().map(with_similar).collect();
    (!names.is_empty()).then_some(SnapshotError::Unclaimed { names })
}

/// Returns the name that differs in the fewest characters, at most in a third of them.
fn most_similar(name: &str, others: &[&'static str]) -> Option<&'static str> {
    let others = others.iter();
    let distances = others.map(|other| (strsim::osa_distance(name, other), *other));
    let (distance, nearest) = distances.min()?;
    (distance <= name.chars().count().max(3) / 3).then_some(nearest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_change_as_arguments_too() {
        let mut changes = NameChanges::default();
        changes.rename("account", "konto");
        changes.drop("season");
        assert_eq!(changes.name_now("account"), "konto");
        assert_eq!(changes.name_now("records<account>"), "records<konto>");
        assert_eq!(changes.name_now("a<b<account>>"), "a<b<konto>>");
        assert_eq!(changes.name_now("accounts"), "accounts");
        assert_eq!(changes.name_now("records<accounts>"), "records<accounts>");
        assert!(changes.is_dropped("season") && changes.is_dropped("records<season>"));
        assert!(!changes.is_dropped("seasons") && !changes.is_dropped("season<account>"));
    }

    #[test]
    fn dropped_name_is_ignored_if_another_one_becomes_the_same() {
        let mut changes = NameChanges::default();
        changes.rename("accounts", "account");
        changes.drop("account");
        let both = ["account", "accounts"].map(String::from);
        let resolved = changes.resolved(&both);
        assert_eq!(resolved.name_now("account"), NO_NAME);
        assert_eq!(resolved.name_now("accounts"), "account");
        // A call that has no effect any more can stay.
        assert_eq!(changes.resolved(&both[..1]).name_now("account"), "account");
    }

    #[test]
    fn only_similar_names_are_suggested() {
        let names = |wanted: &[&'static str]| match unclaimed(["accounts"], wanted) {
            Some(SnapshotError::Unclaimed { names }) => names[0].1,
            other => panic!("{other:?}"),
        };
        assert_eq!(names(&["order", "account"]), Some("account"));
        assert_eq!(names(&["konto"]), None);
        assert_eq!(unclaimed([], &["konto"]), None);
    }
}
