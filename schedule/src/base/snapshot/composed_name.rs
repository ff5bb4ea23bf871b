//! Names of generic types.

/// The maximum length of a name, in bytes: its length is saved as one byte.
pub(super) const MAX_LEN: usize = 255;

/// The name of a generic type in snapshots: `base<argument>`, composed at compile time.
///
/// ```
/// use schedule::snapshot::ComposedName;
///
/// const NAME: &str = const { ComposedName::new("records", "account") }.as_str();
/// assert_eq!(NAME, "records<account>");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ComposedName {
    /// The text is the first `len` bytes.
    bytes: [u8; MAX_LEN],
    len: usize,
}

impl ComposedName {
    /// Composes a name.
    ///
    /// # Panics
    ///
    /// Panics if the name has more than 255 bytes. In a constant, this is a compile error.
    pub const fn new(base: &str, argument: &str) -> Self {
        let empty = Self {
            bytes: [0; MAX_LEN],
            len: 0,
        };
        empty.with(base).with("<").with(argument).with(">")
    }

    const fn with(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        assert!(
            self.len + text.len() <= MAX_LEN,
            "the name of a type in snapshots must have at most 255 bytes: shorten the names of its parameters"
        );
        let mut nth = 0;
        while nth < text.len() {
            self.bytes[self.len + nth] = text[nth];
            nth += 1;
        }
        self.len += text.len();
        self
    }

    /// Returns the name.
    pub const fn as_str(&self) -> &str {
        match core::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => unreachable!(),
        }
    }
}
