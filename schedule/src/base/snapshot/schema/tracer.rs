//! Finds the schema of a type: calls its `Deserialize` implementation with made-up values until all parts were visited.
//!
//! A pass creates one value. Each enum in it has one variant, so there are as many passes as it takes to visit all variants. A type
//! that contains itself is visited once: inside of itself, options are `None`, sequences are empty, and an enum has a variant that
//! has led out before. If there is none, one pass has empty sequences in all enums.
//!
//! Cost: O(variants of all enums · parts of a value).

mod answers;
mod parts;

use core::any::TypeId;
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::de::{DeserializeOwned, Deserializer, Visitor};

use self::answers::Answers;
use self::parts::{ElementAccess, EntryAccess, VariantChoice};
use super::{NodeIdx, Scalar, Schema, SchemaNode, SchemaVariant, reachable};

/// The number of calls of a `Deserializer` after which the parts that were not visited stay unknown.
const MAX_CALLS: u32 = 1_000_000;

/// The depth of values within values at which a pass ends.
const MAX_DEPTH: u32 = 128;

/// Returns the schema of a type.
pub(super) fn trace<T: DeserializeOwned>() -> Schema {
    let mut tracer = Tracer::new();
    let mut root = UNKNOWN;
    loop {
        tracer.begin_pass();
        // A `Deserialize` implementation may panic for made-up values.
        let passed = catch_unwind(AssertUnwindSafe(|| {
            T::deserialize(TraceDeserializer {
                tracer: &mut tracer,
                node: &mut root,
            })
            .is_ok()
        }));
        let is_done = match passed {
            Ok(true) => !tracer.is_shortened && (!tracer.has_progress() || !tracer.has_unvisited()),
            Ok(false) => !tracer.retry() && !tracer.has_progress(),
            Err(_) => !tracer.has_progress(),
        };
        if is_done || tracer.n_calls > MAX_CALLS {
            return tracer.finish(root);
        }
    }
}

/// The index of [`SchemaNode::Unknown`] in a tracer.
const UNKNOWN: NodeIdx = 0;

type TraceError = serde::de::value::Error;

/// The parts that were found until now.
struct Tracer {
    nodes: Vec<SchemaNode>,
    by_visitor: HashMap<(TypeId, &'static str), NodeIdx>,
    by_scalar: Vec<(Scalar, NodeIdx)>,
    /// By the nodes of enums.
    enums: HashMap<NodeIdx, EnumTrace>,
    /// How often a node is being visited.
    n_open: HashMap<NodeIdx, u32>,
    answers: Answers,
    depth: u32,
    n_calls: u32,
    /// Whether an enum had only variants that contain itself.
    lacks_way_out: bool,
    /// Whether options are `None` and sequences are empty inside of enums, in this pass. So each enum gets a way out.
    is_shortened: bool,
    /// The same for the next pass.
    shortens_next: bool,
    /// The variants that were visited for the first time in this pass.
    fresh: Vec<(NodeIdx, u32)>,
    /// The variants that were open when the pass failed.
    open_at_failure: Option<Vec<(NodeIdx, u32)>>,
    /// Variants that contain an enum with variants that were not visited.
    promising: HashSet<(NodeIdx, u32)>,
}

/// The variants of an enum.
#[derive(Default)]
struct EnumTrace {
    /// `is_visited[v]`: whether variant v was visited.
    is_visited: Vec<bool>,
    /// A variant whose value was created inside of the enum itself.
    way_out: Option<u32>,
    /// The variants that are being visited.
    open: Vec<u32>,
}

impl Tracer {
    fn new() -> Self {
        Self {
            nodes: vec![SchemaNode::Unknown],
            by_visitor: HashMap::new(),
            by_scalar: Vec::new(),
            enums: HashMap::new(),
            n_open: HashMap::new(),
            answers: Answers::default(),
            depth: 0,
            n_calls: 0,
            lacks_way_out: false,
            is_shortened: false,
            shortens_next: false,
            fresh: Vec::new(),
            open_at_failure: None,
            promising: HashSet::new(),
        }
    }

    fn begin_pass(&mut self) {
        self.depth = 0;
        self.lacks_way_out = false;
        self.is_shortened = core::mem::take(&mut self.shortens_next);
        self.n_open.clear();
        self.fresh.clear();
        self.open_at_failure = None;
        self.answers.begin_pass();
        for of in self.enums.values_mut() {
            of.open.clear();
        }
        self.promising = self.find_promising();
    }

