//! Writes the order that resolves a race as code: as an entry of `schedule!`, and as an option of an attribute.
//!
//! The scope of a race is the innermost plugin that contains both systems, or the schedule, which is 0. The text for a race in a plugin is the
//! same as at the listing of the plugin, because a schedule that includes the plugin omits faults with the same text.

use schedule_graph::internal::Item;

use super::order::{CodeOrder, RaceOrder};
use super::value::Value;
use super::{FaultWriter, NONE, Text};
use crate::declare::messages::{fill_in, is_same};
use crate::verify::checked::node::NodeKind;

impl FaultWriter<'_, '_> {
    /// Adds the instruction to declare an order that resolves a race.
    pub(super) const fn remedy(self, text: Text, remedy: RaceOrder) -> Text {
        let RaceOrder { one, other, .. } = remedy;
        let (first, then) = (self.of(one), self.of(other));
        let is_same_type = first.reference.id == then.reference.id;
        let draft = &self.checked.draft;
        let scope = draft.listing.common_plugin(first.plugin, then.plugin);
        if self.is_only(one, scope) {
            let order = remedy.of_other(one, scope);
            if then.is_implied {
                return self.list(text, order, remedy.is_single);
            }
            return self.declare(text, order, remedy.is_single);
        }
        if let Some(plugin) = self.plugin_in(scope, one) {
            return self.declare(text, remedy.of_other(plugin, scope), remedy.is_single);
        }
        if let Some(plugin) = self.plugin_in(scope, other) {
            return self.declare(text, remedy.of_one(plugin, scope), remedy.is_single);
        }
        if is_same_type && first.is_implied && then.is_implied {
            let condition = Value::TypePathInCode(one);
            return fill_in!(self, text, LIST_OUTSIDE, condition = condition);
        }
        if self.is_only(other, scope) && first.is_implied {
            return self.list(text, remedy.of_one(other, scope), remedy.is_single);
        }
        if self.is_only(other, scope) && is_same_type {
            return self.declare(text, remedy.of_one(other, scope), remedy.is_single);
        }
        let path = Value::TypePathInCode(one);
        fill_in!(self, text, NAME_AND_ORDER, path = path)
    }

    /// Adds the instruction to declare an order of an entry.
    const fn declare(self, text: Text, order: CodeOrder, is_single: bool) -> Text {
        let entry = Value::Entry(order);
        if !is_single {
            return self.value(text, entry);
        }
        let attribute = self.attribute_on(order);
        fill_in!(self, text, WRITE_ENTRY, entry = entry; attribute = attribute)
    }

    /// Adds the instruction to list an implied condition with an order.
    const fn list(self, text: Text, order: CodeOrder, is_single: bool) -> Text {
        let entry = Value::Entry(order);
        let attribute = if is_single {
            self.attribute_on(order)
        } else {
            None
        };
        if self.of(order.subject).level == NONE {
            fill_in!(self, text, LIST_CONDITION, entry = entry; attribute = attribute)
        } else {
            fill_in!(self, text, LIST_CONDITION_IN_LOOP, entry = entry; attribute = attribute)
        }
    }

    /// Adds the entry that declares an order. The subject can be an implied condition.
    pub(super) const fn entry(self, text: Text, order: CodeOrder) -> Text {
        let subject = match self.plugin_in(order.scope, order.subject) {
            Some(plugin) => plugin,
            None => order.subject,
        };
        let node = self.of(subject);
        let text = text.str("`");
        let text = match node.kind {
            NodeKind::System if self.is_closure(subject) => text.str("|…| { … } as "),
            NodeKind::System => text,
            NodeKind::Loop => text.str("repeat while "),
            NodeKind::Checkpoint => text.str("checkpoint "),
            NodeKind::ApplyCommands => text.str("apply_commands "),
            NodeKind::Group if self.checked.draft.is_plugin(subject) => text.str("include "),
            NodeKind::Group => text.str("group "),
        };
        let text = self.path_as_listed(text, subject);
        let text = match node.name {
            Some(name) if !self.is_closure(subject) => text.str(" as ").str(name),
            _ => text,
        };
        let text = text.str(": ").str(order.word()).str(" ");
        let target = self.of(order.target);
        let text = match target.name {
            // Names in a plugin are valid only inside of it.
            Some(name) if target.plugin == order.scope => text.str(name),
            _ => self.path_as_listed(text, order.target),
        };
        let end = if matches!(node.kind, NodeKind::Loop) {
            " { … }`"
        } else {
            "`"
        };
        text.str(end)
    }

