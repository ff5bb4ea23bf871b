//! Parameters that write and read messages.

mod dynamic;
mod reader;
mod writer;

pub(crate) use self::dynamic::{dynamic_reader, dynamic_writer};
pub use self::reader::{MessageReader, Reading};
pub use self::writer::{MessageWriter, WriterQueue};
