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
        "an older release has written the {kind}: if a type has changed since then without a new version, this is not noticed"
    );
}
