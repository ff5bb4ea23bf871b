//! Schemas: the names and types of the parts of a saved value.
//!
//! The bytes of a value have no names. Its schema is saved beside it, so that a changed type is found before the bytes are read as
//! something else.

mod cache;
mod difference;
#[cfg(test)]
mod tests;
mod tracer;

use core::fmt;
use std::collections::HashMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub(super) use self::cache::cached;
pub use self::difference::SchemaDifference;
use super::{Snapshot, SnapshotError};

/// The index of a node in [`Schema::nodes`].
type NodeIdx = u32;

/// The names and types of the parts of a value, as `serde` reads them.
///
/// `#[derive(Snapshot)]` finds the schema of a type by calls of its [`Deserialize`] implementation with made-up values. A part whose
/// implementation rejects all these values is unknown, and so are the parts after it. Unknown parts are not compared.
///
/// A [`Snapshot`] implementation by hand composes the schema from those of its parts.
///
/// ```
/// use schedule::snapshot::Schema;
///
/// let saved = Schema::of::<(u32, Vec<String>)>();
/// let now = Schema::of::<(u32, Vec<char>)>();
/// let difference = saved.compare(&now).unwrap_err();
/// assert_eq!(difference.to_string(), "`1[]` was `string`, and is `char` now");
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<SchemaNode>", into = "Vec<SchemaNode>")]
pub struct Schema {
    /// `nodes[0]` is the whole value. Nodes may refer to each other in cycles.
    nodes: Vec<SchemaNode>,
}

/// The type of a part. The numbers of the variants are saved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum SchemaNode {
    Unknown,
    Scalar(Scalar),
    Option(NodeIdx),
    Sequence(NodeIdx),
    /// The keys and the values.
    Map(NodeIdx, NodeIdx),
    /// Runs of elements of one type: the type and the length.
    Tuple(Vec<(NodeIdx, u32)>),
    UnitStruct(String),
    Newtype(String, NodeIdx),
    TupleStruct(String, Vec<NodeIdx>),
    Struct(String, Vec<(String, NodeIdx)>),
    Enum(String, Vec<(String, SchemaVariant)>),
    /// A value with a name and a version of its own.
    Versioned(String, u32, NodeIdx),
}

/// The content of a variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum SchemaVariant {
    Unknown,
    Unit,
    Newtype(NodeIdx),
    Tuple(Vec<NodeIdx>),
    Struct(Vec<(String, NodeIdx)>),
}

/// A type without parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Scalar {
    Bool,
    I8,
    I16,
    I32,
    I64,
    I128,
    U8,
    U16,
    U32,
    U64,
    U128,
    F32,
    F64,
    Char,
    String,
    Bytes,
    Unit,
}

impl Scalar {
    fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::I128 => "i128",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::U128 => "u128",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Char => "char",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::Unit => "()",
        }
    }
}

impl Schema {
    /// Nothing is known, so a change of the type is not found.
    pub fn unknown() -> Self {
        Self {
            nodes: vec![SchemaNode::Unknown],
        }
    }

    /// The schema of a type that [`Encoder::write`](super::Encoder::write) writes.
    pub fn of<T: DeserializeOwned>() -> Self {
        tracer::trace::<T>()
    }

    /// The schema of a type that [`Encoder::save`](super::Encoder::save) writes, with its name and version. If the version has changed,
    /// its parts are not compared.
    pub fn of_saved<T: Snapshot>() -> Self {
        cached::<T>().schema.clone()
    }

    /// The schema of values that are written one after the other. A sequence of values of one type is [`repeated`](Self::repeated).
    pub fn of_parts(name: &str, parts: impl IntoIterator<Item = (&'static str, Self)>) -> Self {
        let mut schema = Self::unknown();
        let fields = parts
            .into_iter()
            .map(|(field, part)| (field.to_string(), schema.append(part)))
            .collect();
        schema.nodes[0] = SchemaNode::Struct(name.to_string(), fields);
        schema
    }

    /// The schema of any number of values of one type.
    pub fn repeated(self) -> Self {
        let mut schema = Self::unknown();
        schema.nodes[0] = SchemaNode::Sequence(schema.append(self));
        schema
    }

    /// Returns the schema of the elements, if the value is a sequence, perhaps with a name and a version.
    pub fn elements(&self) -> Option<Self> {
        match self.value() {
            SchemaNode::Sequence(element) => Some(Self {
                nodes: reachable(&self.nodes, *element),
            }),
            _ => None,
        }
    }

    /// Gives the value a name and a version.
    fn versioned(self, name: &str, version: u32) -> Self {
        let mut schema = Self::unknown();
        schema.nodes[0] = SchemaNode::Versioned(name.to_string(), version, schema.append(self));
        schema
    }

    /// Adds the nodes of another schema, and returns the index of its value.
    fn append(&mut self, other: Self) -> NodeIdx {
        let first = self.nodes.len() as NodeIdx;
        self.nodes.extend(other.nodes.into_iter().map(|mut node| {
            node.for_each_part(|part| *part += first);
            node
        }));
        first
    }

    /// Compares the schema of a saved value with that of the type now.
    ///
    /// These are equal: an enum with more variants at the end, parts of which one is unknown, values with different versions of their own,
    /// and the Rust names of types with a snapshot name.
    ///
    /// # Errors
    ///
    /// Returns the first difference, from the outside to the inside.
    pub fn compare(&self, now: &Self) -> Result<(), SchemaDifference> {
        difference::compare(self, now)
    }

    /// Whether a part is unknown.
    pub fn has_unknown_parts(&self) -> bool {
        let is_unknown = |node: &SchemaNode| match node {
            SchemaNode::Unknown => true,
            SchemaNode::Enum(_, variants) => variants
                .iter()
                .any(|(_, variant)| *variant == SchemaVariant::Unknown),
            _ => false,
        };
        self.nodes.iter().any(is_unknown)
    }

    /// Returns the bytes that are saved beside a value.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(self).expect("strings and numbers can be serialized")
    }

