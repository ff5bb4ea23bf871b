//! Warnings of a driver, as events of the crate `tracing` at level `WARN`, with the target of all spans.
//!
//! Without the feature `tracing`, all functions do nothing, so other code does not depend on the feature.

#[cfg(feature = "tracing")]
pub(super) use self::body::Notices;
#[cfg(not(feature = "tracing"))]
pub(super) use self::off::Notices;

#[cfg(feature = "tracing")]
mod body {
    use core::fmt::Display;
    use core::time::Duration;

    /// The shortest time between two warnings.
    const PAUSE: Duration = Duration::from_secs(1);

    /// Writes at most one warning in each second of the clock, so that a permanent overload does not fill a log.
    #[derive(Debug, Default)]
    pub(in crate::drive::driver) struct Notices {
        /// The time of the clock at the last warning.
        last: Option<Duration>,
        /// The number of warnings since then that were not written.
        n_omitted: u64,
    }

    impl Notices {
        /// Warns of an overrun or of a missed limit.
        pub(in crate::drive::driver) fn warn(
            &mut self,
            schedule: &str,
            now: Duration,
            text: &dyn Display,
        ) {
            // The clock can have been set back.
            let is_soon = |last| now >= last && now - last < PAUSE;
            if self.last.is_some_and(is_soon) {
                self.n_omitted += 1;
                return;
            }
            let omitted = core::mem::take(&mut self.n_omitted);
            self.last = Some(now);
            tracing::warn!(target: "schedule", schedule, omitted, "{text}");
        }
    }
}

#[cfg(not(feature = "tracing"))]
mod off {
    use core::fmt::Display;
    use core::time::Duration;

    /// Does nothing.
    #[cfg(not(feature = "tracing"))]
    #[derive(Debug, Default)]
    pub(in crate::drive::driver) struct Notices;

    impl Notices {
        #[inline(always)]
        pub(in crate::drive::driver) fn warn(&mut self, _: &str, _: Duration, _: &dyn Display) {}
    }
}
