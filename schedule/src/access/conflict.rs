//! Conflicts between the parameters of one system, and the messages about them.

use super::{Access, ResourceType, Storage};
use crate::text::Text;

/// A conflict of two accesses.
#[derive(Clone, Copy)]
pub(super) enum Conflict {
    /// On one resource, which at least one side writes.
    On {
        resource: ResourceType,
        first_writes: bool,
        second_writes: bool,
        /// Whether both sides are terms of one query.
        is_in_query: bool,
    },
    /// One side accesses every resource. The other side can be an [`Access::Each`] with any access in it.
    OnAll { first: Access, second: Access },
}

pub(super) const fn explain(text: Text, first: &str, second: &str, conflict: Conflict) -> Text {
    match conflict {
        Conflict::On {
            resource,
            first_writes,
            second_writes,
            is_in_query,
        } => {
            let text = if first_writes && second_writes {
                text.str("both write `").name(resource.name).str("`")
            } else {
                let (writer, reader) = if first_writes {
                    (first, second)
                } else {
                    (second, first)
                };
                let text = text.str("`").str(writer).str("` writes `");
                let text = text.name(resource.name).str("`, which `");
                text.str(reader).str("` reads")
            };
            take_once(text, resource, is_in_query)
        }
        Conflict::OnAll {
            first: Access::Exclusive,
            second: Access::Exclusive,
        } => text.str("both write every resource; take them once, as `&mut Resources`"),
        Conflict::OnAll {
            first: a,
            second: b,
        } => {
            let text = touches(text.str("`").str(first).str("`"), a);
            let text = touches(text.str(" and `").str(second).str("`"), b);
            let (removed, kept) = match (a, b) {
                (Access::Exclusive, _) => (second, first),
                (_, Access::Exclusive) => (first, second),
                _ => return text.str("; take one `&mut Resources` instead of both"),
            };
            let text = text.str("; remove `").str(removed);
            text.str("`, and get its resources through `")
                .str(kept)
                .str("`")
        }
    }
}

pub(super) const fn explain_inside(text: Text, conflict: Conflict) -> Text {
    match conflict {
        Conflict::On {
            resource,
            first_writes: true,
            second_writes: true,
            is_in_query,
        } => {
            let text = text.str("it writes `").name(resource.name);
            take_once(text.str("` twice"), resource, is_in_query)
        }
        Conflict::On {
            resource,
            is_in_query,
            ..
        } => {
            let text = text.str("it reads and writes `").name(resource.name);
            take_once(text.str("`"), resource, is_in_query)
        }
        Conflict::OnAll { first, second } => {
            let text = touches(text.str("one part of it"), first);
            let text = touches(text.str(" and another"), second);
            text.str("; take only `&mut Resources`, and get all resources through it")
        }
    }
}

const fn take_once(text: Text, resource: ResourceType, is_in_query: bool) -> Text {
    let (verb, before, after) = match resource.storage {
        // Deferred writes of one system do not conflict.
        Storage::Shared | Storage::Deferred => ("take", "&mut ", "`"),
        Storage::MainThread => ("take", "NonSendMut<", ">`"),
        Storage::Entities => ("query", "&mut ", "`"),
    };
    let text = text.str("; ").str(verb).str(" it once, as `").str(before);
    let text = text.name(resource.name.without_store()).str(after);
    if is_in_query || !matches!(resource.storage, Storage::Entities) {
        return text;
    }
    text.str(", or add filters that exclude each other, such as `With<C>` and `Without<C>`")
}

const fn touches(text: Text, access: Access) -> Text {
    match access {
        Access::Read(resource) => text.str(" reads `").name(resource.name).str("`"),
        Access::Write(resource) => text.str(" writes `").name(resource.name).str("`"),
        Access::ReadAll => text.str(" reads every resource"),
        _ => text.str(" writes every resource"),
    }
}

/// Returns the first conflict between two accesses.
pub(super) const fn conflict(first: &Access, second: &Access) -> Option<Conflict> {
    // Most parameters are one resource each, so these cases come first and copy nothing. Const evaluation compares
    // every pair of every system, so each step matters.
    let (a, b, first_writes, second_writes) = match (first, second) {
        (Access::Read(_), Access::Read(_)) => return None,
        (Access::Read(a), Access::Write(b)) => (a, b, false, true),
        (Access::Write(a), Access::Read(b)) => (a, b, true, false),
        (Access::Write(a), Access::Write(b)) => (a, b, true, true),
        _ => return conflict_of_others(first, second),
    };
    if a.id == b.id {
        Some(Conflict::On {
            resource: *a,
            first_writes,
            second_writes,
            is_in_query: false,
        })
    } else {
        None
    }
}

/// Returns the first conflict between two accesses, at least one of which is not a single resource.
const fn conflict_of_others(first: &Access, second: &Access) -> Option<Conflict> {
    match (first, second) {
        (Access::Filtered(first, filter), Access::Filtered(second, other)) => {
            if filter.is_disjoint(other) {
                None
            } else {
                conflict(first, second)
            }
        }
        (Access::Each(parts) | Access::OneOf(parts), other)
        | (other, Access::Each(parts) | Access::OneOf(parts)) => {
            let is_first = matches!(first, Access::Each(_) | Access::OneOf(_));
            let mut i = 0;
            while i < parts.len() {
                let found = if is_first {
                    conflict(&parts[i], other)
                } else {
                    conflict(other, &parts[i])
                };
                if found.is_some() {
                    return found;
                }
                i += 1;
            }
            None
        }
        (Access::Optional(first), second) => conflict(first, second),
        (first, Access::Optional(second)) => conflict(first, second),
        (Access::Filtered(first, _), second) => conflict(first, second),
        (first, Access::Filtered(second, _)) => conflict(first, second),
        (Access::Commands | Access::Inserts(_) | Access::Defers(_), _)
        | (_, Access::Commands | Access::Inserts(_) | Access::Defers(_)) => None,
        (Access::ReadAll, Access::Write(resource)) | (Access::Write(resource), Access::ReadAll)
            if !resource.is_in_everything() =>
        {
            None
        }
        (Access::Exclusive, _)
        | (_, Access::Exclusive)
        | (Access::ReadAll, Access::Write(_))
        | (Access::Write(_), Access::ReadAll) => Some(Conflict::OnAll {
            first: *first,
            second: *second,
        }),
        _ => None,
    }
}

/// Returns the first conflict between two parts of one access.
pub(super) const fn conflict_inside(access: &Access) -> Option<Conflict> {
    match access {
        Access::Each(parts) => {
            let mut i = 0;
            while i < parts.len() {
                if let Some(found) = conflict_inside(&parts[i]) {
                    return Some(found);
                }
                let mut j = 0;
                while j < i {
                    if let Some(found) = conflict(&parts[j], &parts[i]) {
                        return Some(found);
                    }
                    j += 1;
                }
                i += 1;
            }
            None
        }
        Access::Optional(access) => conflict_inside(access),
        Access::Filtered(access, _) => match conflict_inside(access) {
            Some(Conflict::On {
                resource,
                first_writes,
                second_writes,
                ..
            }) => Some(Conflict::On {
                resource,
                first_writes,
                second_writes,
                is_in_query: true,
            }),
            found => found,
        },
        _ => None,
    }
}
