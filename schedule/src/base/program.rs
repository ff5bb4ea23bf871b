//! Guards as branch programs, which executors evaluate without a stack and without allocation.

use crate::base::formula::{Formula, Token};

/// One of the possible answers of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) rank: u32,
    pub(crate) index: u32,
}

/// An answer that a guard requires and nothing else, or [`OnlyAnswer::NONE`]. Half the size of an `Option`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OnlyAnswer(Answer);

impl OnlyAnswer {
    /// The guard requires something else, or the node has no guard. No node has this rank.
    pub(crate) const NONE: Self = Self(Answer {
        rank: u32::MAX,
        index: 0,
    });

    pub(crate) fn of(answer: Option<Answer>) -> Self {
        answer.map_or(Self::NONE, Self)
    }

    #[inline]
    pub(crate) fn get(self) -> Option<Answer> {
        (self.0.rank != u32::MAX).then_some(self.0)
    }
}

/// The guards of all nodes of a plan.
#[derive(Debug, Default)]
pub(crate) struct Programs {
    /// `programs[rank]`: the guard of a node; len = n_nodes, or 0 if there is no guard.
    programs: Vec<ProgramRange>,
    /// The programs, one after the other.
    instructions: Vec<Instruction>,
}

/// The instructions of a program.
#[derive(Clone, Copy, Debug)]
struct ProgramRange {
    start: u32,
    end: u32,
    /// The first target. It is instruction 0, unless the guard is constant or begins with a constant.
    entry: u32,
}

/// The instruction for one leaf of a guard: compares an answer, and selects the next instruction or the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Instruction {
    answer: Answer,
    /// The target if the node gave this answer: a later index in the program, [`TRUE`] or [`FALSE`].
    if_true: u32,
    /// The target if the node gave another answer.
    if_false: u32,
}

/// The target that ends the program with the result that the guard holds.
const TRUE: u32 = u32::MAX;

/// The target that ends the program with the result that the guard does not hold.
const FALSE: u32 = u32::MAX - 1;

/// The guard of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Program<'a> {
    entry: u32,
    /// In the order of the leaves.
    instructions: &'a [Instruction],
}

impl Programs {
    /// Compiles the guards of nodes, by rank; `None`: a node without a guard. O(nodes + tokens).
    pub(crate) fn new<'a>(guards: impl Iterator<Item = Option<&'a Formula<Answer>>>) -> Self {
        let mut all = Self::default();
        for guard in guards {
            let start = all.instructions.len() as u32;
            let entry = match guard {
                Some(guard) => compile(guard, &mut all.instructions),
                None => TRUE,
            };
            all.programs.push(ProgramRange {
                start,
                end: all.instructions.len() as u32,
                entry,
            });
        }
        if all.programs.iter().all(|range| range.is_nothing()) {
            all.programs = Vec::new();
        }
        all
    }

    /// The guard of a node. `None` if it has no guard.
    #[inline]
    pub(crate) fn of(&self, rank: u32) -> Option<Program<'_>> {
        let range = self.programs.get(rank as usize)?;
        (!range.is_nothing()).then(|| Program {
            entry: range.entry,
            instructions: &self.instructions[range.start as usize..range.end as usize],
        })
    }
}

impl ProgramRange {
    /// Whether the program has no instructions and always holds.
    const fn is_nothing(self) -> bool {
        self.start == self.end && self.entry == TRUE
    }
}

impl<'a> Program<'a> {
    /// Whether all conditions have an answer, and these answers make the guard true. `answer_of`: the answer of the
    /// node of a rank, or `None` if it has none. Called at most once per leaf.
    #[inline]
    pub(crate) fn holds(self, answer_of: impl Fn(u32) -> Option<u32>) -> bool {
        // All conditions of earlier instructions have an answer.
        let mut n_seen = 0;
        let mut target = self.entry;
        while target != FALSE {
            let n_passed = self.instructions.len().min(target as usize);
            while n_seen < n_passed {
                // The answer does not matter, but it must exist.
                if answer_of(self.instructions[n_seen].answer.rank).is_none() {
                    return false;
                }
                n_seen += 1;
            }
            let Some(instruction) = self.instructions.get(target as usize) else {
                return true;
            };
            let Some(answer) = answer_of(instruction.answer.rank) else {
                return false;
            };
            n_seen += 1;
            target = if answer == instruction.answer.index {
                instruction.if_true
            } else {
                instruction.if_false
            };
        }
        false
    }

    /// The answer that the guard requires, if it requires one and nothing else.
    pub(crate) fn only_answer(self) -> Option<Answer> {
        match self.instructions {
            [one] if (self.entry, one.if_true, one.if_false) == (0, TRUE, FALSE) => {
                Some(one.answer)
            }
            _ => None,
        }
    }

    /// The ranks of the conditions of the guard, in the order of the leaves.
    pub(crate) fn conditions(self) -> impl Iterator<Item = u32> + 'a {
        self.instructions
            .iter()
            .map(|instruction| instruction.answer.rank)
    }
}

/// An operator with operands that are not compiled yet. They are compiled from the last to the first.
struct Operator {
    n_operands: u32,
    is_all: bool,
    /// The targets of the operand that is compiled next.
    if_true: u32,
    if_false: u32,
}

/// Appends the instructions of a guard. Returns the first target. Compiles from the last token to the first, because
/// targets are later instructions.
fn compile(guard: &Formula<Answer>, instructions: &mut Vec<Instruction>) -> u32 {
    let start = instructions.len();
    let mut n_left = guard.leaves().count() as u32;
    let mut open = vec![Operator {
        n_operands: 1,
        is_all: true,
        if_true: TRUE,
        if_false: FALSE,
    }];
    let mut entry = TRUE;
    for token in guard.tokens().rev() {
        let Some(&Operator {
            if_true, if_false, ..
        }) = open.last()
        else {
            unreachable!("one result");
        };
        // The first target of the operand that ends with this token.
        entry = match *token {
            Token::Is(answer) => {
                instructions.push(Instruction {
                    answer,
                    if_true,
                    if_false,
                });
                n_left -= 1;
                n_left
            }
            Token::All(0) => if_true,
            Token::Any(0) => if_false,
            Token::Not => {
                open.push(Operator {
                    n_operands: 1,
                    is_all: true,
                    if_true: if_false,
                    if_false: if_true,
                });
                continue;
            }
            Token::All(n_operands) | Token::Any(n_operands) => {
                open.push(Operator {
                    n_operands,
                    is_all: matches!(token, Token::All(_)),
                    if_true,
                    if_false,
                });
                continue;
            }
        };
        // Closes all operators whose first operand this was.
        while let Some(around) = open.last_mut() {
            around.n_operands -= 1;
            if around.n_operands > 0 {
                if around.is_all {
                    around.if_true = entry;
                } else {
                    around.if_false = entry;
                }
                break;
            }
            open.pop();
        }
    }
    instructions[start..].reverse();
    entry
}
