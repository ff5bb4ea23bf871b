//! Declarations as numbers.

/// The value for no number.
pub const NONE: u32 = u32::MAX;

/// The subject of an order, a membership or a guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Item {
    /// The declared node of this index.
    Node(u32),
    /// The group of this index.
    Group(u32),
}

impl Item {
    /// Set in the code of a group.
    const GROUP: u32 = 1 << 31;

    /// The item as one number.
    pub const fn code(self) -> u32 {
        match self {
            Self::Node(node) => node,
            Self::Group(group) => group | Self::GROUP,
        }
    }

    /// The item with this code.
    pub const fn of_code(code: u32) -> Self {
        if code & Self::GROUP == 0 {
            Self::Node(code)
        } else {
            Self::Group(code & !Self::GROUP)
        }
    }

    /// Whether both items are the same.
    pub const fn is(self, other: Self) -> bool {
        self.code() == other.code()
    }

    /// An index for tables in which the groups follow the declared nodes.
    pub(super) const fn index(self, n_declared: usize) -> usize {
        match self {
            Self::Node(node) => node as usize,
            Self::Group(group) => n_declared + group as usize,
        }
    }
}

/// The kind of a declared node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A system.
    System,
    /// A condition that a guard names and that was not declared.
    Implied,
    /// A loop.
    Loop,
    /// A checkpoint.
    Checkpoint,
    /// A sync point.
    ApplyCommands,
    /// A removed node.
    Removed,
}

/// The membership of an item in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The item in the group.
    pub item: Item,
    /// The index of the group.
    pub group: u32,
}

impl Member {
    /// For memory that nothing was written to.
    pub const NONE: Self = Self {
        item: Item::Node(0),
        group: 0,
    };
}

/// The strength of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// It always holds.
    Strict,
    /// It holds for pairs that conflict.
    Weak,
}

/// An order of two items: all of the first runs before all of the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// The item that runs first.
    pub first: Item,
    /// The item that runs second.
    pub then: Item,
    /// The strength of the order.
    pub strength: Strength,
}

impl Order {
    /// For memory that nothing was written to.
    pub const NONE: Self = Self {
        first: Item::Node(0),
        then: Item::Node(0),
        strength: Strength::Strict,
    };
}

/// The kind of a node of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// The declared node of this index; the begin, if it is a loop.
    Declared(u32),
    /// The end of the loop of this index.
    LoopEnd(u32),
    /// The begin of the group of this index.
    GroupBegin(u32),
    /// The end of the group of this index.
    GroupEnd(u32),
    /// The begin of the group of this index, for weak orders. It is in no plan.
    WeakBegin(u32),
    /// The end of the group of this index, for weak orders. It is in no plan.
    WeakEnd(u32),
}

impl NodeKind {
    const N_BITS: u32 = 3;

    /// As one number.
    pub const fn code(self) -> u32 {
        let (kind, idx) = match self {
            Self::Declared(idx) => (0, idx),
            Self::LoopEnd(idx) => (1, idx),
            Self::GroupBegin(idx) => (2, idx),
            Self::GroupEnd(idx) => (3, idx),
            Self::WeakBegin(idx) => (4, idx),
            Self::WeakEnd(idx) => (5, idx),
        };
        idx << Self::N_BITS | kind
    }

    /// The kind with this code.
    pub const fn of_code(code: u32) -> Self {
        let idx = code >> Self::N_BITS;
        match code & ((1 << Self::N_BITS) - 1) {
            0 => Self::Declared(idx),
            1 => Self::LoopEnd(idx),
            2 => Self::GroupBegin(idx),
            3 => Self::GroupEnd(idx),
            4 => Self::WeakBegin(idx),
            _ => Self::WeakEnd(idx),
        }
    }

    /// The item that the node belongs to.
    pub const fn item(self) -> Item {
        match self {
            Self::Declared(idx) | Self::LoopEnd(idx) => Item::Node(idx),
            Self::GroupBegin(idx)
            | Self::GroupEnd(idx)
            | Self::WeakBegin(idx)
            | Self::WeakEnd(idx) => Item::Group(idx),
        }
    }
}

/// A token of a guard in postfix form: an operator follows its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// The next leaf of the guard.
    Leaf,
    /// Negates the last value.
    Not,
    /// True if all of the last n values are true.
    All(u32),
    /// True if one of the last n values is true.
    Any(u32),
}
