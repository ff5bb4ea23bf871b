//! Messages as parameters of `for_each` systems.
#![expect(
    unsafe_code,
    reason = "implements `EachFetch` without access to components"
)]

use super::{Each, EachFetch, EachParam, without_records};
use crate::data::entity::EntityTables;
use crate::data::message::{Keeps, Message};
use crate::data::param::{MessageReader, MessageWriter, Part};

impl<S: EntityTables, T: Message> EachParam<S> for MessageWriter<'_, T> {
    type State = Each<MessageWriter<'static, T>>;
    const EACH: Self::State = Each::NEW;
}

// SAFETY: the item only writes into the list of the block.
unsafe impl<S: EntityTables, T: Message> EachFetch<S> for Each<MessageWriter<'static, T>> {
    type Terms = ();
    type Source = MessageWriter<'static, T>;
    type Shared<'s> = ();
    type Columns = ();
    type Block = Vec<T>;
    type Item<'q> = MessageWriter<'q, T>;

    fn matches(_: S::Table<'_>) -> bool {
        true
    }

    #[inline]
    fn columns(_: S::Table<'_>) {}

    #[inline]
    fn share<'s>(_: &'s mut MessageWriter<'_, T>) -> Self::Shared<'s> {}

    #[inline]
    fn begin_block((): ()) -> Vec<T> {
        Vec::new()
    }

    #[inline(always)]
    unsafe fn item<'q, 's: 'q>(
        _: S::Table<'s>,
        (): (),
        (): (),
        list: &'q mut Vec<T>,
        _: usize,
    ) -> MessageWriter<'q, T> {
        MessageWriter::new(list)
    }

    fn end_block(writer: &mut MessageWriter<'_, T>, list: &mut Vec<T>) {
        writer.append(list);
    }
}

impl<S: EntityTables, T: Message, K: Keeps> EachParam<S> for MessageReader<'_, T, K> {
    type State = Each<MessageReader<'static, T, K>>;
    const EACH: Self::State = Each::NEW;
}

// SAFETY: the item is a copy of the source, which reads no components.
unsafe impl<S: EntityTables, T: Message, K: Keeps> EachFetch<S>
    for Each<MessageReader<'static, T, K>>
{
    type Terms = ();
    type Source = MessageReader<'static, T, K>;
    type Shared<'s> = MessageReader<'s, T, K>;
    type Columns = ();
    type Item<'q> = MessageReader<'q, T, K>;

    without_records!();

    fn matches(_: S::Table<'_>) -> bool {
        true
    }

    #[inline]
    fn columns(_: S::Table<'_>) {}

    #[inline]
    fn share<'s>(reader: &'s mut MessageReader<'_, T, K>) -> MessageReader<'s, T, K> {
        *reader
    }

    #[inline(always)]
    unsafe fn item<'q, 's: 'q>(
        _: S::Table<'s>,
        (): (),
        reader: MessageReader<'s, T, K>,
        (): &'q mut (),
        _: usize,
    ) -> MessageReader<'q, T, K> {
        reader
    }
}
