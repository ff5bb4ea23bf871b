//! All contenders.

use benches::work::Call;
use benches::workload::Workload;

use crate::bevy::Bevy;
use crate::by_hand::{ByHand, From};
use crate::contender::Contender;
use crate::legion::Legion;
use crate::ours::Ours;
use crate::pools::Pools;
use crate::serial::Serial;
use crate::shipyard::Shipyard;
use crate::shred::Shred;

/// The baseline comes first.
pub(crate) fn all(workload: &Workload, calls: &[Call], pools: &Pools) -> Vec<Box<dyn Contender>> {
    vec![
        Box::new(Serial::new(calls)),
        Box::new(Ours::serial(workload, calls)),
        Box::new(Ours::parallel(workload, calls, pools)),
        Box::new(Ours::auto(workload, calls, pools)),
        Box::new(Ours::periodic(workload, calls, pools)),
        Box::new(ByHand::new(workload, calls, pools, From::Outside)),
        Box::new(ByHand::new(workload, calls, pools, From::Inside)),
        Box::new(Bevy::single(workload, calls)),
        Box::new(Bevy::multi(workload, calls)),
        Box::new(Legion::new(workload, calls, pools)),
        Box::new(Shred::sequential(workload, calls, pools)),
        Box::new(Shred::parallel(workload, calls, pools)),
        Box::new(Shipyard::new(workload, calls, pools)),
    ]
}
