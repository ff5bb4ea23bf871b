//! Parameters of the controller. The ground can replace them in flight.

use std::collections::VecDeque;
use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use schedule::prelude::*;

use crate::rates::Link;

#[derive(Resource, Clone, Debug, PartialEq)]
pub(crate) struct Parameters {
    /// Rotation per tilt, in 1/s.
    pub(crate) tilt_gain: f64,
    /// Angular acceleration per rotation, in 1/s.
    pub(crate) rotation_gain: f64,
    /// Acceleration per altitude, in 1/s².
    pub(crate) altitude_gain: f64,
    /// Acceleration per climb, in 1/s.
    pub(crate) climb_gain: f64,
    /// In m/s.
    pub(crate) climb_speed: f64,
    /// The charge of the battery below which the vehicle lands, from 0 to 1.
    pub(crate) lowest_charge: f64,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            tilt_gain: 8.0,
            rotation_gain: 25.0,
            altitude_gain: 30.0,
            climb_gain: 10.0,
            climb_speed: 1.5,
            lowest_charge: 0.2,
        }
    }
}

/// Texts of parameters that the ground sends.
#[derive(Resource, Clone, Debug, Default)]
pub(crate) struct Uplink {
    /// Times and texts, in order of time.
    pub(crate) texts: VecDeque<(Duration, String)>,
    pub(crate) n_accepted: u32,
    pub(crate) n_refused: u32,
}

/// A mistake in a text of parameters.
#[derive(Debug, PartialEq)]
pub(crate) struct ParameterError {
    /// Counts from 1.
    line: usize,
    mistake: Mistake,
}

#[derive(Debug, PartialEq)]
enum Mistake {
    NoAssignment,
    Unknown(String),
    NoNumber(String),
    OutOfRange(f64, RangeInclusive<f64>),
}

impl fmt::Display for ParameterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the parameters: ", self.line)?;
        match &self.mistake {
            Mistake::NoAssignment => f.write_str("expected `name = value`"),
            Mistake::Unknown(name) => write!(f, "parameter `{name}` is unknown"),
            Mistake::NoNumber(text) => write!(f, "`{text}` is not a number"),
            Mistake::OutOfRange(value, range) => {
                write!(
                    f,
                    "{value} is not between {} and {}",
                    range.start(),
                    range.end()
                )
            }
        }
    }
}

impl std::error::Error for ParameterError {}

impl Parameters {
    /// Returns these parameters with the values of a text. Each line is empty, a comment after `#`, or `name = value`.
    ///
    /// # Errors
    ///
    /// Fails at the first mistake.
    pub(crate) fn with(&self, text: &str) -> Result<Self, ParameterError> {
        let mut parameters = self.clone();
        for (idx, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if !line.is_empty() {
                let set = parameters.set(line);
                set.map_err(|mistake| ParameterError {
                    line: idx + 1,
                    mistake,
                })?;
            }
        }
        Ok(parameters)
    }

    fn set(&mut self, line: &str) -> Result<(), Mistake> {
        let (name, value) = line.split_once('=').ok_or(Mistake::NoAssignment)?;
        let (name, value) = (name.trim(), value.trim());
        let (parameter, range) = match name {
            "tilt_gain" => (&mut self.tilt_gain, 1.0..=20.0),
            "rotation_gain" => (&mut self.rotation_gain, 5.0..=40.0),
            "altitude_gain" => (&mut self.altitude_gain, 1.0..=60.0),
            "climb_gain" => (&mut self.climb_gain, 1.0..=20.0),
            "climb_speed" => (&mut self.climb_speed, 0.1..=3.0),
            "lowest_charge" => (&mut self.lowest_charge, 0.05..=0.5),
            _ => return Err(Mistake::Unknown(name.to_string())),
        };
        let number = value
            .parse()
            .map_err(|_| Mistake::NoNumber(value.to_string()))?;
        if !range.contains(&number) {
            return Err(Mistake::OutOfRange(number, range));
        }
        *parameter = number;
        Ok(())
    }
}

/// Replaces the parameters by those that the ground has sent. A text with a mistake changes nothing.
#[system(in = Link, always)]
pub(crate) fn reload_parameters(
    clock: &Clock,
    uplink: &mut Uplink,
    parameters: &mut Parameters,
) -> Result<(), ParameterError> {
    let is_there = |&mut (at, _): &mut (Duration, String)| at <= clock.now();
    let Some((_, text)) = uplink.texts.pop_front_if(is_there) else {
        return Ok(());
    };
    uplink.n_refused += 1;
    *parameters = parameters.with(&text)?;
    uplink.n_refused -= 1;
    uplink.n_accepted += 1;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_sets_some_parameters() {
        let text = "# calm\ntilt_gain = 5\n\nclimb_speed=0.5 # slow\n";
        let old = Parameters {
            climb_gain: 9.0,
            ..Parameters::default()
        };
        let expected = Parameters {
            tilt_gain: 5.0,
            climb_speed: 0.5,
            ..old.clone()
        };
        assert_eq!(old.with(text), Ok(expected));
    }

    #[test]
    fn mistakes_are_refused() {
        let error = |text| Parameters::default().with(text).unwrap_err().to_string();
        let lines = "line 2 of the parameters: ";
        for (text, message) in [
            ("\ntilt_gain 5", "expected `name = value`"),
            ("\nfoo = 5", "parameter `foo` is unknown"),
            ("\ntilt_gain = x", "`x` is not a number"),
            ("\ntilt_gain = 500", "500 is not between 1 and 20"),
            ("\ntilt_gain = NaN", "NaN is not between 1 and 20"),
        ] {
            assert_eq!(error(text), format!("{lines}{message}"));
        }
    }
}
