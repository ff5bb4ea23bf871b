//! The position and the batch time of an event, as parameters of its handler.
#![expect(unsafe_code, reason = "implements `Argument`, and follows no address")]

use super::{Argument, Asks, NoKey, Store, Unkeyed};
use crate::base::footprint::{Footprint, Use};
use crate::base::position::{BatchTime, EventInfo, Position};
use crate::store::found::{Found, Missing};
use schedule::identity::Name;

macro_rules! info_argument {
    ($(#[$doc:meta])* $name:ident, $item:ident, $field:ident) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub enum $name {}

        impl Argument for $name {
            type Item<'h> = $item;
            type Key = NoKey;
            const USE: Use = Use::Unordered;

            #[inline(always)]
            fn find(_: Store, nth: u16) -> Result<Found<Self>, Missing> {
                Ok(Found::new(None, nth))
            }

            unsafe fn find_key(_: Store, key: &NoKey, _: u16) -> Result<Found<Self>, Missing> {
                match *key {}
            }

            #[inline(always)]
            unsafe fn give(
                _: Found<Self>,
                _: &Footprint,
                info: &EventInfo,
            ) -> Result<$item, Missing> {
                Ok(info.$field)
            }
        }

        #[diagnostic::do_not_recommend]
        impl Unkeyed for $item {
            type Argument = $name;
            const ASKS: Asks<$name> = Asks::info(Name::new(stringify!($item)));
        }
    };
}

info_argument!(
    /// The argument of `Position`.
    OfPosition, Position, position
);
info_argument!(
    /// The argument of `BatchTime`.
    OfBatchTime, BatchTime, time
);
