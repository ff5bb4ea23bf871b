//! The interface for the other crates of the workspace. It may change in any release.

use schedule_stream::internal::SentEvent;

use crate::cluster::Cluster;

pub use crate::cost::ValueExchange;

/// Sets how values are exchanged between processes, instead of by the measured costs of the handlers. The outcomes are the same.
pub fn set_exchange<E: SentEvent>(cluster: &mut Cluster<E>, exchange: ValueExchange) {
    cluster.set_exchange(exchange);
}
