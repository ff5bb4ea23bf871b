//! Clusters: the outcomes and the state of worker processes are those of one process.

mod cluster {
    mod cut;
    mod dead_letters;
    mod first_rules;
    mod full;
    mod kills;
    mod network;
    mod outcomes;
    mod recovery;
    mod service;
    mod small_disk;
    mod start;
    mod supervisor;
    pub(crate) mod support;
}
