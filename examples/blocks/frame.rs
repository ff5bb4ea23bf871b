//! The analysis as a schedule: one frame per block.

use inputs::transfers::Block;
use schedule::prelude::*;
use schedule::{BoxError, BuildError, run_one};

use crate::analysis::Analysis;
use crate::{account, balance, chain, digest, gas, kind, row, summary, token, value};

pub(crate) fn analyse(blocks: Vec<Block>) -> Result<Analysis, BoxError> {
    let mut frame = frame()?;
    let mut resources = resources();
    for block in blocks {
        resources.insert(block);
        frame.run(&mut resources)?;
    }
    run_one::<summary::summarize>(&mut resources)?;
    Ok(Analysis {
        table: resources.remove().expect("inserted before the first frame"),
        summary: resources.remove().expect("inserted by `summarize`"),
    })
}

/// Builds the schedule of a frame.
///
/// Each resource has one system that writes it. With `Policy::WritersFirst`, systems that read it run after that one. So no
/// order is declared, and a second writer would be an error.
fn frame() -> Result<Schedule, BuildError> {
    Schedule::builder()
        .name("block")
        .policy(Policy::WritersFirst)
        .add::<kind::count_kinds>()
        .add::<kind::count_to_self>()
        .add::<kind::collect_creators>()
        .add::<balance::settle>()
        .add::<balance::sum_up>()
        .add::<balance::audit>()
        .add::<gas::limit_gas>()
        .add::<account::count_new>()
        .add::<account::rank_senders>()
        .add::<account::rank_receivers>()
        .add::<value::weigh>()
        .add::<token::follow_tokens>()
        .add::<chain::chain_block>()
        .add::<chain::bound>()
        .add::<chain::chain_all>()
        .add::<row::tabulate>()
        .add::<digest::digest>()
        .build()
}

fn resources() -> Resources {
    let mut resources = Resources::new();
    // Kept between blocks.
    resources.insert(balance::Balances::default());
    resources.insert(account::KnownAccounts::default());
    resources.insert(account::Sent::default());
    resources.insert(account::Received::default());
    resources.insert(kind::Creators::default());
    resources.insert(token::Holders::default());
    resources.insert(chain::Chains::default());
    resources.insert(chain::LongestChainOfAll::default());
    resources.insert(row::Table::default());
    resources.insert(digest::Digest::default());
    // Overwritten by each block.
    resources.insert(kind::Kinds::default());
    resources.insert(kind::ToSelf::default());
    resources.insert(balance::Settled::default());
    resources.insert(balance::Settlement::default());
    resources.insert(gas::GasLimits::default());
    resources.insert(account::NewAccounts::default());
    resources.insert(account::TopSender::default());
    resources.insert(account::TopReceiver::default());
    resources.insert(value::Values::default());
    resources.insert(token::Tokens::default());
    resources.insert(chain::LongestChain::default());
    resources.insert(chain::Parallelism::default());
    resources
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use inputs::transfers::reader;

    use super::*;
    use crate::reference;

    #[test]
    fn schedule_and_reference_have_the_same_result() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("blocks/sample.csv");
        let blocks = reader::read(&file).unwrap();
        let expected = reference::analyse(&blocks);
        let analysis = analyse(blocks).unwrap();
        analysis.assert_same(&expected);
        assert_eq!(analysis.summary.n_rejected, 1);
        assert_eq!(analysis.summary.digest, 0x8813_f11f_229f_53a0);
    }

    #[test]
    fn without_blocks_the_table_is_empty() {
        let analysis = analyse(Vec::new()).unwrap();
        analysis.assert_same(&reference::analyse(&[]));
        assert!(analysis.table.is_empty());
    }
}
