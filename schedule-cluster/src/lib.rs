//! Event streams in several processes: the same handlers, the same order and the same outcomes as in one process.

mod bucket;
mod cluster;
mod control;
mod cost;
mod error;
mod executor;
mod flow;
mod manifest;
mod mesh;
mod naming;
mod parts;
mod processes;
mod shard;
mod snapshots;
mod store;
mod stream;
mod wire;
mod worker;

pub use self::cluster::Cluster;
pub use self::control::ClusterControl;
pub use self::error::StartError;
pub use self::stream::ClusterStream;
pub use schedule_stream::internal::SentEvent;
