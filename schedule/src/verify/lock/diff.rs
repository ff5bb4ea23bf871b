//! A readable diff of two texts.

use core::fmt;

use similar::{Algorithm, ChangeTag, capture_diff_slices, group_diff_ops};

/// The number of unchanged lines shown around changed ones.
const CONTEXT: usize = 1;

/// Writes the changed lines with `-` or `+`, under the title of their section, which is the previous line without
/// indentation. Myers 1986, O(lines × changes).
pub(super) fn write_diff(f: &mut fmt::Formatter<'_>, old: &str, new: &str) -> fmt::Result {
    let old: Vec<&str> = old.lines().collect();
    let new: Vec<&str> = new.lines().collect();
    let is_title = |line: &str| !line.is_empty() && !line.starts_with([' ', '#']);
    let mut written = None;
    for group in group_diff_ops(capture_diff_slices(Algorithm::Myers, &old, &new), CONTEXT) {
        let changes = group.iter().flat_map(|op| op.iter_changes(&old, &new));
        for change in changes {
            let line = change.value();
            if line.is_empty() || is_title(line) {
                continue;
            }
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            let before = match (change.new_index(), change.old_index()) {
                (Some(at), _) => &new[..at],
                (None, at) => &old[..at.unwrap_or(0)],
            };
            let title = before.iter().rfind(|line| is_title(line));
            if let Some(title) = title
                && Some(title) != written
            {
                write!(f, "\n  {title}")?;
                written = Some(title);
            }
            write!(f, "\n{sign} {line}")?;
        }
    }
    Ok(())
}
