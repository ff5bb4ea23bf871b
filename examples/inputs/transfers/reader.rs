//! Reads blocks from a file.
//!
//! The whole file is read and checked first. The first error is reported with its location.

use core::fmt;
use core::str::FromStr;
use std::collections::HashSet;
use std::fs;
use std::path::Path;

use csv::{ErrorKind, Position, StringRecord};

use super::{Account, Block, Kind, Transfer};
use crate::mistake::Mistake;

const COLUMNS: [&str; 9] = [
    "block",
    "index",
    "from",
    "to",
    "value_wei",
    "gas_limit",
    "kind",
    "token_from",
    "token_to",
];

/// The first byte of a record, and its error.
type Fault = (u64, String);

/// Reads a file with a header and one transfer per line.
///
/// # Errors
///
/// Fails if the file cannot be read, if a column is missing, unknown or duplicated, or if a field has a wrong value.
pub fn read(file: &Path) -> Result<Vec<Block>, Mistake> {
    let bytes = fs::read(file).map_err(|error| Mistake::new(file, error))?;
    parse(&bytes).map_err(|fault| mistake(file, &bytes, fault))
}

fn mistake(file: &Path, bytes: &[u8], (start, text): Fault) -> Mistake {
    Mistake::new(file, text).at(line_at(bytes, start))
}

fn parse(bytes: &[u8]) -> Result<Vec<Block>, Fault> {
    let mut reader = csv::Reader::from_reader(bytes);
    let header = reader
        .headers()
        .map_err(|error| fault(&error, None))?
        .clone();
    check_header(&header).map_err(|text| (0, text))?;

    let mut blocks = Blocks::default();
    for record in reader.records() {
        let record = record.map_err(|error| fault(&error, Some(&header)))?;
        let fields = Fields {
            header: &header,
            record: &record,
        };
        let start = record.position().map_or(0, Position::byte);
        blocks.add(&fields).map_err(|text| (start, text))?;
    }
    Ok(blocks.blocks)
}

/// Returns the line of a record.
///
/// `Position::line` is too small after blank lines and with Windows line ends, because it counts them as part of the record
/// before.
fn line_at(bytes: &[u8], start: u64) -> usize {
    let (before, rest) = bytes.split_at(start as usize);
    let n_blank = rest
        .iter()
        .take_while(|byte| b"\r\n".contains(byte))
        .count();
    let line_ends = before
        .iter()
        .chain(&rest[..n_blank])
        .filter(|&&byte| byte == b'\n');
    line_ends.count() + 1
}

fn fault(error: &csv::Error, header: Option<&StringRecord>) -> Fault {
    let start = error.position().map_or(0, Position::byte);
    let text = match error.kind() {
        ErrorKind::Utf8 { err, .. } => match header.and_then(|header| header.get(err.field())) {
            Some(column) => format!("column `{column}`: expected UTF-8, found other bytes"),
            None => "expected UTF-8, found other bytes".to_string(),
        },
        ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => {
            let found = format!("expected {expected_len} columns, found {len}");
            // Additional columns have no name.
            let missing = header.and_then(|header| header.get(usize::try_from(*len).ok()?));
            match missing {
                Some(column) => format!("column `{column}`: missing; {found}"),
                None => found,
            }
        }
        _ => error.to_string(),
    };
    (start, text)
}

fn check_header(header: &StringRecord) -> Result<(), String> {
    let mut seen = HashSet::new();
    for column in header {
        if !COLUMNS.contains(&column) {
            let columns = COLUMNS.join(", ");
            return Err(format!(
                "column `{}`: unknown; the columns are {columns}",
                shown(column)
            ));
        }
        if !seen.insert(column) {
            return Err(format!("column `{column}`: duplicate"));
        }
    }
    match COLUMNS.into_iter().find(|column| !seen.contains(column)) {
        None => Ok(()),
        Some(missing) => Err(format!("column `{missing}`: missing")),
    }
}

/// The blocks so far.
#[derive(Default)]
struct Blocks {
    blocks: Vec<Block>,
    numbers: HashSet<u64>,
}

impl Blocks {
    fn add(&mut self, fields: &Fields) -> Result<(), String> {
        let block = self.block(fields)?;
        let idx: u64 = fields.number("index")?;
        let n_before = block.transfers.len();
        if idx != n_before as u64 {
            return Err(fields.unexpected("index", n_before));
        }
        block.transfers.push(fields.transfer()?);
        Ok(())
    }

    /// Returns the block of a line: the last one, or a new one.
    fn block(&mut self, fields: &Fields) -> Result<&mut Block, String> {
        let number = fields.number("block")?;
        if self.blocks.last().is_none_or(|last| last.number != number) {
            if !self.numbers.insert(number) {
                return Err(fields.unexpected("block", "a block that has not ended"));
            }
            self.blocks.push(Block {
                number,
                transfers: Vec::new(),
            });
        }
        Ok(self
            .blocks
            .last_mut()
            .expect("pushed above if there was none"))
    }
}

/// A line, by columns.
struct Fields<'r> {
    header: &'r StringRecord,
    /// As long as the header.
    record: &'r StringRecord,
}

impl Fields<'_> {
    fn transfer(&self) -> Result<Transfer, String> {
        let kind = self.kind()?;
        Ok(Transfer {
            from: self.account("from")?,
            to: match kind {
                Kind::Create if self.text("to").is_empty() => None,
                _ => Some(self.account("to")?),
            },
            value_wei: self.number("value_wei")?,
            gas_limit: self.number("gas_limit")?,
            kind,
        })
    }

    fn kind(&self) -> Result<Kind, String> {
        let kind = match self.text("kind") {
            "erc20" => {
                return Ok(Kind::Erc20 {
                    token_from: self.account("token_from")?,
                    token_to: self.account("token_to")?,
                });
            }
            "plain" => Kind::Plain,
            "call" => Kind::Call,
            "create" => Kind::Create,
            _ => return Err(self.unexpected("kind", "plain, erc20, call or create")),
        };
        for column in ["token_from", "token_to"] {
            if !self.text(column).is_empty() {
                return Err(self.unexpected(column, "nothing, as `kind` is not erc20"));
            }
        }
        Ok(kind)
    }

    fn account(&self, column: &str) -> Result<Account, String> {
        self.number(column).map(Account)
    }

    fn number<N: FromStr>(&self, column: &str) -> Result<N, String> {
        let text = self.text(column);
        // `from_str` accepts a sign.
        let is_whole = text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse() {
            Ok(number) if is_whole => Ok(number),
            _ => {
                let bits = 8 * size_of::<N>();
                Err(self.unexpected(column, format_args!("a whole number up to 2^{bits}-1")))
            }
        }
    }

    fn text(&self, column: &str) -> &str {
        let idx = self.header.iter().position(|name| name == column);
        &self.record[idx.expect("the header has every column")]
    }

    fn unexpected(&self, column: &str, expected: impl fmt::Display) -> String {
        match self.text(column) {
            "" => format!("column `{column}`: expected {expected}, found nothing"),
            found => format!(
                "column `{column}`: expected {expected}, found `{}`",
                shown(found)
            ),
        }
    }
}

/// Returns the text escaped and shortened. An unclosed quotation mark makes the rest of the file one field.
fn shown(text: &str) -> String {
    const MAX_CHARS: usize = 40;
    let mut chars = text.escape_debug();
    let mut shown: String = chars.by_ref().take(MAX_CHARS).collect();
    if chars.next().is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests;
