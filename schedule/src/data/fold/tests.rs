//! Each join is associative and commutative, and agrees with an iterator over the values. The default value changes nothing.

use core::fmt::Debug;

use proptest::collection::vec;
use proptest::prelude::*;

use super::{Cells, ExactJoin, Max, Min, Sum, Union};

/// A join, the operations on it, and a value to compare.
trait Law: ExactJoin {
    /// A number, a set or a value to insert.
    type Operation: Copy + Debug;
    /// The content.
    type Content: PartialEq + Debug;

    fn apply(&mut self, operation: Self::Operation);

    fn content(self) -> Self::Content;

    /// The content after these operations, by an iterator.
    fn expected(operations: &[Self::Operation]) -> Self::Content;
}

/// Returns the join after some operations.
fn of<J: Law>(operations: &[J::Operation]) -> J {
    let mut join = J::default();
    for &operation in operations {
        join.apply(operation);
    }
    join
}

/// Joins two values, and checks that nothing remains in the second one.
fn joined<J: Law>(mut one: J, mut other: J) -> J {
    one.absorb(&mut other);
    assert_eq!(other.content(), J::default().content());
    one
}

/// Checks the laws for three lists of operations.
fn check<J: Law>([a, b, c]: [&[J::Operation]; 3]) {
    let content = |one: J| one.content();
    assert_eq!(content(of(a)), J::expected(a));
    let ab = [a, b].concat();
    let ba = [b, a].concat();
    assert_eq!(content(joined(of(a), of(b))), J::expected(&ab));
    assert_eq!(content(joined(of(b), of(a))), J::expected(&ab));
    assert_eq!(J::expected(&ba), J::expected(&ab));
    let abc = J::expected(&[a, b, c].concat());
    assert_eq!(content(joined(joined(of(a), of(b)), of(c))), abc);
    assert_eq!(content(joined(of(a), joined(of(b), of(c)))), abc);
    assert_eq!(content(joined(of(a), J::default())), J::expected(a));
    assert_eq!(content(joined(J::default(), of(a))), J::expected(a));
    // An accumulator is used again after it was joined.
    let mut again: J = of(b);
    J::default().absorb(&mut again);
    for &operation in c {
        again.apply(operation);
    }
    assert_eq!(again.content(), J::expected(c));
}

/// Whether a number is subtracted.
type IsNegative = bool;

impl Law for Sum<u8> {
    type Operation = (IsNegative, u8);
    type Content = u8;

    fn apply(&mut self, (is_negative, number): (IsNegative, u8)) {
        if is_negative {
            *self -= number;
        } else {
            *self += number;
        }
    }

    fn content(self) -> u8 {
        self.into_inner()
    }

    fn expected(operations: &[(IsNegative, u8)]) -> u8 {
        let signed = |&(is_negative, number): &(IsNegative, u8)| {
            let number = i64::from(number);
            if is_negative { -number } else { number }
        };
        operations.iter().map(signed).sum::<i64>().rem_euclid(256) as u8
    }
}

impl Law for Sum<i8> {
    type Operation = (IsNegative, i8);
    type Content = i8;

    fn apply(&mut self, (is_negative, number): (IsNegative, i8)) {
        if is_negative {
            *self -= number;
        } else {
            *self += number;
        }
    }

    fn content(self) -> i8 {
        self.into_inner()
    }

    fn expected(operations: &[(IsNegative, i8)]) -> i8 {
        let signed = |&(is_negative, number): &(IsNegative, i8)| {
            let number = i64::from(number);
            if is_negative { -number } else { number }
        };
        let sum: i64 = operations.iter().map(signed).sum();
        ((sum + 128).rem_euclid(256) - 128) as i8
    }
}

impl Law for Union<u16> {
    type Operation = u16;
    type Content = Vec<bool>;

    fn apply(&mut self, bits: u16) {
        *self |= bits;
    }

    fn content(self) -> Vec<bool> {
        let bits = self.into_inner();
        (0..16).map(|nth| bits & (1 << nth) != 0).collect()
    }

    fn expected(operations: &[u16]) -> Vec<bool> {
        let has = |nth: u32| operations.iter().any(|bits| bits & (1 << nth) != 0);
        (0..16).map(has).collect()
    }
}

impl Law for Union<bool> {
    type Operation = bool;
    type Content = bool;

    fn apply(&mut self, bit: bool) {
        *self |= bit;
    }

    fn content(self) -> bool {
        self.into_inner()
    }

    fn expected(operations: &[bool]) -> bool {
        operations.contains(&true)
    }
}

impl Law for Min<(i8, char, bool)> {
    type Operation = (i8, char, bool);
    type Content = Option<(i8, char, bool)>;

    fn apply(&mut self, value: (i8, char, bool)) {
        self.insert(value);
    }

    fn content(self) -> Self::Content {
        self.into_inner()
    }

