//! Selection of rows.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::results::Results;
use crate::row::{Row, Scalar};

/// Selects the rows that have one of these values under each key. A key is a parameter, or
/// `bench`, `run`, `contender` or `unit`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Filter(pub BTreeMap<String, Choice>);

/// One value or several.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Choice {
    /// One value.
    One(Scalar),
    /// Any of these.
    Any(Vec<Scalar>),
}

impl Filter {
    pub(crate) fn is_match(&self, results: &Results, row: &Row) -> bool {
        self.0.iter().all(|(key, choice)| {
            let value = results.value(row, key);
            value.is_some_and(|value| match choice {
                Choice::One(wanted) => *wanted == value,
                Choice::Any(wanted) => wanted.contains(&value),
            })
        })
    }
}

impl From<&str> for Choice {
    fn from(text: &str) -> Self {
        Self::One(text.into())
    }
}
