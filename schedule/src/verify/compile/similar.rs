//! Finds the name that the user probably meant, at a limited cost.

use core::cell::Cell;
use std::borrow::Cow;

use crate::base::module_path::{ends_in, last_modules, split};

/// How many cells of edit-distance tables one search object computes. Later searches find nothing.
const MAX_CELLS: usize = 1 << 22;

/// The cost of one compared name without a table, in cells.
const CELLS_PER_NAME: usize = 16;

/// Names of more characters are never compared.
const MAX_CHARS: usize = 256;

/// The maximum distance of similar names is one change for each three characters. The Rust compiler uses the same rule.
const CHARS_PER_CHANGE: usize = 3;

/// Searches similar names.
///
/// Invariant: all searches together compute at most [`MAX_CELLS`] cells, and one more table. So the cost does not depend on the number and
/// the length of the names, or on the number of missing names.
pub(super) struct Similar {
    /// The number of cells that searches may still compute.
    n_cells: Cell<usize>,
}

impl Default for Similar {
    fn default() -> Self {
        Self {
            n_cells: Cell::new(MAX_CELLS),
        }
    }
}

impl Similar {
    /// Returns the name that is most similar to `name`. Returns `None` if no name is similar, if several are equally near, or if the search
    /// exceeds the cost limit. Names that several values share are ignored.
    ///
    /// `names`: each name, with the module if the name is the name of a type.
    pub(super) fn nearest<'n, N>(&self, name: &str, names: N) -> Option<String>
    where
        N: Iterator<Item = (&'n str, Option<&'static str>)>,
    {
        let asked = split(name);
        let mut near: Vec<(usize, &str, Cow<'_, str>)> = Vec::new();
        for (other, module) in names {
            let mut n_cells = CELLS_PER_NAME;
            let (_, other_short) = split(other).unwrap_or(("", other));
            let found = match (asked, module) {
                // If the value is in the named module, only the rest of the name is compared.
                (Some((asked, short)), Some(module)) if ends_in(module, asked) => {
                    let distance = distance_to(short, other_short, &mut n_cells);
                    distance.map(|distance| (distance, Cow::Borrowed(other)))
                }
                // Otherwise the named modules are compared with the same number of modules of the value.
                (Some((asked, short)), Some(module)) => {
                    let module = last_modules(module, asked.split("::").count());
                    // A module of at most two letters is never treated as a typing error.
                    let of_module =
                        distance(asked, module, &mut n_cells).filter(|_| asked.len() > 2);
                    let distances = of_module.zip(distance_to(short, other_short, &mut n_cells));
                    distances.map(|(of_module, of_name)| {
                        let path = format!("{module}::{other_short}");
                        (of_module + of_name, Cow::Owned(path))
                    })
                }
                _ => {
                    let distance = distance_to(name, other, &mut n_cells);
                    distance.map(|distance| (distance, Cow::Borrowed(other)))
                }
            };
            self.spend(n_cells)?;
            near.extend(found.map(|(distance, text)| (distance, other, text)));
        }
        near.sort_unstable();
        // A shared name does not identify a value.
        let mut single = near
            .chunk_by(|one, other| one.1 == other.1)
            .filter(|same| same.len() == 1);
        let [(distance, _, text)] = single.next()? else {
            return None;
        };
        // Equally near names do not identify a value either.
        let is_tie = single.next().is_some_and(|next| next[0].0 == *distance);
        (!is_tie).then(|| text.to_string())
    }

    /// Subtracts the cost of a search. Returns `None` if the limit is exceeded.
    fn spend(&self, n_cells: usize) -> Option<()> {
        let rest = self.n_cells.get().checked_sub(n_cells);
        self.n_cells.set(rest.unwrap_or(0));
        rest.map(|_| ())
    }
}

/// Returns the distance of two names. A name without type arguments also matches every instance of a generic system.
fn distance_to(name: &str, other: &str, n_cells: &mut usize) -> Option<usize> {
    let base = other.split_once('<').filter(|_| !name.contains('<'));
    let of_base = base.and_then(|(base, _)| distance(name, base, n_cells));
    let of_name = distance(name, other, n_cells);
    of_name.into_iter().chain(of_base).min()
}

/// Returns the number of changes between two texts (optimal string alignment, Damerau 1964), or `None` if they are not similar. Adds the
/// number of computed cells to `n_cells`. O(product of the lengths), O(1) if a text is too long or the lengths differ too much.
fn distance(one: &str, other: &str, n_cells: &mut usize) -> Option<usize> {
    // A character has at most four bytes.
    if one.len().max(other.len()) > 4 * MAX_CHARS {
        return None;
    }
    let [n_one, n_other] = [one, other].map(|text| text.chars().count());
    let most = n_one.max(CHARS_PER_CHANGE) / CHARS_PER_CHANGE;
    if n_one.max(n_other) > MAX_CHARS || n_one.abs_diff(n_other) > most {
        return None;
    }
    *n_cells += n_one * n_other;
    let distance = strsim::osa_distance(one, other);
    (distance <= most).then_some(distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_changes_and_swaps() {
        for (one, other, n_changes) in [
            ("update", "update", Some(0)),
            ("update", "udpate", Some(1)),
            ("update", "pudaet", Some(2)),
            ("update", "udpxtx", None),
            ("update", "up", None),
            ("größe", "größen", Some(1)),
        ] {
            assert_eq!(distance(one, other, &mut 0), n_changes, "{one} {other}");
        }
    }

    #[test]
    fn long_names_are_not_compared() {
        let of_length = |n: usize| (format!("{}x", "ä".repeat(n - 1)), "ä".repeat(n));
        let suggested = |n: usize| {
            let (name, other) = of_length(n);
            Similar::default().nearest(&name, [(other.as_str(), None)].into_iter())
        };
        assert_eq!(suggested(MAX_CHARS), Some("ä".repeat(MAX_CHARS)));
        assert_eq!(suggested(MAX_CHARS + 1), None);
        let (name, other) = of_length(100_000);
        let mut n_cells = 0;
        assert_eq!(distance(&name, &other, &mut n_cells), None);
        assert_eq!(n_cells, 0, "nothing is computed");
    }

    #[test]
    fn all_searches_together_compute_a_limited_number_of_cells() {
        let names: Vec<String> = (0..1_000).map(|nth| format!("system {nth}")).collect();
        let similar = Similar::default();
        let names = || names.iter().map(|name| (name.as_str(), None));
        let is_found = |_: usize| similar.nearest("sistem 500", names()).is_some();
        let n_found = (0..10_000).filter(|&nth| is_found(nth)).count();
        assert!((10..1_000).contains(&n_found), "{n_found}");
        assert_eq!(similar.n_cells.get(), 0);
    }

    #[test]
    fn only_similar_and_unique_names_are_suggested() {
        let suggested = |name: &str, names: &[&'static str]| {
            Similar::default().nearest(name, names.iter().map(|&name| (name, Some("game::ai"))))
        };
        assert_eq!(
            suggested("secnod", &["first", "second"]).as_deref(),
            Some("second")
        );
        assert_eq!(suggested("second", &["secnod", "secnod"]), None);
        // Half of the characters differ.
        assert_eq!(suggested("heal", &["seat"]), None);
        assert_eq!(
            suggested("ai::updat", &["update"]).as_deref(),
            Some("update")
        );
        assert_eq!(suggested("sea::updat", &["update"]), None);
        // Both names have a distance of one change.
        assert_eq!(suggested("eal", &["heal", "seal"]), None);
        assert_eq!(suggested("al::updat", &["update"]), None);
        assert_eq!(
            suggested("gmae::ai::updat", &["update"]).as_deref(),
            Some("game::ai::update")
        );
        // A generic system is suggested with its arguments, unless it has several instances.
        let spawn = ["spawn<u32>", "despawn"];
        assert_eq!(suggested("spawn", &spawn).as_deref(), Some("spawn<u32>"));
        assert_eq!(suggested("spwan", &spawn).as_deref(), Some("spawn<u32>"));
        assert_eq!(suggested("spawn", &["spawn<u32>", "spawn<u8>"]), None);
    }
}
