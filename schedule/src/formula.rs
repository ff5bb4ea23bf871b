//! What has to hold, as a formula: of conditions while it is declared, of answers when it runs.

use core::fmt;

use schedule_graph::internal::Token;

/// A formula over leaves of any kind.
#[derive(Clone, Debug)]
pub(crate) enum Formula<L> {
    Is(L),
    Not(Box<Self>),
    All(Vec<Self>),
    Any(Vec<Self>),
}

impl<L: fmt::Display> fmt::Display for Formula<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let join = |f: &mut fmt::Formatter<'_>, formulas: &[Self], word: &str, none: &str| {
            if formulas.is_empty() {
                return f.write_str(none);
            }
            for (i, formula) in formulas.iter().enumerate() {
                let is_simple = matches!(formula, Self::Is(_) | Self::Not(_));
                f.write_str(if i == 0 { "" } else { word })?;
                if is_simple || formulas.len() == 1 {
                    write!(f, "{formula}")?;
                } else {
                    write!(f, "({formula})")?;
                }
            }
            Ok(())
        };
        match self {
            Self::Is(leaf) => leaf.fmt(f),
            Self::Not(formula) if matches!(**formula, Self::Is(_)) => write!(f, "not {formula}"),
            Self::Not(formula) => write!(f, "not ({formula})"),
            Self::All(formulas) => join(f, formulas, " and ", "always"),
            Self::Any(formulas) => join(f, formulas, " or ", "never"),
        }
    }
}

impl<L> Formula<L> {
    /// The same, of other leaves.
    pub(crate) fn map<T>(&self, leaf: &mut impl FnMut(&L) -> T) -> Formula<T> {
        match self {
            Self::Is(one) => Formula::Is(leaf(one)),
            Self::Not(formula) => Formula::Not(Box::new(formula.map(leaf))),
            Self::All(formulas) => Formula::All(formulas.iter().map(|one| one.map(leaf)).collect()),
            Self::Any(formulas) => Formula::Any(formulas.iter().map(|one| one.map(leaf)).collect()),
        }
    }

    /// Whether it holds, if `leaf` tells it of its leaves.
    pub(crate) fn holds(&self, leaf: &impl Fn(&L) -> bool) -> bool {
        match self {
            Self::Is(one) => leaf(one),
            Self::Not(formula) => !formula.holds(leaf),
            Self::All(formulas) => formulas.iter().all(|one| one.holds(leaf)),
            Self::Any(formulas) => formulas.iter().any(|one| one.holds(leaf)),
        }
    }

    /// Calls `visit` with every token in postfix form, and with its leaf if it is one.
    pub(crate) fn for_each_token(&self, visit: &mut impl FnMut(Token, Option<&L>)) {
        match self {
            Self::Is(leaf) => visit(Token::Leaf, Some(leaf)),
            Self::Not(formula) => {
                formula.for_each_token(visit);
                visit(Token::Not, None);
            }
            Self::All(formulas) | Self::Any(formulas) => {
                formulas.iter().for_each(|one| one.for_each_token(visit));
                let n = formulas.len() as u32;
                let is_all = matches!(self, Self::All(_));
                visit(if is_all { Token::All(n) } else { Token::Any(n) }, None);
            }
        }
    }

    /// Calls `visit` with every leaf.
    pub(crate) fn for_each_leaf<'a>(&'a self, visit: &mut impl FnMut(&'a L)) {
        match self {
            Self::Is(one) => visit(one),
            Self::Not(formula) => formula.for_each_leaf(visit),
            Self::All(formulas) | Self::Any(formulas) => {
                formulas.iter().for_each(|one| one.for_each_leaf(visit));
            }
        }
    }
}
