//! How long events are processed on one thread between two trials of several: the longer, the more trials have lost.

use core::time::Duration;

/// The shortest and the longest pause between two trials.
pub(super) const PAUSES: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(500)];
/// Within these, a pause is at least so many times as long as what the trial before it has lost.
const OF_LOSS: f64 = 100.0;
/// Longest pause for short events: long enough that a trial interrupted for 100 ms stays at about 1 % of the time.
pub(super) const LONGEST_SHORT: Duration = Duration::from_secs(10);

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Pause {
    /// No shorter than this.
    pub(super) least: Duration,
    /// How long events were processed on one thread since the last trial: what passes between calls does not count.
    pub(super) waited: Duration,
    /// What was measured on several since the last trial began: so many events, and nanoseconds.
    tried: f64,
    tried_ns: f64,
}

impl Pause {
    /// Whether the next trial may come, if an event takes so many nanoseconds on one thread.
    pub(super) fn is_over(&self, inline_ns: Option<f64>, is_short: bool) -> bool {
        self.waited >= self.wait(inline_ns, is_short)
    }

    /// How long it is in all: what was lost is known better and better.
    pub(super) fn wait(&self, inline_ns: Option<f64>, is_short: bool) -> Duration {
        let lost_ns = self.lost_ns(inline_ns.unwrap_or(0.0));
        let of_loss = Duration::from_nanos((OF_LOSS * lost_ns) as u64);
        let longest = if is_short { LONGEST_SHORT } else { PAUSES[1] };
        self.least.max(of_loss).min(longest)
    }

    /// How many nanoseconds more than one thread would have needed the last trial took, or takes: negative if fewer.
    fn lost_ns(&self, inline_ns: f64) -> f64 {
        self.tried_ns - self.tried * inline_ns
    }

    /// Several threads are tried.
    pub(super) fn begin_trial(&mut self) {
        [self.tried, self.tried_ns] = [0.0; 2];
    }

    /// So many events took so many nanoseconds on several threads.
    pub(super) fn note_trial(&mut self, n_events: f64, ns: f64) {
        self.tried += n_events;
        self.tried_ns += ns;
    }

    /// That did not pay: the next one comes later, twice as late as before if nothing was won.
    pub(super) fn end_trial(&mut self, inline_ns: f64) {
        let [least, most] = PAUSES;
        self.least = match self.lost_ns(inline_ns) < 0.0 {
            true => least,
            false => (2 * self.least).clamp(least, most),
        };
        self.waited = Duration::ZERO;
    }
}
