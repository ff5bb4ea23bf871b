//! Conditions joined by "not", "and" and "or", as tokens in postfix order.
//!
//! Nothing here recurses: the length of a formula is not limited by the stack.

#[cfg(test)]
mod tests;
mod text;

pub(crate) use self::text::write_debug;

use std::collections::VecDeque;

/// An operand or an operator of a guard in postfix order: an operator follows its operands.
///
/// See [`Guard::new`](crate::condition::Guard::new).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<L> {
    /// A leaf: a condition or selector, with the answer that is wanted.
    Is(L),
    /// The operand before this token does not hold.
    Not,
    /// Each of the last n operands holds.
    All(u32),
    /// At least one of the last n operands holds.
    Any(u32),
}

impl<L> Token<L> {
    /// The number of its operands.
    pub(crate) const fn n_operands(&self) -> u32 {
        match self {
            Self::Is(_) => 0,
            Self::Not => 1,
            Self::All(n) | Self::Any(n) => *n,
        }
    }
}

/// Whether each operator has its operands, and exactly one result is left.
pub(crate) const fn is_postfix<L>(tokens: &[Token<L>]) -> bool {
    let (mut n_results, mut idx) = (0_u64, 0);
    while idx < tokens.len() {
        let n_operands = tokens[idx].n_operands() as u64;
        if n_operands > n_results {
            return false;
        }
        n_results += 1;
        n_results -= n_operands;
        idx += 1;
    }
    n_results == 1
}

/// For each token, the first token of the operand that ends with it. O(tokens).
fn starts<L>(tokens: &[&Token<L>]) -> Vec<usize> {
    let mut starts = Vec::with_capacity(tokens.len());
    // The operands so far that no operator has taken.
    let mut open: Vec<usize> = Vec::new();
    for (idx, token) in tokens.iter().enumerate() {
        let n_left = open.len() - token.n_operands() as usize;
        let start = open.get(n_left).copied().unwrap_or(idx);
        open.truncate(n_left);
        open.push(start);
        starts.push(start);
    }
    starts
}

/// A formula over leaves of any kind.
///
/// Invariant: the tokens are a postfix program with one result ([`is_postfix`]).
#[derive(Clone)]
pub(crate) struct Formula<L> {
    /// A deque, because operands are added at both ends.
    tokens: VecDeque<Token<L>>,
}

impl<L> Formula<L> {
    /// A formula of one leaf.
    pub(crate) fn leaf(leaf: L) -> Self {
        Self {
            tokens: VecDeque::from([Token::Is(leaf)]),
        }
    }

    /// These tokens.
    ///
    /// # Panics
    ///
    /// Panics if they are not a postfix program with one result.
    pub(crate) fn of_tokens(tokens: Vec<Token<L>>) -> Self {
        assert!(is_postfix(&tokens), "one result in postfix order");
        Self {
            tokens: tokens.into(),
        }
    }

    /// All of these hold. Does not join their operands.
    pub(crate) fn all(formulas: impl IntoIterator<Item = Self>) -> Self {
        let mut tokens = VecDeque::new();
        let mut n_operands = 0;
        for formula in formulas {
            tokens.extend(formula.tokens);
            n_operands += 1;
        }
        tokens.push_back(Token::All(n_operands));
        Self { tokens }
    }

    /// Both hold. Joins the operands of two such formulas into one list. O(length of the shorter one), amortized.
    pub(crate) fn and(self, other: Self) -> Self {
        let of_all = |token: &Token<L>| match token {
            Token::All(n @ 1..) => Some(*n),
            _ => None,
        };
        self.join(other, of_all, Token::All)
    }

    /// At least one holds. Joins the operands of two such formulas into one list. O(length of the shorter one), amortized.
    pub(crate) fn or(self, other: Self) -> Self {
        let of_any = |token: &Token<L>| match token {
            Token::Any(n @ 1..) => Some(*n),
            _ => None,
        };
        self.join(other, of_any, Token::Any)
    }

    /// `joined`: how many operands a token joins, if it is the operator that `operator` makes.
    fn join(
        mut self,
        mut other: Self,
        joined: impl Fn(&Token<L>) -> Option<u32>,
        operator: impl FnOnce(u32) -> Token<L>,
    ) -> Self {
        let take_operands = |formula: &mut Self| {
            let n_operands = formula.tokens.back().and_then(&joined);
            if n_operands.is_some() {
                formula.tokens.pop_back();
            }
            n_operands.unwrap_or(1)
        };
        let n_operands = take_operands(&mut self) + take_operands(&mut other);
        let mut tokens = if self.tokens.len() < other.tokens.len() {
            for token in self.tokens.into_iter().rev() {
                other.tokens.push_front(token);
            }
            other.tokens
        } else {
            self.tokens.extend(other.tokens);
            self.tokens
        };
        tokens.push_back(operator(n_operands));
        Self { tokens }
    }

    /// The same formula over other leaves. `leaf` is called in the order of the leaves.
    pub(crate) fn map<T>(&self, mut leaf: impl FnMut(&L) -> T) -> Formula<T> {
        let tokens = self.tokens.iter().map(|token| match token {
            Token::Is(one) => Token::Is(leaf(one)),
            Token::Not => Token::Not,
            Token::All(n) => Token::All(*n),
            Token::Any(n) => Token::Any(*n),
        });
        Formula {
            tokens: tokens.collect(),
        }
    }

    /// All leaves, from the first to the last.
    pub(crate) fn leaves(&self) -> impl Iterator<Item = &L> {
        self.tokens.iter().filter_map(|token| match token {
            Token::Is(leaf) => Some(leaf),
            _ => None,
        })
    }

    /// As [`leaves`](Self::leaves).
    pub(crate) fn leaves_mut(&mut self) -> impl Iterator<Item = &mut L> {
        self.tokens.iter_mut().filter_map(|token| match token {
            Token::Is(leaf) => Some(leaf),
            _ => None,
        })
    }

    /// The postfix program.
    pub(crate) fn tokens(&self) -> impl DoubleEndedIterator<Item = &Token<L>> + ExactSizeIterator {
        self.tokens.iter()
    }
}

impl<L> core::ops::Not for Formula<L> {
    type Output = Self;

    /// Two negations cancel.
    fn not(mut self) -> Self {
        match self.tokens.back() {
            Some(Token::Not) => {
                self.tokens.pop_back();
            }
            _ => self.tokens.push_back(Token::Not),
        }
        self
    }
}
