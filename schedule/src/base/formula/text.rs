//! Writes formulas as text, with a stack of pieces that are not written yet.

use core::fmt;

use super::{Formula, Token, starts};

/// A piece of text.
enum Pending {
    Text(&'static str),
    /// The operand that ends with this token.
    Operand(usize),
}

/// The ends of the operands of the token at `root`, from the last operand to the first.
fn operands<L>(
    tokens: &[&Token<L>],
    starts: &[usize],
    root: usize,
) -> impl Iterator<Item = usize> + Clone {
    let mut end = root;
    (0..tokens[root].n_operands()).map(move |_| {
        let operand = end - 1;
        end = starts[operand];
        operand
    })
}

/// In words: `a and not (b or c)`.
impl<L: fmt::Display> fmt::Display for Formula<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tokens: Vec<&Token<L>> = self.tokens().collect();
        let starts = starts(&tokens);
        let mut open = vec![Pending::Operand(tokens.len() - 1)];
        while let Some(piece) = open.pop() {
            let root = match piece {
                Pending::Text(text) => {
                    f.write_str(text)?;
                    continue;
                }
                Pending::Operand(root) => root,
            };
            let word = match tokens[root] {
                Token::Is(leaf) => {
                    leaf.fmt(f)?;
                    continue;
                }
                Token::Not => {
                    f.write_str("not ")?;
                    ""
                }
                Token::All(0) => {
                    f.write_str("always")?;
                    continue;
                }
                Token::Any(0) => {
                    f.write_str("never")?;
                    continue;
                }
                Token::All(_) => " and ",
                Token::Any(_) => " or ",
            };
            let is_not = matches!(tokens[root], Token::Not);
            let is_only = tokens[root].n_operands() == 1;
            // The stack reverses the order, so the last piece is pushed first.
            for (nth, operand) in operands(&tokens, &starts, root).enumerate() {
                let is_plain = match tokens[operand] {
                    Token::Is(_) => true,
                    Token::Not => !is_not,
                    Token::All(_) | Token::Any(_) => is_only && !is_not,
                };
                if nth > 0 {
                    open.push(Pending::Text(word));
                }
                if is_plain {
                    open.push(Pending::Operand(operand));
                } else {
                    open.extend([
                        Pending::Text(")"),
                        Pending::Operand(operand),
                        Pending::Text("("),
                    ]);
                }
            }
        }
        Ok(())
    }
}

/// As a tree: `All([Is(a), Not(Is(b))])`.
impl<L: fmt::Debug> fmt::Debug for Formula<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_debug(&self.tokens().collect::<Vec<_>>(), f)
    }
}

/// Writes a postfix program as a tree.
pub(crate) fn write_debug<L: fmt::Debug>(
    tokens: &[&Token<L>],
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let starts = starts(tokens);
    let mut open = vec![Pending::Operand(tokens.len() - 1)];
    while let Some(piece) = open.pop() {
        let root = match piece {
            Pending::Text(text) => {
                f.write_str(text)?;
                continue;
            }
            Pending::Operand(root) => root,
        };
        let (begin, end) = match tokens[root] {
            Token::Is(leaf) => {
                f.write_str("Is(")?;
                leaf.fmt(f)?;
                f.write_str(")")?;
                continue;
            }
            Token::Not => ("Not(", ")"),
            Token::All(_) => ("All([", "])"),
            Token::Any(_) => ("Any([", "])"),
        };
        f.write_str(begin)?;
        // The stack reverses the order, so the last piece is pushed first.
        open.push(Pending::Text(end));
        for (nth, operand) in operands(tokens, &starts, root).enumerate() {
            if nth > 0 {
                open.push(Pending::Text(", "));
            }
            open.push(Pending::Operand(operand));
        }
    }
    Ok(())
}
