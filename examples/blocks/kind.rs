//! Kinds of transfers.

use std::collections::HashSet;

use inputs::transfers::{Account, Block, Kind};
use schedule::prelude::*;

/// Number of transfers of each kind in a block.
#[derive(Resource, Clone, Default, Debug, PartialEq)]
pub(crate) struct Kinds {
    pub(crate) n_plain: u64,
    pub(crate) n_erc20: u64,
    pub(crate) n_call: u64,
    pub(crate) n_create: u64,
}

/// Number of transfers of a block whose sender and receiver are the same.
#[derive(Resource, Clone, Default, Debug, PartialEq)]
pub(crate) struct ToSelf(pub(crate) u64);

/// All accounts that have created a contract so far.
#[derive(Resource, Default)]
#[resource(transparent)]
pub(crate) struct Creators(HashSet<Account>);

#[system]
pub(crate) fn count_kinds(block: &Block, kinds: &mut Kinds) {
    *kinds = Kinds::default();
    for transfer in &block.transfers {
        match transfer.kind {
            Kind::Plain => kinds.n_plain += 1,
            Kind::Erc20 { .. } => kinds.n_erc20 += 1,
            Kind::Call => kinds.n_call += 1,
            Kind::Create => kinds.n_create += 1,
        }
    }
}

#[system]
pub(crate) fn count_to_self(block: &Block, to_self: &mut ToSelf) {
    let n_to_self = block
        .transfers
        .iter()
        .filter(|transfer| transfer.is_to_self())
        .count();
    to_self.0 = n_to_self as u64;
}

#[system]
pub(crate) fn collect_creators(block: &Block, creators: &mut Creators) {
    let creations = block
        .transfers
        .iter()
        .filter(|transfer| transfer.kind == Kind::Create);
    creators.extend(creations.map(|transfer| transfer.from));
}