    /// Whether the last pass has visited a variant for the first time.
    fn has_progress(&self) -> bool {
        !self.fresh.is_empty()
    }

    fn has_unvisited(&self) -> bool {
        self.enums.values().any(|of| of.is_visited.contains(&false))
    }

    /// Prepares another pass after one that failed: it is shortened if an enum had no way out. Otherwise the scalar that was read last
    /// gets another value. Returns `false` if it had all.
    fn retry(&mut self) -> bool {
        self.shortens_next = self.lacks_way_out && !self.is_shortened;
        let has_other = self.shortens_next || self.answers.next();
        if has_other {
            // They were not visited to the end.
            let open = self.open_at_failure.take().unwrap_or_default();
            for (node, variant) in open.iter().filter(|of| self.fresh.contains(of)) {
                if let Some(of) = self.enums.get_mut(node) {
                    of.is_visited[*variant as usize] = false;
                }
            }
        }
        has_other
    }

    /// Remembers the variants that are open, at the first call after an error.
    fn note_failure(&mut self) {
        if self.open_at_failure.is_none() {
            let open = self.enums.iter();
            let open = open.flat_map(|(node, of)| of.open.iter().map(|variant| (*node, *variant)));
            self.open_at_failure = Some(open.collect());
        }
    }

    /// Finds the variants through which enums with unvisited variants are reached: backwards from these enums. O(nodes · edges).
    fn find_promising(&self) -> HashSet<(NodeIdx, u32)> {
        let is_incomplete = |(_, of): &(&NodeIdx, &EnumTrace)| of.is_visited.contains(&false);
        let incomplete = self.enums.iter().filter(is_incomplete);
        let mut reaches: HashSet<NodeIdx> = incomplete.map(|(node, _)| *node).collect();
        let mut promising = HashSet::new();
        if reaches.is_empty() {
            return promising;
        }
        loop {
            let n_before = reaches.len();
            for (idx, node) in (0..).zip(&self.nodes) {
                if let SchemaNode::Enum(_, variants) = node {
                    for (nth, (_, variant)) in (0..).zip(variants) {
                        let is_promising = match variant {
                            SchemaVariant::Unknown | SchemaVariant::Unit => false,
                            SchemaVariant::Newtype(part) => reaches.contains(part),
                            SchemaVariant::Tuple(parts) => {
                                parts.iter().any(|part| reaches.contains(part))
                            }
                            SchemaVariant::Struct(fields) => {
                                fields.iter().any(|(_, part)| reaches.contains(part))
                            }
                        };
                        if is_promising {
                            promising.insert((idx, nth));
                            reaches.insert(idx);
                        }
                    }
                } else {
                    node.clone().for_each_part(|part| {
                        if reaches.contains(part) {
                            reaches.insert(idx);
                        }
                    });
                }
            }
            if reaches.len() == n_before {
                return promising;
            }
        }
    }

    /// Returns the node of the type that a visitor creates.
    fn node_of<V>(&mut self, call: &'static str, new: impl FnOnce() -> SchemaNode) -> NodeIdx {
        let next = self.nodes.len() as NodeIdx;
        let node = *self
            .by_visitor
            .entry((typeid::of::<V>(), call))
            .or_insert(next);
        if node == next {
            self.nodes.push(new());
        }
        node
    }

    fn scalar(&mut self, scalar: Scalar) -> NodeIdx {
        match self.by_scalar.iter().find(|of| of.0 == scalar) {
            Some(&(_, node)) => node,
            None => {
                let node = self.nodes.len() as NodeIdx;
                self.nodes.push(SchemaNode::Scalar(scalar));
                self.by_scalar.push((scalar, node));
                node
            }
        }
    }

    /// Whether a node has no content: it is being visited, so its type contains itself, or it is inside of an enum in a shortened pass.
    fn is_cut(&self, node: NodeIdx) -> bool {
        let is_open = self.n_open.get(&node).is_some_and(|n| *n > 0);
        is_open || self.is_shortened && self.enums.values().any(|of| !of.open.is_empty())
    }

