//! The number of cases of random tests.

/// Returns `n_all` under `ci/all_tests.sh`, a quarter of it under `cargo test`, and `n_miri` under Miri.
pub(crate) fn n_cases(n_all: u32, n_miri: u32) -> u32 {
    if cfg!(miri) {
        n_miri
    } else if std::env::var_os("SCHEDULE_TESTS").is_some_and(|value| value == "all") {
        n_all
    } else {
        n_all.div_ceil(4)
    }
}
