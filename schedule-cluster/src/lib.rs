//! Event streams in several processes.
