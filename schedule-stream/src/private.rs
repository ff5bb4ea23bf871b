//! The items that generated code uses. Not part of the public interface: they change without notice.

pub use crate::argument::{
    Argument as HandlerArgument, ArgumentsOf, Asks, Kept, Keyed, KeyedSet, NoKey, OfBatchTime,
    OfPosition, OptionReadRecord, OptionReadResource, OptionWriteRecord, OptionWriteResource,
    ReadRecord, ReadRecordSet, ReadResource, SlotOfRecord, Unkeyed, WriteRecord, WriteRecordSet,
    WriteResource,
};
pub use crate::atomic::{
    Atomic, AtomicParameter, CallMode, CallResult, Copier, KeptList, Plain, Restorable,
};
pub use crate::event::{Cases, Event, EventCase, Handled, Returns, Visitor};
pub use crate::footprint::{Cursor, Footprint, Granted, Named, Use};
pub use crate::found::{Found, Missing};
pub use crate::handler::{Alias, ArgumentDeclaration, Arguments, Handler, HandlerDeclaration};
pub use crate::index::{Dense, Hashed};
pub use crate::key::AsKey;
pub use crate::list::{ArgumentList, FoundList};
pub use crate::names::Names;
pub use crate::naming::{Naming, NamingSet};
pub use crate::position::EventInfo;
pub use crate::reaction::{
    BecomesAnswer, BecomesError, BecomesEvents, Following, Given, Nothing, Raised, Reaction,
    Success,
};
pub use crate::recipe::{AsksList, Handling, Recipe as EventRecipe, Unclear};
pub use crate::record::Record;
pub use crate::stores::{Stores, StoresOf, Want};
pub use crate::streaming::Streamed;

/// A macro with an unsafe implementation, whose paths begin with `$crate`.
pub use crate::__cases as cases;

/// Items of `schedule` that generated code uses, so that it needs only one path.
pub use schedule::__private::{
    Access, Argument, BoxError, Identity, Name, Rejected, beside, core, declared_here,
    generic_name, mix,
};
