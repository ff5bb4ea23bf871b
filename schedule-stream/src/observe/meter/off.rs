//! The same without the feature `metrics`: nothing is measured.

use core::time::Duration;
use std::sync::Arc;

use super::{ErrorLabel, ModeLabel};
use crate::program::handler::HandlerDeclaration;
#[cfg(feature = "durable")]
use schedule::internal::Instant;

/// Does nothing.
#[cfg(not(feature = "metrics"))]
#[derive(Debug, Default)]
pub(crate) struct ConflictCount(());

impl ConflictCount {
    #[inline(always)]
    pub(crate) fn note(&mut self, _: bool) {}

    #[inline(always)]
    pub(crate) fn take(&mut self) -> u64 {
        0
    }
}

/// No time.
#[cfg(not(feature = "metrics"))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct SubmitTime;

impl SubmitTime {
    #[inline(always)]
    pub(crate) fn now() -> Self {
        Self
    }

    #[inline(always)]
    pub(crate) fn is_sampled(_: u32) -> bool {
        false
    }
}

/// Does nothing.
#[cfg(not(feature = "metrics"))]
#[derive(Debug, Default)]
pub(crate) struct StreamMeter(());

impl StreamMeter {
    #[cfg(feature = "durable")]
    pub(crate) fn set_enabled(&mut self, _: bool) {}

    #[cfg(feature = "durable")]
    pub(crate) fn fix<E>(&mut self, _: Option<&Arc<str>>, _: &'static [HandlerDeclaration]) {}

    #[cfg(feature = "durable")]
    pub(crate) fn unfix(&mut self) {}

    #[inline(always)]
    pub(crate) fn begin_call<E>(&mut self, _: Option<&Arc<str>>, _: &'static [HandlerDeclaration]) {
    }

    #[inline(always)]
    pub(crate) fn is_on(&self) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) fn next_sample(&self) -> u64 {
        u64::MAX
    }

    #[inline(always)]
    pub(crate) fn sample_after(&self, _: u64) -> u64 {
        u64::MAX
    }

    #[inline(always)]
    pub(crate) fn begin_batch(&mut self, _: u64) {}

    #[inline(always)]
    pub(crate) fn begin_stretch(&mut self, _: ModeLabel, _: u64) {}

    #[inline(always)]
    pub(crate) fn note_conflicts(&mut self, _: u64) {}

    #[inline(always)]
    pub(crate) fn note_error(&mut self, _: ErrorLabel) {}

    #[inline(always)]
    pub(crate) fn note_handler(&mut self, _: u16, _: Duration, _: bool) {}

    #[inline(always)]
    pub(crate) fn note_wait(&mut self, _: u64, _: SubmitTime) {}

    #[inline(always)]
    pub(crate) fn end_batches(&mut self, _: u64, _: u64, _: usize, _: Option<usize>) {}

    #[inline(always)]
    pub(crate) fn end_call(&mut self, _: u64, _: u64) {}
}

/// Does nothing.
#[cfg(feature = "durable")]
#[derive(Clone, Debug)]
pub(crate) struct StorageMeter;

#[cfg(feature = "durable")]
impl StorageMeter {
    pub(crate) fn new(_: Arc<str>) -> Self {
        Self
    }

    pub(crate) fn begin_call(&mut self) {}

    pub(crate) fn register_all(&mut self) {}

    #[inline(always)]
    pub(crate) fn is_on(&self) -> bool {
        false
    }

    pub(crate) fn note_sync(&mut self, _: Instant) {}

    pub(crate) fn note_saved(&mut self, _: Instant, _: usize) {}

    pub(crate) fn note_written(&mut self, _: Instant) {}

    pub(crate) fn note_snapshot_error(&mut self) {}

    pub(crate) fn begin_batch(&mut self, _: usize, _: &[SubmitTime]) {}

    pub(crate) fn note_in_flight(&mut self, _: usize) {}

    pub(crate) fn note_released(&mut self, _: usize) {}

    pub(crate) fn note_none_in_flight(&mut self) {}

    pub(crate) fn note_query(&mut self) {}

    pub(crate) fn note_rejected(&mut self) {}
}
