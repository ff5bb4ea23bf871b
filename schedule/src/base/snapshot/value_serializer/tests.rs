//! All values have the bytes of `postcard`.

use std::collections::{BTreeMap, VecDeque};

use proptest::prelude::*;
use serde::{Serialize, Serializer};

use crate::base::snapshot::Encoder;

/// Each kind of part that `serde` has, several of them in lists.
#[derive(Debug, Serialize)]
struct Everything<'a> {
    unsigned: (u8, u16, u32, u64, u128),
    signed: (i8, i16, i32, i64, i128),
    floats: [f64; 2],
    float: f32,
    character: char,
    text: &'a str,
    block: Block<'a>,
    nothing: (),
    unit: Unit,
    options: (Option<Vec<u8>>, Option<u64>),
    map: BTreeMap<&'a str, Vec<i8>>,
    variants: Vec<Variant>,
    shown: Shown,
    lists: Lists,
}

#[derive(Debug, Serialize)]
struct Unit;

#[derive(Debug, Serialize)]
struct Newtype(Vec<u8>);

#[derive(Debug, Serialize)]
struct Pair(i64, Vec<bool>);

#[derive(Debug, Serialize)]
enum Variant {
    Unit,
    Newtype(Newtype),
    Tuple(u8, Vec<f32>),
    Struct { id: i32, points: Vec<[f32; 3]> },
}

/// Writes its bytes by `serialize_bytes`.
#[derive(Debug)]
struct Block<'a>(&'a [u8]);

impl Serialize for Block<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

/// Writes its text by `collect_str`.
#[derive(Debug)]
struct Shown(i64);

impl Serialize for Shown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("<{}>", self.0))
    }
}

/// Lists that are written as blocks, and some that are not.
#[derive(Debug, Serialize)]
struct Lists {
    bytes: Vec<u8>,
    ring: VecDeque<u8>,
    signed: Vec<i8>,
    bools: Box<[bool]>,
    floats: Vec<f32>,
    doubles: Vec<f64>,
    numbers: Vec<u16>,
    integers: Vec<i32>,
    pairs: Vec<Pair>,
    nested: Vec<Vec<u8>>,
    by_value: ByValue,
}

/// A list of numbers that are computed.
#[derive(Debug)]
struct ByValue(Vec<u8>);

impl Serialize for ByValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|byte| byte ^ 0xff))
    }
}

/// Its length is not known before its end.
struct Unknown(Vec<u8>);

impl Serialize for Unknown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().filter(|byte| **byte > 3))
    }
}

fn everything<'a>(bytes: &'a [u8], text: &'a str, numbers: &[i64]) -> Everything<'a> {
    let n = |idx: usize| numbers[idx % numbers.len()];
    let float = |n: &i64| f64::from_bits(*n as u64);
    let variants = |n: &i64| match n.rem_euclid(4) {
        0 => Variant::Unit,
        1 => Variant::Newtype(Newtype(bytes.to_vec())),
        2 => Variant::Tuple(*n as u8, vec![*n as f32; bytes.len() % 5]),
        _ => Variant::Struct {
            id: *n as i32,
            points: vec![[*n as f32; 3]; bytes.len() % 3],
        },
    };
    let bools = || bytes.iter().map(|byte| byte % 2 == 0);
    let mut ring: VecDeque<u8> = bytes.iter().copied().collect();
    ring.rotate_left(bytes.len() / 2);
    Everything {
        unsigned: (
            n(0) as u8,
            n(1) as u16,
            n(2) as u32,
            n(3) as u64,
            n(4) as u128,
        ),
        signed: (n(5) as i8, n(6) as i16, n(7) as i32, n(8), n(9).into()),
        floats: [float(&n(0)), float(&n(1))],
        float: n(2) as f32,
        character: text.chars().next().unwrap_or('ß'),
        text,
        block: Block(bytes),
        nothing: (),
        unit: Unit,
        options: (
            (n(3) % 2 == 0).then(|| bytes.to_vec()),
            (n(4) % 2 == 0).then_some(n(4) as u64),
        ),
        map: BTreeMap::from([(text, bytes.iter().map(|byte| *byte as i8).collect())]),
        variants: numbers.iter().map(variants).collect(),
        shown: Shown(n(5)),
        lists: Lists {
            bytes: bytes.to_vec(),
            ring,
            signed: bytes.iter().map(|byte| *byte as i8).collect(),
            bools: bools().collect(),
            floats: numbers.iter().map(|n| float(n) as f32).collect(),
            doubles: numbers.iter().map(float).collect(),
            numbers: numbers.iter().map(|n| *n as u16).collect(),
            integers: numbers.iter().map(|n| *n as i32).collect(),
            pairs: numbers
                .iter()
                .map(|n| Pair(*n, bools().collect()))
                .collect(),
            nested: vec![bytes.to_vec(), Vec::new(), bytes.to_vec()],
            by_value: ByValue(bytes.to_vec()),
        },
    }
}

