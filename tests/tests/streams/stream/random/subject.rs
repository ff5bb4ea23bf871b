//! The subject of the tests: a stream that processes the random events.

use std::collections::BTreeMap;
use std::thread;

use schedule::FailurePolicy;
use schedule::prelude::*;
use schedule_stream::prelude::*;
use schedule_stream::{EventError, EventLimits, Position};

use super::case::{Act, Kind, SmallLimits};
use super::interpreter::{Answered, Why, World};
use super::program::{Account, Badge, Entry, Failed, Item, Rate, Total};
use crate::stream::By;

/// The outcome of an event.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ReportedOutcome {
    pub(super) position: Position,
    pub(super) cause: Option<Position>,
    pub(super) event: (Kind, Act),
    pub(super) handler: &'static str,
    pub(super) result: Answered,
}

impl ReportedOutcome {
    fn new(outcome: Outcome<Entry>) -> Self {
        Self {
            position: outcome.position,
            cause: outcome.cause,
            handler: outcome.handler,
            event: outcome.event.into_parts(),
            result: outcome.result.map_err(why),
        }
    }
}

/// The content of all stores, in their order.
pub(super) type State = (
    Vec<(u32, u64)>,
    Vec<(String, u64)>,
    Vec<(u32, u64)>,
    [u64; 2],
);

pub(super) struct Subject {
    resources: Resources,
    stream: Stream<Entry>,
}

impl Subject {
    pub(super) fn new(n_keys: u32, stops: bool, limits: SmallLimits, by: By) -> Self {
        let world = World::new(n_keys, limits);
        let mut resources = Resources::new();
        let accounts = world
            .accounts
            .iter()
            .map(|(key, value)| (*key, Account(*value)));
        resources.insert(Records::from_iter(accounts));
        let items = world
            .items
            .iter()
            .map(|(key, value)| (key.clone(), Item(*value)));
        resources.insert(Records::from_iter(items));
        resources.insert(Records::<Badge>::or_default());
        resources.insert(Rate(world.rate));
        resources.insert(Total(world.total));
        let mut stream = by.stream();
        let max = EventLimits::new()
            .max_set_keys(limits.max_set_keys)
            .max_depth(limits.max_depth)
            .max_per_event(limits.max_per_event);
        stream.set_limits(max.max_follow_ups(limits.max_follow_ups));
        if stops {
            stream.set_failure_policy(FailurePolicy::Stop);
        }
        Self { resources, stream }
    }

    pub(super) fn process(&mut self, events: &[(Kind, Act)]) -> Vec<ReportedOutcome> {
        let mut reported = Vec::new();
        let events = events.iter().cloned().map(Entry::from);
        let report = |outcome| reported.push(ReportedOutcome::new(outcome));
        self.stream
            .process(&mut self.resources, events, report)
            .unwrap();
        reported
    }

    /// Processes one batch. Returns the outcomes, and the number of pending follow-up events.
    pub(super) fn process_batch(
        &mut self,
        events: &[(Kind, Act)],
    ) -> (Vec<ReportedOutcome>, usize) {
        let mut reported = Vec::new();
        let events = events.iter().cloned().map(Entry::from);
        let report = |outcome| reported.push(ReportedOutcome::new(outcome));
        self.stream
            .process_batch(&mut self.resources, events, report)
            .unwrap();
        (reported, self.stream.n_pending())
    }

    /// Processes events that several producers push, a part each. Returns the pushed events by position, and the
    /// outcomes.
    pub(super) fn process_pushed(
        &mut self,
        events: &[(Kind, Act)],
        capacity: usize,
    ) -> (BTreeMap<Position, (Kind, Act)>, Vec<ReportedOutcome>) {
        let (producer, mut arrivals) = self.stream.arrivals(capacity);
        let mut reported = Vec::new();
        let pushed = thread::scope(|scope| {
            let push = |events: &[(Kind, Act)]| {
                let producer = producer.clone();
                let events = events.to_vec();
                scope.spawn(move || {
                    let push =
                        |event: (Kind, Act)| (producer.push(event.clone().into()).unwrap(), event);
                    events.into_iter().map(push).collect::<Vec<_>>()
                })
            };
            let producers: Vec<_> = events.chunks(events.len() / 3 + 1).map(push).collect();
            drop(producer);
            self.stream
                .process_arrivals(&mut self.resources, &mut arrivals, |outcome| {
                    reported.push(ReportedOutcome::new(outcome));
                })
                .unwrap();
            let all = producers.into_iter().map(|producer| producer.join());
            all.flat_map(Result::unwrap).collect()
        });
        (pushed, reported)
    }

    pub(super) fn state(&self) -> State {
        let accounts = self.resources.get::<Records<Account>>().unwrap();
        let items = self.resources.get::<Records<Item>>().unwrap();
        let badges = self.resources.get::<Records<Badge>>().unwrap();
        let state = (
            accounts
                .iter()
                .map(|(key, account)| (*key, account.0))
                .collect::<Vec<_>>(),
            items
                .iter()
                .map(|(key, item)| (key.clone(), item.0))
                .collect::<Vec<_>>(),
            badges
                .iter()
                .map(|(key, badge)| (*key, badge.0))
                .collect::<Vec<_>>(),
            [
                self.resources.get::<Rate>().unwrap().0,
                self.resources.get::<Total>().unwrap().0,
            ],
        );
        let n = [accounts.len(), items.len(), badges.len()];
        assert_eq!(n, [state.0.len(), state.1.len(), state.2.len()]);
        state
    }
}

fn why(error: EventError<Failed>) -> Why {
    match error {
        EventError::Missing { parameter, .. } => Why::Missing(parameter),
        EventError::SetTooLarge { parameter, max, .. } => Why::SetTooLarge(parameter, max),
        EventError::FollowUpsTooDeep { max } => Why::FollowUpsTooDeep(max),
        EventError::TooManyFollowUps { max } => Why::TooManyFollowUps(max),
        EventError::Alias { first, second, .. } => Why::Alias(first, second),
        EventError::Skipped => Why::Skipped,
        EventError::Stopped => Why::Stopped,
        EventError::Failed(error) => Why::Failed(error.0),
        EventError::Panicked(panic) => Why::Panicked(panic.message().to_string()),
        EventError::PanickedBeforeCall(panic) => {
            Why::PanickedBeforeCall(panic.message().to_string())
        }
        other => panic!("{other:?}"),
    }
}
