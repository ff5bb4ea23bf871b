//! The ways to keep events in order on several threads.

/// What keeps events in order on several threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Cheap; for short events.
    Lanes,
    /// For long ones of few.
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
