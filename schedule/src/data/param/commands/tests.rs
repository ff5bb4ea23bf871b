//! Which memory queues use again.

use super::*;

/// Numbers, of which 13 panics.
#[derive(Default)]
struct Numbers<const N: usize>(Vec<u32>);

impl<const N: usize> Numbers<N> {
    fn apply_all(&mut self) {
        assert!(!self.0.contains(&13), "an unlucky number");
        self.0.clear();
    }
}

impl<const N: usize> CommandBuffer for Numbers<N> {
    fn apply(mut self, _: &mut Resources) {
        self.apply_all();
    }

    fn apply_and_reuse(mut self, _: &mut Resources) -> Option<Self> {
        self.apply_all();
        Some(self)
    }
}

/// Records a number, and returns the address of the list.
fn record<const N: usize>(queue: &mut CommandQueue, number: u32) -> *const u32 {
    let mut commands: Commands<'_> = queue.commands();
    let numbers = &mut commands.buffer::<Numbers<N>>().0;
    numbers.push(number);
    numbers.as_ptr()
}

#[test]
fn buffers_are_used_again_in_the_order_of_their_types() {
    let mut queue = CommandQueue::new();
    let record_all = |queue: &mut CommandQueue| {
        [
            record::<0>(queue, 1),
            record::<1>(queue, 2),
            record::<0>(queue, 3),
        ]
    };
    let first = record_all(&mut queue);
    queue.apply(&mut Resources::new());
    assert!(queue.is_empty() && queue.has_emptied());
    assert_eq!(record_all(&mut queue), first);
    assert!(!queue.has_emptied());
}

#[test]
fn a_buffer_of_another_type_is_new() {
    let mut queue = CommandQueue::new();
    record::<0>(&mut queue, 1);
    queue.apply(&mut Resources::new());
    record::<1>(&mut queue, 2);
    queue.apply(&mut Resources::new());
    assert_eq!(queue.emptied.len(), 1);
    assert!(is_last::<Numbers<1>>(&queue.emptied));
}

#[test]
fn a_buffer_that_panics_is_not_used_again() {
    let mut queue = CommandQueue::new();
    record::<0>(&mut queue, 1);
    record::<1>(&mut queue, 13);
    record::<0>(&mut queue, 2);
    let mut panics = FirstPanic::default();
    panics.call(|| queue.apply(&mut Resources::new()));
    assert!(!panics.is_none() && queue.is_empty());
    assert_eq!(queue.emptied.len(), 1);
    assert!(is_last::<Numbers<0>>(&queue.emptied));
}

#[test]
fn blocks_get_the_buffers_that_were_applied_in_their_order() {
    let mut queue = CommandQueue::new();
    let mut blocks = [const { CommandQueue::new() }; 3];
    let mut run = |is_recorded: [bool; 3]| {
        let mut addresses = Vec::new();
        for (block, _) in blocks.iter_mut().zip(is_recorded).filter(|pair| pair.1) {
            addresses.push(record::<0>(block, 1));
            queue.commands::<()>().append_block(block);
        }
        queue.apply(&mut Resources::new());
        addresses
    };
    let first = run([true; 3]);
    let second = run([true; 3]);
    assert_ne!(first, second);
    // Blocks have those of the run before the last one.
    assert_eq!(run([true; 3]), first);
    assert_eq!(run([true, false, true]), [second[0], second[2]]);
}
