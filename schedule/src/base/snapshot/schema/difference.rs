//! Compares two schemas.

use core::fmt;
use std::collections::{HashSet, VecDeque};

use super::{NodeIdx, Schema, SchemaNode, SchemaVariant};

/// The first part that differs between a saved value and its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaDifference(Box<DifferentPart>);

/// The content of a [`SchemaDifference`].
#[derive(Clone, Debug, PartialEq, Eq)]
struct DifferentPart {
    /// The fields and variants that lead to the value with the difference, separated by points. Empty for the whole value.
    path: String,
    /// The innermost value with a name and a version of its own that contains the difference.
    owner: Option<(String, u32)>,
    /// The part of the value: for example `field 1`. Empty if the value has another type.
    part: String,
    /// The part in the saved value. `None` if it is new.
    saved: Option<String>,
    /// The part in the type. `None` if it is missing.
    now: Option<String>,
    /// The saved name, if only the name differs.
    renamed: Option<String>,
}

impl SchemaDifference {
    /// The name and the version of the innermost [`Snapshot`](super::super::Snapshot) type that contains the part.
    pub fn owner(&self) -> Option<(&str, u32)> {
        let owner = self.0.owner.as_ref();
        owner.map(|(name, version)| (name.as_str(), *version))
    }

    /// The saved name of the part, if the types are equal and only the name differs.
    pub fn renamed(&self) -> Option<&str> {
        self.0.renamed.as_deref()
    }
}

impl fmt::Display for SchemaDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.path.as_str(), self.0.part.as_str()) {
            ("", "") => f.write_str("the value")?,
            (path, "") => write!(f, "`{path}`")?,
            ("", part) => f.write_str(part)?,
            (path, part) => write!(f, "{part} of `{path}`")?,
        }
        match (&self.0.saved, &self.0.now) {
            (Some(saved), Some(now)) => write!(f, " was {saved}, and is {now} now"),
            (Some(saved), None) => write!(f, " was {saved}, and is missing now"),
            (None, Some(now)) => write!(f, " is {now} now, and did not exist"),
            (None, None) => f.write_str(" differs"),
        }
    }
}

/// A pair of nodes that must be equal.
struct Pair {
    saved: NodeIdx,
    now: NodeIdx,
    /// The pair that contains this one, and the name of the part there.
    inside: Option<(usize, String)>,
    /// Whether the names of types do not count: the type has a name of its own.
    is_named: bool,
}

/// The pairs that were found until now, the outer ones first.
struct Comparison<'s> {
    saved: &'s Schema,
    now: &'s Schema,
    pairs: Vec<Pair>,
    known: HashSet<(NodeIdx, NodeIdx)>,
    open: VecDeque<usize>,
}

/// Compares two schemas, breadth first: O(pairs of nodes).
pub(super) fn compare(saved: &Schema, now: &Schema) -> Result<(), SchemaDifference> {
    let mut comparison = Comparison::new(saved, now);
    comparison.add(0, 0, None, true);
    comparison.run()
}

/// Compares two schemas of enums by variant. Returns the saved variants that cannot be read now, with their indices. `None` if one of
/// the schemas is not that of an enum.
pub(super) fn compare_variants(
    saved: &Schema,
    now: &Schema,
) -> Option<Vec<(u32, SchemaDifference)>> {
    let (SchemaNode::Enum(_, of_saved), SchemaNode::Enum(_, of_now)) = (saved.value(), now.value())
    else {
        return None;
    };
    let mut differences = Vec::new();
    for nth in 0..of_saved.len() {
        let mut comparison = Comparison::new(saved, now);
        comparison.add(0, 0, None, true);
        let compared = comparison
            .variant(0, nth, of_saved, of_now)
            .and_then(|()| comparison.run_open());
        if let Err(difference) = compared {
            differences.push((nth as u32, difference));
        }
    }
    Some(differences)
}

