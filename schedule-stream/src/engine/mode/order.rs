//! The structures that order events on several threads.

/// The structure that orders events on several threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// For short events: low cost per event.
    Lanes,
    /// For long events that use few records.
    Queues,
}

impl Order {
    pub(super) fn other(self) -> Self {
        match self {
            Order::Lanes => Order::Queues,
            Order::Queues => Order::Lanes,
        }
    }
}
