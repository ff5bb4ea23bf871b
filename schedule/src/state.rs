//! States: which of a few a program is in, and what runs when it goes from one to another.

use core::fmt;
use core::marker::PhantomData;

use schedule_macros::system;

use crate::builder::Builder;
use crate::condition::Condition;
use crate::identity::{Argument, Identity, Name, declared_at, mix};
use crate::order::{Anchor, Group};
use crate::output::Branch;
use crate::resource::{Resource, Resources};

/// The state that a program is in. It changes at [`transition`] only, to what [`NextState`] was set to.
///
/// ```
/// use schedule::{Condition, Identity, NextState, State, Transition, transition, prelude::*};
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
///     .guard(Condition::state(Phase::Night))
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
pub struct State<B>(B);

/// By hand, so that the report of a missing state names [`Resources::insert_state`].
impl<B: Identity> Identity for State<B> {
    const ID: u128 = mix(
        declared_at(module_path!(), "State", line!(), column!()),
        B::ID,
    );
    const NAME: Name =
        Name::generic("State", &[Argument::Type(B::NAME)]).inserted_by("insert_state");
}

impl<B: Identity + Send + Sync + 'static> Resource for State<B> {}

impl<B: Branch> State<B> {
    /// The state.
    pub fn get(&self) -> B {
        self.0
    }
}

/// The state that a program is to go to at the next [`transition`], if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextState<B>(Option<B>);

impl<B: Identity> Identity for NextState<B> {
    const ID: u128 = mix(
        declared_at(module_path!(), "NextState", line!(), column!()),
        B::ID,
    );
    const NAME: Name =
        Name::generic("NextState", &[Argument::Type(B::NAME)]).inserted_by("insert_state");
}

impl<B: Identity + Send + Sync + 'static> Resource for NextState<B> {}

impl<B: Branch> NextState<B> {
    /// Goes to this one at the next transition. Of several, the last counts. From a state to itself is a transition,
    /// too.
    pub fn set(&mut self, next: B) {
        self.0 = Some(next);
    }

    /// The one that was set.
    pub fn get(&self) -> Option<B> {
        self.0
    }

    /// Stays where it is.
    pub fn clear(&mut self) {
        self.0 = None;
    }
}

impl Resources {
    /// Inserts a [`State`] and its [`NextState`]: the program is in this state, without having entered it.
    pub fn insert_state<B: Branch + Identity>(&mut self, state: B) {
        self.insert(State(state));
        self.insert(NextState::<B>(None));
    }
}

/// Whether the state is about to change.
#[system(crate = crate, in = Transition<B>, before_if_present = transition::<B>)]
pub fn changes<B: Branch + Identity>(next: &NextState<B>) -> bool {
    next.0.is_some()
}

/// The state that is left, if it changes.
#[system(crate = crate, in = Transition<B>, before_if_present = transition::<B>)]
pub fn leaves<B: Branch + Identity>(state: &State<B>) -> B {
    state.0
}

/// The state that is entered, if it changes.
#[system(crate = crate, in = Transition<B>, before_if_present = transition::<B>)]
pub fn enters<B: Branch + Identity>(state: &State<B>, next: &NextState<B>) -> B {
    next.0.unwrap_or(state.0)
}

/// All that sees to a change of state: order against this who sets [`NextState`], and who reads [`State`].
pub struct Transition<B>(PhantomData<B>);

impl<B: Identity> Identity for Transition<B> {
    const ID: u128 = mix(
        declared_at(module_path!(), "Transition", line!(), column!()),
        B::ID,
    );
    const NAME: Name = Name::generic("Transition", &[Argument::Type(B::NAME)]);
}

impl<B: Identity + 'static> Anchor for Transition<B> {}
impl<B: Identity + 'static> Group for Transition<B> {}

impl<B> fmt::Debug for Transition<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Transition")
    }
}

/// The place at which the state changes, if [`NextState`] was set.
///
/// What runs when a state is left or entered is said by [`Builder::on_exit`] and [`Builder::on_enter`], what runs in a
/// state by [`Condition::state`].
#[system(crate = crate, in = Transition<B>)]
pub fn transition<B: Branch + Identity>(state: &mut State<B>, next: &mut NextState<B>) {
    if let Some(next) = next.0.take() {
        state.0 = next;
    }
}

/// The state, behind the transition.
#[system(crate = crate, after_if_present = Transition<B>)]
pub fn current<B: Branch + Identity>(state: &State<B>) -> B {
    state.0
}

impl Condition {
    /// The program is in this [`State`]: behind the [`transition`], if that is in the schedule. So it cannot guard who
    /// sets [`NextState`] for that transition.
    #[track_caller]
    pub fn state<B: Branch + Identity>(state: B) -> Self {
        Self::chosen::<current<B>, B>(state)
    }
}

impl Builder {
    /// The last one runs only when this state is left: before the [`transition`], which has to be in the schedule.
    #[track_caller]
    pub fn on_exit<B: Branch + Identity>(&mut self, state: B) -> &mut Self {
        let is_left = Condition::chosen::<leaves<B>, B>(state);
        self.before::<transition<B>>()
            .guard(does_change::<B>() & is_left.beside::<transition<B>>())
    }

    /// The last one runs only when this state is entered: behind the [`transition`], which has to be in the schedule.
    #[track_caller]
    pub fn on_enter<B: Branch + Identity>(&mut self, state: B) -> &mut Self {
        let is_entered = Condition::chosen::<enters<B>, B>(state);
        self.after::<transition<B>>()
            .guard(does_change::<B>() & is_entered.beside::<transition<B>>())
    }
}

#[track_caller]
fn does_change<B: Branch + Identity>() -> Condition {
    Condition::of::<changes<B>>().beside::<transition<B>>()
}