/// Numbers with each count of bits.
fn number() -> impl Strategy<Value = i64> {
    (any::<i64>(), 0..64_u32).prop_map(|(number, shift)| number >> shift)
}

proptest! {
    #[test]
    fn values_have_the_bytes_of_postcard(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        text in ".{0,20}",
        numbers in prop::collection::vec(number(), 1..40),
    ) {
        let value = everything(&bytes, &text, &numbers);
        let mut encoder = Encoder::new();
        encoder.write("before").unwrap();
        let n_before = encoder.as_bytes().len();
        encoder.write(&value).unwrap();
        let expected = postcard::to_allocvec(&value).unwrap();
        prop_assert_eq!(&encoder.as_bytes()[n_before..], &expected[..]);
    }
}

#[test]
fn limits_of_integers_have_the_bytes_of_postcard() {
    let (mut encoder, mut expected) = (Encoder::new(), Vec::new());
    macro_rules! check {
        ($($type:ident)*) => {$(
            let all = [$type::MIN, $type::MIN + 1, 0, 1, 63, 64, 127, $type::MAX - 1, $type::MAX];
            for number in all {
                encoder.write(&number).unwrap();
                expected.extend(postcard::to_allocvec(&number).unwrap());
            }
        )*};
    }
    check!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);
    assert_eq!(encoder.as_bytes(), expected);
}

#[test]
fn list_of_unknown_length_cannot_be_written() {
    let mut encoder = Encoder::new();
    encoder.write(&7_u8).unwrap();
    let list = Unknown(vec![1, 4, 9]);
    let error = encoder.write(&list).unwrap_err();
    let expected = postcard::to_allocvec(&list).unwrap_err();
    assert!(
        error.to_string().ends_with(&expected.to_string()),
        "{error}"
    );
    assert_eq!(encoder.as_bytes(), [7], "nothing is written");
}

/// The size of the buffer shows it: a list whose numbers are appended one by one takes more memory than it needs, at most twice.
#[test]
fn lists_of_numbers_are_written_as_blocks() {
    /// More than half as much as a power of 2.
    const N: usize = 300_000;
    fn n_bytes<T: Serialize + Clone>(number: T) -> (usize, usize) {
        let mut encoder = Encoder::new();
        encoder.write(&vec![number; N]).unwrap();
        let bytes = encoder.into_bytes();
        (bytes.len(), bytes.capacity())
    }
    for (len, capacity) in [
        n_bytes(7_u8),
        n_bytes(7_i8),
        n_bytes(true),
        n_bytes(0.5_f32),
        n_bytes(0.5_f64),
    ] {
        assert!(capacity < len + len / 10, "{capacity} for {len}");
    }
    let (len, capacity) = n_bytes(7_u32);
    assert!(
        capacity > len + len / 10,
        "otherwise the test shows nothing: {capacity} for {len}"
    );
}
