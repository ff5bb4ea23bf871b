//! States: the current state of a program, and systems that run when it changes.

#[cfg(feature = "snapshot")]
mod snapshot;

use core::fmt;
use core::marker::PhantomData;

use schedule_macros::system;

use crate::base::identity::{Argument, Identity, Name, Usage, declared_here, mix};
use crate::data::order::{Anchor, Group, Order};
use crate::data::output::{Branch, Maybe};
use crate::data::param::Mut;
use crate::data::resource::{Resource, Resources};
use crate::systems::condition::Condition;
use crate::systems::system::Answered;

/// The current state of a program. Only a [`transition`] changes it, to the state that [`NextState`] requests.
///
/// The first transition of a program enters its first state. It runs the [`Builder::on_enter`](crate::Builder::on_enter) systems of that state,
/// and no [`Builder::on_exit`](crate::Builder::on_exit) system. If another state is requested before the first transition, that state is entered
/// instead. The first state is then neither entered nor left.
///
/// Use [`Resources::insert_entered_state`] for a state that was entered in an earlier run of the program, as in a saved
/// game.
///
/// ```
/// use schedule::{Condition, Identity, NextState, State, prelude::*};
/// use schedule::state::{Transition, transition};
///
/// #[derive(Branch, Identity, Clone, Copy, PartialEq, Debug)]
/// enum Phase {
///     Day,
///     Night,
/// }
///
/// #[derive(Resource, Default)]
/// struct Log(Vec<&'static str>);
///
/// #[system(before = Transition<Phase>)]
/// fn set_sun(log: &mut Log, next: &mut NextState<Phase>) {
///     next.set(if log.0.len() < 2 { Phase::Night } else { Phase::Day });
/// }
///
/// #[system(after = set_sun)]
/// fn light(log: &mut Log) {
///     log.0.push("light");
/// }
///
/// #[system(after = light)]
/// fn sleep(log: &mut Log) {
///     log.0.push("sleep");
/// }
///
/// let mut frame = Schedule::builder()
///     .add::<set_sun>()
///     .add::<transition<Phase>>()
///     .add::<light>()
///     .on_enter(Phase::Night)
///     .add::<sleep>()
///     .run_if(Condition::state(Phase::Night))
///     .build()?;
/// let mut resources = Resources::new();
/// resources.insert_default::<Log>();
/// resources.insert_state(Phase::Day);
/// for _ in 0..3 {
///     frame.run(&mut resources)?;
/// }
/// assert_eq!(resources.get::<Log>().unwrap().0, ["light", "sleep"]);
/// assert_eq!(resources.get::<State<Phase>>().unwrap().get(), Phase::Day);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct State<B>(B);

/// Implemented by hand, so that the report of a missing state names [`Resources::insert_state`].
impl<B: Identity> Identity for State<B> {
    const ID: u128 = mix(declared_here(module_path!(), "State"), B::ID);
    const NAME: Name = Name::generic("State", &[Argument::Type(B::NAME)])
        .used_as(&Usage::InsertedBy("insert_state"));
}

impl<B: Identity + Send + Sync + 'static> Resource for State<B> {}

impl<B: Branch> State<B> {
    /// Returns the current state.
    pub fn get(&self) -> B {
        self.0
    }
}

/// The state that is requested for the next [`transition`], if any.
///
/// A request for the current state does not cause a transition, unless [`reenter`](Self::reenter) makes it.
///
/// If there are several requests before a transition, the one with the highest priority wins. Among requests with the
/// same priority, the last one in the order of a serial run wins. Systems that make requests write `NextState`, so they
/// are ordered, and the result does not depend on the number of threads. A request that loses is
/// [overruled](Self::overruled).
///
/// ```
/// use schedule::{Identity, NextState, State, prelude::*};
/// use schedule::state::{Overruled, Transition, transition};
///
/// #[derive(Branch, Identity, Clone, Copy, PartialEq, Debug)]
/// enum Phase {
///     Day,
///     Night,
///     Over,
/// }
///
/// #[system(before = Transition<Phase>)]
/// fn end(next: &mut NextState<Phase>) {
///     next.set_with_priority(Phase::Over, 1);
/// }
///
/// #[system(after = end, before = Transition<Phase>)]
/// fn turn(next: &mut NextState<Phase>) {
///     next.set(Phase::Night);
/// }
///
/// let mut frame = Schedule::builder().add::<end>().add::<turn>().add::<transition<Phase>>().build()?;
/// let mut resources = Resources::new();
/// resources.insert_state(Phase::Day);
/// frame.run(&mut resources)?;
/// assert_eq!(resources.get::<State<Phase>>().unwrap().get(), Phase::Over);
/// let next = resources.get::<NextState<Phase>>().unwrap();
/// assert_eq!(next.n_overruled(), 1);
/// let overruled = Overruled { state: Phase::Night, by: Phase::Over };
/// assert_eq!(next.overruled(), Some(overruled));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NextState<B> {
    request: Option<StateRequest<B>>,
    /// The program has not entered its current state yet.
    is_first: bool,
    overruled: Option<Overruled<B>>,
    n_overruled: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct StateRequest<B> {
    state: B,
    priority: i32,
    /// Whether the request causes a transition even if the state is the current one.
    enters_again: bool,
}

