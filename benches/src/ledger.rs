//! Transfers of a real ledger, which are not part of the project.

use std::path::Path;

use inputs::transfers::reader;

/// A transfer between two accounts.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    /// The number of the sender. The number of accounts is about the largest number.
    pub from: u32,
    /// The number of the receiver. `None` for a new contract.
    pub to: Option<u32>,
    /// The amount.
    pub value_wei: u128,
}

/// All transfers, in order. `None` if the file does not exist.
///
/// # Panics
///
/// If the file exists but is not valid.
pub fn transfers() -> Option<Vec<Transfer>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/ledger_transfers.csv");
    if !file.exists() {
        eprintln!("skipped: {} does not exist", file.display());
        return None;
    }
    let blocks = match reader::read(&file) {
        Ok(blocks) => blocks,
        Err(mistake) => panic!("{mistake}"),
    };
    let number = |number: u64| u32::try_from(number).expect("accounts are numbered from 0");
    let all = blocks
        .iter()
        .flat_map(|block| &block.transfers)
        .map(|transfer| Transfer {
            from: number(transfer.from.0),
            to: transfer.to.map(|to| number(to.0)),
            value_wei: transfer.value_wei,
        });
    Some(all.collect())
}
