//! Partially ordered traces. `10 {1, 2 3} 10` means 10, then 1 in any order with 2 and 3, where 2 precedes 3, then 10.

/// Names, and their order. Of equal names, the earlier one in the text comes first.
#[derive(Debug, Default)]
pub(crate) struct Pattern {
    names: Vec<String>,
    /// Pairs of indices into `names`.
    orders: Vec<(usize, usize)>,
}

impl Pattern {
    pub(crate) fn of(text: &str) -> Self {
        let spaced = text
            .replace('{', " { ")
            .replace('}', " } ")
            .replace(',', " , ");
        let mut words = spaced.split_whitespace().peekable();
        let mut pattern = Self::default();
        pattern.read_beside(&mut words);
        assert_eq!(words.next(), None, "a bracket too many in {text}");
        pattern
    }

    /// Reads sequences up to a closing bracket. Different sequences are not ordered relative to each other. Returns the indices of the
    /// names.
    fn read_beside<'t>(&mut self, words: &mut impl Iterator<Item = &'t str>) -> Vec<usize> {
        let (mut all, mut before) = (Vec::new(), Vec::new());
        while let Some(word) = words.next() {
            let read = match word {
                "}" => return all,
                "," => {
                    before.clear();
                    continue;
                }
                "{" => self.read_beside(words),
                name => {
                    self.names.push(name.to_string());
                    vec![self.names.len() - 1]
                }
            };
            for &earlier in &before {
                self.orders
                    .extend(read.iter().map(|&later| (earlier, later)));
            }
            before.extend(&read);
            all.extend(read);
        }
        all
    }

    /// Panics unless the trace contains exactly these names, in an order that contradicts none of the known ones.
    #[track_caller]
    pub(crate) fn check(&self, trace: &[String]) {
        let [mut expected, mut found] = [self.names.clone(), trace.to_vec()];
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{trace:?}");
        let place = |idx: usize| {
            let is_it = |name: &&String| **name == self.names[idx];
            let nth = self.names[..idx].iter().filter(is_it).count();
            let places = trace.iter().enumerate().filter(|one| is_it(&one.1));
            places.map(|one| one.0).nth(nth).expect("the same names")
        };
        for &(first, then) in &self.orders {
            let (one, other) = (&self.names[first], &self.names[then]);
            assert!(
                place(first) < place(then),
                "{one} before {other}: {trace:?}"
            );
        }
    }
}

fn trace(text: &str) -> Vec<String> {
    text.split(' ').map(ToString::to_string).collect()
}

#[test]
fn names_in_parallel_branches_match_in_any_order() {
    let pattern = Pattern::of("10 {1, 2 3} 10");
    for text in ["10 1 2 3 10", "10 2 1 3 10", "10 2 3 1 10"] {
        pattern.check(&trace(text));
    }
}

#[test]
#[should_panic(expected = "2 before 3")]
fn names_in_sequence_match_only_in_this_order() {
    Pattern::of("10 {1, 2 3} 10").check(&trace("10 3 2 1 10"));
}

#[test]
#[should_panic(expected = "2 before 10")]
fn bracketed_names_must_precede_later_names() {
    Pattern::of("10 {1, 2} 10").check(&trace("10 1 10 2"));
}

#[test]
#[should_panic(expected = "[\"1\", \"1\"]")]
fn surplus_names_are_rejected() {
    Pattern::of("1").check(&trace("1 1"));
}
