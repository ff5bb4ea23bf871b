//! Conflicts between the parameters of one system, and the messages about them.

use super::{Access, AccessKind, Parameter, ResourceType, Storage};
use crate::base::identity::{Argument, Name};
use crate::base::text::Text;

/// A conflict of two accesses.
#[derive(Clone, Copy)]
pub(super) enum Conflict {
    /// On one resource, in kinds that conflict.
    On {
        resource: ResourceType,
        first: AccessKind,
        second: AccessKind,
        sides: Sides,
    },
    /// One side accesses every resource. The other side can be an [`Access::Each`] with any access in it.
    OnAll { first: Access, second: Access },
}

/// The sides of a conflict on one resource. The advice depends on them.
#[derive(Clone, Copy)]
pub(super) enum Sides {
    /// Two parameters. For a component, these are two queries.
    Parameters,
    /// Two terms of one query.
    Terms,
    /// A world that is taken exclusively, and a query of it.
    WorldAndQuery,
    /// Two parameters of a `for_each` system, which are components of one entity.
    Entity,
    /// A component of the entity of a `for_each` system, and a query.
    EntityAndQuery,
    /// A filter that tests for changes of a component, and a query that writes it.
    Changes,
}

impl Conflict {
    /// The same conflict, with the sides that follow from the accesses of two parameters.
    pub(super) const fn of(self, first: &Access, second: &Access, is_for_each: bool) -> Self {
        let Self::On { resource, .. } = self else {
            return self;
        };
        let id = resource.id;
        match (first, second) {
            // In a `for_each` system, the first element is the access to the entity, and the second one that of a query.
            (Access::Each([first, _]), Access::Each([second, _])) if is_for_each => {
                self.between(match conflict(first, second, ComparedSides::InSystem) {
                    Some(_) => Sides::Entity,
                    None => Sides::EntityAndQuery,
                })
            }
            _ if queries(first, id) || queries(second, id) => self.between(Sides::WorldAndQuery),
            _ => self,
        }
    }

    /// The same conflict, inside a parameter of a `for_each` system.
    pub(super) const fn inside_for_each(self) -> Self {
        match self {
            Self::On {
                sides: Sides::Terms,
                ..
            } => self.between(Sides::Entity),
            _ => self.between(Sides::EntityAndQuery),
        }
    }

    /// The same conflict, between two terms of one query.
    pub(super) const fn inside_query(self) -> Self {
        self.between(Sides::Terms)
    }

    const fn between(mut self, new: Sides) -> Self {
        if let Self::On { sides, .. } = &mut self
            && !matches!(sides, Sides::Changes)
        {
            *sides = new;
        }
        self
    }
}

/// Adds the reason and the advice for a conflict of two parameters.
pub(super) const fn explain(
    text: Text,
    first: &Parameter,
    second: &Parameter,
    conflict: Conflict,
) -> Text {
    match conflict {
        Conflict::On {
            resource,
            first: kind @ (AccessKind::Read | AccessKind::Fold),
            second: AccessKind::Read | AccessKind::Fold,
            ..
        } if resource.name.is_messages() => messages_twice(text.str("both "), resource, kind, ""),
        Conflict::On {
            resource,
            first: AccessKind::Write,
            second: AccessKind::Write,
            sides,
        } => {
            let text = text.str("both write `").name(resource.name).str("`");
            take_once(text, resource, sides)
        }
        Conflict::On {
            resource,
            first: first_kind,
            second: second_kind,
            ..
        } if folds(first_kind) || folds(second_kind) => {
            let (fold, other, other_kind) = if folds(first_kind) {
                (first, second, second_kind)
            } else {
                (second, first, first_kind)
            };
            let text = text
                .str("`")
                .str(fold.name)
                .str("` folds into `")
                .name(resource.name)
                .str("`, which `")
                .str(other.name);
            let text = text.str("` ").str(verb(other_kind, false));
            text.str(REMOVE_ONE)
        }
        Conflict::On {
            resource,
            first: first_kind,
            sides,
            ..
        } => {
            let (writer, reader) = if first_kind.is_write() {
                (first, second)
            } else {
                (second, first)
            };
            let text = text
                .str("`")
                .str(writer.name)
                .str("` writes `")
                .name(resource.name)
                .str("`, which `")
                .str(reader.name)
                .str("` reads");
            match sides {
                Sides::Entity => {
                    let name = resource.name.without_store();
                    let text = text.str("; remove `").str(reader.name).str("`, and take `");
                    text.name(name).str("` once, as `&mut ").name(name).str("`")
                }
                Sides::WorldAndQuery => {
                    let text = text.str("; remove `").str(reader.name).str("`, and use `");
                    let text = text.str(writer.name);
                    if resource.name.is_columns() {
                        let text = text.str(".").str(access_method(resource.name));
                        return text.str("()`");
                    }
                    text.str(".query::<…>()`; to spawn and despawn, take `Commands` instead of `")
                        .str(writer.name)
                        .str("`")
                }
                _ => take_once(text, resource, sides),
            }
        }
        Conflict::OnAll {
            first: Access::Exclusive,
            second: Access::Exclusive,
        } => text.str("both write every resource; take them once, as `&mut Resources`"),
        Conflict::OnAll {
            first: a,
            second: b,
        } => {
            let text = touches(text.str("`").str(first.name).str("`"), a);
            let text = touches(text.str(" and `").str(second.name).str("`"), b);
            let (removed, other, kept) = match (a, b) {
                (Access::Exclusive, other) => (second, other, first),
                (other, Access::Exclusive) => (first, other, second),
                _ => return text.str("; take one `&mut Resources` instead of both"),
            };
            let text = text.str("; remove `").str(removed.name);
            if let Access::Read(store) = other
                && queries(&removed.access, store.id)
            {
                let text = text
                    .str(if store.name.is_columns() {
                        "`, and use `"
                    } else {
                        "`, and query `"
                    })
                    .str(kept.name)
                    .str(".get_mut::<");
                return text.name(store.name).str(">()`");
            }
            if main_thread(&other) {
                return text
                    .str("`, add `main_thread` to the attribute, and use `")
                    .str(kept.name)
                    .str(".main_thread().with(…)`");
            }
            text.str("`, and get its resources through `")
                .str(kept.name)
                .str("`")
        }
    }
}

