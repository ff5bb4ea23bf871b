//! The made-up values of scalars.

use core::any::TypeId;
use std::collections::HashMap;

use serde::de::Visitor;

use super::super::Scalar;
use super::TraceError;

/// Numbers, in the order in which they are tried. Zero is often invalid.
const NUMBERS: [u8; 4] = [1, 0, 2, 100];
const CHARS: [char; 2] = ['a', '0'];
/// Texts of common types: names, numbers, times, identifiers, addresses, versions.
const STRINGS: [&str; 12] = [
    "a",
    "",
    "1",
    "0.5",
    "true",
    "1970-01-01T00:00:00Z",
    "1970-01-01",
    "00:00:00",
    "00000000-0000-4000-8000-000000000000",
    "127.0.0.1",
    "http://localhost/",
    "1.0.0",
];
/// 64 bytes, of which a part is used.
const BYTES: [u8; 64] = [1; 64];
const N_BYTES: [usize; 8] = [1, 0, 4, 8, 12, 16, 32, 64];

/// The number of values of a type.
fn n_answers(scalar: Scalar) -> usize {
    match scalar {
        Scalar::Bool => 2,
        Scalar::Char => CHARS.len(),
        Scalar::String => STRINGS.len(),
        Scalar::Bytes => N_BYTES.len(),
        Scalar::Unit => 1,
        _ => NUMBERS.len(),
    }
}

/// The values that scalars get, by their visitors.
#[derive(Default)]
pub(super) struct Answers {
    nth: HashMap<TypeId, usize>,
    /// The visitor that was called last in this pass.
    last: Option<(TypeId, Scalar)>,
}

impl Answers {
    pub(super) fn begin_pass(&mut self) {
        self.last = None;
    }

    /// Calls a visitor with a value.
    pub(super) fn visit<'de, V: Visitor<'de>>(
        &mut self,
        scalar: Scalar,
        visitor: V,
    ) -> Result<V::Value, TraceError> {
        let id = typeid::of::<V>();
        self.last = Some((id, scalar));
        let nth = self.nth.get(&id).copied().unwrap_or_default();
        let number = NUMBERS[nth % NUMBERS.len()];
        match scalar {
            Scalar::Bool => visitor.visit_bool(nth == 1),
            Scalar::I8 => visitor.visit_i8(number as i8),
            Scalar::I16 => visitor.visit_i16(number.into()),
            Scalar::I32 => visitor.visit_i32(number.into()),
            Scalar::I64 => visitor.visit_i64(number.into()),
            Scalar::I128 => visitor.visit_i128(number.into()),
            Scalar::U8 => visitor.visit_u8(number),
            Scalar::U16 => visitor.visit_u16(number.into()),
            Scalar::U32 => visitor.visit_u32(number.into()),
            Scalar::U64 => visitor.visit_u64(number.into()),
            Scalar::U128 => visitor.visit_u128(number.into()),
            Scalar::F32 => visitor.visit_f32(number.into()),
            Scalar::F64 => visitor.visit_f64(number.into()),
            Scalar::Char => visitor.visit_char(CHARS[nth]),
            Scalar::String => visitor.visit_borrowed_str(STRINGS[nth]),
            Scalar::Bytes => visitor.visit_borrowed_bytes(&BYTES[..N_BYTES[nth]]),
            Scalar::Unit => visitor.visit_unit(),
        }
    }

    /// Selects the next value for the visitor that was called last. Returns `false` if there is none.
    pub(super) fn next(&mut self) -> bool {
        let Some((id, scalar)) = self.last else {
            return false;
        };
        let nth = self.nth.entry(id).or_default();
        *nth += 1;
        let has_next = *nth < n_answers(scalar);
        if !has_next {
            *nth = 0;
        }
        has_next
    }
}