impl Schema {
    /// The node of the value, without its name and version.
    pub(super) fn value(&self) -> &SchemaNode {
        let mut node = &self.nodes[0];
        for _ in 0..self.nodes.len() {
            match node {
                SchemaNode::Versioned(_, _, part) => node = &self.nodes[*part as usize],
                _ => break,
            }
        }
        node
    }

    /// The name of a type, for messages.
    fn type_name(&self, node: NodeIdx) -> String {
        match &self.nodes[node as usize] {
            SchemaNode::Unknown => "an unknown type".to_string(),
            SchemaNode::Scalar(scalar) => format!("`{}`", scalar.name()),
            SchemaNode::Option(_) => "an option".to_string(),
            SchemaNode::Sequence(_) => "a sequence".to_string(),
            SchemaNode::Map(..) => "a map".to_string(),
            SchemaNode::Tuple(runs) => {
                let len: u64 = runs.iter().map(|of| u64::from(of.1)).sum();
                format!("a tuple of {len}")
            }
            SchemaNode::UnitStruct(name)
            | SchemaNode::Newtype(name, _)
            | SchemaNode::TupleStruct(name, _)
            | SchemaNode::Struct(name, _)
            | SchemaNode::Enum(name, _)
            | SchemaNode::Versioned(name, ..) => format!("`{name}`"),
        }
    }
}

impl<'s> Comparison<'s> {
    fn new(saved: &'s Schema, now: &'s Schema) -> Self {
        Self {
            saved,
            now,
            pairs: Vec::new(),
            known: HashSet::new(),
            open: VecDeque::new(),
        }
    }

    /// Adds a pair, unless it was compared before.
    fn add(
        &mut self,
        saved: NodeIdx,
        now: NodeIdx,
        inside: Option<(usize, String)>,
        is_named: bool,
    ) {
        if self.known.insert((saved, now)) {
            self.open.push_back(self.pairs.len());
            self.pairs.push(Pair {
                saved,
                now,
                inside,
                is_named,
            });
        }
    }

    fn run(&mut self) -> Result<(), SchemaDifference> {
        while let Some(pair) = self.open.pop_front() {
            self.compare(pair)?;
        }
        Ok(())
    }

    /// Compares all pairs but the first one.
    fn run_open(&mut self) -> Result<(), SchemaDifference> {
        self.open.retain(|pair| *pair != 0);
        self.run()
    }

    /// Compares the nodes of a pair, without their parts, which become pairs.
    fn compare(&mut self, pair: usize) -> Result<(), SchemaDifference> {
        let Pair {
            saved,
            now,
            is_named,
            ..
        } = self.pairs[pair];
        let (of_saved, of_now) = (&self.saved.nodes, &self.now.nodes);
        let inside = |part: &str| Some((pair, part.to_string()));
        match (&of_saved[saved as usize], &of_now[now as usize]) {
            (SchemaNode::Unknown, _) | (_, SchemaNode::Unknown) => Ok(()),
            (SchemaNode::Scalar(one), SchemaNode::Scalar(other)) if one == other => Ok(()),
            (SchemaNode::Option(one), SchemaNode::Option(other)) => {
                self.add(*one, *other, inside("?"), false);
                Ok(())
            }
            (SchemaNode::Sequence(one), SchemaNode::Sequence(other)) => {
                self.add(*one, *other, inside("[]"), false);
                Ok(())
            }
            (SchemaNode::Map(key, value), SchemaNode::Map(other_key, other_value)) => {
                self.add(*key, *other_key, inside("key"), false);
                self.add(*value, *other_value, inside("value"), false);
                Ok(())
            }
            (SchemaNode::Tuple(one), SchemaNode::Tuple(other)) => self.elements(pair, one, other),
            (SchemaNode::UnitStruct(one), SchemaNode::UnitStruct(other))
                if one == other || is_named =>
            {
                Ok(())
            }
            (SchemaNode::Newtype(one, saved), SchemaNode::Newtype(other, now))
                if one == other || is_named =>
            {
                self.add(*saved, *now, inside("0"), false);
                Ok(())
            }
            (SchemaNode::TupleStruct(one, saved), SchemaNode::TupleStruct(other, now))
                if one == other || is_named =>
            {
                let elements =
                    |parts: &[NodeIdx]| -> Vec<_> { parts.iter().map(|part| (*part, 1)).collect() };
                self.elements(pair, &elements(saved), &elements(now))
            }
            (SchemaNode::Struct(one, saved), SchemaNode::Struct(other, now))
                if one == other || is_named =>
            {
                self.fields(pair, "", saved, now)
            }
            (SchemaNode::Enum(one, saved), SchemaNode::Enum(other, now))
                if one == other || is_named =>
            {
                (0..saved.len()).try_for_each(|nth| self.variant(pair, nth, saved, now))
            }
            (
                SchemaNode::Versioned(one, version, saved),
                SchemaNode::Versioned(other, now_version, now),
            ) if one == other => {
                // Another version is migrated, or an error of its own.
                if version == now_version {
                    self.add(*saved, *now, inside(""), true);
                }
                Ok(())
            }
            _ => Err(self.other_type(pair)),
        }
    }

