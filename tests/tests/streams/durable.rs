//! Durable streams: after any end of the program, recovery gives the state of a sequential run of the batches in the journal.

mod backlog;
mod changed;
mod crashes;
mod dead_letters;
mod differing;
mod first_rules;
mod hostile;
mod pipeline;
mod prefix;
pub(crate) mod program;
mod random;
mod read_only;
mod refused;
mod remedies;
mod skip;
mod times;
mod versions;
