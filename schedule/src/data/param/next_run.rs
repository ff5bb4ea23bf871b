//! The parameter `NextRun`: a system asks for changes that apply from the next run on.
#![expect(
    unsafe_code,
    reason = "implements `Fetch`, which touches nothing outside itself"
)]

use core::fmt;
use core::panic::Location;
use core::time::Duration;

use super::{Fetch, FetchFrom, Lookup, Param, Seed, Settle};
use crate::base::escape::shown;
use crate::base::identity::Name;
use crate::data::access::{Access, AccessSet};
use crate::data::order::Anchor;
use crate::data::resource::Resources;
use crate::data::target::Target;

/// Requests to enable or disable systems, and to change rates, from the next run on.
///
/// A run never changes while it runs. The requests apply at its end, in the order of the systems in a serial run. So the
/// last request for a system or a rate wins, on all executors. After the run, the schedule can be changed as usual:
/// [`Schedule::is_enabled`](crate::Schedule::is_enabled) returns the new state.
///
/// The requests of a failed system are dropped, as its [`Commands`](super::Commands) are. A run that misses resources runs nothing, so it
/// makes no requests.
///
/// If a system requests something that the schedule does not have, the run reports a failure of that system, with
/// [`Cause::Request`](crate::error::Cause::Request). No other system is skipped, and the counts of rates do not change. Its other
/// requests apply. The body of a system decides at run time what it requests, so `build` cannot check this.
///
/// It has no access, so it conflicts with nothing. A condition can take it, but a `for_each` system cannot.
///
/// ```
/// use core::time::Duration;
/// use schedule::param::{NextRun, Requests};
/// use schedule::prelude::*;
/// use schedule::rate::is_due;
///
/// #[derive(Group)]
/// struct Control;
///
/// #[derive(Resource)]
/// struct Battery(u32);
///
/// #[system(in = Control)]
/// fn control() {}
///
/// #[system]
/// fn record_video(battery: &mut Battery) {
///     battery.0 -= 40;
/// }
///
/// /// Saves energy: halves the rate of the control and records no video.
/// #[system(after = record_video)]
/// fn supervise(battery: &Battery, mut next_run: NextRun) {
///     if battery.0 < 50 {
///         next_run
///             .disable::<record_video>()
///             .set_period::<Control>(Duration::from_millis(20));
///     }
/// }
///
/// let mut schedule = Schedule::builder()
///     .add::<control>()
///     .add::<record_video>()
///     .add::<supervise>()
///     .group::<Control>()
///     .run_if(Condition::of::<is_due<Control>>())
///     .build()?;
/// let mut resources = Resources::new();
/// resources.insert(Clock::new());
/// resources.insert(Rate::<Control>::every(Duration::from_millis(10)));
/// resources.insert(Battery(100));
/// for _ in 0..4 {
///     schedule.run(&mut resources)?;
/// }
/// // The second run took 40, and then it was disabled.
/// assert_eq!(resources.get::<Battery>().unwrap().0, 20);
/// assert!(!schedule.is_enabled("record_video")?);
/// let rate = resources.get::<Rate<Control>>().unwrap();
/// assert_eq!(rate.period(), Duration::from_millis(20));
///
/// // A unit test passes a list and looks at the requests.
/// let mut requests = Requests::new();
/// supervise(&Battery(10), requests.next_run());
/// let texts: Vec<String> = requests.iter().map(ToString::to_string).collect();
/// assert_eq!(texts, ["disable `record_video`", "set the period of `Rate<Control>` to 20ms"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct NextRun<'r>(&'r mut Requests);