    fn expected(operations: &[(i8, char, bool)]) -> Self::Content {
        operations.iter().copied().min()
    }
}

impl Law for Max<u8> {
    type Operation = u8;
    type Content = Option<u8>;

    fn apply(&mut self, value: u8) {
        self.insert(value);
    }

    fn content(self) -> Option<u8> {
        self.into_inner()
    }

    fn expected(operations: &[u8]) -> Option<u8> {
        operations.iter().copied().max()
    }
}

/// Operations at an index below 9. The content ends at the greatest one.
impl<J: Law> Law for Cells<J> {
    type Operation = (u8, J::Operation);
    type Content = Vec<J::Content>;

    fn apply(&mut self, (idx, operation): (u8, J::Operation)) {
        self[usize::from(idx % 9)].apply(operation);
    }

    fn content(self) -> Vec<J::Content> {
        self.into_iter().map(J::content).collect()
    }

    fn expected(operations: &[(u8, J::Operation)]) -> Vec<J::Content> {
        let n_cells = operations.iter().map(|(idx, _)| idx % 9 + 1).max();
        let of_cell = |cell: u8| {
            let here = operations.iter().filter(|(idx, _)| idx % 9 == cell);
            let here: Vec<_> = here.map(|&(_, operation)| operation).collect();
            J::expected(&here)
        };
        (0..n_cells.unwrap_or(0)).map(of_cell).collect()
    }
}

impl<J: Law> Law for [J; 3] {
    type Operation = (u8, J::Operation);
    type Content = Vec<J::Content>;

    fn apply(&mut self, (idx, operation): (u8, J::Operation)) {
        self[usize::from(idx % 3)].apply(operation);
    }

    fn content(self) -> Vec<J::Content> {
        self.into_iter().map(J::content).collect()
    }

    fn expected(operations: &[(u8, J::Operation)]) -> Vec<J::Content> {
        let of_cell = |cell: u8| {
            let here = operations.iter().filter(|(idx, _)| idx % 3 == cell);
            let here: Vec<_> = here.map(|&(_, operation)| operation).collect();
            J::expected(&here)
        };
        (0..3).map(of_cell).collect()
    }
}

impl<A: Law, B: Law> Law for (A, B) {
    type Operation = (A::Operation, B::Operation);
    type Content = (A::Content, B::Content);

    fn apply(&mut self, (a, b): Self::Operation) {
        self.0.apply(a);
        self.1.apply(b);
    }

    fn content(self) -> Self::Content {
        (self.0.content(), self.1.content())
    }

    fn expected(operations: &[Self::Operation]) -> Self::Content {
        let (a, b): (Vec<_>, Vec<_>) = operations.iter().copied().unzip();
        (A::expected(&a), B::expected(&b))
    }
}

/// Lists of at most four operations, so that empty ones are frequent.
fn operations<J: Law>() -> impl Strategy<Value = [Vec<J::Operation>; 3]>
where
    J::Operation: Arbitrary,
{
    let list = || vec(any::<J::Operation>(), 0..5);
    [list(), list(), list()]
}

macro_rules! laws {
    ($($name:ident: $join:ty;)*) => {
        proptest! {
            #![proptest_config(ProptestConfig {
                cases: if cfg!(miri) { 4 } else { 256 },
                failure_persistence: None,
                ..ProptestConfig::default()
            })]

            $(
                #[test]
                fn $name(lists in operations::<$join>()) {
                    let [a, b, c] = &lists;
                    check::<$join>([a, b, c]);
                }
            )*
        }
    };
}

laws! {
    sums_of_unsigned_integers: Sum<u8>;
    sums_of_signed_integers: Sum<i8>;
    unions_of_bits: Union<u16>;
    unions_of_bools: Union<bool>;
    minimums: Min<(i8, char, bool)>;
    maximums: Max<u8>;
    cells: Cells<Sum<u8>>;
    cells_of_minimums: Cells<Min<(i8, char, bool)>>;
    cells_of_cells: Cells<Cells<Union<u16>>>;
    arrays: [Sum<i8>; 3];
    tuples: (Max<u8>, (Union<bool>, Cells<Sum<u8>>));
}

/// So that no test of a system can depend on the accumulator by mistake.
#[test]
fn values_are_not_in_debug_texts() {
    let mut cells = Cells::<Sum<u32>>::default();
    cells[1] += 5;
    let texts = [
        format!("{cells:?}"),
        format!("{:?}", cells[1]),
        format!("{:?}", {
            let mut least = Min::default();
            least.insert(5);
            least
        }),
    ];
    assert_eq!(texts, ["Cells { .. }", "Sum { .. }", "Min { .. }"]);
}

#[test]
fn shared_reference_to_a_missing_cell_changes_nothing() {
    let mut cells = Cells::<Max<u8>>::default();
    cells[2].insert(7);
    let _: &Max<u8> = &cells[1000];
    assert_eq!(cells.content(), [None, None, Some(7)]);
}