    /// Returns whether an order in this scope can name an item unambiguously. O(nodes with its type).
    const fn is_only(self, item: Item, scope: u32) -> bool {
        let (draft, node) = (&self.checked.draft, self.of(item));
        if node.name.is_some() && node.plugin == scope {
            return true;
        }
        let mut n_found = 0;
        let mut next = draft.first(node.reference.id);
        while let Some(same) = next {
            let plugin = self.of(same).plugin;
            if draft.listing.common_plugin(scope, plugin) == scope {
                n_found += 1;
            }
            next = draft.next(same);
        }
        n_found == 1
    }

    /// Returns the plugin that is directly in this scope and contains an item, if there is one.
    const fn plugin_in(self, scope: u32, item: Item) -> Option<Item> {
        let draft = &self.checked.draft;
        let plugin = self.of(item).plugin;
        if plugin == scope {
            return None;
        }
        Some(draft.item(draft.listing.directly_in(scope, plugin)))
    }

    /// Returns whether an item is a closure. The listing has only its name.
    const fn is_closure(self, item: Item) -> bool {
        match (self.of(item).name, self.checked.draft.path(item)) {
            (Some(name), Some(path)) => is_same(name, path),
            _ => false,
        }
    }

    /// Adds the path of an item, as its entry is written.
    const fn path_as_listed(self, text: Text, item: Item) -> Text {
        let draft = &self.checked.draft;
        if let Item::Group(_) = item
            && draft.is_plugin(item)
        {
            let entry = &draft.listing.entries[draft.of(item).spot.entry as usize];
            if let Some(path) = entry.path {
                return text.str(path);
            }
        }
        self.path_of_type(text, item)
    }

    /// Returns the option of the attribute that declares an order, if it has the same effect as the entry and resolves where the function
    /// is: both systems are listed once, under their own names, and are in one file and one module.
    const fn attribute_on(self, order: CodeOrder) -> Option<Value> {
        let (subject, target) = (self.of(order.subject), self.of(order.target));
        let (Some(of_subject), Some(of_target)) = (subject.declaration, target.declaration) else {
            return None;
        };
        let is_named = subject.name.is_some() || target.name.is_some();
        let is_in_plugin = subject.plugin != order.scope || target.plugin != order.scope;
        let is_generic = !subject.reference.name.arguments().is_empty();
        if is_named || is_in_plugin || is_generic || !subject.is_system() {
            return None;
        }
        let is_unique =
            self.is_only(order.subject, order.scope) && self.is_only(order.target, order.scope);
        let files = (
            of_subject.definition.location().file(),
            of_target.definition.location().file(),
        );
        let modules = (self.module(order.subject), self.module(order.target));
        if is_unique && is_same(files.0, files.1) && is_same(modules.0, modules.1) {
            Some(Value::AttributeOn(order))
        } else {
            None
        }
    }

    /// Returns the module in the path by which the listing names an item. Empty if the path has none.
    const fn module(self, item: Item) -> &'static str {
        match self.checked.draft.path(item) {
            Some(path) => path.split_at(module_len(path)).0,
            None => "",
        }
    }

    /// Adds the attribute that declares an order. The path of the target has no module.
    pub(super) const fn attribute(self, text: Text, order: CodeOrder) -> Text {
        let text = text.str("#[system(").str(order.word()).str(" = ");
        let text = match self.checked.draft.path(order.target) {
            Some(path) => text.str(path.split_at(module_len(path)).1),
            None => text.name(self.of(order.target).reference.name),
        };
        text.str(")]")
    }
}

/// Returns the length of the module of a path, with its last `::`. Generic arguments do not count.
const fn module_len(path: &str) -> usize {
    let bytes = path.as_bytes();
    let mut len = 0;
    let mut idx = 0;
    while idx < bytes.len() && bytes[idx] != b'<' {
        if bytes[idx] == b':' {
            len = idx + 1;
        }
        idx += 1;
    }
    len
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn module_of_a_path_ends_before_its_name() {
        let module = |path: &'static str| path.split_at(module_len(path)).0;
        assert_eq!(module("poison"), "");
        assert_eq!(module("combat::poison"), "combat::");
        assert_eq!(module("crate::ai::update"), "crate::ai::");
        assert_eq!(module("herd::spawn<animals::Sheep>"), "herd::");
        assert_eq!(module("spawn<animals::Sheep>"), "");
    }
}
