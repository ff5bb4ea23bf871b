//! Options of the command line.

use std::ffi::OsString;
use std::path::PathBuf;

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
    pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, String> {
        let mut arguments = arguments.into_iter();
        let mut file = None;
        let mut policy = Policy::Reject;
        let mut is_run = false;
        let mut pictures = None;
        let mut around = None;
        while let Some(argument) = arguments.next() {
            match argument.to_str() {
                Some("--run") => is_run = true,
                Some("--policy") => policy = parse_policy(arguments.next())?,
                Some("--svg") => {
                    let folder = arguments.next().ok_or("`--svg` has no value")?;
                    pictures = Some(PathBuf::from(folder));
                }
                Some("--around") => {
                    let system = arguments.next().ok_or("`--around` has no value")?;
                    around = Some(system.to_string_lossy().into_owned());
                }
                Some(option) if option.starts_with('-') => {
                    return Err(format!("option `{option}` is unknown"));
                }
                _ if file.is_none() => file = Some(PathBuf::from(argument)),
                _ => return Err(format!("a second file: {}", argument.display())),
            }
        }
        Ok(Self {
            file: file.ok_or("no file is named")?,
            policy,
            is_run,
            pictures,
            around,
        })
    }
}

fn parse_policy(value: Option<OsString>) -> Result<Policy, String> {
    let value = value.ok_or("`--policy` has no value")?;
    match value.to_str() {
        Some("reject") => Ok(Policy::Reject),
        Some("writers-first") => Ok(Policy::WritersFirst),
        Some("insertion-order") => Ok(Policy::InsertionOrder),
        Some("optimize") => Ok(Policy::Optimize),
        _ => Err(format!("policy `{}` is unknown", value.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Options, String> {
        Options::parse(line.split_whitespace().map(OsString::from))
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
        assert_eq!(parsed("a --svg").unwrap_err(), "`--svg` has no value");
        assert_eq!(parsed("a --around").unwrap_err(), "`--around` has no value");
    }

    #[test]
    fn wrong_options_are_rejected() {
        assert_eq!(parsed("").unwrap_err(), "no file is named");
        assert_eq!(parsed("a b").unwrap_err(), "a second file: b");
        assert_eq!(parsed("a --rum").unwrap_err(), "option `--rum` is unknown");
        assert_eq!(parsed("a --policy").unwrap_err(), "`--policy` has no value");
        assert_eq!(
            parsed("a --policy any").unwrap_err(),
            "policy `any` is unknown"
        );
    }
}
