//! Spanning groups: the compiler checks that the systems of a schedule take no more than the signature of their group.

use super::Cancellation;
use crate::base::formula::Token;
use crate::base::identity::{Identity, Name};
use crate::base::text::Text;
use crate::data::access::{Access, Parameters, ResourceType};
use crate::data::marks::Marks;
use crate::declare::listing::{Clause, Listed, Listing};
use crate::systems::system::{Declaration, Guard};

/// Rejects a schedule whose systems take more than the signature of their group, whose name and parameters these are.
///
/// Cost: O(leaves of the signature × leaves of the schedule).
///
/// # Panics
///
/// Panics if a system takes more.
#[doc(hidden)]
#[track_caller]
pub const fn check_group(group: &'static str, signature: &Parameters, listing: &Listing) {
    let signature = Signature { group, signature };
    signature.check_listing(listing);
}

#[derive(Clone, Copy)]
struct Signature<'a> {
    group: &'static str,
    signature: &'a Parameters,
}

impl Signature<'_> {
    #[track_caller]
    const fn check_listing(self, listing: &Listing) {
        let mut entry = 0;
        while entry < listing.entries.len() {
            let one = &listing.entries[entry];
            match one.subject {
                Listed::System(system) | Listed::Loop(system) => {
                    if one.marks.and(system.marks).has(Marks::MAIN_THREAD) {
                        self.refuse(system.reference.name, "is bound to the main thread, but the group runs on a thread of its own");
                    }
                    self.check_system(system);
                }
                // The entries of a plugin are in the listing only if it is whole.
                Listed::Plugin(_, plugin) if listing.plugins.is_empty() => {
                    self.check_listing(plugin);
                }
                _ => {}
            }
            let mut clause = 0;
            while clause < one.clauses.len() {
                if let Clause::If(guard) = &one.clauses[clause] {
                    self.check_guard(guard);
                }
                clause += 1;
            }
            entry += 1;
        }
    }

    #[track_caller]
    const fn check_system(self, system: &Declaration) {
        let list = system.definition.parameters.list();
        let mut parameter = 0;
        while parameter < list.len() {
            self.check_access(system.reference.name, &list[parameter].access);
            parameter += 1;
        }
        let mut guard = 0;
        while guard < system.guards.len() {
            self.check_guard(&system.guards[guard]);
            guard += 1;
        }
    }

    #[track_caller]
    const fn check_guard(self, guard: &Guard) {
        let mut token = 0;
        while token < guard.tokens.len() {
            if let Token::Is(answered) = &guard.tokens[token] {
                self.check_system(answered.declaration);
            }
            token += 1;
        }
    }

    #[track_caller]
    const fn check_access(self, system: Name, access: &Access) {
        match access {
            Access::Read(resource) => self.check_resource(system, resource, false),
            Access::Write(resource) | Access::Fold(resource) => {
                self.check_resource(system, resource, true);
            }
            Access::Optional(access) => self.check_access(system, access),
            Access::Each(parts) | Access::OneOf(parts) => {
                let mut part = 0;
                while part < parts.len() {
                    self.check_access(system, &parts[part]);
                    part += 1;
                }
            }
            Access::ReadAll | Access::Exclusive => self.refuse(
                system,
                "accesses all resources, but only those of the signature are copied",
            ),
            Access::Commands | Access::Inserts(_) | Access::Defers(_) | Access::Changes(_) => {
                self.refuse(system, "has commands, which would change only the copies");
            }
            Access::Filtered(..) => self.refuse(system, "accesses entities, which are not copied"),
            // Rejected where the system is declared.
            Access::ByReference(_) => {}
        }
    }

    #[track_caller]
    const fn check_resource(self, system: Name, resource: &ResourceType, is_written: bool) {
        if resource.id == <Cancellation as Identity>::ID && !is_written {
            return;
        }
        if resource.is_main_thread() {
            self.refuse(
                system,
                "accesses a main-thread value, which cannot be copied",
            );
        }
        let list = self.signature.list();
        let mut parameter = 0;
        while parameter < list.len() {
            if takes(&list[parameter].access, resource.id, is_written) {
                return;
            }
            parameter += 1;
        }
        let reference = if is_written { "&mut " } else { "&" };
        let text = self
            .begin(system)
            .str(if is_written { "writes `" } else { "reads `" })
            .name(resource.name)
            .str("`; add `")
            .str(reference)
            .name(resource.name)
            .str("` to the signature of `");
        panic!("{}", text.str(self.group).str("`").as_str());
    }

    #[track_caller]
    const fn refuse(self, system: Name, problem: &str) {
        panic!("{}", self.begin(system).str(problem).as_str());
    }

    const fn begin(self, system: Name) -> Text {
        let text = Text::new().str("system `").name(system);
        text.str("` of spanning group `").str(self.group).str("` ")
    }
}

/// Whether an access is one of this resource. `is_written`: whether it must be a write.
const fn takes(access: &Access, resource: u128, is_written: bool) -> bool {
    match access {
        Access::Read(one) => one.id == resource && !is_written,
        Access::Write(one) => one.id == resource,
        Access::Optional(access) => takes(access, resource, is_written),
        Access::Each(parts) => {
            let mut part = 0;
            while part < parts.len() {
                if takes(&parts[part], resource, is_written) {
                    return true;
                }
                part += 1;
            }
            false
        }
        _ => false,
    }
}
