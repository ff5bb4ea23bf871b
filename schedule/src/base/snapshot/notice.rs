//! Warnings about files, as events of the crate `tracing`.

/// Warns that a file of this kind has no schemas. Without the feature `tracing`, does nothing.
#[cfg_attr(
    not(feature = "tracing"),
    allow(unused_variables, reason = "nothing listens")
)]
pub(crate) fn without_schemas(kind: &str) {
    #[cfg(feature = "tracing")]
    tracing::warn!(
        target: "schedule",
        "an older release has written the {kind}: changes of types without a new version since then are not noticed"
    );
}