/// A request of [`NextState`] that was overruled, and the request that won.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Overruled<B> {
    /// The state of the overruled request.
    pub state: B,
    /// The state of the request that won.
    pub by: B,
}

impl<B: Identity> Identity for NextState<B> {
    const ID: u128 = mix(declared_here(module_path!(), "NextState"), B::ID);
    const NAME: Name = Name::generic("NextState", &[Argument::Type(B::NAME)])
        .used_as(&Usage::InsertedBy("insert_state"));
}

impl<B: Identity + Send + Sync + 'static> Resource for NextState<B> {}

impl<B: Branch> NextState<B> {
    /// Requests this state with priority 0. A request for the current state does not cause a transition.
    pub fn set(&mut self, next: B) {
        self.set_with_priority(next, 0);
    }

    /// Requests this state with this priority.
    ///
    /// An earlier or later request with a higher priority wins. Among requests with the same priority, the last one
    /// wins.
    pub fn set_with_priority(&mut self, next: B, priority: i32) {
        self.request(StateRequest {
            state: next,
            priority,
            enters_again: false,
        });
    }

    /// Requests this state with priority 0, and causes a transition even if it is the current state: the state is left
    /// and entered again.
    pub fn reenter(&mut self, next: B) {
        self.request(StateRequest {
            state: next,
            priority: 0,
            enters_again: true,
        });
    }

    fn request(&mut self, mut request: StateRequest<B>) {
        if let Some(other) = self.request {
            let (mut counts, overruled) = if request.priority < other.priority {
                (other, request)
            } else {
                (request, other)
            };
            if counts.state.index() == overruled.state.index() {
                counts.enters_again |= overruled.enters_again;
            } else {
                self.n_overruled += 1;
                self.overruled = Some(Overruled {
                    state: overruled.state,
                    by: counts.state,
                });
            }
            request = counts;
        }
        self.request = Some(request);
    }

    /// Returns the requested state.
    pub fn get(&self) -> Option<B> {
        self.request.map(|request| request.state)
    }

    /// Removes the request.
    ///
    /// The program stays in its current state. If it has not entered its first state yet, the next [`transition`] still
    /// enters it. For a first state that was entered before, see [`Resources::insert_entered_state`].
    pub fn clear(&mut self) {
        self.request = None;
    }

    /// Returns the most recent overruled request, from any run.
    pub fn overruled(&self) -> Option<Overruled<B>> {
        self.overruled
    }

    /// Returns the number of requests that were overruled so far.
    pub fn n_overruled(&self) -> u64 {
        self.n_overruled
    }

    /// Returns the state that a transition from `current` enters now.
    fn entered(&self, current: B) -> Option<B> {
        match self.request {
            Some(request) => {
                let is_other = request.state.index() != current.index();
                (is_other || request.enters_again || self.is_first).then_some(request.state)
            }
            None => self.is_first.then_some(current),
        }
    }
}

impl Resources {
    /// Inserts a [`State`] and its [`NextState`]. The first [`transition`] enters this state.
    ///
    /// If the state was entered in an earlier run of the program, as in a saved game, use
    /// [`insert_entered_state`](Self::insert_entered_state).
    pub fn insert_state<B: Branch + Identity>(&mut self, state: B) {
        self.insert_state_as(state, true);
    }

    /// Inserts a [`State`] that was entered before, and its [`NextState`]. The first [`transition`] does not enter this
    /// state.
    ///
    /// Use this to continue a program, for example after loading a saved game. A request for another state leaves this
    /// one as usual.
    ///
    /// ```
    /// use schedule::{Identity, NextState, prelude::*};
    /// use schedule::state::transition;
    ///
    /// #[derive(Branch, Identity, Clone, Copy, PartialEq, Debug)]
    /// enum Phase {
    ///     Day,
    ///     Night,
    /// }
    ///
    /// #[derive(Resource, Default)]
    /// struct Log(Vec<&'static str>);
    ///
    /// let mut frame = Schedule::builder()
    ///     .add_closure("dawn", |log: &mut Log| log.0.push("day begins"))
    ///     .on_enter(Phase::Day)
    ///     .add_closure("dusk", |log: &mut Log| log.0.push("day ends"))
    ///     .on_exit(Phase::Day)
    ///     .order("dusk", "dawn")
    ///     .add::<transition<Phase>>()
    ///     .build()?;
    /// let mut resources = Resources::new();
    /// resources.insert_default::<Log>();
    /// resources.insert_entered_state(Phase::Day);
    /// frame.run(&mut resources)?;
    /// assert!(resources.get::<Log>().unwrap().0.is_empty());
    ///
    /// resources.get_mut::<NextState<Phase>>().unwrap().set(Phase::Night);
    /// frame.run(&mut resources)?;
    /// assert_eq!(resources.get::<Log>().unwrap().0, ["day ends"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn insert_entered_state<B: Branch + Identity>(&mut self, state: B) {
        self.insert_state_as(state, false);
    }

    fn insert_state_as<B: Branch + Identity>(&mut self, state: B, is_first: bool) {
        self.insert(State(state));
        self.insert(NextState::<B> {
            request: None,
            is_first,
            overruled: None,
            n_overruled: 0,
        });
    }
}