/// Adds the reason and the advice for a conflict inside an access.
pub(super) const fn explain_inside(text: Text, conflict: Conflict) -> Text {
    match conflict {
        Conflict::On {
            resource,
            first: kind @ (AccessKind::Read | AccessKind::Fold),
            second: AccessKind::Read | AccessKind::Fold,
            ..
        } if resource.name.is_messages() => messages_twice(text.str("it "), resource, kind, "s"),
        Conflict::On {
            resource,
            first: AccessKind::Write,
            second: AccessKind::Write,
            sides,
        } => {
            let text = text.str("it writes `").name(resource.name);
            take_once(text.str("` twice"), resource, sides)
        }
        Conflict::On {
            resource,
            first,
            second,
            ..
        } if folds(first) || folds(second) => {
            let other = if folds(first) { second } else { first };
            let text = text.str("it folds into `").name(resource.name);
            text.str("` and ")
                .str(verb(other, false))
                .str(" it")
                .str(REMOVE_ONE)
        }
        Conflict::On {
            resource,
            sides: sides @ Sides::Changes,
            ..
        } => {
            let text = text.str("it writes `").name(resource.name);
            take_once(text.str("`, and tests its changes"), resource, sides)
        }
        Conflict::On {
            resource, sides, ..
        } => {
            let text = text.str("it reads and writes `").name(resource.name);
            take_once(text.str("`"), resource, sides)
        }
        Conflict::OnAll { first, second } => {
            let text = touches(text.str("one part of it"), first);
            let text = touches(text.str(" and another"), second);
            text.str("; take only `&mut Resources`, and get all resources through it")
        }
    }
}

/// Adds the reason and the advice for two readers or two writers of the same messages. `ending`: that of the verb.
const fn messages_twice(text: Text, queue: ResourceType, kind: AccessKind, ending: &str) -> Text {
    let (verb, parameter) = match kind {
        AccessKind::Fold => ("write", "MessageWriter<"),
        _ => ("read", "MessageReader<"),
    };
    let text = text.str(verb).str(ending).str(" `").name(queue.name);
    let text = text.str(if ending.is_empty() { "`" } else { "` twice" });
    let text = text.str("; take it once, as `").str(parameter);
    let text = match queue.name.arguments() {
        [Argument::Type(message)] => text.name(*message),
        _ => text.str("…"),
    };
    text.str(">`")
}

/// Follows the conflict of a fold with another access.
const REMOVE_ONE: &str =
    "; remove one of the two, because the folded value is in the resource only after the system";

const fn folds(kind: AccessKind) -> bool {
    matches!(kind, AccessKind::Fold)
}

/// The verb for an access, before the name of a resource.
pub(crate) const fn verb(kind: AccessKind, is_messages: bool) -> &'static str {
    match kind {
        AccessKind::Fold if is_messages => "writes",
        AccessKind::Read => "reads",
        AccessKind::Write => "writes",
        AccessKind::Fold => "folds into",
    }
}

