//! Rows of results.

use core::fmt;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize, Serializer};

use crate::results::is_speedup;

/// The figure of one contender under one set of conditions.
///
/// It has `median`, or `samples`, or both `lowest` and `highest`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The bench, or the part of a bench, that measured the figure.
    pub bench: String,
    /// The run, if the file has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The conditions by name, such as `workload` and `cost_ns`.
    #[serde(default)]
    pub parameters: BTreeMap<String, Scalar>,
    /// The contender, which is one of those of the file.
    pub contender: String,
    /// The unit, if it differs from that of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The median of all rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median: Option<f64>,
    /// The lowest figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lowest: Option<f64>,
    /// The highest figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub highest: Option<f64>,
    /// The 90th percentile of all rounds. A speed-up is a ratio of such percentiles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p90: Option<f64>,
    /// The mean of all rounds. A speed-up is a ratio of such means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// The figures of the single measurements, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<f64>,
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Scalar {
    /// A flag.
    Flag(bool),
    /// A number.
    Number(#[serde(serialize_with = "without_fraction")] f64),
    /// A name.
    Text(String),
}

impl Row {
    /// Creates a row without parameters and figures.
    pub fn new(bench: &str, contender: &str) -> Self {
        Self {
            bench: bench.to_string(),
            contender: contender.to_string(),
            ..Self::default()
        }
    }

    /// Adds a parameter.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Scalar>) -> Self {
        self.parameters.insert(key.to_string(), value.into());
        self
    }

    /// Sets a unit that differs from that of the file.
    #[must_use]
    pub fn unit(mut self, unit: &str) -> Self {
        self.unit = Some(unit.to_string());
        self
    }

    /// Sets the median of all rounds, rounded to five digits.
    #[must_use]
    pub fn median_of(mut self, median: f64) -> Self {
        self.median = Some(five_digits(median));
        self
    }

    /// Sets the 90th percentile and the mean of all rounds, rounded to five digits.
    #[must_use]
    pub fn p90_and_mean(mut self, p90: f64, mean: f64) -> Self {
        self.p90 = Some(five_digits(p90));
        self.mean = Some(five_digits(mean));
        self
    }

    /// Sets the lowest and the highest figure, rounded to five digits.
    #[must_use]
    pub fn range_of(mut self, lowest: f64, highest: f64) -> Self {
        self.lowest = Some(five_digits(lowest));
        self.highest = Some(five_digits(highest));
        self
    }

    /// The median, or the middle of the samples. `None` if only a range is known.
    pub(crate) fn median(&self) -> Option<f64> {
        self.median.or_else(|| {
            let mut samples = self.samples.clone();
            samples.sort_by(f64::total_cmp);
            let middle = samples.len() / 2;
            match samples.len() {
                0 => None,
                n if n % 2 == 1 => Some(samples[middle]),
                _ => Some((samples[middle - 1] + samples[middle]) / 2.0),
            }
        })
    }

    /// The lowest and the highest figure, for a row that has a range and no median.
    pub(crate) fn range(&self) -> Option<[f64; 2]> {
        Some([self.lowest?, self.highest?])
    }

    /// The figure, as in cells of the page.
    pub(crate) fn shown(&self, unit: &str) -> String {
        match (self.median(), self.range()) {
            (Some(median), _) => number(unit, median),
            (None, Some([lowest, highest])) => {
                format!("{} to {}", number(unit, lowest), number(unit, highest))
            }
            (None, None) => String::new(),
        }
    }
}

/// Rounds to five significant digits, because clocks are not more accurate.
fn five_digits(figure: f64) -> f64 {
    let rounded = format!("{figure:.4e}").parse();
    rounded.unwrap_or(figure)
}

/// Serializes a number. Integers have no decimal point.
fn without_fraction<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if number.fract() == 0.0 && number.abs() < 1e15 {
        serializer.serialize_i64(*number as i64)
    } else {
        serializer.serialize_f64(*number)
    }
}

/// Formats a figure. Speed-ups have two decimals, other figures as many as were recorded.
pub(crate) fn number(unit: &str, figure: f64) -> String {
    if is_speedup(unit) {
        format!("{figure:.2}")
    } else {
        grouped(&figure.to_string())
    }
}

/// Adds commas between groups of three digits, if there are at least five digits.
fn grouped(number: &str) -> String {
    let (sign, number) = match number.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", number),
    };
    let (whole, fraction) = match number.find('.') {
        Some(point) => number.split_at(point),
        None => (number, ""),
    };
    let mut grouped = String::new();
    for (idx, digit) in whole.chars().enumerate() {
        let n_left = whole.len() - idx;
        if whole.len() > 4 && idx > 0 && n_left % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("{sign}{grouped}{fraction}")
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(true) => f.write_str("yes"),
            Self::Flag(false) => f.write_str("no"),
            Self::Number(number) => f.write_str(&grouped(&number.to_string())),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl From<bool> for Scalar {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<f64> for Scalar {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Scalar {
    fn from(text: &str) -> Self {
        Self::Text(text.to_string())
    }
}

impl From<String> for Scalar {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<u64> for Scalar {
    fn from(number: u64) -> Self {
        Self::Number(number as f64)
    }
}

impl From<usize> for Scalar {
    fn from(number: usize) -> Self {
        Self::Number(number as f64)
    }
}
