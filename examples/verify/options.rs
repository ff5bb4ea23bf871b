//! Options of the command line.

use std::path::PathBuf;

use lexopt::Parser;
use lexopt::prelude::*;
use schedule::Policy;

pub(crate) const USAGE: &str = "\
usage: verify FILE [--policy reject|writers-first|insertion-order|optimize] [--run] [--svg FOLDER [--around SYSTEM]]
a file to try: examples/verify/sample.json";

#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    pub(crate) file: PathBuf,
    /// The policy for a second build. The first build uses `reject`, to find the races.
    pub(crate) policy: Policy,
    pub(crate) is_run: bool,
    /// The folder for a picture of each graph.
    pub(crate) pictures: Option<PathBuf>,
    /// The system whose surroundings are drawn. Without it, the whole graph is drawn.
    pub(crate) around: Option<String>,
}

impl Options {
    /// # Errors
    ///
    /// Fails if an option is unknown or has no value, or if there is not exactly one file.
    pub(crate) fn parse(mut parser: Parser) -> Result<Self, lexopt::Error> {
        let mut options = Self {
            file: PathBuf::new(),
            policy: Policy::Reject,
            is_run: false,
            pictures: None,
            around: None,
        };
        while let Some(argument) = parser.next()? {
            match argument {
                Long("run") => options.is_run = true,
                Long("policy") => options.policy = parser.value()?.parse_with(policy)?,
                Long("svg") => options.pictures = Some(parser.value()?.into()),
                Long("around") => options.around = Some(parser.value()?.string()?),
                Value(file) if options.file.as_os_str().is_empty() => options.file = file.into(),
                other => return Err(other.unexpected()),
            }
        }
        if options.file.as_os_str().is_empty() {
            return Err("no file is named".into());
        }
        Ok(options)
    }
}

fn policy(name: &str) -> Result<Policy, &'static str> {
    match name {
        "reject" => Ok(Policy::Reject),
        "writers-first" => Ok(Policy::WritersFirst),
        "insertion-order" => Ok(Policy::InsertionOrder),
        "optimize" => Ok(Policy::Optimize),
        _ => Err("this policy is unknown"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Options, String> {
        let parser = Parser::from_args(line.split_whitespace());
        Options::parse(parser).map_err(|error| error.to_string())
    }

    #[test]
    fn options_may_come_before_and_after_the_file() {
        let expected = Options {
            file: PathBuf::from("FILE"),
            policy: Policy::WritersFirst,
            is_run: true,
            pictures: None,
            around: None,
        };
        assert_eq!(
            parsed("--run FILE --policy writers-first").unwrap(),
            expected
        );
        assert_eq!(parsed("FILE").unwrap().policy, Policy::Reject);
    }

    #[test]
    fn pictures_are_of_all_or_around_a_system() {
        let options = parsed("FILE --svg pictures --around a::b").unwrap();
        assert_eq!(options.pictures, Some(PathBuf::from("pictures")));
        assert_eq!(options.around.as_deref(), Some("a::b"));
    }

    #[test]
    fn wrong_options_are_rejected() {
        for (line, message) in [
            ("", "no file is named"),
            ("a b", "unexpected argument \"b\""),
            ("a --rum", "invalid option '--rum'"),
            ("a --svg", "missing argument for option '--svg'"),
            (
                "a --policy any",
                "cannot parse argument \"any\": this policy is unknown",
            ),
        ] {
            assert_eq!(parsed(line).unwrap_err(), message);
        }
    }
}
