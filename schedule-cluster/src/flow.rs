//! The dataflow: one operator per process, which exchanges value messages with those of the other processes.
//!
//! The outer time is the batch. The operator holds a capability of the first batch for which it may still send a message, so the
//! probe passes a batch when all processes are done with it. A message goes through a feedback edge, because a dataflow
//! has no other cycles.

use core::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use schedule::snapshot::SnapshotError;
use schedule_stream::internal::SentEvent;
use timely::container::CapacityContainerBuilder;
use timely::dataflow::ProbeHandle;
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::generic::Operator;
use timely::dataflow::operators::{ConnectLoop, Feedback, Leave, Probe};
use timely::order::Product;
use timely::scheduling::Activator;
use timely::worker::Worker;

use crate::shard::{Outbox, Shard, ValueMessage};

/// The time that one activation of the operator takes, if no handler is longer. Between activations, messages are sent and received.
const SLICE: Duration = Duration::from_micros(400);

/// The state that the operator and the loop of the worker share.
pub(crate) struct FlowState<E: SentEvent> {
    pub(crate) shard: Shard<E>,
    pub(crate) out: Outbox,
    pub(crate) failed: Result<(), SnapshotError>,
}

/// A dataflow that runs.
pub(crate) struct Flow {
    pub(crate) probe: ProbeHandle<u64>,
    /// Activates the operator, after events were added to the shard.
    pub(crate) activator: Activator,
}

/// Creates the dataflow.
pub(crate) fn build<E: SentEvent>(worker: &mut Worker, state: &Rc<RefCell<FlowState<E>>>) -> Flow {
    let state = Rc::clone(state);
    let mut activator_of_operator = None;
    let probe = worker.dataflow::<u64, _, _>(|scope| {
        let out = scope.iterative::<u64, _, _>(|inner| {
            let round = Product::new(Default::default(), 1);
            let (back, messages) = inner.feedback::<Vec<ValueMessage>>(round);
            let to = Exchange::new(|message: &ValueMessage| u64::from(message.to));
            let sent = messages
                .unary_frontier::<CapacityContainerBuilder<Vec<ValueMessage>>, _, _, _>(
                    to,
                    "Shard",
                    |mut floor, info| {
                        let activator = inner.activator_for(Rc::clone(&info.address));
                        activator_of_operator = Some(inner.activator_for(info.address));
                        move |(input, _), output| {
                            let FlowState { shard, out, failed } = &mut *state.borrow_mut();
                            if failed.is_err() {
                                return;
                            }
                            input.for_each(|_, messages| {
                                for message in messages.drain(..) {
                                    if failed.is_ok() {
                                        *failed = shard.receive(message, out);
                                    }
                                }
                            });
                            if failed.is_ok() {
                                match shard.work(Instant::now() + SLICE, out) {
                                    Ok(true) => activator.activate(),
                                    Ok(false) => {}
                                    Err(error) => *failed = Err(error),
                                }
                            }
                            for message in out.messages.drain(..) {
                                let time = floor.delayed(&Product::new(message.batch, 0));
                                output.session(&time).give(message);
                            }
                            floor.downgrade(&Product::new(shard.floor(), 0));
                        }
                    },
                );
            sent.clone().connect_loop(back);
            sent.leave(scope)
        });
        out.probe().0
    });
    Flow {
        probe,
        activator: activator_of_operator.expect("the operator was created"),
    }
}
