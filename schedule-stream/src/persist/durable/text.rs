//! Values as text for error messages, in the form of `Debug`. Answers need not implement `Debug`, but they can be serialized.

use core::fmt::{self, Display, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::Serialize;
use serde::ser::{self, Serializer};

/// The length in bytes after which a text is cut.
const MAX_BYTES: usize = 300;

/// Returns a value as text, for example `Trade { id: 5, price: Some(7) }`. A long text is cut, and so is one after an error of
/// the value.
pub(super) fn of<T: Serialize + ?Sized>(value: &T) -> String {
    let mut text = String::new();
    // The code that serializes a value is user code, and may panic.
    let written = catch_unwind(AssertUnwindSafe(|| value.serialize(Text { to: &mut text })));
    if !matches!(written, Ok(Ok(()))) {
        text.push('…');
    }
    text
}

/// Returns the beginning of a text that is too long for a message.
pub(super) fn cut(mut text: String) -> String {
    if text.len() > MAX_BYTES {
        text.truncate(text.floor_char_boundary(MAX_BYTES));
        text.push('…');
    }
    text
}

struct Text<'t> {
    to: &'t mut String,
}

/// The value cannot be serialized, or its text is too long.
#[derive(Debug)]
struct TextError;

impl Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the value cannot be printed")
    }
}

impl std::error::Error for TextError {}

impl ser::Error for TextError {
    fn custom<T: Display>(_: T) -> Self {
        Self
    }
}

impl From<fmt::Error> for TextError {
    fn from(_: fmt::Error) -> Self {
        Self
    }
}

impl<'t> Text<'t> {
    fn write(self, text: fmt::Arguments<'_>) -> Result<(), TextError> {
        if self.to.len() > MAX_BYTES {
            return Err(TextError);
        }
        let start = self.to.len();
        self.to.write_fmt(text)?;
        let rest = self.to.split_off(start);
        *self.to += &cut(rest);
        Ok(())
    }

    /// Begins a value with parts.
    fn begin(
        self,
        open: fmt::Arguments<'_>,
        close: &'static str,
    ) -> Result<TextParts<'t>, TextError> {
        let Self { to } = self;
        Text { to }.write(open)?;
        Ok(TextParts {
            to,
            n: 0,
            is_padded: close == " }",
            close,
        })
    }
}

/// A value of which some parts are written.
struct TextParts<'t> {
    to: &'t mut String,
    n: usize,
    /// Whether a space comes before the first part.
    is_padded: bool,
    close: &'static str,
}

impl TextParts<'_> {
    fn separate(&mut self) -> Result<(), TextError> {
        let separator = match (self.n, self.is_padded) {
            (0, true) => " ",
            (0, false) => "",
            _ => ", ",
        };
        self.n += 1;
        Text { to: self.to }.write(format_args!("{separator}"))
    }

    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), TextError> {
        self.separate()?;
        value.serialize(Text { to: self.to })
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), TextError> {
        self.separate()?;
        Text { to: self.to }.write(format_args!("{name}: "))?;
        value.serialize(Text { to: self.to })
    }

    fn close(self) -> Result<(), TextError> {
        let Self { to, close, .. } = self;
        to.push_str(close);
        Ok(())
    }
}

/// Methods that write one value as `Debug` does.
macro_rules! debug {
    ($($name:ident: $of:ty),*) => { $(
        fn $name(self, value: $of) -> Result<(), TextError> {
            self.write(format_args!("{value:?}"))
        }
    )* };
}

impl<'t> Serializer for Text<'t> {
    type Ok = ();
    type Error = TextError;
    type SerializeSeq = TextParts<'t>;
    type SerializeTuple = TextParts<'t>;
    type SerializeTupleStruct = TextParts<'t>;
    type SerializeTupleVariant = TextParts<'t>;
    type SerializeMap = TextParts<'t>;
    type SerializeStruct = TextParts<'t>;
    type SerializeStructVariant = TextParts<'t>;

    debug!(serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64);
    debug!(serialize_i128: i128, serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64);
    debug!(serialize_u128: u128, serialize_f32: f32, serialize_f64: f64, serialize_char: char);
    debug!(serialize_str: &str, serialize_bytes: &[u8]);