    /// The types of a pair are different.
    fn other_type(&self, pair: usize) -> SchemaDifference {
        let Pair { saved, now, .. } = self.pairs[pair];
        let (saved, now) = (self.saved.type_name(saved), self.now.type_name(now));
        self.at(pair, "", Some(saved), Some(now), None)
    }

    fn elements(
        &mut self,
        pair: usize,
        saved: &[(NodeIdx, u32)],
        now: &[(NodeIdx, u32)],
    ) -> Result<(), SchemaDifference> {
        let len = |runs: &[(NodeIdx, u32)]| runs.iter().map(|of| u64::from(of.1)).sum::<u64>();
        let (n_saved, n_now) = (len(saved), len(now));
        if n_saved != n_now {
            let text = |n| Some(format!("a tuple of {n}"));
            return Err(self.at(pair, "", text(n_saved), text(n_now), None));
        }
        let (mut saved, mut now) = (saved.iter().copied(), now.iter().copied());
        let mut runs = (saved.next(), now.next());
        let mut nth = 0_u64;
        while let (Some((one, n_one)), Some((other, n_other))) = runs {
            self.add(one, other, Some((pair, nth.to_string())), false);
            let n = n_one.min(n_other);
            nth += u64::from(n);
            let rest = |node, n: u32, next: Option<(NodeIdx, u32)>| match n {
                0 => next,
                n => Some((node, n)),
            };
            runs = (
                rest(one, n_one - n, if n_one == n { saved.next() } else { None }),
                rest(
                    other,
                    n_other - n,
                    if n_other == n { now.next() } else { None },
                ),
            );
        }
        Ok(())
    }

    /// Compares the names of fields. `variant`: the variant that has the fields, or an empty text.
    fn fields(
        &mut self,
        pair: usize,
        variant: &str,
        saved: &[(String, NodeIdx)],
        now: &[(String, NodeIdx)],
    ) -> Result<(), SchemaDifference> {
        for nth in 0..saved.len().max(now.len()) {
            let (one, other) = (saved.get(nth), now.get(nth));
            if let (Some((name, saved)), Some((other, now))) = (one, other)
                && name == other
            {
                let part = match variant {
                    "" => name.clone(),
                    variant => format!("{variant}.{name}"),
                };
                self.add(*saved, *now, Some((pair, part)), false);
                continue;
            }
            let text = |schema: &Schema, field: Option<&(String, NodeIdx)>| {
                field.map(|(name, node)| {
                    let of = schema.type_name(*node);
                    format!("`{name}: {}`", of.trim_matches('`'))
                })
            };
            let renamed = match (one, other) {
                (Some((name, saved_type)), Some((_, now_type)))
                    if saved.len() == now.len()
                        && now.iter().all(|of| of.0 != *name)
                        && self.saved.type_name(*saved_type) == self.now.type_name(*now_type) =>
                {
                    Some(name.clone())
                }
                _ => None,
            };
            let part = match variant {
                "" => format!("field {nth}"),
                variant => format!("field {nth} of the variant `{variant}`"),
            };
            let (saved, now) = (text(self.saved, one), text(self.now, other));
            return Err(self.at(pair, &part, saved, now, renamed));
        }
        Ok(())
    }