    /// Visits the content of a node.
    fn inside<R>(
        &mut self,
        node: NodeIdx,
        visit: impl FnOnce(&mut Self) -> Result<R, TraceError>,
    ) -> Result<R, TraceError> {
        self.n_calls += 1;
        if self.depth > MAX_DEPTH || self.n_calls > MAX_CALLS {
            return Err(serde::de::Error::custom(
                "the value is too deep or too large",
            ));
        }
        self.depth += 1;
        *self.n_open.entry(node).or_default() += 1;
        let result = visit(self);
        if result.is_err() {
            self.note_failure();
        }
        self.depth -= 1;
        *self.n_open.entry(node).or_default() -= 1;
        result
    }

    /// Chooses the variant to visit.
    fn choose(&self, node: NodeIdx) -> Option<u32> {
        let of = &self.enums[&node];
        let all = 0..of.is_visited.len() as u32;
        if !of.open.is_empty() {
            let not_open = || all.clone().find(|variant| !of.open.contains(variant));
            return of.way_out.or_else(not_open);
        }
        let unvisited = of.is_visited.iter().position(|is_visited| !is_visited);
        let promising = || {
            all.clone()
                .find(|variant| self.promising.contains(&(node, *variant)))
        };
        let any = || of.way_out.or(all.clone().next());
        unvisited
            .map(|nth| nth as u32)
            .or_else(promising)
            .or_else(any)
    }

    /// Returns the schema of the type that is the node `root`.
    fn finish(self, root: NodeIdx) -> Schema {
        Schema {
            nodes: reachable(&self.nodes, root),
        }
    }
}

/// A deserializer of made-up values.
struct TraceDeserializer<'t> {
    tracer: &'t mut Tracer,
    /// Receives the node of the type that is read.
    node: &'t mut NodeIdx,
}

macro_rules! scalars {
    ($($method:ident $scalar:ident,)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TraceError> {
            *self.node = self.tracer.scalar(Scalar::$scalar);
            self.tracer.n_calls += 1;
            self.tracer.answers.visit(Scalar::$scalar, visitor)
        }
    )*};
}

