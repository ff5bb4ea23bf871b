//! Transfers of a real ledger, which are not part of the project.

use std::path::Path;

use inputs::transfers::reader;

/// Who pays whom.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    /// The number of an account. There are about as many accounts as the largest one says.
    pub from: u32,
    /// The same; `None` for a new contract.
    pub to: Option<u32>,
    /// How much.
    pub value_wei: u128,
}

/// All of them, in their order; `None` where the file is not there.
///
/// # Panics
///
/// If the file is there and something is wrong with it.
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
    let number = |number: u64| u32::try_from(number).expect("accounts are numbered from 0 on");
    let all = blocks.iter().flat_map(|block| &block.transfers);
    let all = all.map(|transfer| Transfer {
        from: number(transfer.from.0),
        to: transfer.to.map(|to| number(to.0)),
        value_wei: transfer.value_wei,
    });
    Some(all.collect())
}
