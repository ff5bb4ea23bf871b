use super::*;

const READ: AccessKind = AccessKind::Read;
const WRITE: AccessKind = AccessKind::Write;
const FOLD: AccessKind = AccessKind::Fold;

const fn on(resource: u32, kind: AccessKind) -> Use {
    Use::new(resource, kind)
}

/// The uses of nodes 0 to 4: reads 0; writes 0 and reads 2; none; writes 2; reads 0 and writes 3.
const LIST: [Use; 6] = [
    on(0, READ),
    on(0, WRITE),
    on(2, READ),
    on(2, WRITE),
    on(0, READ),
    on(3, WRITE),
];

#[test]
fn masks_do_not_depend_on_the_previous_content() {
    let mut memory = MasksMemory {
        users: &mut [usize::MAX; 4],
        modifiers: &mut [usize::MAX; 4],
        non_folders: &mut [],
    };
    let uses = Uses::new(&[0, 1, 3, 3, 4, 6], &LIST);
    let masks = Masks::fill(uses, &[0, 1, 2, 3, 4], Window::full(5), &mut memory);
    assert_eq!(masks.users, [0b10011, 0, 0b01010, 0b10000]);
    assert_eq!(masks.modifiers, [0b00010, 0, 0b01000, 0b10000]);
}

#[test]
fn nodes_that_fold_have_separate_masks() {
    let mut memory = MasksMemory {
        users: &mut [usize::MAX],
        modifiers: &mut [usize::MAX],
        non_folders: &mut [usize::MAX],
    };
    let list = [on(0, FOLD), on(0, READ), on(0, WRITE), on(0, FOLD)];
    let uses = Uses::new(&[0, 1, 2, 3, 4], &list);
    let masks = Masks::fill(uses, &[0, 1, 2, 3], Window::full(4), &mut memory);
    assert_eq!(masks.users, [0b1111]);
    assert_eq!(masks.modifiers, [0b1101]);
    assert_eq!(masks.non_folders, [0b0110]);
}

#[test]
#[should_panic = "there must be masks for nodes that fold"]
fn masks_without_memory_for_folds_panic_if_a_node_folds() {
    let mut memory = MasksMemory {
        users: &mut [0],
        modifiers: &mut [0],
        non_folders: &mut [],
    };
    let list = [on(0, FOLD)];
    let uses = Uses::new(&[0, 1], &list);
    let _ = Masks::fill(uses, &[0], Window::full(1), &mut memory);
}

#[test]
fn memory_of_masks_grows_only_if_nodes_fold() {
    let n_blocks = |has_folds| {
        let mut arena = Arena::counting();
        MasksMemory::take(&mut arena, 5, has_folds);
        arena.taken().n_blocks
    };
    assert_eq!((n_blocks(false), n_blocks(true)), (10, 15));
}
