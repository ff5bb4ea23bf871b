//! Values with an exact commutative join. They can be changed, but not read, through a reference.

use core::fmt;
use core::mem::take;
use core::ops::{AddAssign, BitOrAssign, SubAssign};

use super::ExactJoin;
use super::sealed::SealedJoin;

/// A sum of integers. The default value is 0.
///
/// `+=` and `-=` wrap around at the limits of the type, in all builds. So the sum is exact if its final value fits the type, even if an
/// intermediate value does not.
///
/// ```
/// use schedule::fold::Sum;
///
/// let mut sum = Sum::<u8>::default();
/// sum += 250;
/// sum += 10;
/// sum -= 20;
/// assert_eq!(sum.into_inner(), 240);
/// ```
#[derive(Default)]
pub struct Sum<T>(T);

/// The union of sets of bits, or whether any `bool` was true. The default value is 0, or `false`.
///
/// ```
/// use schedule::fold::Union;
///
/// let mut colours = Union::<u8>::default();
/// colours |= 0b0001;
/// colours |= 0b0100;
/// assert_eq!(colours.into_inner(), 0b0101);
/// ```
#[derive(Default)]
pub struct Union<T>(T);

/// The least of all inserted values. The default value is `None`.
///
/// The values are integers, `bool`, `char`, and tuples of these. With `(value, number)`, the result also has the
/// number of the entity with the least value.
///
/// ```
/// use schedule::fold::Min;
///
/// let mut nearest = Min::default();
/// nearest.insert((20_u32, 7_u64));
/// nearest.insert((12, 9));
/// assert_eq!(nearest.into_inner(), Some((12, 9)));
/// ```
pub struct Min<T>(Option<T>);

/// The greatest of all inserted values. The default value is `None`.
///
/// The values are integers, `bool`, `char`, and tuples of these.
///
/// ```
/// use schedule::fold::Max;
///
/// let mut oldest = Max::default();
/// assert_eq!(Max::<u32>::default().into_inner(), None);
/// oldest.insert(40);
/// oldest.insert(30);
/// assert_eq!(oldest.into_inner(), Some(40));
/// ```
pub struct Max<T>(Option<T>);

impl<T> Sum<T> {
    /// Returns the sum.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> Union<T> {
    /// Returns the bits.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T: Ord> Min<T> {
    /// Inserts a value.
    #[inline]
    pub fn insert(&mut self, value: T) {
        if self.0.as_ref().is_none_or(|least| value < *least) {
            self.0 = Some(value);
        }
    }

    /// Returns the least value, or `None` if no value was inserted.
    pub fn into_inner(self) -> Option<T> {
        self.0
    }
}

impl<T: Ord> Max<T> {
    /// Inserts a value.
    #[inline]
    pub fn insert(&mut self, value: T) {
        if self.0.as_ref().is_none_or(|greatest| value > *greatest) {
            self.0 = Some(value);
        }
    }

    /// Returns the greatest value, or `None` if no value was inserted.
    pub fn into_inner(self) -> Option<T> {
        self.0
    }
}

impl<T> Default for Min<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Default for Max<T> {
    fn default() -> Self {
        Self(None)
    }
}

macro_rules! sums {
    ($($integer:ty)*) => {
        $(
            impl AddAssign<$integer> for Sum<$integer> {
                #[inline]
                fn add_assign(&mut self, value: $integer) {
                    self.0 = self.0.wrapping_add(value);
                }
            }

            impl SubAssign<$integer> for Sum<$integer> {
                #[inline]
                fn sub_assign(&mut self, value: $integer) {
                    self.0 = self.0.wrapping_sub(value);
                }
            }

            impl SealedJoin for Sum<$integer> {}

            impl ExactJoin for Sum<$integer> {
                #[inline]
                fn absorb(&mut self, other: &mut Self) {
                    *self += take(&mut other.0);
                }
            }
        )*
    };
}

sums!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

macro_rules! unions {
    ($($bits:ty)*) => {
        $(
            impl BitOrAssign<$bits> for Union<$bits> {
                #[inline]
                fn bitor_assign(&mut self, bits: $bits) {
                    self.0 |= bits;
                }
            }

            impl SealedJoin for Union<$bits> {}

            impl ExactJoin for Union<$bits> {
                #[inline]
                fn absorb(&mut self, other: &mut Self) {
                    *self |= take(&mut other.0);
                }
            }
        )*
    };
}

unions!(bool i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

mod ordered {
    /// A type with a total order in which two values are equal only if nothing can distinguish them.
    #[expect(
        unnameable_types,
        reason = "other types can have another order, or equal values that differ"
    )]
    pub trait Ordered: Ord + Send + 'static {}
}

use ordered::Ordered;

macro_rules! ordered {
    ($($value:ty)*) => {
        $(impl Ordered for $value {})*
    };
}

ordered!(bool char i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

macro_rules! ordered_tuples {
    ($($value:ident $index:tt),*) => {
        impl<$($value: Ordered),*> Ordered for ($($value,)*) {}
    };
}

crate::__for_each_tuple!(ordered_tuples);

macro_rules! extremes {
    ($($extreme:ident)*) => {
        $(
            impl<T: Ordered> SealedJoin for $extreme<T> {}

            impl<T: Ordered> ExactJoin for $extreme<T> {
                #[inline]
                fn absorb(&mut self, other: &mut Self) {
                    if let Some(value) = other.0.take() {
                        self.insert(value);
                    }
                }
            }
        )*
    };
}

extremes!(Min Max);

macro_rules! opaque {
    ($($name:ident)*) => {
        $(
            /// Without the value, which depends on threads while a system runs.
            impl<T> fmt::Debug for $name<T> {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.debug_struct(stringify!($name)).finish_non_exhaustive()
                }
            }
        )*
    };
}

opaque!(Sum Union Min Max);
