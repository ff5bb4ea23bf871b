//! The bytes of values, which are those of `postcard`. Lists of numbers of one size are written as one block.

#[cfg(test)]
mod tests;

use core::fmt::Display;

use postcard::ser_flavors::Flavor;
use postcard::{Error, Result, Serializer};
use serde::ser::{
    self, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant,
};

/// Appends a value to a buffer, by its `serde` implementation.
///
/// # Errors
///
/// Fails as the serializer of `postcard`. Then a part of the value may be in the buffer.
pub(super) fn append<T: Serialize + ?Sized>(value: &T, to: &mut Vec<u8>) -> Result<()> {
    let inner = Serializer {
        output: Appended(to),
    };
    value.serialize(&mut ValueSerializer { inner })
}

/// The serializer of `postcard`, except for integers of variable size and the lists of [`append_numbers`].
struct ValueSerializer<'e> {
    inner: Serializer<Appended<'e>>,
}

impl ValueSerializer<'_> {
    /// Appends seven bits in each byte, the lowest first. All bytes but the last have the highest bit.
    #[inline]
    fn append_varint(&mut self, mut number: u64) {
        let to = &mut *self.inner.output.0;
        while number >= 0x80 {
            to.push(number as u8 | 0x80);
            number >>= 7;
        }
        to.push(number as u8);
    }
}

/// Appends bytes to a buffer.
struct Appended<'e>(&'e mut Vec<u8>);

impl Flavor for Appended<'_> {
    type Output = ();

    #[inline]
    fn try_extend(&mut self, bytes: &[u8]) -> Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    #[inline]
    fn try_push(&mut self, byte: u8) -> Result<()> {
        self.0.push(byte);
        Ok(())
    }

    fn finalize(self) -> Result<()> {
        Ok(())
    }
}

/// The `N` bytes of one number.
struct NumberBytes<const N: usize>([u8; N]);

impl<const N: usize> Flavor for NumberBytes<N> {
    type Output = [u8; N];

    #[inline]
    fn try_extend(&mut self, bytes: &[u8]) -> Result<()> {
        self.0 = bytes.try_into().map_err(|_| Error::SerializeBufferFull)?;
        Ok(())
    }

    #[inline]
    fn try_push(&mut self, byte: u8) -> Result<()> {
        self.try_extend(&[byte])
    }

    #[inline]
    fn finalize(self) -> Result<[u8; N]> {
        Ok(self.0)
    }
}

/// Whether a type is `T` or `&T`.
#[inline]
fn is_number<I, T: 'static>() -> bool {
    let of = typeid::of::<I>();
    of == typeid::of::<T>() || of == typeid::of::<&T>()
}

/// Returns the size in bytes of an item of a list, if all values of its type have this size and are written by one call.
#[inline]
fn number_size<I>() -> Option<usize> {
    if is_number::<I, u8>() || is_number::<I, i8>() || is_number::<I, bool>() {
        Some(1)
    } else if is_number::<I, f32>() {
        Some(4)
    } else if is_number::<I, f64>() {
        Some(8)
    } else {
        None
    }
}

/// Appends numbers of `N` bytes. The compiler makes this one copy of the whole list, if the numbers are in a slice.
#[inline]
fn append_numbers<const N: usize>(
    numbers: impl Iterator<Item: Serialize>,
    to: &mut Vec<u8>,
) -> Result<()> {
    let mut is_error = false;
    to.extend(numbers.flat_map(|number| {
        let bytes = postcard::serialize_with_flavor(&number, NumberBytes([0; N]));
        is_error |= bytes.is_err();
        bytes.unwrap_or([0; N])
    }));
    if is_error {
        return Err(Error::SerializeBufferFull);
    }
    Ok(())
}

/// Returns a number that is small if the absolute value is small.
#[inline]
fn zig_zag(value: impl Into<i64>) -> u64 {
    let value = value.into();
    ((value << 1) ^ (value >> 63)) as u64
}

/// Writes integers of variable size. `postcard` does it by a call that copies a few bytes, which takes three times as long.
macro_rules! varint {
    ($($($name:ident: $type:ty),* as $number:expr,)*) => {
        $($(
            #[inline]
            fn $name(self, value: $type) -> Result<()> {
                self.append_varint($number(value));
                Ok(())
            }
        )*)*
    };
}

/// Forwards calls without parts of other types.
macro_rules! forward {
    ($($name:ident: $type:ty,)*) => {
        $(
            #[inline]
            fn $name(self, value: $type) -> Result<()> {
                self.inner.$name(value)
            }
        )*
    };
}

