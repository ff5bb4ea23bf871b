//! Durable streams: after any end of the program, recovery gives the state of a sequential run of the batches in the journal.

mod crashes;
mod pipeline;
mod prefix;
pub(crate) mod program;
mod random;
mod refused;
mod skip;
mod versions;
