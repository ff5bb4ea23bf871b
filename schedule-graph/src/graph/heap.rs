//! A binary min-heap in a borrowed slice. `std::collections::BinaryHeap` allocates and is not const.

/// A binary heap of nodes, with the smallest on top (Williams 1964).
#[derive(Debug)]
pub(super) struct MinHeap<'a> {
    /// `slots[..len]`: the heap. The children of slot i are the slots 2 i + 1 and 2 i + 2.
    slots: &'a mut [u32],
    len: usize,
}

impl<'a> MinHeap<'a> {
    /// An empty heap for at most `slots.len()` nodes.
    pub(super) const fn new(slots: &'a mut [u32]) -> Self {
        Self { slots, len: 0 }
    }

    /// Adds a node. Cost: O(log len), and O(1) if nodes are added in ascending order.
    ///
    /// # Panics
    ///
    /// If all slots are used.
    pub(super) const fn push(&mut self, node: u32) {
        let mut slot = self.len;
        self.len += 1;
        while slot > 0 {
            let parent_slot = (slot - 1) / 2;
            let parent = self.slots[parent_slot];
            if parent <= node {
                break;
            }
            self.slots[slot] = parent;
            slot = parent_slot;
        }
        self.slots[slot] = node;
    }

    /// Removes and returns the smallest node. Cost: O(log len).
    pub(super) const fn pop(&mut self) -> Option<u32> {
        if self.len == 0 {
            return None;
        }
        self.len -= 1;
        let top = self.slots[0];
        let last = self.slots[self.len];

        // The free slot moves down along the smaller children until the last node can fill it.
        let mut slot = 0;
        loop {
            let mut child_slot = 2 * slot + 1;
            if child_slot >= self.len {
                break;
            }
            if child_slot + 1 < self.len && self.slots[child_slot + 1] < self.slots[child_slot] {
                child_slot += 1;
            }
            let child = self.slots[child_slot];
            if last <= child {
                break;
            }
            self.slots[slot] = child;
            slot = child_slot;
        }
        self.slots[slot] = last;

        Some(top)
    }
}
