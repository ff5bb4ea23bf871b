//! Writes a timeline as JSON trace events for Chrome, which `chrome://tracing` and Perfetto read.
//!
//! The format is Google's "Trace Event Format": each event is an object, with times in microseconds.

use core::fmt::{self, Write};
use core::time::Duration;

use super::{Execution, Timeline};
use crate::escape::json as quoted;

pub(super) fn write(timeline: &Timeline) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_events(&mut out, timeline);
    out
}

fn write_events(out: &mut String, timeline: &Timeline) -> fmt::Result {
    let executions = &timeline.executions;
    let of_execution = |execution: Option<usize>| execution.map(|idx| &executions[idx]);
    let title = quoted(&format!("schedule `{}`", timeline.schedule));
    write!(
        out,
        "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n\
         {{\"ph\":\"M\",\"pid\":1,\"tid\":0,\"name\":\"process_name\",\"args\":{{\"name\":{title}}}}}"
    )?;
    for worker in 0..timeline.n_workers {
        write!(
            out,
            ",\n{{\"ph\":\"M\",\"pid\":1,\"tid\":{worker},\"name\":\"thread_name\",\
             \"args\":{{\"name\":\"worker {worker}\"}}}}"
        )?;
    }
    for execution in executions {
        let Execution {
            worker, start, end, ..
        } = *execution;
        let systems: Vec<&str> = execution.systems().collect();
        write!(
            out,
            ",\n{{\"ph\":\"X\",\"pid\":1,\"tid\":{worker},\"ts\":{},\"dur\":{},\"cat\":\"system\",\"name\":{}",
            micros(start),
            micros(end.saturating_sub(start)),
            quoted(&systems.join(" + ")),
        )?;
        if let Some(before) = of_execution(execution.waited_for) {
            write!(
                out,
                ",\"args\":{{\"waited for\":{},\"ready for µs\":{}}}",
                quoted(&before.system),
                micros(start.saturating_sub(before.end))
            )?;
        }
        out.push('}');
    }
    // An arrow to each execution from the one that released it, if that is on another worker.
    for (id, execution) in executions.iter().enumerate() {
        let Some(before) =
            of_execution(execution.waited_for).filter(|before| before.worker != execution.worker)
        else {
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
                micros(at)
            )?;
        }
    }
    out.push_str("\n]}\n");
    Ok(())
}

/// Formats microseconds with a precision of one nanosecond.
fn micros(time: Duration) -> String {
    let ns = time.as_nanos();
    format!("{}.{:03}", ns / 1000, ns % 1000)
}
