//! The parts of made-up values: elements, entries and variants.

use serde::de::value::U32Deserializer;
use serde::de::{
    DeserializeSeed, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::super::{NodeIdx, SchemaVariant};
use super::{EnumTrace, TraceDeserializer, TraceError, Tracer, UNKNOWN};

/// The elements of a sequence, a tuple or a struct.
pub(super) struct ElementAccess<'t> {
    tracer: &'t mut Tracer,
    n_left: usize,
    /// The types of the elements that were read.
    visited: Vec<NodeIdx>,
}

impl ElementAccess<'_> {
    /// Visits a node with `n` elements.
    pub(super) fn visit<'de, V: Visitor<'de>>(
        tracer: &mut Tracer,
        node: NodeIdx,
        n: usize,
        visitor: V,
    ) -> Result<V::Value, TraceError> {
        tracer.inside(node, |tracer| {
            let (value, visited) = Self::read(tracer, n, visitor);
            tracer.set_parts(node, &visited);
            value
        })
    }

    /// Reads `n` elements. Returns their types also if this fails.
    fn read<'de, V: Visitor<'de>>(
        tracer: &mut Tracer,
        n: usize,
        visitor: V,
    ) -> (Result<V::Value, TraceError>, Vec<NodeIdx>) {
        let mut parts = ElementAccess {
            tracer,
            n_left: n,
            visited: Vec::new(),
        };
        let value = visitor.visit_seq(&mut parts);
        (value, parts.visited)
    }
}

impl<'de> SeqAccess<'de> for &mut ElementAccess<'_> {
    type Error = TraceError;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, TraceError> {
        if self.n_left == 0 {
            return Ok(None);
        }
        self.n_left -= 1;
        Single::read(self.tracer, &mut self.visited, seed).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.n_left)
    }
}

/// One part.
pub(super) struct Single;

impl Single {
    /// Reads a part, and adds its type to `visited`, also if this fails.
    fn read<'de, S: DeserializeSeed<'de>>(
        tracer: &mut Tracer,
        visited: &mut Vec<NodeIdx>,
        seed: S,
    ) -> Result<S::Value, TraceError> {
        let mut node = UNKNOWN;
        let value = seed.deserialize(TraceDeserializer {
            tracer,
            node: &mut node,
        });
        if value.is_err() {
            tracer.note_failure();
        }
        visited.push(node);
        value
    }
}

/// The entries of a map.
pub(super) struct EntryAccess<'t> {
    tracer: &'t mut Tracer,
    n_left: usize,
    /// The types of the key and of the value.
    visited: Vec<NodeIdx>,
}

impl EntryAccess<'_> {
    pub(super) fn visit<'de, V: Visitor<'de>>(
        tracer: &mut Tracer,
        node: NodeIdx,
        visitor: V,
    ) -> Result<V::Value, TraceError> {
        let n = usize::from(!tracer.is_cut(node));
        tracer.inside(node, |tracer| {
            let mut entries = EntryAccess {
                tracer,
                n_left: n,
                visited: Vec::new(),
            };
            let value = visitor.visit_map(&mut entries);
            let visited = entries.visited;
            tracer.set_parts(node, &visited);
            value
        })
    }
}

impl<'de> MapAccess<'de> for &mut EntryAccess<'_> {
    type Error = TraceError;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, TraceError> {
        if self.n_left == 0 {
            return Ok(None);
        }
        self.n_left -= 1;
        Single::read(self.tracer, &mut self.visited, seed).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<S::Value, TraceError> {
        Single::read(self.tracer, &mut self.visited, seed)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.n_left)
    }
}

/// A variant that was chosen.
pub(super) struct VariantChoice<'t> {
    tracer: &'t mut Tracer,
    node: NodeIdx,
    nth: u32,
}

impl VariantChoice<'_> {
    pub(super) fn visit<'de, V: Visitor<'de>>(
        tracer: &mut Tracer,
        node: NodeIdx,
        n_variants: usize,
        visitor: V,
    ) -> Result<V::Value, TraceError> {
        tracer.enums.entry(node).or_insert_with(|| EnumTrace {
            is_visited: vec![false; n_variants],
            ..EnumTrace::default()
        });
        let Some(nth) = tracer.choose(node) else {
            tracer.lacks_way_out = true;
            let error = "each variant contains the type itself, or there are none";
            return Err(serde::de::Error::custom(error));
        };
        let of = tracer.enums.get_mut(&node).expect("it was inserted above");
        of.open.push(nth);
        if !core::mem::replace(&mut of.is_visited[nth as usize], true) {
            tracer.fresh.push((node, nth));
        }
        let value = tracer.inside(node, |tracer| {
            visitor.visit_enum(VariantChoice { tracer, node, nth })
        });
        let of = tracer.enums.get_mut(&node).expect("it was inserted above");
        of.open.pop();
        if value.is_ok() && of.way_out.is_none() {
            of.way_out = Some(nth);
        }
        value
    }

    fn set(self, content: SchemaVariant) {
        self.tracer.set_variant(self.node, self.nth, content);
    }
}

impl<'de> EnumAccess<'de> for VariantChoice<'_> {
    type Error = TraceError;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self), TraceError> {
        let index: U32Deserializer<TraceError> = self.nth.into_deserializer();
        Ok((seed.deserialize(index)?, self))
    }
}

impl<'de> VariantAccess<'de> for VariantChoice<'_> {
    type Error = TraceError;

    fn unit_variant(self) -> Result<(), TraceError> {
        self.set(SchemaVariant::Unit);
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<S::Value, TraceError> {
        let mut visited = Vec::new();
        let value = Single::read(self.tracer, &mut visited, seed);
        self.set(SchemaVariant::Newtype(visited[0]));
        value
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, TraceError> {
        let (value, mut visited) = ElementAccess::read(self.tracer, len, visitor);
        visited.resize(len, UNKNOWN);
        self.set(SchemaVariant::Tuple(visited));
        value
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TraceError> {
        let (value, mut visited) = ElementAccess::read(self.tracer, fields.len(), visitor);
        visited.resize(fields.len(), UNKNOWN);
        let names = fields.iter().map(|field| field.to_string());
        self.set(SchemaVariant::Struct(names.zip(visited).collect()));
        value
    }
}