const fn take_once(text: Text, resource: ResourceType, sides: Sides) -> Text {
    let name = resource.name.without_store();
    match (resource.storage, sides) {
        (Storage::MainThread, _) => {
            let text = text.str("; take it once, as `NonSendMut<");
            text.name(name).str(">`")
        }
        (Storage::Entities, Sides::EntityAndQuery) if is_column(resource) => {
            let text = text
                .str("; take it as `&")
                .name(name)
                .str("`, or write a system with `");
            column_mut(text, resource).str("` and a loop")
        }
        (Storage::Entities, Sides::Parameters) if is_column(resource) => {
            column_mut(text.str("; take it once, as `"), resource).str("`")
        }
        (Storage::Entities, Sides::EntityAndQuery) => {
            let text = text.str("; take it as `&").name(name).str(
                "`, or add filters that exclude each other, such as `with = C` and `Without<C>`",
            );
            text.str(", or write a system with a query and a loop")
        }
        (Storage::Entities, Sides::Changes) => text
            .str(" by a filter; remove the filter, or read `&")
            .name(name)
            .str("` here, and write it in another system"),
        (Storage::Entities, Sides::Terms | Sides::Parameters) => {
            let text = text.str("; query it once, as `&mut ").name(name).str("`");
            if matches!(sides, Sides::Terms) {
                return text;
            }
            text.str(", or add filters that exclude each other, such as `With<C>` and `Without<C>`")
        }
        (_, Sides::WorldAndQuery) => {
            let text = text
                .str("; take only `&mut ")
                .name(name)
                .str("`, and use its method `");
            text.str(access_method(resource.name)).str("`")
        }
        // Deferred writes of one system do not conflict.
        (Storage::Shared | Storage::Deferred | Storage::Entities, _) => {
            text.str("; take it once, as `&mut ").name(name).str("`")
        }
    }
}

/// The method of a store that returns components.
const fn access_method(store: Name) -> &'static str {
    if store.is_columns() {
        "columns_mut"
    } else {
        "query"
    }
}

/// Whether a component is one of a store of columns.
const fn is_column(component: ResourceType) -> bool {
    match component.name.store() {
        Some(store) => store.is_columns(),
        None => false,
    }
}

/// Adds the parameter that writes a whole column.
const fn column_mut(text: Text, component: ResourceType) -> Text {
    let mut text = text.str("ColumnMut<");
    if let Some(store) = component.name.store()
        && let [Argument::Type(kind)] = store.arguments()
    {
        text = text.name(*kind).str(", ");
    }
    text.name(component.name.without_store()).str(">")
}

const fn touches(text: Text, access: Access) -> Text {
    match access {
        Access::Read(resource) => text.str(" reads `").name(resource.name).str("`"),
        Access::Write(resource) => text.str(" writes `").name(resource.name).str("`"),
        Access::Fold(resource) => text.str(" folds into `").name(resource.name).str("`"),
        Access::ReadAll => text.str(" reads every resource"),
        _ => text.str(" writes every resource"),
    }
}

/// Whether an access contains a query of the store with this id: an access to the store beside a filtered access to components.
const fn queries(access: &Access, store: u128) -> bool {
    let Access::Each(parts) = access else {
        return false;
    };
    let (mut reads_store, mut has_components) = (false, false);
    let mut i = 0;
    while i < parts.len() {
        match &parts[i] {
            Access::Read(resource) if resource.id == store => reads_store = true,
            Access::Filtered(..) => has_components = true,
            part if queries(part, store) => return true,
            _ => {}
        }
        i += 1;
    }
    reads_store && has_components
}

/// The sides of a comparison. Only messages make a difference: a system can have one reader and one writer of a type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ComparedSides {
    /// Of two parts of one system.
    InSystem,
    /// Of two systems.
    OfSystems,
}

/// Returns the first conflict between two accesses.
pub(super) const fn conflict(
    first: &Access,
    second: &Access,
    comparison: ComparedSides,
) -> Option<Conflict> {
    // Most parameters are one resource each, so these cases come first and copy nothing. Const evaluation compares
    // every pair of every system, so each step matters.
    use AccessKind::{Read, Write};
    match (first, second) {
        (Access::Read(a), Access::Read(b)) => twice(a, b, Read, comparison),
        (Access::Read(a), Access::Write(b)) => conflict_on(a, Read, b, Write),
        (Access::Write(a), Access::Read(b)) => conflict_on(a, Write, b, Read),
        (Access::Write(a), Access::Write(b)) => conflict_on(a, Write, b, Write),
        _ => conflict_of_others(first, second, comparison),
    }
}

