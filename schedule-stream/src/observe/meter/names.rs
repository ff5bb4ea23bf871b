//! The names, units and descriptions of all metrics.

use metrics::Unit;

/// A metric, without its handles.
#[derive(Debug)]
pub(super) struct Metric {
    pub(super) name: &'static str,
    /// The label in addition to `stream`.
    pub(super) label: Option<&'static str>,
    pub(super) unit: Unit,
    pub(super) description: &'static str,
}

const fn metric(name: &'static str, unit: Unit, description: &'static str) -> Metric {
    Metric {
        name,
        label: None,
        unit,
        description,
    }
}

impl Metric {
    const fn by(self, label: &'static str) -> Self {
        Self {
            label: Some(label),
            ..self
        }
    }
}

pub(super) static EVENTS: Metric = metric(
    "schedule_stream_events_total",
    Unit::Count,
    "Events that arrived, by mode of processing",
)
.by("mode");

pub(super) static STRETCHES: Metric = metric(
    "schedule_stream_stretches_total",
    Unit::Count,
    "Stretches of events that were processed in one mode",
)
.by("mode");

pub(super) static CONFLICTS: Metric = metric(
    "schedule_stream_conflicts_total",
    Unit::Count,
    "Events that had to wait for an earlier event with a common record",
);

pub(super) static FAILED: Metric = metric(
    "schedule_stream_failed_events_total",
    Unit::Count,
    "Events whose handler failed, panicked or returned too many follow-up events",
)
.by("reason");

pub(super) static REFUSED: Metric = metric(
    "schedule_stream_refused_events_total",
    Unit::Count,
    "Events whose handler did not run",
)
.by("reason");

pub(super) static SLOW: Metric = metric(
    "schedule_stream_slow_handlers_total",
    Unit::Count,
    "Handler calls above the threshold of slow handlers",
)
.by("handler");

pub(super) static PENDING: Metric = metric(
    "schedule_stream_pending_follow_ups",
    Unit::Count,
    "Follow-up events that have not arrived",
);

pub(super) static WAITING: Metric = metric(
    "schedule_stream_waiting_requests",
    Unit::Count,
    "Requests or events that wait in the queue, at the last batch",
);

pub(super) static WAIT: Metric = metric(
    "schedule_stream_wait_seconds",
    Unit::Seconds,
    "Time from the submission of an event to the start of its batch",
);

pub(super) static HANDLER: Metric = metric(
    "schedule_stream_handler_seconds",
    Unit::Seconds,
    "Time of handler calls, of which some are measured",
)
.by("handler");

pub(super) static BATCH: Metric = metric(
    "schedule_stream_batch_seconds",
    Unit::Seconds,
    "Time from the first arrival to the last outcome of a batch",
);

pub(super) static COUNTERS: [&Metric; 6] =
    [&EVENTS, &STRETCHES, &CONFLICTS, &FAILED, &REFUSED, &SLOW];
pub(super) static GAUGES: [&Metric; 2] = [&PENDING, &WAITING];
pub(super) static HISTOGRAMS: [&Metric; 3] = [&WAIT, &HANDLER, &BATCH];

/// The metrics of journals, snapshots and services.
#[cfg(feature = "durable")]
pub(super) mod storage {
    use super::{Metric, Unit, metric};

    pub(in crate::observe::meter) static BATCHES_IN_FLIGHT: Metric = metric(
        "schedule_stream_batches_in_flight",
        Unit::Count,
        "Batches that are processed and not synced",
    );

    pub(in crate::observe::meter) static EVENTS_IN_FLIGHT: Metric = metric(
        "schedule_stream_events_in_flight",
        Unit::Count,
        "Events that are processed and not synced",
    );

    pub(in crate::observe::meter) static SYNC: Metric = metric(
        "schedule_stream_sync_seconds",
        Unit::Seconds,
        "Time to append a group of batches to the journal and to sync it",
    );

    pub(in crate::observe::meter) static SNAPSHOT: Metric = metric(
        "schedule_stream_snapshot_seconds",
        Unit::Seconds,
        "Time of a snapshot, by step: to save the state, and to write it",
    )
    .by("step");

    pub(in crate::observe::meter) static SNAPSHOT_SIZE: Metric = metric(
        "schedule_stream_snapshot_bytes",
        Unit::Bytes,
        "Size of a snapshot",
    );

    pub(in crate::observe::meter) static SNAPSHOT_ERRORS: Metric = metric(
        "schedule_stream_snapshot_errors_total",
        Unit::Count,
        "Snapshots that could not be saved or written",
    );

    pub(in crate::observe::meter) static QUERIES: Metric = metric(
        "schedule_stream_queries_total",
        Unit::Count,
        "Queries that a service has answered",
    );

    pub(in crate::observe::meter) static REJECTED: Metric = metric(
        "schedule_stream_rejected_requests_total",
        Unit::Count,
        "Events that a service did not accept",
    );

    pub(in crate::observe::meter) static COUNTERS: [&Metric; 3] =
        [&SNAPSHOT_ERRORS, &QUERIES, &REJECTED];
    pub(in crate::observe::meter) static GAUGES: [&Metric; 3] =
        [&BATCHES_IN_FLIGHT, &EVENTS_IN_FLIGHT, &super::WAITING];
    pub(in crate::observe::meter) static HISTOGRAMS: [&Metric; 4] =
        [&SYNC, &SNAPSHOT, &SNAPSHOT_SIZE, &super::WAIT];
}
