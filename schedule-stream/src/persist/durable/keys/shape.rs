//! The shape of a serialized value: the names and types that its `Deserialize` implementation asks for while it reads the value.
//!
//! The bytes of `postcard` have no types. If a type has changed, its bytes are often those of another value. The shape of the
//! parts that were read shows it. Parts that the value does not have, such as other variants, may change.

use core::fmt;
use core::marker::PhantomData;
use std::hash::Hasher as _;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};
use siphasher::sip::SipHasher24;

/// A value, the digest of its shape, and the bytes after it.
pub(super) type Read<'b, T> = postcard::Result<(T, u64, &'b [u8])>;

/// Reads a value. The digest of its shape does not change between releases.
pub(super) fn read<'b, T: Deserialize<'b>>(bytes: &'b [u8]) -> Read<'b, T> {
    let mut shape = Shape(SipHasher24::new());
    let mut deserializer = postcard::Deserializer::from_bytes(bytes);
    let value = T::deserialize(Traced(&mut deserializer, &mut shape))?;
    let rest = deserializer.finalize()?;
    Ok((value, shape.0.finish(), rest))
}

/// The digest of the names and types that were read until now.
struct Shape(SipHasher24);

impl Shape {
    fn add(&mut self, word: &str) {
        self.add_number(word.len());
        self.0.write(word.as_bytes());
    }

    fn add_number(&mut self, number: usize) {
        self.0.write(&(number as u64).to_le_bytes());
    }
}

/// A part of `serde` that reads, and adds what it reads to a shape.
struct Traced<'s, T>(T, &'s mut Shape);

