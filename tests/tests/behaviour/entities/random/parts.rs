//! The components of random worlds, by number.

use schedule_hecs::prelude::*;

/// The number of components.
pub(super) const N: usize = 6;

/// The components of an entity as numbers, by the number of the component.
pub(super) type Values = [Option<u64>; N];

/// A component with a value that is computed from numbers.
pub(super) trait Value: Component {
    const NUMBER: usize;

    fn new(number: u64) -> Self;

    fn number(&self) -> u64;
}

macro_rules! parts {
    ($($number:literal $Part:ident($inner:ty): |$of:ident| $new:expr, |$part:ident| $get:expr;)*) => {
        $(
            #[derive(Component)]
            pub(super) struct $Part($inner);

            impl Value for $Part {
                const NUMBER: usize = $number;

                fn new($of: u64) -> Self {
                    Self($new)
                }

                fn number(&self) -> u64 {
                    let $part = &self.0;
                    $get
                }
            }
        )*

        /// Evaluates an expression with the component type of a number.
        macro_rules! with_part {
            ($value:expr, $T:ident => $then:expr) => {
                match $value {
                    $($number => {
                        type $T = $crate::entities::random::parts::$Part;
                        $then
                    })*
                    number => unreachable!("no component has number {number}"),
                }
            };
        }

        /// Returns the number that a component with this number stores.
        pub(super) fn stored(part: usize, number: u64) -> u64 {
            with_part!(part, T => T::new(number).number())
        }
    };
}

parts! {
    0 A(u64): |number| number, |value| *value;
    1 B(u8): |number| number as u8, |value| u64::from(*value);
    2 C([u32; 3]): |number| [number as u32; 3], |value| u64::from(value[2]);
    3 D(Box<u64>): |number| Box::new(number), |value| **value;
    4 E(String): |number| (number % 1000).to_string(), |value| value.parse().unwrap();
    5 Tag(()): |_number| (), |_value| 0;
}

#[expect(
    clippy::single_component_path_imports,
    reason = "gives the macro a path"
)]
pub(super) use with_part;

/// Combines two numbers, so that the order of many combinations shows in the result.
pub(super) fn mix(a: u64, b: u64) -> u64 {
    (a ^ b).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}
