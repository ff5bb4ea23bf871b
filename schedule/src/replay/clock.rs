//! The clock in recordings: its time, whether a driver has set it, and the time to which systems advanced it.

use core::time::Duration;

use super::resources::{EntryKind, RecordedEntry};
use crate::rate::Clock;
use crate::snapshot::Decoder;

/// Before a run: the time, and whether a driver has set it. After a run: the real time that `Clock::tick` read in it, if any.
pub(super) const ENTRY: RecordedEntry = RecordedEntry {
    kind: EntryKind::Input,
    name: "clock",
    version: 1,
    save_before: |resources, to| {
        let Some(clock) = resources.get_mut::<Clock>() else {
            return Ok(false);
        };
        clock.begin_noting();
        to.write(&(clock.now(), clock.is_driven()))?;
        Ok(true)
    },
    save_after: |resources, to| match resources.get::<Clock>() {
        Some(clock) => to.write(&clock.ticked()).map(|()| true),
        None => Ok(false),
    },
    restore: |resources, saved| {
        if !saved.before.is_present {
            resources.remove::<Clock>();
            return Ok(());
        }
        let mut from = Decoder::new(&saved.before.bytes);
        let (now, is_driven): (Duration, bool) = from.read()?;
        from.finish()?;
        let mut ticked: Option<Duration> = None;
        if let Some(after) = saved.after.filter(|after| after.is_present) {
            let mut from = Decoder::new(&after.bytes);
            ticked = from.read()?;
            from.finish()?;
        }
        let clock = resources.get_or_insert_with(Clock::new);
        clock.begin_replay(now, is_driven, ticked);
        Ok(())
    },
    replay_ended: |resources| {
        if let Some(clock) = resources.get_mut::<Clock>() {
            clock.end_replay();
        }
    },
};