macro_rules! deserialize {
    ($($method:ident $word:literal ($($argument:ident: $type:ty),*),)*) => {$(
        fn $method<V: Visitor<'de>>(
            self,
            $($argument: $type,)*
            visitor: V,
        ) -> Result<V::Value, Self::Error> {
            self.1.add($word);
            self.0.$method($($argument,)* Traced(visitor, self.1))
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Traced<'_, D> {
    type Error = D::Error;

    deserialize! {
        deserialize_any "any" (),
        deserialize_bool "bool" (),
        deserialize_i8 "i8" (),
        deserialize_i16 "i16" (),
        deserialize_i32 "i32" (),
        deserialize_i64 "i64" (),
        deserialize_i128 "i128" (),
        deserialize_u8 "u8" (),
        deserialize_u16 "u16" (),
        deserialize_u32 "u32" (),
        deserialize_u64 "u64" (),
        deserialize_u128 "u128" (),
        deserialize_f32 "f32" (),
        deserialize_f64 "f64" (),
        deserialize_char "char" (),
        deserialize_str "string" (),
        deserialize_string "string" (),
        deserialize_bytes "bytes" (),
        deserialize_byte_buf "bytes" (),
        deserialize_option "option" (),
        deserialize_unit "unit" (),
        deserialize_seq "sequence" (),
        deserialize_map "map" (),
        deserialize_identifier "identifier" (),
        deserialize_ignored_any "ignored" (),
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.1.add("unit struct");
        self.1.add(name);
        let visitor = Traced(visitor, self.1);
        self.0.deserialize_unit_struct(name, visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.1.add("newtype struct");
        self.1.add(name);
        let visitor = Traced(visitor, self.1);
        self.0.deserialize_newtype_struct(name, visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.1.add("tuple");
        self.1.add_number(len);
        self.0.deserialize_tuple(len, Traced(visitor, self.1))
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.1.add("tuple struct");
        self.1.add(name);
        self.1.add_number(len);
        let visitor = Traced(visitor, self.1);
        self.0.deserialize_tuple_struct(name, len, visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.1.add("struct");
        self.1.add(name);
        self.1.add_number(fields.len());
        fields.iter().for_each(|field| self.1.add(field));
        let visitor = Traced(visitor, self.1);
        self.0.deserialize_struct(name, fields, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.1.add("enum");
        self.1.add(name);
        let visitor = Traced(Variants(visitor, variants), self.1);
        self.0.deserialize_enum(name, variants, visitor)
    }

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }
}

macro_rules! visit {
    ($($method:ident($type:ty),)*) => {$(
        fn $method<E: serde::de::Error>(self, value: $type) -> Result<V::Value, E> {
            self.0.$method(value)
        }
    )*};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Traced<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    visit! {
        visit_bool(bool),
        visit_i8(i8),
        visit_i16(i16),
        visit_i32(i32),
        visit_i64(i64),
        visit_i128(i128),
        visit_u8(u8),
        visit_u16(u16),
        visit_u32(u32),
        visit_u64(u64),
        visit_u128(u128),
        visit_f32(f32),
        visit_f64(f64),
        visit_char(char),
        visit_str(&str),
        visit_borrowed_str(&'de str),
        visit_string(String),
        visit_bytes(&[u8]),
        visit_borrowed_bytes(&'de [u8]),
        visit_byte_buf(Vec<u8>),
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<V::Value, E> {
        self.0.visit_none()
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<V::Value, E> {
        self.0.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<V::Value, D::Error> {
        self.0.visit_some(Traced(from, self.1))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, from: D) -> Result<V::Value, D::Error> {
        self.0.visit_newtype_struct(Traced(from, self.1))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, from: A) -> Result<V::Value, A::Error> {
        self.0.visit_seq(Traced(from, self.1))
    }

    fn visit_map<A: MapAccess<'de>>(self, from: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(Traced(from, self.1))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Traced<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<S::Value, D::Error> {
        self.0.deserialize(Traced(from, self.1))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Traced<'_, A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.0.next_element_seed(Traced(seed, self.1))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Traced<'_, A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.0.next_key_seed(Traced(seed, self.1))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.0.next_value_seed(Traced(seed, self.1))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

/// The visitor or the content of an enum, and the names of its variants.
struct Variants<T>(T, &'static [&'static str]);

impl<'de, V: Visitor<'de>> Visitor<'de> for Traced<'_, Variants<V>> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.0.expecting(f)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, from: A) -> Result<V::Value, A::Error> {
        let Variants(visitor, names) = self.0;
        visitor.visit_enum(Traced(Variants(from, names), self.1))
    }
}

impl<'de, 's, A: EnumAccess<'de>> EnumAccess<'de> for Traced<'s, Variants<A>> {
    type Error = A::Error;
    type Variant = Traced<'s, A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self::Variant), A::Error> {
        let Variants(from, names) = self.0;
        let (index, content) = from.variant_seed(PhantomData::<u32>)?;
        let name = names.get(index as usize).copied();
        self.1.add(name.unwrap_or_default());
        let variant = seed.deserialize(index.into_deserializer())?;
        Ok((variant, Traced(content, self.1)))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Traced<'_, A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.1.add("unit");
        self.0.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.1.add("newtype");
        self.0.newtype_variant_seed(Traced(seed, self.1))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.1.add("tuple");
        self.1.add_number(len);
        self.0.tuple_variant(len, Traced(visitor, self.1))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.1.add("struct");
        self.1.add_number(fields.len());
        fields.iter().for_each(|field| self.1.add(field));
        self.0.struct_variant(fields, Traced(visitor, self.1))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Serialize};

    use super::*;

    fn shape<'b, T: Deserialize<'b>>(bytes: &'b [u8]) -> u64 {
        let (_, shape, rest) = read::<T>(bytes).unwrap();
        assert!(rest.is_empty());
        shape
    }

    #[derive(Serialize, Deserialize, Debug, PartialEq)]
    enum Kind {
        Unit,
        Newtype(Option<u8>),
        Tuple(i64, char),
        Struct { map: BTreeMap<String, Vec<f64>> },
    }

    #[test]
    fn value_is_read_as_without_its_shape() {
        let map = BTreeMap::from([("a".to_string(), vec![0.5, 2.0])]);
        let kinds = [
            Kind::Unit,
            Kind::Newtype(Some(3)),
            Kind::Newtype(None),
            Kind::Tuple(-5, 'x'),
            Kind::Struct { map },
        ];
        let bytes = postcard::to_allocvec(&kinds).unwrap();
        let (found, _, rest) = read::<[Kind; 5]>(&bytes).unwrap();
        assert_eq!((found, rest), (kinds, &[][..]));
    }

    #[test]
    fn other_types_for_the_same_bytes_have_other_shapes() {
        #[derive(Deserialize)]
        #[expect(dead_code, reason = "only its shape is used")]
        struct Wrapped(i64);
        #[derive(Deserialize)]
        #[expect(dead_code, reason = "only its shape is used")]
        struct Named {
            free: i64,
        }
        mod renamed {
            use serde::Deserialize;

            #[derive(Deserialize)]
            #[expect(dead_code, reason = "only its shape is used")]
            pub(super) struct Named {
                blocked: i64,
            }
        }
        let bytes = [4];
        let mut shapes = vec![
            shape::<i64>(&bytes),
            shape::<u32>(&bytes),
            shape::<u64>(&bytes),
            shape::<Wrapped>(&bytes),
            shape::<Named>(&bytes),
            shape::<renamed::Named>(&bytes),
            shape::<(i64,)>(&bytes),
        ];
        shapes.sort_unstable();
        shapes.dedup();
        assert_eq!(shapes.len(), 7);
    }

    #[test]
    fn only_the_variant_of_a_value_counts() {
        #[derive(Deserialize)]
        #[serde(rename = "Kind")]
        #[expect(dead_code, reason = "only its shape is used")]
        enum Longer {
            Unit,
            Newtype(Option<u8>),
            Other,
        }
        #[derive(Deserialize)]
        #[serde(rename = "Kind")]
        #[expect(dead_code, reason = "only its shape is used")]
        enum Inserted {
            Before,
            Unit,
            Newtype(Option<u8>),
        }
        let newtype = [1, 0];
        assert_eq!(shape::<Kind>(&newtype), shape::<Longer>(&newtype));
        assert_ne!(shape::<Kind>(&[0]), shape::<Inserted>(&[0]));
    }

    /// Stored digests must stay valid.
    #[test]
    fn digest_is_the_same_in_all_releases() {
        assert_eq!(shape::<Kind>(&[2, 9, 1, b'x']), 13_586_536_372_024_005_863);
    }
}
