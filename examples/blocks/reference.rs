//! The same analysis in one loop, as a reference for the schedule.
//!
//! It shares only the types of the result with the systems.

use core::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use inputs::transfers::{Account, Block, Kind};

use crate::account::{NewAccounts, TopReceiver, TopSender};
use crate::analysis::Analysis;
use crate::balance::{OPENING_WEI, Settlement};
use crate::chain::{LongestChain, Parallelism};
use crate::gas::GasLimits;
use crate::kind::{Kinds, ToSelf};
use crate::row::{Row, Table};
use crate::summary::{N_TOP, Summary};
use crate::token::Tokens;
use crate::value::Values;

type Amounts = BTreeMap<Account, u128>;

pub(crate) fn analyse(blocks: &[Block]) -> Analysis {
    let mut rows = Vec::new();
    let mut balances = Amounts::new();
    let mut sent = Amounts::new();
    let mut received = Amounts::new();
    let mut holders = BTreeSet::new();
    let mut creators = BTreeSet::new();
    let mut depths = BTreeMap::<Account, u64>::new();
    let mut all = Summary {
        n_transfers: 0,
        n_accounts: 0,
        n_to_self: 0,
        n_rejected: 0,
        moved_wei: 0,
        gas_sum: 0,
        n_token_transfers: 0,
        n_holders: 0,
        n_created: 0,
        n_creators: 0,
        top_senders: Vec::new(),
        top_receivers: Vec::new(),
        values: Values::default(),
        sum_of_chains: 0,
        parallelism_in_blocks: Parallelism::default(),
        longest_chain: 0,
        parallelism: Parallelism::default(),
        digest: 0xcbf2_9ce4_8422_2325,
    };

    for block in blocks {
        let n_accounts_before = balances.len();
        let mut kinds = Kinds::default();
        let mut n_to_self = 0;
        let mut settlement = Settlement::default();
        let mut gas_limits = Vec::new();
        let mut sent_in_block = Amounts::new();
        let mut received_in_block = Amounts::new();
        let mut values = Values::default();
        let mut holders_in_block = BTreeSet::new();
        let mut depths_in_block = BTreeMap::<Account, u64>::new();

        for transfer in &block.transfers {
            let from = transfer.from;
            let value_wei = transfer.value_wei;
            // Without a receiver, the sender takes its place.
            let to = transfer.to.unwrap_or(from);

            match &transfer.kind {
                Kind::Plain => kinds.n_plain += 1,
                Kind::Call => kinds.n_call += 1,
                Kind::Erc20 {
                    token_from,
                    token_to,
                } => {
                    kinds.n_erc20 += 1;
                    for holder in [*token_from, *token_to] {
                        holders_in_block.insert(holder);
                        holders.insert(holder);
                    }
                }
                Kind::Create => {
                    kinds.n_create += 1;
                    creators.insert(from);
                }
            }

            balances.entry(from).or_insert(OPENING_WEI);
            balances.entry(to).or_insert(OPENING_WEI);
            if balances[&from] < value_wei {
                settlement.n_rejected += 1;
            } else {
                settlement.moved_wei += value_wei;
                if transfer.to != Some(from) {
                    *balances.get_mut(&from).expect("opened above") -= value_wei;
                }
                if to != from {
                    *balances.get_mut(&to).expect("opened above") += value_wei;
                    if value_wei > 0 {
                        *received_in_block.entry(to).or_insert(0) += value_wei;
                        *received.entry(to).or_insert(0) += value_wei;
                    }
                }
            }
            if transfer.to == Some(from) {
                n_to_self += 1;
            }

            *sent_in_block.entry(from).or_insert(0) += 1;
            *sent.entry(from).or_insert(0) += 1;
            gas_limits.push(transfer.gas_limit);

            for values in [&mut values, &mut all.values] {
                match value_wei.to_string().len() {
                    _ if value_wei == 0 => values.n_nothing += 1,
                    1..=12 => values.n_dust += 1,
                    n_digits @ 13..=21 => values.powers[n_digits - 13] += 1,
                    _ => values.powers[9] += 1,
                }
            }

            for depths in [&mut depths_in_block, &mut depths] {
                let depth_of = |account| depths.get(account).copied().unwrap_or(0);
                let depth = 1 + depth_of(&from).max(depth_of(&to));
                depths.insert(from, depth);
                depths.insert(to, depth);
            }
        }

        let n_transfers = block.transfers.len() as u64;
        let longest_chain = *depths_in_block.values().max().expect("no block is empty");
        let row = Row {
            block: block.number,
            n_transfers,
            to_self: ToSelf(n_to_self),
            gas: GasLimits {
                sum: gas_limits.iter().map(|&limit| u128::from(limit)).sum(),
                median: percentile(&gas_limits, 50),
                percentile_90: percentile(&gas_limits, 90),
                max: *gas_limits.iter().max().expect("no block is empty"),
            },
            new_accounts: NewAccounts((balances.len() - n_accounts_before) as u64),
            top_sender: TopSender(top(&sent_in_block).first().copied()),
            top_receiver: TopReceiver(top(&received_in_block).first().copied()),
            values,
            tokens: Tokens {
                n_transfers: kinds.n_erc20,
                n_holders: holders_in_block.len() as u64,
            },
            longest_chain: LongestChain(longest_chain),
            parallelism: Parallelism {
                hundredths: n_transfers * 100 / longest_chain,
            },
            kinds,
            settlement,
        };

        all.n_transfers += n_transfers;
        all.n_to_self += n_to_self;
        all.n_rejected += row.settlement.n_rejected;
        all.moved_wei += row.settlement.moved_wei;
        all.gas_sum += row.gas.sum;
        all.n_token_transfers += row.tokens.n_transfers;
        all.n_created += row.kinds.n_create;
        all.sum_of_chains += longest_chain;
        for number in row.numbers() {
            for byte in number.to_le_bytes() {
                all.digest = (all.digest ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
        rows.push(row);
    }

    all.n_accounts = balances.len() as u64;
    all.n_holders = holders.len() as u64;
    all.n_creators = creators.len() as u64;
    all.top_senders = top(&sent);
    all.top_receivers = top(&received);
    all.longest_chain = depths.values().copied().max().unwrap_or(0);
    if !rows.is_empty() {
        all.parallelism_in_blocks.hundredths = all.n_transfers * 100 / all.sum_of_chains;
        all.parallelism.hundredths = all.n_transfers * 100 / all.longest_chain;
    }
    Analysis {
        table: Table::from(rows),
        summary: all,
    }
}

/// Returns the percentile directly by its definition: the smallest value that at least `percent` of all do not exceed. O(n²).
fn percentile(values: &[u64], percent: usize) -> u64 {
    let is_enough = |&limit: &u64| {
        let n_below = values.iter().filter(|&&value| value <= limit).count();
        n_below * 100 >= values.len() * percent
    };
    let enough = values.iter().copied().filter(is_enough);
    enough.min().expect("no block is empty")
}

/// Returns the largest amounts. Of equal amounts, the smaller account comes first, because the sort is stable.
fn top(amounts: &Amounts) -> Vec<(Account, u128)> {
    let mut top: Vec<_> = amounts
        .iter()
        .map(|(&account, &amount)| (account, amount))
        .collect();
    top.sort_by_key(|&(_, amount)| Reverse(amount));
    top.truncate(N_TOP);
    top
}
