//! Conditions joined by "not", "and" and "or", as tokens in postfix order.
//!
//! No function of this module recurses, so the stack does not limit the length of a formula.

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
    /// A leaf: a condition or selector, with the required answer.
    Is(L),
    /// True if the operand before this token is false.
    Not,
    /// True if each of the last n operands is true.
    All(u32),
    /// True if at least one of the last n operands is true.
    Any(u32),
}

impl<L> Token<L> {
    /// The number of operands of this token.
    pub(crate) const fn n_operands(&self) -> u32 {
        match self {
            Self::Is(_) => 0,
            Self::Not => 1,
            Self::All(n) | Self::Any(n) => *n,
        }
    }
}

/// Whether each operator has its operands, and exactly one result remains.
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
    // The starts of the operands that no operator has taken yet.
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
#[derive(Clone, PartialEq)]
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

    /// Creates a formula of these tokens.
    ///
    /// # Panics
    ///
    /// If they are not a postfix program with one result.
    pub(crate) fn of_tokens(tokens: Vec<Token<L>>) -> Self {
        assert!(is_postfix(&tokens), "one result in postfix order");
        Self {
            tokens: tokens.into(),
        }
    }

    /// True if all formulas are true. Does not join their operands.
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

    /// True if both are true. Joins the operands of two `All` formulas into one list. O(length of the shorter one),
    /// amortized.
    pub(crate) fn and(self, other: Self) -> Self {
        let of_all = |token: &Token<L>| match token {
            Token::All(n @ 1..) => Some(*n),
            _ => None,
        };
        self.join(other, of_all, Token::All)
    }

    /// True if at least one is true. Joins the operands of two `Any` formulas into one list. O(length of the shorter
    /// one), amortized.
    pub(crate) fn or(self, other: Self) -> Self {
        let of_any = |token: &Token<L>| match token {
            Token::Any(n @ 1..) => Some(*n),
            _ => None,
        };
        self.join(other, of_any, Token::Any)
    }

    /// Joins two formulas by `operator`. `joined`: the number of operands of a token of the same operator, otherwise
    /// `None`.
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

    /// The same formula with other leaves. Calls `leaf` in the order of the leaves.
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

    /// Like [`leaves`](Self::leaves), mutable.
    pub(crate) fn leaves_mut(&mut self) -> impl Iterator<Item = &mut L> {
        self.tokens.iter_mut().filter_map(|token| match token {
            Token::Is(leaf) => Some(leaf),
            _ => None,
        })
    }

    /// The tokens in postfix order.
    pub(crate) fn tokens(&self) -> impl DoubleEndedIterator<Item = &Token<L>> + ExactSizeIterator {
        self.tokens.iter()
    }
}

impl<L> core::ops::Not for Formula<L> {
    type Output = Self;

    /// Negates the formula. Two negations cancel.
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
