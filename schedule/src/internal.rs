//! The interface for the other crates of the workspace. It may change in any release.
//!
//! The functions call methods of public types that are not public themselves.

use core::any::Any;
use core::ptr::NonNull;
use std::sync::Arc;

pub use rayon::ThreadPool;

pub use crate::base::escape::{Shown, shown};
pub use crate::base::identity::{Argument, declared_here, mix};
pub use crate::base::kept_memory::is_too_large;
pub use crate::base::kept_memory::limit_memory;
pub use crate::base::panics::{FirstPanic, Payload, drop_caught, drop_part};
pub use crate::base::prefetch::{
    prefetch, prefetch_line, prefetch_line_to_write, prefetch_to_write,
};
#[cfg(feature = "snapshot")]
pub use crate::base::snapshot::{NameChanges, unclaimed};
pub use crate::base::span::{InsideSpan, ParentSpan, WholeSpan};
pub use crate::base::text::Text;
pub use crate::base::time::{HAS_THREADS, Instant, time_since_epoch};
pub use crate::base::user_value::UserValue;
pub use crate::data::entity::BLOCK_ROWS;
pub use crate::data::output::Rejected;
pub use crate::data::param::fetch::Scope;
pub use crate::data::param::state::{ExclusiveRefState, SharedRefState};
#[cfg(feature = "snapshot")]
pub use crate::data::resource::kept_form::{KeptCopy, KeptForm};
pub use crate::data::resource::loans::Loans;
pub use crate::declare::graph::scene::{Arrow, Form, Scene, Shape, Style};
pub use crate::run::executor::help::{Help, call_for_help};
pub use crate::run::executor::idle::{HELPER_TIMEOUT, PARK_AFTER, idle};
pub use crate::run::executor::occupation::Occupation;
pub use crate::run::executor::placement::Placement;
pub use crate::run::executor::prepared::Prepared;
pub use crate::run::executor::processors::n_threads;
pub use crate::run::executor::role::Role;
pub use crate::run::row_loop::{RowLoop, RowTable};

use crate::base::identity::{Identity, Name};
use crate::data::access::{Access, AccessKind, AccessSet, ResourceType};
use crate::data::param::{Fetch, Lookup, Seed, Settle};
use crate::data::resource::Resources;
use crate::declare::failure::Panic;

/// Atomics of `core`, or of the model checker.
pub mod sync {
    #[cfg(loom)]
    pub use crate::base::sync::model::weaken;
    pub use crate::base::sync::{AtomicBool, AtomicU32, AtomicU64, Ordering, needed};
}

/// Whether local values are saved.
pub fn saves_locals(settle: &Settle<'_>) -> bool {
    #[cfg(feature = "snapshot")]
    return matches!(settle, Settle::SaveLocals(_));
    #[cfg(not(feature = "snapshot"))]
    {
        let _ = settle;
        false
    }
}

/// Calls `Name::generic`: the name of a generic type.
pub const fn generic_name(base: &'static str, arguments: &'static [Argument]) -> Name {
    Name::generic(base, arguments)
}

/// Calls `ResourceType::of`.
pub const fn resource_type<T: Identity + 'static>() -> ResourceType {
    ResourceType::of::<T>()
}

/// Calls `AccessSet::push`.
pub fn push_access(
    access: &mut AccessSet,
    resource: &ResourceType,
    is_write: bool,
    is_optional: bool,
) {
    access.push(resource, AccessKind::of_write(is_write), is_optional);
}

/// Calls `Resources::address`.
pub fn address(resources: &Resources, resource: &ResourceType) -> Option<NonNull<()>> {
    resources.address(resource)
}

/// Calls `Lookup::pool`.
#[inline]
pub fn pool_of<'r>(lookup: &Lookup<'r>) -> Option<&'r Arc<ThreadPool>> {
    lookup.pool()
}

/// Calls `Lookup::scope`.
#[inline]
pub fn scope_of(lookup: &Lookup<'_>) -> Scope {
    lookup.scope()
}

/// Calls `Lookup::find`.
pub fn find_address(
    lookup: &Lookup<'_>,
    resource: &ResourceType,
    address: &mut Option<NonNull<()>>,
) {
    lookup.find(resource, address);
}

/// Calls `Lookup::need`.
pub fn need_address(
    lookup: &mut Lookup<'_>,
    resource: &ResourceType,
    address: &mut Option<NonNull<()>>,
) {
    lookup.need(resource, address);
}

/// Calls `Seed::new`.
pub const fn seed<S: Fetch>(access: Access, new: fn() -> S) -> Seed<S> {
    Seed::new(access, new)
}

/// Calls `Access::refuse_conflicting_queries`.
pub const fn refuse_conflicting_queries(access: &Access) {
    access.refuse_conflicting_queries();
}

/// Calls `Panic::new`.
pub fn panic_of(payload: Box<dyn Any + Send>) -> Panic {
    Panic::new(payload)
}
