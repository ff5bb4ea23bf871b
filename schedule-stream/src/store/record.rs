//! Records: the keyed values that events name.

use crate::base::index::Index;
use crate::base::key::Key;
use schedule::Identity;

/// A type whose values are stored by key in [`Records`](crate::Records). Handlers take single records as `&T` or `&mut
/// T`.
///
/// Implement it with `#[derive(Record)]`:
///
/// ```
/// use schedule::prelude::*;
/// use schedule_stream::prelude::*;
///
/// /// With hashed keys.
/// #[derive(Record)]
/// #[record(key = String)]
/// struct Customer {
///     orders: u32,
/// }
///
/// /// With small numbers as keys: each number is an index into memory.
/// #[derive(Record)]
/// #[record(id = u32)]
/// struct Account {
///     balance: u64,
/// }
///
/// /// With ids up to 999,999.
/// #[derive(Record)]
/// #[record(id = u32, max_id = 999_999)]
/// struct Order {
///     n_items: u32,
/// }
/// assert_eq!(Order::MAX_ID, 999_999);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a record",
    label = "not a record",
    note = "if `{Self}` is a type of this program, add `#[derive(Record)]` and `#[record(key = …)]` or `#[record(id = …)]` to it; if it is a type parameter, add the bound `Record`",
    note = "if it is a resource, remove `#[key(…)]` or `#[keys(…)]` before the parameter"
)]
pub trait Record: Identity + Send + Sync + Sized + 'static {
    /// The type of the key that identifies a record.
    type Key: Key;

    /// The index that finds records by key: [`Hashed`](crate::keys::Hashed) or [`Dense`](crate::keys::Dense).
    type Index: Index<Self::Key>;

    /// The largest id that a record can have, if its index is [`Dense`](crate::keys::Dense): 16,777,215 by default. Set it with
    /// `#[record(id = u32, max_id = …)]`.
    ///
    /// [`Dense`](crate::keys::Dense) states the memory that ids take. Hashed keys have no maximum.
    const MAX_ID: u32 = (1 << 24) - 1;
}