/// Returns whether the next transition enters a state, including the first one.
#[system(crate = crate, in = Transition<B>, before_if_present = transition::<B>)]
pub fn changes<B: Branch + Identity>(state: &State<B>, next: &NextState<B>) -> bool {
    next.entered(state.0).is_some()
}

/// Returns the state that the next transition leaves. `None` if there is no transition, or if it enters the first
/// state.
#[system(crate = crate, in = Transition<B>, before_if_present = transition::<B>)]
pub fn leaves<B: Branch + Identity>(state: &State<B>, next: &NextState<B>) -> Maybe<B> {
    let is_left = !next.is_first && next.entered(state.0).is_some();
    Maybe(is_left.then_some(state.0))
}

/// Returns the state that the next transition enters. `None` if there is no transition.
#[system(crate = crate, in = Transition<B>, before_if_present = transition::<B>)]
pub fn enters<B: Branch + Identity>(state: &State<B>, next: &NextState<B>) -> Maybe<B> {
    Maybe(next.entered(state.0))
}

/// The group of the systems that change the state.
///
/// Order systems that set [`NextState`] before this group, and systems that read [`State`] before or after it.
pub struct Transition<B>(PhantomData<B>);

impl<B: Identity> Identity for Transition<B> {
    const ID: u128 = mix(declared_here(module_path!(), "Transition"), B::ID);
    const NAME: Name = Name::generic("Transition", &[Argument::Type(B::NAME)]);
}

impl<B: Identity + 'static> Anchor for Transition<B> {}
impl<B: Identity + 'static> Group for Transition<B> {}

impl<B> fmt::Debug for Transition<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Transition")
    }
}

/// Changes the state if [`NextState`] requests another one.
///
/// The first transition of a program enters its first state.
///
/// [`Builder::on_exit`](crate::Builder::on_exit) and [`Builder::on_enter`](crate::Builder::on_enter) declare systems that run when a state is left or entered.
/// [`Condition::state`] declares systems that run in a state.
#[system(crate = crate, in = Transition<B>)]
pub fn transition<B: Branch + Identity>(mut state: Mut<State<B>>, mut next: Mut<NextState<B>>) {
    if let Some(entered) = next.entered(state.0) {
        state.0 = entered;
    }
    if next.request.is_some() || next.is_first {
        next.request = None;
        next.is_first = false;
    }
}

/// Returns the state after the transition.
#[system(crate = crate, after_if_present = Transition<B>)]
pub fn current<B: Branch + Identity>(state: &State<B>) -> B {
    state.0
}

impl Condition {
    /// True if the program is in this [`State`], after the [`transition`] if that is in the schedule.
    ///
    /// So it cannot guard a system that sets [`NextState`] for that transition.
    #[track_caller]
    pub fn state<B: Branch + Identity>(state: B) -> Self {
        Self::chosen::<current<B>, B>(state)
    }
}

/// The order and the guards of `on enter` and `on exit` in `schedule!`, as [`Builder::on_enter`](crate::Builder::on_enter) and
/// [`Builder::on_exit`](crate::Builder::on_exit) declare them.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct StateChange {
    /// The order against the transition.
    pub order: Order,
    /// A state is entered.
    pub changes: Answered,
    /// The entered or left state is this one.
    pub is_state: Answered,
}

impl StateChange {
    /// The state with this index is entered.
    #[track_caller]
    pub const fn enter<B: Branch + Identity>(_: B, index: u32) -> Self {
        Self {
            order: Order::after::<transition<B>>().of_state(),
            changes: Answered::new::<changes<B>, bool>(1).at_level_of::<transition<B>>(),
            is_state: Answered::new::<enters<B>, B>(index).at_level_of::<transition<B>>(),
        }
    }

    /// The state with this index is left.
    #[track_caller]
    pub const fn exit<B: Branch + Identity>(_: B, index: u32) -> Self {
        Self {
            order: Order::before::<transition<B>>().of_state(),
            changes: Answered::new::<changes<B>, bool>(1).at_level_of::<transition<B>>(),
            is_state: Answered::new::<leaves<B>, B>(index).at_level_of::<transition<B>>(),
        }
    }
}

#[track_caller]
pub(crate) fn does_change<B: Branch + Identity>() -> Condition {
    Condition::of::<changes<B>>().at_level_of::<transition<B>>()
}
