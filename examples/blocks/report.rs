//! The report.

use core::fmt;
use core::time::Duration;

use inputs::transfers::Account;

use crate::analysis::Analysis;
use crate::balance::{OPENING_WEI, WEI_PER_ETHER};
use crate::chain::Parallelism;
use crate::row::Row;
use crate::summary::Summary;
use crate::value::Values;

pub(crate) struct Report<'a> {
    pub(crate) analysis: &'a Analysis,
    /// Duration of all frames.
    pub(crate) elapsed: Duration,
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Analysis { table, summary } = self.analysis;
        if table.is_empty() {
            return writeln!(f, "no blocks");
        }
        write_table(f, table)?;
        write_summary(f, table.len(), summary)?;
        write_rankings(f, summary)?;
        write_values(f, &summary.values)?;
        let ms = 1e3 * self.elapsed.as_secs_f64();
        writeln!(f, "\nall frames in {ms:.1} ms")?;
        writeln!(
            f,
            "one loop without the framework comes to the same, field by field"
        )
    }
}

/// Two lines of heading, and what stands below.
type Column = (&'static str, &'static str, fn(&Row) -> String);

const COLUMNS: [Column; 19] = [
    ("", "block", |row| row.block.to_string()),
    ("", "all", |row| row.n_transfers.to_string()),
    ("", "plain", |row| row.kinds.n_plain.to_string()),
    ("", "erc20", |row| row.kinds.n_erc20.to_string()),
    ("", "call", |row| row.kinds.n_call.to_string()),
    ("", "create", |row| row.kinds.n_create.to_string()),
    ("to", "self", |row| row.to_self.0.to_string()),
    ("over", "drawn", |row| row.settlement.n_rejected.to_string()),
    ("moved", "ether", |row| ether(row.settlement.moved_wei)),
    ("gas M", "sum", |row| tenths(row.gas.sum / 100_000)),
    ("gas k", "median", |row| (row.gas.median / 1000).to_string()),
    ("gas k", "90 %", |row| {
        (row.gas.percentile_90 / 1000).to_string()
    }),
    ("gas k", "max", |row| (row.gas.max / 1000).to_string()),
    ("new", "accts", |row| row.new_accounts.0.to_string()),
    ("top", "sender", |row| account(row.top_sender.0)),
    ("top", "receiver", |row| account(row.top_receiver.0)),
    ("token", "holders", |row| row.tokens.n_holders.to_string()),
    ("longest", "chain", |row| row.longest_chain.0.to_string()),
    ("speed", "up", |row| bound(&row.parallelism)),
];

fn write_table(f: &mut fmt::Formatter<'_>, rows: &[Row]) -> fmt::Result {
    let mut lines = vec![
        COLUMNS.map(|(top, _, _)| top.to_string()),
        COLUMNS.map(|(_, bottom, _)| bottom.to_string()),
    ];
    lines.extend(rows.iter().map(|row| COLUMNS.map(|(_, _, cell)| cell(row))));

    let width = |column: usize| lines.iter().map(|line| line[column].len()).max();
    let widths: [usize; COLUMNS.len()] = core::array::from_fn(|column| width(column).unwrap_or(0));
    for line in &lines {
        let cells = line.iter().zip(widths);
        let cells: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:>width$}"))
            .collect();
        writeln!(f, "{}", cells.join("  "))?;
    }
    Ok(())
}

fn write_summary(f: &mut fmt::Formatter<'_>, n_blocks: usize, all: &Summary) -> fmt::Result {
    let in_blocks = bound(&all.parallelism_in_blocks);
    let at_all = bound(&all.parallelism);
    let opening = ether(OPENING_WEI);
    let lines = [
        ("blocks", grouped(n_blocks as u128), String::new()),
        ("transfers", grouped(all.n_transfers.into()), String::new()),
        (
            "accounts",
            grouped(all.n_accounts.into()),
            format!("each opens with {opening} ether"),
        ),
        ("to oneself", grouped(all.n_to_self.into()), String::new()),
        (
            "overdrawn",
            grouped(all.n_rejected.into()),
            "rejected".to_string(),
        ),
        ("moved", ether(all.moved_wei), "ether".to_string()),
        (
            "gas limits",
            grouped(all.gas_sum / 1_000_000),
            "million".to_string(),
        ),
        (
            "token transfers",
            grouped(all.n_token_transfers.into()),
            format!("{} holders", grouped(all.n_holders.into())),
        ),
        (
            "contracts created",
            grouped(all.n_created.into()),
            format!("{} creators", grouped(all.n_creators.into())),
        ),
        (
            "chains, added up",
            grouped(all.sum_of_chains.into()),
            format!("block by block at most {in_blocks} times as fast"),
        ),
        (
            "longest chain",
            grouped(all.longest_chain.into()),
            format!("all blocks at once at most {at_all} times as fast"),
        ),
        ("digest", format!("{:016x}", all.digest), String::new()),
    ];
    writeln!(f)?;
    for (label, value, remark) in lines {
        writeln!(
            f,
            "{}",
            format!("{label:<18}{value:>17}  {remark}").trim_end()
        )?;
    }
    Ok(())
}

fn write_rankings(f: &mut fmt::Formatter<'_>, all: &Summary) -> fmt::Result {
    writeln!(f, "\ntop senders, transfers")?;
    for (account, n_transfers) in &all.top_senders {
        writeln!(f, "{:>10}  {n_transfers:>6}", account.0)?;
    }
    writeln!(f, "\ntop receivers, ether")?;
    for &(account, wei) in &all.top_receivers {
        writeln!(f, "{:>10}  {:>6}", account.0, ether(wei))?;
    }
    Ok(())
}

fn write_values(f: &mut fmt::Formatter<'_>, values: &Values) -> fmt::Result {
    const MAX_BAR: u64 = 50;
    let mut lines = vec![
        ("nothing".to_string(), values.n_nothing),
        ("less".to_string(), values.n_dust),
    ];
    for (power, n) in (Values::FIRST_POWER..).zip(values.powers) {
        lines.push((format!("10^{power} ether"), n));
    }
    let most = lines.iter().map(|&(_, n)| n).max().unwrap_or(0).max(1);

    writeln!(f, "\ntransfers by value, from")?;
    for (label, n) in lines {
        let bar = "#".repeat((n * MAX_BAR).div_ceil(most) as usize);
        writeln!(f, "{}", format!("{label:>12}  {n:>6}  {bar}").trim_end())?;
    }
    Ok(())
}

fn account(top: Option<(Account, u128)>) -> String {
    top.map_or("-".to_string(), |(account, _)| account.0.to_string())
}

/// Returns whole ether, rounded down.
fn ether(wei: u128) -> String {
    grouped(wei / WEI_PER_ETHER)
}

fn bound(parallelism: &Parallelism) -> String {
    let hundredths = parallelism.hundredths;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

fn tenths(tenths: u128) -> String {
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// `1234567` as `1,234,567`.
fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (idx, digit) in digits.chars().enumerate() {
        if idx > 0 && (digits.len() - idx).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
