//! The items that generated code uses. Not part of the public interface: they change without notice.

pub use crate::base::footprint::{Cursor, Entries, Footprint, Granted, Use};
pub use crate::base::index::{Dense, Hashed};
pub use crate::base::key::AsKey;
pub use crate::base::position::EventInfo;
pub use crate::engine::streaming::Streamed;
pub use crate::program::event::{Cases, Event, EventCase, Handled, Returns, Visitor};
pub use crate::program::handler::{
    Alias, ArgumentDeclaration, Arguments, Handler, HandlerDeclaration,
};
pub use crate::program::key_lookup::{KeyLookup, SetLookup};
pub use crate::program::reaction::{
    BecomesAnswer, BecomesError, BecomesEvents, Following, Given, Nothing, Raised, Reaction,
    Success,
};
pub use crate::program::recipe::{AsksList, Handling, Recipe as EventRecipe, Unclear};
pub use crate::store::argument::{
    Argument as HandlerArgument, ArgumentsOf, Asks, Kept, Keyed, KeyedSet, NoKey, OfBatchTime,
    OfPosition, OptionReadRecord, OptionReadResource, OptionWriteRecord, OptionWriteResource,
    ReadRecord, ReadRecordSet, ReadResource, SlotOfRecord, Unkeyed, WriteRecord, WriteRecordSet,
    WriteResource,
};
pub use crate::store::atomic::{
    Atomic, AtomicParameter, CallMode, CallResult, Copier, KeptList, Plain, Restorable,
};
pub use crate::store::event_keys::EventKeys;
pub use crate::store::found::{Found, Missing};
pub use crate::store::list::{ArgumentList, FoundList};
pub use crate::store::record::Record;
pub use crate::store::stores::{Stores, StoresOf, Want};

/// A macro with an unsafe implementation, whose paths begin with `$crate`.
pub use crate::__cases as cases;

/// Items of `schedule` that generated code uses, so that it needs only one path.
pub use schedule::__private::{
    Access, Argument, BoxError, Identity, Name, Rejected, beside, core, declared_here,
    generic_name, mix,
};