impl NextRun<'_> {
    /// Enables a system, or all members of a group. See [`Schedule::set_enabled`](crate::Schedule::set_enabled).
    #[track_caller]
    pub fn enable<A: Anchor>(&mut self) -> &mut Self {
        self.set_enabled(Target::of::<A>(), true)
    }

    /// Disables a system, or all members of a group. See [`Schedule::set_enabled`](crate::Schedule::set_enabled).
    ///
    /// A system can disable itself. Only another system, or the program, can then enable it again.
    #[track_caller]
    pub fn disable<A: Anchor>(&mut self) -> &mut Self {
        self.set_enabled(Target::of::<A>(), false)
    }

    /// Enables or disables a node, also by its name. Accepts all targets that
    /// [`Schedule::set_enabled`](crate::Schedule::set_enabled) accepts.
    ///
    /// ```
    /// use schedule::param::NextRun;
    /// use schedule::prelude::*;
    ///
    /// let mut schedule = Schedule::builder()
    ///     .add_closure("start", |mut next_run: NextRun| {
    ///         next_run.set_enabled("start", false);
    ///     })
    ///     .add_closure("work", || {})
    ///     .build()?;
    /// schedule.run(&mut Resources::new())?;
    /// assert!(!schedule.is_enabled("start")?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn set_enabled(&mut self, target: impl Into<Target>, is_enabled: bool) -> &mut Self {
        self.push(RequestKind::Switch {
            target: target.into(),
            is_enabled,
            location: Location::caller(),
        })
    }

    pub(crate) fn push(&mut self, request: RequestKind) -> &mut Self {
        self.0.0.push(Request(request));
        self
    }
}

impl fmt::Debug for NextRun<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NextRun({} requested)", self.0.0.len())
    }
}

/// A list of requests, to call a system with [`NextRun`] as a plain function.
#[derive(Default)]
pub struct Requests(Vec<Request>);

impl Requests {
    /// Creates an empty list.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Returns a parameter that adds requests to this list.
    pub fn next_run(&mut self) -> NextRun<'_> {
        NextRun(self)
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the requests in the order in which they were made. `Display` describes each of them.
    pub fn iter(&self) -> core::slice::Iter<'_, Request> {
        self.0.iter()
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn drain(&mut self) -> impl Iterator<Item = Request> {
        self.0.drain(..)
    }
}

impl<'a> IntoIterator for &'a Requests {
    type Item = &'a Request;
    type IntoIter = core::slice::Iter<'a, Request>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Debug for Requests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.0).finish()
    }
}

/// A request of a system: see [`NextRun`]. `Display` describes it.
pub struct Request(pub(crate) RequestKind);

/// The content of a request.
pub(crate) enum RequestKind {
    /// Enables or disables a target.
    Switch {
        target: Target,
        is_enabled: bool,
        location: &'static Location<'static>,
    },
    /// Changes the period of a rate.
    Period {
        rate: &'static RateFunctions,
        period: Duration,
    },
}

/// How to change the period of a rate, which is a resource. The type of the rate is not known here.
pub(crate) struct RateFunctions {
    /// The name of the resource.
    pub(crate) name: Name,
    pub(crate) exists: fn(&Resources) -> bool,
    /// Sets the period that [`apply`](Self::apply) applies. A later call replaces it.
    pub(crate) set: fn(&mut Resources, Duration),
    pub(crate) apply: fn(&mut Resources),
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            RequestKind::Switch {
                target, is_enabled, ..
            } => {
                let verb = if *is_enabled { "enable" } else { "disable" };
                write!(f, "{verb} {}", target.described())
            }
            RequestKind::Period { rate, period } => {
                write!(f, "set the period of `{}` to {period:?}", shown(rate.name))
            }
        }
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Request({self})")
    }
}

/// The state of `NextRun`: the requests of the last execution.
#[derive(Debug, Default)]
pub struct Requested(Requests);

// SAFETY: `fetch` accesses only the list in the state itself, which belongs to one node.
unsafe impl Fetch for Requested {
    type Item<'r> = NextRun<'r>;

    fn access(&self, access: &mut AccessSet) {
        access.has_requests = true;
    }

    fn prepare(&mut self, _: &mut Lookup<'_>) {}

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> NextRun<'r> {
        self.0.next_run()
    }

    fn settle(&mut self, settle: &mut Settle<'_>) {
        if let Settle::TakeRequests(to) = settle {
            to.0.append(&mut self.0.0);
        }
    }
}

impl Param for NextRun<'_> {
    type State = Requested;
    const SEED: Seed<Requested> = Seed::new(Access::Each(&[]), Requested::default);
}