impl ser::Serializer for &mut ValueSerializer<'_> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    varint! {
        serialize_u16: u16, serialize_u32: u32, serialize_u64: u64 as u64::from,
        serialize_i16: i16, serialize_i32: i32, serialize_i64: i64 as zig_zag,
    }

    forward! {
        serialize_bool: bool,
        serialize_i8: i8,
        serialize_i128: i128,
        serialize_u8: u8,
        serialize_u128: u128,
        serialize_f32: f32,
        serialize_f64: f64,
        serialize_char: char,
        serialize_str: &str,
        serialize_bytes: &[u8],
        serialize_unit_struct: &'static str,
    }

    #[inline]
    fn is_human_readable(&self) -> bool {
        false
    }

    #[inline]
    fn serialize_none(self) -> Result<()> {
        self.inner.serialize_none()
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        self.inner.serialize_some(&())?; // `()` has no bytes
        value.serialize(self)
    }

    #[inline]
    fn serialize_unit(self) -> Result<()> {
        self.inner.serialize_unit()
    }

    #[inline]
    fn serialize_unit_variant(
        self,
        name: &'static str,
        idx: u32,
        variant: &'static str,
    ) -> Result<()> {
        self.inner.serialize_unit_variant(name, idx, variant)
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<()> {
        value.serialize(self)
    }

    #[inline]
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        idx: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        let inner = &mut self.inner;
        inner.serialize_newtype_variant(name, idx, variant, &())?;
        value.serialize(self)
    }

    #[inline]
    fn serialize_seq(self, len: Option<usize>) -> Result<Self> {
        self.inner.serialize_seq(len)?;
        Ok(self)
    }

    #[inline]
    fn serialize_tuple(self, len: usize) -> Result<Self> {
        self.inner.serialize_tuple(len)?;
        Ok(self)
    }

    #[inline]
    fn serialize_tuple_struct(self, name: &'static str, len: usize) -> Result<Self> {
        self.inner.serialize_tuple_struct(name, len)?;
        Ok(self)
    }

    #[inline]
    fn serialize_tuple_variant(
        self,
        name: &'static str,
        idx: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Self> {
        let inner = &mut self.inner;
        inner.serialize_tuple_variant(name, idx, variant, len)?;
        Ok(self)
    }

    #[inline]
    fn serialize_map(self, len: Option<usize>) -> Result<Self> {
        self.inner.serialize_map(len)?;
        Ok(self)
    }

    #[inline]
    fn serialize_struct(self, name: &'static str, len: usize) -> Result<Self> {
        self.inner.serialize_struct(name, len)?;
        Ok(self)
    }

    #[inline]
    fn serialize_struct_variant(
        self,
        name: &'static str,
        idx: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Self> {
        let inner = &mut self.inner;
        inner.serialize_struct_variant(name, idx, variant, len)?;
        Ok(self)
    }

    #[inline]
    fn collect_seq<I: IntoIterator<Item: Serialize>>(self, items: I) -> Result<()> {
        let mut items = items.into_iter();
        let (min, max) = items.size_hint();
        let len = max.filter(|max| *max == min);
        let list = self.serialize_seq(len)?;
        let to = &mut *list.inner.output.0;
        match number_size::<I::Item>() {
            Some(1) => append_numbers::<1>(items, to),
            Some(4) => append_numbers::<4>(items, to),
            Some(8) => append_numbers::<8>(items, to),
            _ => items.try_for_each(|item| item.serialize(&mut *list)),
        }
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<()> {
        self.inner.collect_str(value)
    }
}

/// Implements the traits of values with parts. `postcard` writes nothing between parts, and nothing at the end.
macro_rules! parts {
    ($($trait:ident { $($method:ident($($key:ty)?)),* })*) => {
        $(
            impl $trait for &mut ValueSerializer<'_> {
                type Ok = ();
                type Error = Error;

                $(
                    #[inline]
                    fn $method<T: Serialize + ?Sized>(&mut self, $(_: $key,)? value: &T) -> Result<()> {
                        value.serialize(&mut **self)
                    }
                )*

                #[inline]
                fn end(self) -> Result<()> {
                    Ok(())
                }
            }
        )*
    };
}

parts! {
    SerializeSeq { serialize_element() }
    SerializeTuple { serialize_element() }
    SerializeTupleStruct { serialize_field() }
    SerializeTupleVariant { serialize_field() }
    SerializeMap { serialize_key(), serialize_value() }
    SerializeStruct { serialize_field(&'static str) }
    SerializeStructVariant { serialize_field(&'static str) }
}
