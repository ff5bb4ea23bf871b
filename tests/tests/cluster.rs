//! Clusters: the outcomes and the state of worker processes are those of one process.

mod cluster {
    mod kills;
    mod outcomes;
    mod recovery;
    pub(crate) mod support;
}