/// Returns the conflict between two reads or two folds, if both are of the same messages and of one system.
const fn twice(
    a: &ResourceType,
    b: &ResourceType,
    kind: AccessKind,
    comparison: ComparedSides,
) -> Option<Conflict> {
    match comparison {
        ComparedSides::InSystem if a.name.is_messages() => conflict_on(a, kind, b, kind),
        _ => None,
    }
}

/// Returns the conflict between a read and a fold, unless they are a reader and a writer of one system.
const fn fold_and_read(
    a: &ResourceType,
    first: AccessKind,
    b: &ResourceType,
    second: AccessKind,
    comparison: ComparedSides,
) -> Option<Conflict> {
    match comparison {
        ComparedSides::InSystem if a.name.is_messages() => None,
        _ => conflict_on(a, first, b, second),
    }
}

/// Returns the conflict between two accesses in kinds that conflict, if they are to the same resource.
const fn conflict_on(
    a: &ResourceType,
    first: AccessKind,
    b: &ResourceType,
    second: AccessKind,
) -> Option<Conflict> {
    if a.id == b.id {
        Some(Conflict::On {
            resource: *a,
            first,
            second,
            sides: Sides::Parameters,
        })
    } else {
        None
    }
}

/// Returns the first conflict between two accesses, at least one of which is not a single resource.
const fn conflict_of_others(
    first: &Access,
    second: &Access,
    comparison: ComparedSides,
) -> Option<Conflict> {
    use AccessKind::{Fold, Read};
    match (first, second) {
        (Access::Filtered(first, filter), Access::Filtered(second, other)) => {
            if filter.is_disjoint(other) {
                return None;
            }
            match conflict(first, second, comparison) {
                Some(found) if filter.is_of_marks() || other.is_of_marks() => {
                    Some(found.between(Sides::Changes))
                }
                found => found,
            }
        }
        (Access::Each(parts) | Access::OneOf(parts), other)
        | (other, Access::Each(parts) | Access::OneOf(parts)) => {
            let is_first = matches!(first, Access::Each(_) | Access::OneOf(_));
            let mut i = 0;
            while i < parts.len() {
                let found = if is_first {
                    conflict(&parts[i], other, comparison)
                } else {
                    conflict(other, &parts[i], comparison)
                };
                if found.is_some() {
                    return found;
                }
                i += 1;
            }
            None
        }
        (Access::Optional(first), second) => conflict(first, second, comparison),
        (first, Access::Optional(second)) => conflict(first, second, comparison),
        (Access::Filtered(first, _), second) => conflict(first, second, comparison),
        (first, Access::Filtered(second, _)) => conflict(first, second, comparison),
        (Access::Commands | Access::Inserts(_) | Access::Defers(_) | Access::Changes(_), _)
        | (_, Access::Commands | Access::Inserts(_) | Access::Defers(_) | Access::Changes(_)) => {
            None
        }
        (Access::Fold(a), Access::Fold(b)) => twice(a, b, Fold, comparison),
        (Access::Fold(a), Access::Read(b)) => fold_and_read(a, Fold, b, Read, comparison),
        (Access::Fold(a), Access::Write(b)) => {
            conflict_on(a, AccessKind::Fold, b, AccessKind::Write)
        }
        (Access::Read(a), Access::Fold(b)) => fold_and_read(a, Read, b, Fold, comparison),
        (Access::Write(a), Access::Fold(b)) => {
            conflict_on(a, AccessKind::Write, b, AccessKind::Fold)
        }
        (Access::ReadAll, Access::Write(resource)) | (Access::Write(resource), Access::ReadAll)
            if !resource.is_in_everything() =>
        {
            None
        }
        (Access::Exclusive, _)
        | (_, Access::Exclusive)
        | (Access::ReadAll, Access::Write(_) | Access::Fold(_))
        | (Access::Write(_) | Access::Fold(_), Access::ReadAll) => Some(Conflict::OnAll {
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
                    if let Some(found) = conflict(&parts[j], &parts[i], ComparedSides::InSystem) {
                        return Some(found.of(&parts[j], &parts[i], false));
                    }
                    j += 1;
                }
                i += 1;
            }
            None
        }
        Access::Optional(access) => conflict_inside(access),
        Access::Filtered(access, _) => match conflict_inside(access) {
            Some(found) => Some(found.inside_query()),
            None => None,
        },
        _ => None,
    }
}

/// Whether it is the access of a main-thread value.
const fn main_thread(access: &Access) -> bool {
    match access {
        Access::Read(resource) | Access::Write(resource) => resource.is_main_thread(),
        Access::Optional(access) => main_thread(access),
        _ => false,
    }
}