    fn serialize_none(self) -> Result<(), TextError> {
        self.write(format_args!("None"))
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), TextError> {
        self.serialize_newtype_struct("Some", value)
    }

    fn serialize_unit(self) -> Result<(), TextError> {
        self.write(format_args!("()"))
    }

    fn serialize_unit_struct(self, name: &'static str) -> Result<(), TextError> {
        self.write(format_args!("{name}"))
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), TextError> {
        self.write(format_args!("{variant}"))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), TextError> {
        let mut parts = self.begin(format_args!("{name}("), ")")?;
        parts.element(value)?;
        parts.close()
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), TextError> {
        self.serialize_newtype_struct(variant, value)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<TextParts<'t>, TextError> {
        self.begin(format_args!("["), "]")
    }

    fn serialize_tuple(self, _: usize) -> Result<TextParts<'t>, TextError> {
        self.begin(format_args!("("), ")")
    }

    fn serialize_tuple_struct(
        self,
        name: &'static str,
        _: usize,
    ) -> Result<TextParts<'t>, TextError> {
        self.begin(format_args!("{name}("), ")")
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<TextParts<'t>, TextError> {
        self.begin(format_args!("{variant}("), ")")
    }

    fn serialize_map(self, _: Option<usize>) -> Result<TextParts<'t>, TextError> {
        self.begin(format_args!("{{"), "}")
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<TextParts<'t>, TextError> {
        self.begin(format_args!("{name} {{"), " }")
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<TextParts<'t>, TextError> {
        self.begin(format_args!("{variant} {{"), " }")
    }
}

/// The traits of values whose parts have no names.
macro_rules! elements {
    ($($of:ident::$method:ident),*) => { $(
        impl ser::$of for TextParts<'_> {
            type Ok = ();
            type Error = TextError;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), TextError> {
                self.element(value)
            }

            fn end(self) -> Result<(), TextError> {
                self.close()
            }
        }
    )* };
}

elements!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element
);
elements!(
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field
);

/// The traits of values whose parts have names.
macro_rules! fields {
    ($($of:ident),*) => { $(
        impl ser::$of for TextParts<'_> {
            type Ok = ();
            type Error = TextError;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), TextError> {
                self.field(name, value)
            }

            fn end(self) -> Result<(), TextError> {
                self.close()
            }
        }
    )* };
}

fields!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for TextParts<'_> {
    type Ok = ();
    type Error = TextError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), TextError> {
        self.element(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), TextError> {
        Text { to: self.to }.write(format_args!(": "))?;
        value.serialize(Text { to: self.to })
    }

    fn end(self) -> Result<(), TextError> {
        self.close()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(Debug, Serialize)]
    enum Kind {
        Unit,
        Tuple(u8, &'static str),
        Struct { first: Option<i64>, second: () },
    }

    #[derive(Debug, Serialize)]
    struct All {
        kinds: Vec<Kind>,
        map: BTreeMap<char, (bool, f64)>,
        wrapped: Wrapped,
    }

    #[derive(Debug, Serialize)]
    struct Wrapped(u128);

    #[test]
    fn texts_are_those_of_debug() {
        let second = ();
        let first = Some(-3);
        let all = All {
            kinds: vec![
                Kind::Unit,
                Kind::Tuple(1, "a \"b\""),
                Kind::Struct { first, second },
                Kind::Struct {
                    first: None,
                    second,
                },
            ],
            map: BTreeMap::from([('x', (true, 0.5)), ('y', (false, 2.0))]),
            wrapped: Wrapped(u128::MAX),
        };
        assert_eq!(of(&all), format!("{all:?}"));
    }

    #[test]
    fn long_texts_are_cut() {
        let text = of(&vec![7_u64; 1_000]);
        assert!(text.starts_with("[7, 7, 7") && text.ends_with('…'));
        assert!(text.len() < 2 * MAX_BYTES, "{} bytes", text.len());
        let text = of(&"ä".repeat(1_000));
        assert!(text.starts_with("\"ää") && text.ends_with('…'));
        assert!(text.len() < 2 * MAX_BYTES, "{} bytes", text.len());
    }

    #[test]
    fn text_before_a_panic_is_kept() {
        struct Panics;
        impl Serialize for Panics {
            fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
                panic!("this value cannot be serialized");
            }
        }
        assert_eq!(of(&(5, Panics)), "(5, …");
    }
}
