//! A type for each number: some contenders distinguish resources or systems only by type.

/// A generic function that is called for each type.
pub(crate) trait Visitor {
    fn visit<T: 'static>(&mut self);
}

/// The type of a number with three digits.
struct Nth<const HUNDREDS: u8, const TENS: u8, const ONES: u8>;

/// Calls a function for every digit, appended to the digits so far.
macro_rules! each_digit {
    ($function:ident, $digits:tt, $visitor:ident) => {
        each_digit!($function, $digits, $visitor, 0 1 2 3 4 5 6 7 8 9)
    };
    ($function:ident, $digits:tt, $visitor:ident, $($next:literal)*) => {
        $(each_digit!(@ $function, $digits, $next, $visitor);)*
    };
    (@ $function:ident, [$($digit:ident),*], $next:literal, $visitor:ident) => {
        $function::<_, $($digit,)* $next>($visitor)
    };
}

/// Visits 1,000 types, in a fixed order.
pub(crate) fn each(visitor: &mut impl Visitor) {
    fn hundreds<V: Visitor, const H: u8>(visitor: &mut V) {
        each_digit!(tens, [H], visitor);
    }
    fn tens<V: Visitor, const H: u8, const T: u8>(visitor: &mut V) {
        each_digit!(ones, [H, T], visitor);
    }
    fn ones<V: Visitor, const H: u8, const T: u8, const O: u8>(visitor: &mut V) {
        visitor.visit::<Nth<H, T, O>>();
    }
    each_digit!(hundreds, [], visitor);
}
