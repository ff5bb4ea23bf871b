//! Messages: values that systems write for other systems, and that each reader sees once.
//!
//! Enter at [`Messages`], the resource. Systems write with [`MessageWriter`](crate::param::MessageWriter), and read with
//! [`MessageReader`](crate::param::MessageReader).

mod cursor;
mod list;
mod outside;
mod queue;
#[cfg(feature = "snapshot")]
mod snapshot;
mod unread;

pub(crate) use self::cursor::ReaderCursor;
pub use self::cursor::{KeepAll, KeepLatest, Keeps, MessagesFull};
pub(crate) use self::list::MessageList;
pub use self::outside::{MessageCursor, MessageReceiver, MessageSender, SendError, SendFailure};
pub use self::queue::Messages;
pub use self::unread::UnreadIter;
pub(crate) use self::unread::{Unread, UnreadRange};

use crate::base::identity::Identity;

/// A type of messages: values that systems write for other systems.
///
/// Derive it with `#[derive(Message)]`, which also implements [`Identity`]. For a type that is also a resource or a component, write
/// `impl Message for T {}`, because these derives implement [`Identity`], too.
///
/// [`Messages<T>`] is the resource that keeps the messages until each reader has seen them. Insert it before the first run.
///
/// ```
/// use schedule::prelude::*;
///
/// #[derive(Message)]
/// struct Hit {
///     damage: u32,
/// }
///
/// #[derive(Resource)]
/// struct Health(u32);
///
/// #[system]
/// fn sword(mut hits: MessageWriter<Hit>) {
///     hits.write(Hit { damage: 7 });
/// }
///
/// // Writers do not conflict, so both may run at the same time.
/// #[system]
/// fn arrows(mut hits: MessageWriter<Hit>) {
///     hits.write(Hit { damage: 2 });
///     hits.write(Hit { damage: 3 });
/// }
///
/// #[system(after = (sword, arrows))]
/// fn suffer(hits: MessageReader<Hit>, health: &mut Health) {
///     // First those of `sword`: the order is that of a serial run.
///     for hit in &hits {
///         health.0 -= hit.damage;
///     }
/// }
///
/// let mut resources = Resources::new();
/// resources.insert(Messages::<Hit>::new());
/// resources.insert(Health(100));
/// let mut fight = Schedule::builder().add::<sword>().add::<arrows>().add::<suffer>().build()?;
/// fight.run(&mut resources)?;
/// fight.run(&mut resources)?;
/// assert_eq!(resources.get::<Health>().unwrap().0, 76);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a message",
    label = "not a message",
    note = "if `{Self}` is a type of this program, add `#[derive(Message)]` to it; if it is a type parameter, add the bound `{Self}: Message`",
    note = "otherwise wrap it in a struct of this program: `#[derive(Message)] struct Mine(…);`"
)]
pub trait Message: Identity + Send + Sync + 'static {}
