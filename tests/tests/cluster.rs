//! Clusters: the outcomes and the state of worker processes are those of one process.

mod cluster {
    mod outcomes;
    pub(crate) mod support;
}
