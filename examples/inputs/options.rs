//! Values of options on the command line.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use lexopt::{Error, Parser};

/// Returns the value of an option that the parser has just returned.
///
/// # Errors
///
/// Fails if the value is missing, or is not a number in this range.
pub fn number<N: FromStr + PartialOrd + Display>(
    parser: &mut Parser,
    option: &str,
    range: RangeInclusive<N>,
) -> Result<N, Error> {
    let value = parser.value()?;
    let number = value.to_str().and_then(|text| text.parse().ok());
    number.filter(|n| range.contains(n)).ok_or_else(|| {
        let (min, max, value) = (range.start(), range.end(), value.display());
        format!("`{option}` must be a number from {min} to {max}, not `{value}`").into()
    })
}
