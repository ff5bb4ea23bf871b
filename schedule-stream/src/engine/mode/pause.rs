//! The pause between two trials of several threads. It is longer if trials have lost more time.

use core::time::Duration;

/// The shortest and the longest pause between two trials.
pub(super) const PAUSES: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(500)];
/// Within these limits, a pause is at least this number of times as long as the loss of the trial before it.
const OF_LOSS: f64 = 100.0;
/// Longest pause for short events: long enough that a trial interrupted for 100 ms stays at about 1 % of the time.
pub(super) const LONGEST_SHORT: Duration = Duration::from_secs(10);

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Pause {
    /// The minimum length.
    pub(super) least: Duration,
    /// The time for which events were processed on one thread since the last trial, without the time between calls.
    pub(super) waited: Duration,
    /// The number of events on several threads since the last trial began, and their time in nanoseconds.
    tried: f64,
    tried_ns: f64,
}

impl Pause {
    /// Returns whether the pause is over. `inline_ns` is the time of an event on one thread, in nanoseconds.
    pub(super) fn is_over(&self, inline_ns: Option<f64>, is_short: bool) -> bool {
        self.waited >= self.wait(inline_ns, is_short)
    }

    /// Returns the length of the pause. It changes as the loss is known better.
    pub(super) fn wait(&self, inline_ns: Option<f64>, is_short: bool) -> Duration {
        let lost_ns = self.lost_ns(inline_ns.unwrap_or(0.0));
        let of_loss = Duration::from_nanos((OF_LOSS * lost_ns) as u64);
        let longest = if is_short { LONGEST_SHORT } else { PAUSES[1] };
        self.least.max(of_loss).min(longest)
    }

    /// Returns the loss of the last or current trial against one thread, in nanoseconds. Negative if it won.
    fn lost_ns(&self, inline_ns: f64) -> f64 {
        self.tried_ns - self.tried * inline_ns
    }

    /// Starts a trial.
    pub(super) fn begin_trial(&mut self) {
        [self.tried, self.tried_ns] = [0.0; 2];
    }

    /// Notes events on several threads.
    pub(super) fn note_trial(&mut self, n_events: f64, ns: f64) {
        self.tried += n_events;
        self.tried_ns += ns;
    }

    /// Ends a trial that did not pay. If it won nothing, the minimum pause is doubled.
    pub(super) fn end_trial(&mut self, inline_ns: f64) {
        let [least, most] = PAUSES;
        self.least = if self.lost_ns(inline_ns) < 0.0 {
            least
        } else {
            (2 * self.least).clamp(least, most)
        };
        self.waited = Duration::ZERO;
    }
}
