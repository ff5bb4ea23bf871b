//! Writes a timeline as JSON trace events for Chrome, which `chrome://tracing` and Perfetto read.
//!
//! The format is Google's "Trace Event Format": each event is an object, with times in microseconds. Perfetto drops events
//! before 0, so the first due time is 0 if it is before the begin of the run.

use core::fmt::{self, Write};
use core::time::Duration;

use super::{AppliedLimit, Execution, Misses, RelativeTime, Timeline};
use crate::base::escape::json as quoted;
use crate::data::limits::LimitKind;

pub(super) fn write(timeline: &Timeline) -> String {
    let mut out = String::new();
    let deadlines = timeline.limits.iter();
    let deadlines: Vec<&AppliedLimit> = deadlines
        .filter(|limit| limit.kind == LimitKind::Deadline)
        .collect();
    let trace = Trace {
        timeline,
        misses: timeline.misses(),
        begin: deadlines
            .iter()
            .map(|limit| limit.due.until_begin())
            .max()
            .unwrap_or_default(),
        deadlines,
    };
    // Writing to a string cannot fail.
    let _ = trace.write_events(&mut out);
    out
}

struct Trace<'t> {
    timeline: &'t Timeline,
    misses: Misses<'t>,
    deadlines: Vec<&'t AppliedLimit>,
    /// The begin of the run, as a time of the trace.
    begin: Duration,
}