impl<'de> Deserializer<'de> for TraceDeserializer<'_> {
    type Error = TraceError;

    scalars! {
        deserialize_bool Bool,
        deserialize_i8 I8,
        deserialize_i16 I16,
        deserialize_i32 I32,
        deserialize_i64 I64,
        deserialize_i128 I128,
        deserialize_u8 U8,
        deserialize_u16 U16,
        deserialize_u32 U32,
        deserialize_u64 U64,
        deserialize_u128 U128,
        deserialize_f32 F32,
        deserialize_f64 F64,
        deserialize_char Char,
        deserialize_str String,
        deserialize_string String,
        deserialize_bytes Bytes,
        deserialize_byte_buf Bytes,
        deserialize_unit Unit,
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, TraceError> {
        Err(serde::de::Error::custom(
            "the bytes do not describe themselves",
        ))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TraceError> {
        self.deserialize_any(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TraceError> {
        self.deserialize_any(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TraceError> {
        let new = || SchemaNode::Option(UNKNOWN);
        let node = self.tracer.node_of::<V>("option", new);
        *self.node = node;
        if self.tracer.is_cut(node) {
            return visitor.visit_none();
        }
        self.tracer.inside(node, |tracer| {
            let mut part = UNKNOWN;
            let value = visitor.visit_some(TraceDeserializer {
                tracer,
                node: &mut part,
            });
            tracer.set_parts(node, &[part]);
            value
        })
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, TraceError> {
        let new = || SchemaNode::UnitStruct(name.to_string());
        *self.node = self.tracer.node_of::<V>("unit struct", new);
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, TraceError> {
        let new = || SchemaNode::Newtype(name.to_string(), UNKNOWN);
        let node = self.tracer.node_of::<V>("newtype", new);
        *self.node = node;
        self.tracer.inside(node, |tracer| {
            let mut part = UNKNOWN;
            let value = visitor.visit_newtype_struct(TraceDeserializer {
                tracer,
                node: &mut part,
            });
            tracer.set_parts(node, &[part]);
            value
        })
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TraceError> {
        let new = || SchemaNode::Sequence(UNKNOWN);
        let node = self.tracer.node_of::<V>("sequence", new);
        *self.node = node;
        let n = usize::from(!self.tracer.is_cut(node));
        ElementAccess::visit(self.tracer, node, n, visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, TraceError> {
        let new = || SchemaNode::Tuple(vec![(UNKNOWN, len as u32)]);
        let node = self.tracer.node_of::<V>("tuple", new);
        *self.node = node;
        ElementAccess::visit(self.tracer, node, len, visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, TraceError> {
        let new = || SchemaNode::TupleStruct(name.to_string(), vec![UNKNOWN; len]);
        let node = self.tracer.node_of::<V>("tuple struct", new);
        *self.node = node;
        ElementAccess::visit(self.tracer, node, len, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TraceError> {
        let new = || SchemaNode::Map(UNKNOWN, UNKNOWN);
        let node = self.tracer.node_of::<V>("map", new);
        *self.node = node;
        EntryAccess::visit(self.tracer, node, visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TraceError> {
        let new = || SchemaNode::Struct(name.to_string(), unknown_fields(fields));
        let node = self.tracer.node_of::<V>("struct", new);
        *self.node = node;
        ElementAccess::visit(self.tracer, node, fields.len(), visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TraceError> {
        let unknown = |variant: &&str| (variant.to_string(), SchemaVariant::Unknown);
        let new = || SchemaNode::Enum(name.to_string(), variants.iter().map(unknown).collect());
        let node = self.tracer.node_of::<V>("enum", new);
        *self.node = node;
        VariantChoice::visit(self.tracer, node, variants.len(), visitor)
    }

    fn is_human_readable(&self) -> bool {
        // As `postcard`.
        false
    }
}

/// Fields of unknown types.
fn unknown_fields(fields: &[&str]) -> Vec<(String, NodeIdx)> {
    let unknown = |field: &&str| (field.to_string(), UNKNOWN);
    fields.iter().map(unknown).collect()
}

impl Tracer {
    /// Sets the types of the parts that were visited.
    fn set_parts(&mut self, node: NodeIdx, visited: &[NodeIdx]) {
        let mut visited = visited.iter();
        if let SchemaNode::Tuple(runs) = &mut self.nodes[node as usize] {
            let len: u32 = runs.iter().map(|of| of.1).sum();
            let mut found: Vec<(NodeIdx, u32)> = Vec::new();
            for _ in 0..len {
                let part = visited.next().copied().unwrap_or(UNKNOWN);
                match found.last_mut() {
                    Some(last) if last.0 == part => last.1 += 1,
                    _ => found.push((part, 1)),
                }
            }
            // An earlier pass may have come further.
            let n_unknown = |runs: &[(NodeIdx, u32)]| {
                let unknown = runs.iter().filter(|of| of.0 == UNKNOWN);
                unknown.map(|of| of.1).sum::<u32>()
            };
            if n_unknown(&found) < n_unknown(runs) {
                *runs = found;
            }
            return;
        }
        self.nodes[node as usize].for_each_part(|part| set(part, &mut visited));
    }

    /// Sets the content of a variant.
    fn set_variant(&mut self, node: NodeIdx, nth: u32, mut content: SchemaVariant) {
        let SchemaNode::Enum(_, variants) = &mut self.nodes[node as usize] else {
            unreachable!("the node is an enum");
        };
        let old = &mut variants[nth as usize].1;
        match (&*old, &mut content) {
            (SchemaVariant::Newtype(old), SchemaVariant::Newtype(new)) => keep(*old, new),
            (SchemaVariant::Tuple(old), SchemaVariant::Tuple(new)) => {
                old.iter().zip(new).for_each(|(old, new)| keep(*old, new));
            }
            (SchemaVariant::Struct(old), SchemaVariant::Struct(new)) => {
                let pairs = old.iter().zip(new);
                pairs.for_each(|(old, new)| keep(old.1, &mut new.1));
            }
            _ => {}
        }
        *old = content;
    }
}

/// Replaces a part by the next one that was visited, if it is known.
fn set<'v>(part: &mut NodeIdx, visited: &mut impl Iterator<Item = &'v NodeIdx>) {
    if let Some(&found) = visited.next()
        && found != UNKNOWN
    {
        *part = found;
    }
}

/// Keeps a part that an earlier pass has found.
fn keep(old: NodeIdx, new: &mut NodeIdx) {
    if *new == UNKNOWN {
        *new = old;
    }
}
