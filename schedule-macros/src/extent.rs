//! Finds the end of parts of an entry from tokens alone, for code that runs before parsing or after parsing failed.

use proc_macro2::{Delimiter, Spacing, TokenTree};

/// Returns the number of tokens of the closure that starts here, including its body. If the closure has no body, it ends with its second
/// bar.
///
/// Returns `None` if no closure starts here. A `move` before the closure is not part of it.
pub(crate) fn closure(trees: &[TokenTree]) -> Option<usize> {
    if !is_punct(trees.first(), '|') {
        return None;
    }
    let is_bar = |tree: &TokenTree| is_punct(Some(tree), '|');
    let n_parameters = trees[1..].iter().position(is_bar)?;
    let bars = n_parameters + 2;
    let is_typed = starts_arrow(&trees[bars..]);
    let mut depth = Depth::default();
    for (idx, tree) in trees.iter().enumerate().skip(bars) {
        let is_outside = depth.is_outside(tree);
        if is_outside && is_block(tree) {
            return Some(idx + 1);
        }
        if !is_typed || is_outside && is_punct(Some(tree), ',') {
            break;
        }
    }
    Some(bars)
}

/// Returns whether an entry continues with these tokens after a block: with a name, an arrow or clauses.
pub(crate) fn continues(trees: &[TokenTree]) -> bool {
    match trees {
        [TokenTree::Ident(word), ..] => word == "as",
        // A path may start with `::`.
        [TokenTree::Punct(colon), ..] if colon.as_char() == ':' => {
            colon.spacing() == Spacing::Alone || !is_punct(trees.get(1), ':')
        }
        _ => starts_arrow(trees),
    }
}

pub(crate) fn starts_arrow(trees: &[TokenTree]) -> bool {
    is_punct(trees.first(), '-') && is_punct(trees.get(1), '>')
}

pub(crate) fn is_punct(tree: Option<&TokenTree>, char: char) -> bool {
    matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == char)
}

pub(crate) fn is_block(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

/// Counts angle brackets. Inside of them, a comma separates arguments, and a block is a constant.
#[derive(Default)]
pub(crate) struct Depth {
    n_open: u32,
    is_after_sign: bool,
}

impl Depth {
    /// Takes the next token. Returns whether it is outside of all angle brackets. The brackets themselves count as inside.
    pub(crate) fn is_outside(&mut self, tree: &TokenTree) -> bool {
        let was_after_sign = core::mem::replace(&mut self.is_after_sign, false);
        let TokenTree::Punct(punct) = tree else {
            return self.n_open == 0;
        };
        match punct.as_char() {
            '<' => {
                self.n_open += 1;
                return false;
            }
            '>' if !was_after_sign => {
                self.n_open = self.n_open.saturating_sub(1);
                return false;
            }
            '-' | '=' => self.is_after_sign = punct.spacing() == Spacing::Joint,
            _ => {}
        }
        self.n_open == 0
    }
}