    /// Compares one variant. Later variants may have been added.
    fn variant(
        &mut self,
        pair: usize,
        nth: usize,
        saved: &[(String, SchemaVariant)],
        now: &[(String, SchemaVariant)],
    ) -> Result<(), SchemaDifference> {
        let (name, saved) = &saved[nth];
        let now = now.get(nth);
        let other = now.map(|of| &of.0);
        if other != Some(name) {
            let part = format!("variant {nth}");
            let text = |name: &String| format!("`{name}`");
            return Err(self.at(pair, &part, Some(text(name)), other.map(text), None));
        }
        let now = &now.expect("it has the same name").1;
        match (saved, now) {
            (SchemaVariant::Unknown, _) | (_, SchemaVariant::Unknown) => Ok(()),
            (SchemaVariant::Unit, SchemaVariant::Unit) => Ok(()),
            (SchemaVariant::Newtype(one), SchemaVariant::Newtype(other)) => {
                self.add(*one, *other, Some((pair, name.clone())), false);
                Ok(())
            }
            (SchemaVariant::Tuple(one), SchemaVariant::Tuple(other))
                if one.len() == other.len() =>
            {
                for (nth, (one, other)) in one.iter().zip(other).enumerate() {
                    let part = Some((pair, format!("{name}.{nth}")));
                    self.add(*one, *other, part, false);
                }
                Ok(())
            }
            (SchemaVariant::Struct(one), SchemaVariant::Struct(other)) => {
                self.fields(pair, name, one, other)
            }
            _ => {
                let text = |variant: &SchemaVariant| match variant {
                    SchemaVariant::Unknown | SchemaVariant::Unit => format!("`{name}`"),
                    SchemaVariant::Newtype(_) => format!("`{name}(_)`"),
                    SchemaVariant::Tuple(parts) => {
                        format!("`{name}({})`", vec!["_"; parts.len()].join(", "))
                    }
                    SchemaVariant::Struct(fields) => {
                        let fields: Vec<&str> = fields.iter().map(|of| &*of.0).collect();
                        format!("`{name} {{ {} }}`", fields.join(", "))
                    }
                };
                let part = format!("variant {nth}");
                Err(self.at(pair, &part, Some(text(saved)), Some(text(now)), None))
            }
        }
    }

    /// A difference in the nodes of a pair.
    fn at(
        &self,
        pair: usize,
        part: &str,
        saved: Option<String>,
        now: Option<String>,
        renamed: Option<String>,
    ) -> SchemaDifference {
        let mut parts: Vec<&str> = Vec::new();
        let mut owner = None;
        let mut next = Some(pair);
        while let Some(idx) = next {
            if let SchemaNode::Versioned(name, version, _) = self.node(idx) {
                parts.push(name);
                owner = Some((name.clone(), *version));
                break;
            }
            let inside = self.pairs[idx].inside.as_ref();
            parts.extend(inside.map(|(_, part)| part.as_str()));
            next = inside.map(|(outer, _)| *outer);
        }
        let mut path = String::new();
        for part in parts.into_iter().rev().filter(|part| !part.is_empty()) {
            if !path.is_empty() && !matches!(part, "[]" | "?") {
                path.push('.');
            }
            path.push_str(part);
        }
        SchemaDifference(Box::new(DifferentPart {
            path,
            owner,
            part: part.to_string(),
            saved,
            now,
            renamed,
        }))
    }

    fn node(&self, pair: usize) -> &SchemaNode {
        &self.saved.nodes[self.pairs[pair].saved as usize]
    }
}
