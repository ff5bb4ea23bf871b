//! Finds the name that was probably meant, at a limited cost.

use core::cell::Cell;

use crate::module_path::{ends_in, split};

/// How many cells of edit-distance tables one search object computes. Later searches find nothing.
const MAX_CELLS: usize = 1 << 22;

/// What one name costs that is only looked at, in cells.
const CELLS_PER_NAME: usize = 16;

/// Names of more characters are never compared.
const MAX_CHARS: usize = 256;

/// Names that differ by more than one change for each three characters are not similar: the compiler has the same rule for its
/// own suggestions.
const CHARS_PER_CHANGE: usize = 3;

/// Searches similar names.
///
/// Invariant: all searches together compute at most [`MAX_CELLS`] cells, and one more table. So the cost does not depend on how
/// many names there are, how many are missing, and how long they are.
pub(super) struct Similar {
    /// The cells that may still be computed.
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
    /// The name that is most similar to this one and names one thing only. `None` also if the search would cost too much.
    ///
    /// `names`: the names of things, and the modules of those that have the name of their type.
    pub(super) fn nearest<'n, N>(&self, name: &str, names: impl Fn() -> N) -> Option<String>
    where
        N: Iterator<Item = (&'n str, Option<&'static str>)>,
    {
        let asked = split(name);
        // The best one so far that names several things.
        let mut refused: Option<(usize, &str)> = None;
        loop {
            let mut best: Option<(usize, &str)> = None;
            for (other, module) in names() {
                // Of something in the module that was named only the rest counts.
                let (one, whole) = match (asked, module) {
                    (Some((asked, short)), Some(module)) if ends_in(module, asked) => {
                        (short, split(other).map_or(other, |(_, short)| short))
                    }
                    _ => (name, other),
                };
                let mut n_cells = CELLS_PER_NAME;
                let distance = distance(one, whole, &mut n_cells);
                self.spend(n_cells)?;
                let Some(distance) = distance else { continue };
                let found = (distance, other);
                if refused.is_none_or(|refused| found > refused)
                    && best.is_none_or(|best| found < best)
                {
                    best = Some(found);
                }
            }
            let (_, found) = best?;
            let mut n_called = 0;
            for (other, _) in names() {
                self.spend(CELLS_PER_NAME)?;
                n_called += usize::from(other == found);
            }
            if n_called == 1 {
                return Some(found.to_string());
            }
            refused = best;
        }
    }

    /// `None` if too much was spent already.
    fn spend(&self, n_cells: usize) -> Option<()> {
        let rest = self.n_cells.get().checked_sub(n_cells);
        self.n_cells.set(rest.unwrap_or(0));
        rest.map(|_| ())
    }
}

/// The number of changes that make one text of the other (optimal string alignment, Damerau 1964); `None` if they are not
/// similar. Adds the cells that it computes. O(product of the lengths), O(1) if a text is too long or the lengths differ too much.
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
            Similar::default().nearest(&name, || [(other.as_str(), None)].into_iter())
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
        let is_found = |_: usize| similar.nearest("sistem 500", names).is_some();
        let n_found = (0..10_000).filter(|&nth| is_found(nth)).count();
        assert!((10..1_000).contains(&n_found), "{n_found}");
        assert_eq!(similar.n_cells.get(), 0);
    }

    #[test]
    fn only_what_is_near_and_named_once_is_suggested() {
        let suggested = |name: &str, names: &[&'static str]| {
            Similar::default().nearest(name, || names.iter().map(|&name| (name, Some("game::ai"))))
        };
        assert_eq!(
            suggested("secnod", &["first", "second"]).as_deref(),
            Some("second")
        );
        assert_eq!(suggested("second", &["secnod", "secnod"]), None);
        // More than half of it is the same.
        assert_eq!(suggested("heal", &["seat"]), None);
        assert_eq!(
            suggested("ai::updat", &["update"]).as_deref(),
            Some("update")
        );
        assert_eq!(suggested("sea::updat", &["update"]), None);
    }
}
