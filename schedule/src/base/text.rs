//! Messages that are built in a `const`.
//!
//! `format!` is not `const`, but `panic!("{}", text)` in const evaluation prints a `&str`. The verifier writes its
//! message, with the user's names, into this buffer before it fails the build.

use crate::base::identity::{Argument, Name, brackets};

/// At most [`Text::CAPACITY`] bytes of text. Longer text is cut, and ends with `…`.
#[derive(Clone, Copy)]
pub struct Text {
    bytes: [u8; Self::CAPACITY],
    len: usize,
    is_cut: bool,
}

impl Text {
    /// The maximum length in bytes.
    pub const CAPACITY: usize = 1024;
    const CUT: &'static str = "…";

    /// An empty text.
    #[expect(clippy::new_without_default, reason = "a default is not `const`")]
    pub const fn new() -> Self {
        Self {
            bytes: [0; Self::CAPACITY],
            len: 0,
            is_cut: false,
        }
    }

    /// Adds text. Cuts only between characters. O(length).
    pub const fn str(mut self, text: &str) -> Self {
        let bytes = text.as_bytes();
        if self.is_cut {
            return self;
        }
        let mut fits = bytes.len();
        let space = Self::CAPACITY - Self::CUT.len() - self.len;
        if fits > space {
            fits = text.floor_char_boundary(space);
            self.is_cut = true;
        }
        let mut i = 0;
        while i < fits {
            self.bytes[self.len] = bytes[i];
            self.len += 1;
            i += 1;
        }
        if self.is_cut {
            let mark = Self::CUT.as_bytes();
            let mut i = 0;
            while i < mark.len() {
                self.bytes[self.len] = mark[i];
                self.len += 1;
                i += 1;
            }
        }
        self
    }

    /// Adds a number in decimal digits.
    pub const fn number(self, value: i128) -> Self {
        // An `i128` has at most 39 digits and a sign.
        let mut digits = [0u8; 41];
        let mut at = digits.len();
        let mut rest = value.unsigned_abs();
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if value < 0 {
            at -= 1;
            digits[at] = b'-';
        }
        match core::str::from_utf8(digits.split_at(at).1) {
            Ok(text) => self.str(text),
            Err(_) => panic!("digits are ASCII"),
        }
    }

    /// Adds a name with its generic arguments.
    pub const fn name(self, name: Name) -> Self {
        let (open, close) = brackets(name.base());
        let arguments = name.arguments();
        let mut text = self.str(name.base());
        let mut i = 0;
        while i < arguments.len() {
            text = text.str(if i == 0 { open } else { ", " });
            text = match arguments[i] {
                Argument::Type(name) => text.name(name),
                Argument::Value(value) => text.number(value),
            };
            i += 1;
        }
        let text = text.str(if arguments.is_empty() { "" } else { close });
        match name.store() {
            None => text,
            Some(store) => text.str(" in ").name(*store),
        }
    }

    /// Whether `lines` occur as consecutive whole lines. O(product of both lengths).
    pub const fn has_lines(&self, lines: &Self) -> bool {
        let mut start = 0;
        while start + lines.len <= self.len {
            let end = start + lines.len;
            let is_begin = start == 0 || self.bytes[start - 1] == b'\n';
            let is_end = end == self.len || self.bytes[end] == b'\n';
            let mut i = 0;
            while is_begin && is_end && i < lines.len && self.bytes[start + i] == lines.bytes[i] {
                i += 1;
            }
            if is_begin && is_end && i == lines.len {
                return true;
            }
            start += 1;
        }
        false
    }

    /// The text.
    pub const fn as_str(&self) -> &str {
        match core::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => panic!("only whole characters are added"),
        }
    }
}

impl core::fmt::Debug for Text {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.as_str().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Identity;

    #[test]
    fn search_finds_only_whole_lines() {
        let text = |text| Text::new().str(text);
        let all = text("a `R`\n  help\nb");
        for one in ["a `R`", "a `R`\n  help", "  help", "b", all.as_str()] {
            assert!(all.has_lines(&text(one)), "{one}");
        }
        for other in ["a", "help", "`R`", "b\n", "a `R`\nb", "c"] {
            assert!(!all.has_lines(&text(other)), "{other}");
        }
    }

    #[test]
    fn name_as_text_equals_its_display() {
        type Long = Result<Vec<(u8, [i8; 3])>, std::collections::HashMap<String, ()>>;
        assert_eq!(
            Text::new().name(Long::NAME).as_str(),
            Long::NAME.to_string()
        );
    }

    #[test]
    fn numbers_have_all_their_digits() {
        for value in [0, 7, -1, i128::MAX, i128::MIN] {
            assert_eq!(Text::new().number(value).as_str(), value.to_string());
        }
    }

    #[test]
    fn too_long_text_is_cut_at_a_character_boundary() {
        let full = "ä".repeat(Text::CAPACITY);
        let text = Text::new().str("x").str(&full).str("never");
        assert!(text.as_str().ends_with("ä…"));
        assert!(text.as_str().len() <= Text::CAPACITY);
    }
}