impl Trace<'_> {
    fn write_events(&self, out: &mut String) -> fmt::Result {
        let title = quoted(&format!("schedule `{}`", self.timeline.schedule));
        write!(
            out,
            "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n\
             {{\"ph\":\"M\",\"pid\":1,\"tid\":0,\"name\":\"process_name\",\"args\":{{\"name\":{title}}}}}"
        )?;
        for worker in 0..self.timeline.n_workers {
            write_track(out, worker, &format!("worker {worker}"))?;
        }
        for (nth, deadline) in self.deadlines.iter().enumerate() {
            let name = format!("deadline of `{}`", deadline.of);
            write_track(out, self.track_of_deadline(nth), &name)?;
        }
        for idx in 0..self.timeline.executions.len() {
            self.write_execution(out, idx)?;
        }
        self.write_arrows(out)?;
        for (nth, deadline) in self.deadlines.iter().enumerate() {
            self.write_deadline(out, nth, deadline)?;
        }
        out.push_str("\n]}\n");
        Ok(())
    }

    /// Deadlines come after the workers.
    fn track_of_deadline(&self, nth: usize) -> usize {
        self.timeline.n_workers + nth
    }

    /// A time of the run, as a time of the trace in microseconds.
    fn at(&self, time: Duration) -> String {
        micros(self.begin.saturating_add(time))
    }

    fn at_relative(&self, time: RelativeTime) -> String {
        match time {
            RelativeTime::Before(time) => micros(self.begin.saturating_sub(time)),
            RelativeTime::After(time) => self.at(time),
        }
    }

    fn waited_for(&self, execution: &Execution) -> Option<&Execution> {
        Some(&self.timeline.executions[execution.waited_for?])
    }

    fn write_execution(&self, out: &mut String, idx: usize) -> fmt::Result {
        let execution = &self.timeline.executions[idx];
        let Execution {
            worker, start, end, ..
        } = *execution;
        let systems: Vec<&str> = execution.systems().collect();
        write!(
            out,
            ",\n{{\"ph\":\"X\",\"pid\":1,\"tid\":{worker},\"ts\":{},\"dur\":{},\"cat\":\"system\",\"name\":{}",
            self.at(start),
            micros(end.saturating_sub(start)),
            quoted(&systems.join(" + ")),
        )?;
        let mut args = Vec::new();
        if let Some(before) = self.waited_for(execution) {
            args.push(format!("\"waited for\":{}", quoted(&before.system)));
            let ready_for = micros(start.saturating_sub(before.end));
            args.push(format!("\"ready for µs\":{ready_for}"));
        }
        args.extend(self.exceeded(idx));
        if !args.is_empty() {
            write!(out, ",\"args\":{{{}}}", args.join(","))?;
        }
        out.push('}');
        Ok(())
    }

    /// The arguments of an execution that exceeded limits.
    fn exceeded(&self, idx: usize) -> impl Iterator<Item = String> {
        let mut by_key: Vec<(String, Vec<String>)> = Vec::new();
        for (limit, by) in self.misses.of(idx) {
            let of = match limit.kind {
                LimitKind::Deadline => "after the deadline",
                LimitKind::Budget => "over the budget",
            };
            let key = format!("{of} of `{}` by µs", limit.of);
            match by_key.iter_mut().find(|(known, _)| *known == key) {
                Some((_, all)) => all.push(micros(by)),
                None => by_key.push((key, vec![micros(by)])),
            }
        }
        by_key.into_iter().map(|(key, by)| match &by[..] {
            [by] => format!("{}:{by}", quoted(&key)),
            // Several systems have the same name.
            _ => format!("{}:[{}]", quoted(&key), by.join(",")),
        })
    }

    /// Writes an arrow to each execution from the one that released it, if that is on another worker.
    fn write_arrows(&self, out: &mut String) -> fmt::Result {
        for (id, execution) in self.timeline.executions.iter().enumerate() {
            let before = self.waited_for(execution);
            let Some(before) = before.filter(|before| before.worker != execution.worker) else {
                continue;
            };
            // The arrow must start within the execution.
            let leaves = before
                .end
                .saturating_sub(Duration::from_nanos(1))
                .max(before.start);
            for (phase, worker, at) in [
                ("\"s\"", before.worker, leaves),
                ("\"f\",\"bp\":\"e\"", execution.worker, execution.start),
            ] {
                write!(
                    out,
                    ",\n{{\"ph\":{phase},\"id\":{id},\"pid\":1,\"tid\":{worker},\"ts\":{},\"cat\":\"order\",\
                     \"name\":\"waits for\"}}",
                    self.at(at)
                )?;
            }
        }
        Ok(())
    }

    /// Writes a slice from the due time to the end of the last execution, and a marker at the deadline.
    fn write_deadline(&self, out: &mut String, nth: usize, limit: &AppliedLimit) -> fmt::Result {
        let track = self.track_of_deadline(nth);
        let outcome = match limit.exceeded_by() {
            Some(by) => format!("missed by {by:.1?}"),
            None => "met".to_string(),
        };
        write!(
            out,
            ",\n{{\"ph\":\"X\",\"pid\":1,\"tid\":{track},\"ts\":{},\"dur\":{},\"cat\":\"deadline\",\
             \"name\":\"from due time to end\",\"args\":{{\"outcome\":{}}}}}",
            self.at_relative(limit.due),
            micros(limit.took),
            quoted(&outcome),
        )?;
        let Some(deadline) = limit.deadline() else {
            return Ok(());
        };
        let name = format!("deadline of `{}`, {outcome}", limit.of);
        write!(
            out,
            ",\n{{\"ph\":\"i\",\"s\":\"t\",\"pid\":1,\"tid\":{track},\"ts\":{},\"cat\":\"deadline\",\"name\":{}}}",
            self.at_relative(deadline),
            quoted(&name),
        )
    }
}

/// Writes the name of a track.
fn write_track(out: &mut String, track: usize, name: &str) -> fmt::Result {
    write!(
        out,
        ",\n{{\"ph\":\"M\",\"pid\":1,\"tid\":{track},\"name\":\"thread_name\",\"args\":{{\"name\":{}}}}}",
        quoted(name)
    )
}

/// Formats microseconds with a precision of one nanosecond.
fn micros(time: Duration) -> String {
    let ns = time.as_nanos();
    format!("{}.{:03}", ns / 1000, ns % 1000)
}
