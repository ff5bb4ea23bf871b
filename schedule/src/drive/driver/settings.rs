//! The settings of a driver: its hooks, its token, and active waiting.

use core::ops::ControlFlow;
use core::time::Duration;

use super::{Driver, Overrun, StopToken, Timer};
use crate::data::limits::LimitMiss;
use crate::data::resource::Resources;
use crate::declare::failure::RunError;
use crate::run::schedule::Schedule;

impl Driver {
    /// Waits actively for the last part of each pause, for this duration. The default is 0.
    ///
    /// A run then begins less than about 1 µs after its due time, unless another thread has the processor. The thread
    /// uses its processor for this part of each pause: 100 µs in each millisecond are 10 % of a processor. Use a
    /// duration that is longer than the delay of most wake-ups: see [`RealTimer`](super::RealTimer).
    pub fn spin(mut self, last: Duration) -> Self {
        self.timer = self.timer.spin(last);
        self
    }
}

impl<T: Timer> Driver<T> {
    /// Calls this for each run, instead of [`Schedule::run`]. It must run the schedule once.
    ///
    /// For example, it can record the inputs of each run:
    ///
    /// ```
    /// # #[cfg(feature = "snapshot")] {
    /// use core::time::Duration;
    /// use schedule::{Driver, prelude::*};
    /// use schedule::driver::SimulatedTimer;
    /// use schedule::rate::is_due;
    /// use schedule::replay::{RecordedResources, Recorder, Replayer};
    ///
    /// #[derive(Group)]
    /// struct Control;
    ///
    /// fn schedule() -> Schedule {
    ///     let mut builder = Schedule::builder();
    ///     builder.add_closure("control", || {}).run_if(Condition::of::<is_due<Control>>());
    ///     builder.build().unwrap()
    /// }
    ///
    /// fn resources() -> Resources {
    ///     let mut resources = Resources::new();
    ///     resources.insert(Clock::new());
    ///     resources.insert(Rate::<Control>::every(Duration::from_millis(10)));
    ///     resources
    /// }
    ///
    /// let path = std::env::temp_dir().join(format!("schedule-driver-{}", std::process::id()));
    /// let file = std::fs::File::create(&path).unwrap();
    /// let schedule_of_driver = schedule();
    /// let mut recorder = Recorder::new(file, &schedule_of_driver, RecordedResources::new()).unwrap();
    /// let timer = SimulatedTimer::new().until(Duration::from_secs(1));
    /// let mut driver = Driver::with_timer(schedule_of_driver, timer)
    ///     .with_run(move |schedule, resources| recorder.run(schedule, resources));
    /// driver.run(&mut resources()).unwrap();
    /// drop(driver);
    ///
    /// let bytes = std::fs::read(&path).unwrap();
    /// std::fs::remove_file(path).unwrap();
    /// let mut schedule = schedule();
    /// let mut replayer = Replayer::new(&bytes[..], &schedule, RecordedResources::new()).unwrap();
    /// assert_eq!(replayer.run_all(&mut schedule, &mut resources()).unwrap(), 100);
    /// # }
    /// ```
    pub fn with_run(
        mut self,
        run: impl FnMut(&mut Schedule, &mut Resources) -> Result<(), RunError> + Send + 'static,
    ) -> Self {
        self.run_schedule = Some(Box::new(run));
        self
    }

    /// Calls this after each run that ends later than the next due time. The next due time is the first due time, of any rate, after
    /// the begin of the run. If the periods are not multiples of each other, two due times can be closer than the shortest
    /// period.
    ///
    /// The run is over, so the hook has all resources.
    pub fn on_overrun(
        mut self,
        hook: impl FnMut(&Overrun, &mut Resources) + Send + 'static,
    ) -> Self {
        self.reporter.on_overrun = Some(Box::new(hook));
        self
    }

    /// Calls this after each run in which a rate or a system exceeds one of its limits, for each of them. See
    /// [`Rate::deadline`](crate::Rate::deadline), [`Rate::budget`](crate::Rate::budget) and
    /// [`Schedule::set_limits`].
    ///
    /// Measured systems are those with limits, in loops with limits, and of rates with limits. Each execution reads the timer twice.
    pub fn on_limit_miss(
        mut self,
        hook: impl FnMut(&LimitMiss, &mut Resources) + Send + 'static,
    ) -> Self {
        self.reporter.on_limit_miss = Some(Box::new(hook));
        self
    }

    /// Measures all systems in each run, not only those with limits.
    ///
    /// Messages about missed deadlines and overruns name the measured system that took longest. A system of another rate can be the
    /// cause. Without this setting, it is measured only if it has limits.
    ///
    /// Each execution then reads the timer twice. Systems that evaluate rates are not measured.
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
    /// const MS: Duration = Duration::from_millis(1);
    ///
    /// #[system]
    /// fn log(timer: &SimulatedTimer) {
    ///     timer.advance(4 * MS);
    /// }
    ///
    /// #[system(in = Control, after = log)]
    /// fn control(timer: &SimulatedTimer) {
    ///     timer.advance(2 * MS);
    /// }
    ///
    /// let schedule = Schedule::builder()
    ///     .add::<log>()
    ///     .add::<control>()
    ///     .group::<Control>()
    ///     .run_if(Condition::of::<is_due<Control>>())
    ///     .build()?;
    /// let timer = SimulatedTimer::new().until(5 * MS);
    /// let mut resources = Resources::new();
    /// resources.insert(Clock::new());
    /// resources.insert(Rate::<Control>::every(10 * MS).deadline(5 * MS));
    /// resources.insert(timer.clone());
    /// let mut driver = Driver::with_timer(schedule, timer)
    ///     .measure_all_systems()
    ///     .on_limit_miss(|miss, _| {
    ///         assert_eq!(miss.by(), MS);
    ///         assert_eq!(miss.slow.longest.as_ref().unwrap().system.name, "log");
    ///         assert!(miss.to_string().ends_with("its systems took 2.0ms; `log` took longest: 4.0ms"));
    ///     });
    /// driver.run(&mut resources)?;
    /// assert_eq!(driver.stats().n_deadline_missed, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn measure_all_systems(mut self) -> Self {
        self.measuring.measure_all();
        self
    }

    /// Calls this after each run that fails. If it returns [`ControlFlow::Continue`], the driver goes on.
    ///
    /// Without this hook, the first failure ends [`run`](Self::run).
    pub fn on_error(
        mut self,
        hook: impl FnMut(&RunError, &mut Resources) -> ControlFlow<()> + Send + 'static,
    ) -> Self {
        self.on_error = Some(Box::new(hook));
        self
    }

    /// Uses this token instead of the driver's own one. So several drivers can share a token.
    pub fn with_stop_token(mut self, token: StopToken) -> Self {
        self.set_stop_token(token);
        self
    }

    /// Sets the token as [`with_stop_token`](Self::with_stop_token) does. A stopped token stays stopped, so a driver that continues
    /// after a stop needs another one. If systems use the token, insert the new one into the resources.
    pub fn set_stop_token(&mut self, token: StopToken) {
        self.stop = token;
    }

    /// Returns the token that stops this driver. Insert it as a resource, so that systems can stop the driver.
    pub fn stop_token(&self) -> StopToken {
        self.stop.clone()
    }
}