    /// Reads the bytes of [`to_bytes`](Self::to_bytes).
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, postcard::Error> {
        postcard::from_bytes(bytes)
    }

    /// Replaces the names of saved values.
    pub(super) fn rename(&mut self, name_now: impl Fn(&str) -> Option<String>) {
        for node in &mut self.nodes {
            if let SchemaNode::Versioned(name, ..) = node
                && let Some(renamed) = name_now(name)
            {
                *name = renamed;
            }
        }
    }

    /// Checks that a value of a version, which was saved with this schema, can be restored as a `T`. Another version than that of `T` is
    /// migrated, and its schema is not compared.
    ///
    /// # Errors
    ///
    /// Fails with [`SnapshotError::Schema`].
    pub fn check<T: Snapshot>(&self, version: u32) -> Result<(), SnapshotError> {
        if version != T::VERSION {
            return Ok(());
        }
        let compared = self.compare(&cached::<T>().schema);
        compared.map_err(|difference| changed::<T>(difference))
    }

    /// Checks as [`check`](Self::check). If both schemas are those of enums, returns the variants that cannot be restored, with the errors
    /// about them. A value with such a variant begins with its index, as [`Encoder::write`](super::Encoder::write) writes it.
    ///
    /// # Errors
    ///
    /// As for `check`.
    pub fn changed_variants<T: Snapshot>(
        &self,
        version: u32,
    ) -> Result<Vec<(u32, SnapshotError)>, SnapshotError> {
        let now = &cached::<T>().schema;
        if version != T::VERSION || self == now {
            return Ok(Vec::new());
        }
        let Some(variants) = difference::compare_variants(self, now) else {
            return self.check::<T>(version).map(|()| Vec::new());
        };
        let variants = variants.into_iter();
        let errors = variants.map(|(variant, difference)| (variant, changed::<T>(difference)));
        Ok(errors.collect())
    }
}

/// Returns the nodes that are reached from this one, in this order.
fn reachable(nodes: &[SchemaNode], root: NodeIdx) -> Vec<SchemaNode> {
    let mut order = vec![root];
    let mut idx_of = HashMap::from([(root, 0)]);
    let mut found = Vec::new();
    while let Some(&node) = order.get(found.len()) {
        let mut node = nodes[node as usize].clone();
        node.for_each_part(|part| {
            let next = order.len() as NodeIdx;
            let idx = *idx_of.entry(*part).or_insert(next);
            if idx == next {
                order.push(*part);
            }
            *part = idx;
        });
        found.push(node);
    }
    found
}

/// The error about a type that has changed.
fn changed<T: Snapshot>(difference: SchemaDifference) -> SnapshotError {
    SnapshotError::Schema {
        name: T::NAME,
        version: T::VERSION,
        difference,
    }
}

impl TryFrom<Vec<SchemaNode>> for Schema {
    type Error = &'static str;

    fn try_from(nodes: Vec<SchemaNode>) -> Result<Self, Self::Error> {
        let n_nodes = nodes.len();
        let mut is_whole = n_nodes > 0;
        for node in &nodes {
            node.clone()
                .for_each_part(|part| is_whole &= (*part as usize) < n_nodes);
        }
        if is_whole {
            Ok(Self { nodes })
        } else {
            Err("a schema refers to a part that does not exist")
        }
    }
}

impl From<Schema> for Vec<SchemaNode> {
    fn from(schema: Schema) -> Self {
        schema.nodes
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.nodes.iter().enumerate())
            .finish()
    }
}

impl SchemaNode {
    /// Visits the indices of the parts.
    fn for_each_part(&mut self, mut visit: impl FnMut(&mut NodeIdx)) {
        match self {
            Self::Unknown | Self::Scalar(_) | Self::UnitStruct(_) => {}
            Self::Option(part)
            | Self::Sequence(part)
            | Self::Newtype(_, part)
            | Self::Versioned(_, _, part) => visit(part),
            Self::Map(key, value) => {
                visit(key);
                visit(value);
            }
            Self::Tuple(runs) => runs.iter_mut().for_each(|(part, _)| visit(part)),
            Self::TupleStruct(_, parts) => parts.iter_mut().for_each(visit),
            Self::Struct(_, fields) => fields.iter_mut().for_each(|(_, part)| visit(part)),
            Self::Enum(_, variants) => {
                for (_, variant) in variants {
                    match variant {
                        SchemaVariant::Unknown | SchemaVariant::Unit => {}
                        SchemaVariant::Newtype(part) => visit(part),
                        SchemaVariant::Tuple(parts) => parts.iter_mut().for_each(&mut visit),
                        SchemaVariant::Struct(fields) => {
                            fields.iter_mut().for_each(|(_, part)| visit(part));
                        }
                    }
                }
            }
        }
    }
}
