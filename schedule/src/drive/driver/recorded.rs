//! Recorded runs of a driver.

use core::time::Duration;
use std::sync::Arc;

use super::{Driver, DriverError, RunHook, Timer, call_hook};
use crate::data::record::{RecordClock, RunNumber};
use crate::data::resource::Resources;
use crate::declare::failure::RunError;
use crate::run::schedule::Schedule;
use crate::run::timeline::{MeasuredLimit, Recording};

type MissHook = Box<dyn FnMut(&Recording<'_>, &mut Resources) + Send>;

/// The memory of recorded runs.
#[derive(Default)]
pub(super) struct RunRecorder {
    /// Created by the first recorded run.
    clock: Option<Arc<RecordClock>>,
    /// The limits that applied to the last recorded run.
    limits: Vec<MeasuredLimit>,
    /// Called with the recordings of runs that exceeded limits.
    on_miss: Option<MissHook>,
}

impl RunRecorder {
    /// Whether all runs are recorded.
    pub(super) fn records_all(&self) -> bool {
        self.on_miss.is_some()
    }
}

/// A recorded run. `begin`, `end`: times of the clock.
struct DrivenRun {
    number: RunNumber,
    clock: Arc<RecordClock>,
    begin: Duration,
    end: Duration,
}

impl DrivenRun {
    fn recording<'s>(&self, schedule: &'s Schedule, limits: &'s [MeasuredLimit]) -> Recording<'s> {
        let times = [self.begin, self.end];
        schedule.recording(self.number, &self.clock, times, limits)
    }
}

impl<T: Timer> Driver<T> {
    /// Waits for the next due time, runs the schedule once, and records when and on which worker each system ran.
    ///
    /// The run is the same as one of [`run`](Self::run): it counts in the statistics, and all hooks are called. The time between
    /// two calls counts, as for [`run_if_due`](Self::run_if_due). The recording is `None` if no run began: the
    /// [token](Self::stop_token) was stopped, or the error is not [`DriverError::Run`]. It is empty if the run missed a resource.
    ///
    /// [`Timeline::limits`](crate::timeline::Timeline::limits) contains the deadlines and budgets that applied to the run. All times
    /// of the timeline are those of the [`Timer`], from the time of the [`Clock`](crate::Clock) in this run to the end of the run. So the
    /// timeline of a [`SimulatedTimer`](super::SimulatedTimer) is in simulated time.
    ///
    /// If a function of [`with_run`](Self::with_run) is set, the recording contains its first call of [`Schedule::run`]. The limits and
    /// the end cover the whole call of the function, also if it runs the schedule twice. The recording is empty if the function calls
    /// only [`Schedule::record`], does not run the schedule, or replaces it by another one. If it changes the schedule, limits are
    /// measured from the next run on.
    ///
    /// Recording reads the timer twice for each execution, which takes a short lock. Measured times do not contain this. Runs that are
    /// not recorded cost nothing more. For recordings of runs in which a limit is missed, see
    /// [`record_limit_misses`](Self::record_limit_misses).
    ///
    /// # Errors
    ///
    /// Fails as [`run`](Self::run) does.
    ///
    /// ```
    /// use core::time::Duration;
    /// use schedule::{Driver, prelude::*};
    /// use schedule::driver::SimulatedTimer;
    /// use schedule::rate::is_due;
    /// use schedule::timeline::RelativeTime;
    ///
    /// #[derive(Group)]
    /// struct Control;
    ///
    /// const MS: Duration = Duration::from_millis(1);
    ///
    /// #[system(in = Control)]
    /// fn measure(timer: &SimulatedTimer) {
    ///     timer.advance(MS);
    /// }
    ///
    /// #[system(in = Control, after = measure)]
    /// fn control(timer: &SimulatedTimer) {
    ///     timer.advance(2 * MS);
    /// }
    ///
    /// let schedule = Schedule::builder()
    ///     .add::<measure>()
    ///     .add::<control>()
    ///     .group::<Control>()
    ///     .run_if(Condition::of::<is_due<Control>>())
    ///     .build()?;
    /// // Each wake-up is 1 ms late.
    /// let timer = SimulatedTimer::new().jitter(|_| MS);
    /// let mut resources = Resources::new();
    /// resources.insert(Clock::new());
    /// resources.insert(Rate::<Control>::every(10 * MS).starting_at(10 * MS).deadline(3 * MS));
    /// resources.insert(timer.clone());
    /// let mut driver = Driver::with_timer(schedule, timer);
    /// let (result, recording) = driver.record(&mut resources);
    /// result?;
    /// let timeline = recording.unwrap().timeline();
    /// let [deadline] = &timeline.limits[..] else { unreachable!() };
    /// assert_eq!((&*deadline.of, deadline.exceeded_by()), ("Rate<Control>", Some(MS)));
    /// assert_eq!(deadline.due, RelativeTime::Before(MS));
    /// assert_eq!(deadline.deadline(), Some(RelativeTime::After(2 * MS)));
    /// let late = timeline.executions_of("control").next().unwrap();
    /// assert_eq!((late.start, late.end), (MS, 3 * MS));
    /// let trace = timeline.to_trace(); // for Perfetto
    /// # assert!(trace.contains("missed by 1.0ms"), "{trace}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn record(
        &mut self,
        resources: &mut Resources,
    ) -> (Result<(), DriverError>, Option<Recording<'_>>) {
        if !self.timer.can_wait() {
            return (Err(DriverError::CannotWait), None);
        }
        if self.stop.is_stopped() {
            return (Ok(()), None);
        }
        let waited = self.begin_call(resources);
        match waited.and_then(|now| self.wait(now, resources)) {
            Ok(Some([due, now])) => {
                let (result, run) = self.recorded_step(now, due, resources);
                let recording = run.recording(&self.schedule, &self.recorder.limits);
                (result, Some(recording))
            }
            Ok(None) => (Ok(()), None),
            Err(error) => (Err(error), None),
        }
    }

    /// Records all runs, and calls this after each run in which a rate or a system exceeds one of its limits.
    ///
    /// It is called after all other hooks of the run. See [`record`](Self::record) for the content of a recording and its cost, which
    /// applies to all runs, also to those that miss no limit.
    ///
    /// On the serial executor, recording allocates no memory from the second run on. There are two exceptions:
    /// [`Recording::timeline`], and a system that is executed more often in a run than in all runs before, in a loop.
    ///
    /// ```
    /// use core::time::Duration;
    /// use schedule::{Driver, prelude::*};
    /// use schedule::driver::SimulatedTimer;
    /// use schedule::rate::is_due;
    ///
    /// #[derive(Group)]
    /// struct Control;
    ///
    /// /// The traces of runs that were too slow.
    /// #[derive(Resource, Default)]
    /// struct Traces(Vec<String>);
    ///
    /// const MS: Duration = Duration::from_millis(1);
    ///
    /// /// Takes 1 ms, but 4 ms at 50 ms.
    /// #[system(in = Control)]
    /// fn control(clock: &Clock, timer: &SimulatedTimer) {
    ///     timer.advance(if clock.now() == 50 * MS { 4 * MS } else { MS });
    /// }
    ///
    /// let schedule = Schedule::builder()
    ///     .add::<control>()
    ///     .group::<Control>()
    ///     .run_if(Condition::of::<is_due<Control>>())
    ///     .build()?;
    /// let timer = SimulatedTimer::new().until(100 * MS);
    /// let mut resources = Resources::new();
    /// resources.insert(Clock::new());
    /// resources.insert(Rate::<Control>::every(10 * MS).deadline(2 * MS));
    /// resources.insert_default::<Traces>();
    /// resources.insert(timer.clone());
    /// let mut driver = Driver::with_timer(schedule, timer).record_limit_misses(|recording, resources| {
    ///     let trace = recording.timeline().to_trace();
    ///     resources.get_mut::<Traces>().unwrap().0.push(trace);
    /// });
    /// driver.run(&mut resources)?;
    /// let traces = resources.get::<Traces>().unwrap();
    /// assert_eq!(traces.0.len(), 1);
    /// assert!(traces.0[0].contains("deadline of `Rate<Control>`, missed by 2.0ms"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn record_limit_misses(
        mut self,
        hook: impl FnMut(&Recording<'_>, &mut Resources) + Send + 'static,
    ) -> Self {
        self.recorder.on_miss = Some(Box::new(hook));
        self
    }

    /// Runs the schedule at this time of the clock, as [`step`](Self::step) does, and passes the recording to the hook.
    #[cold]
    pub(super) fn step_for_hook(
        &mut self,
        now: Duration,
        due: Duration,
        resources: &mut Resources,
    ) -> Result<(), DriverError> {
        self.recorded_step(now, due, resources).0
    }

    fn recorded_step(
        &mut self,
        now: Duration,
        due: Duration,
        resources: &mut Resources,
    ) -> (Result<(), DriverError>, DrivenRun) {
        self.begin_step(now, resources);
        let clock = || Arc::new(RecordClock::new(self.measuring.now()));
        let clock = Arc::clone(self.recorder.clock.get_or_insert_with(clock));
        let hook = self.run_schedule.as_mut();
        let (result, number) = run_recorded(&mut self.schedule, &clock, hook, resources);
        let end = self.end_drive(resources);
        let mut limits = core::mem::take(&mut self.recorder.limits);
        limits.clear();
        let result = self.end_step([due, now, end], result, resources, Some(&mut limits));
        self.recorder.limits = limits;
        let run = DrivenRun {
            number,
            clock,
            begin: now,
            end,
        };
        if let Some(hook) = &mut self.recorder.on_miss {
            let recording = run.recording(&self.schedule, &self.recorder.limits);
            if recording.has_missed_limits() {
                hook(&recording, resources);
                // The hook can change them.
                self.has_rates = false;
            }
        }
        (result, run)
    }
}

/// Runs a schedule and records its first run, if the hook runs it.
fn run_recorded(
    schedule: &mut Schedule,
    clock: &Arc<RecordClock>,
    hook: Option<&mut RunHook>,
    resources: &mut Resources,
) -> (Result<(), RunError>, RunNumber) {
    let number = schedule.record_next(clock);
    // The hook can exchange the schedule, or panic. So the end of the wait is noted at the clock.
    let awaited = clock.wait_for(number);
    let result = match hook {
        Some(run) => call_hook(run, schedule, resources),
        None => schedule.run(resources),
    };
    drop(awaited);
    schedule.record_no_run();
    (result, number)
}
