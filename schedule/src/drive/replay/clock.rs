//! The clock in recordings: its time, whether a driver has set it, and the times to which systems advanced it.

use core::time::Duration;

use super::resources::{EntryKind, RecordedEntry};
use crate::base::snapshot::Decoder;
use crate::systems::rate::Clock;

/// Before a run: the time, and whether a driver has set it. After a run: the times after each `Clock::tick` in it.
pub(super) const ENTRY: RecordedEntry = RecordedEntry {
    kind: EntryKind::Input,
    name: "clock",
    version: 1,
    schema: None,
    record_started: |_| Ok(()),
    save_before: |resources, to| {
        let Some(clock) = resources.get_mut::<Clock>() else {
            return Ok(false);
        };
        clock.begin_noting();
        to.write(&(clock.now(), clock.is_driven()))?;
        Ok(true)
    },
    save_after: |resources, to| match resources.get::<Clock>() {
        Some(clock) => to.write(clock.noted_ticks()).map(|()| true),
        None => Ok(false),
    },
    record_ended: |resources| {
        if let Some(clock) = resources.get_mut::<Clock>() {
            clock.end_noting();
        }
    },
    restore: |resources, saved| {
        if !saved.before.is_present {
            resources.remove::<Clock>();
            return Ok(());
        }
        let mut from = Decoder::new(&saved.before.bytes);
        let (now, is_driven): (Duration, bool) = from.read()?;
        from.finish()?;
        let mut ticks: Option<Vec<Duration>> = None;
        if let Some(after) = saved.after.filter(|after| after.is_present) {
            let mut from = Decoder::new(&after.bytes);
            ticks = Some(from.read()?);
            from.finish()?;
        }
        let clock = resources.get_or_insert_with(Clock::new);
        clock.begin_replay(now, is_driven, ticks);
        Ok(())
    },
    replay_ended: |resources| {
        if let Some(clock) = resources.get_mut::<Clock>() {
            clock.end_replay();
        }
    },
};

/// Describes the ticks of a run, for messages.
pub(super) fn ticks_text(bytes: &[u8]) -> String {
    match Decoder::new(bytes).read::<Vec<Duration>>().as_deref() {
        Ok([]) => "did not tick".to_string(),
        Ok([time]) => format!("ticked once, to {time:?}"),
        Ok([times @ .., last]) => format!("ticked {} times, at last to {last:?}", times.len() + 1),
        Err(_) => "has unknown ticks".to_string(),
    }
}
