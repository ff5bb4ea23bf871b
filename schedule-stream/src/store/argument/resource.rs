//! A resource as a parameter of a handler.
//!
//! Invariant: that of [`found`](super::super::found) and [`argument`](super).
#![expect(
    unsafe_code,
    reason = "turns found addresses into the references of a signature"
)]

use core::marker::PhantomData;
use core::ptr::NonNull;

use super::{Argument, Asks, NoKey, Store, Unkeyed};
use crate::base::footprint::{Footprint, Use};
use crate::base::position::EventInfo;
use crate::store::found::{Found, Missing};
use schedule::Resource;

macro_rules! resource_argument {
    ($(#[$doc:meta])* $name:ident, $item:ty, $use:ident, $is_optional:literal, $get:expr, $param:ty) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<R>(PhantomData<fn() -> R>);

        impl<R: 'static> Argument for $name<R> {
            type Item<'h> = $item;
            type Key = NoKey;
            const USE: Use = Use::$use;

            #[inline(always)]
            fn find(store: Store, nth: u16) -> Result<Found<Self>, Missing> {
                if store.is_none() && !$is_optional {
                    return Err(Missing::new(nth));
                }
                Ok(Found::new(store, nth))
            }

            unsafe fn find_key(_: Store, key: &NoKey, _: u16) -> Result<Found<Self>, Missing> {
                match *key {}
            }

            #[inline(always)]
            unsafe fn give<'h>(
                found: Found<Self>,
                _: &'h Footprint,
                _: &EventInfo,
            ) -> Result<Self::Item<'h>, Missing> {
                let get: fn(Option<NonNull<R>>, Missing) -> Result<Self::Item<'h>, Missing> = $get;
                get(found.address.map(NonNull::cast), found.missing())
            }
        }

        // An error "is not a resource" would mislead a user who forgot the key of a record.
        #[diagnostic::do_not_recommend]
        impl<R: Resource> Unkeyed for $param {
            type Argument = $name<R>;
            const ASKS: Asks<$name<R>> = if $is_optional { Asks::resource::<R>(matches!(Use::$use, Use::Write)).optional() } else { Asks::resource::<R>(matches!(Use::$use, Use::Write)) };
        }
    };
}

resource_argument!(
    /// The argument of `&R`, a resource.
    ReadResource, &'h R, Read, false,
    // SAFETY: `at` is the address of an `R`, and no other event writes it for `'h`: the contract of `give`.
    |at, missing| at.map(|at| unsafe { at.as_ref() }).ok_or(missing),
    &R
);
resource_argument!(
    /// The argument of `&mut R`, a resource.
    WriteResource, &'h mut R, Write, false,
    // SAFETY: `at` is the address of an `R`, and no other event uses it for `'h`: the contract of `give`.
    |at, missing| at.map(|mut at| unsafe { at.as_mut() }).ok_or(missing),
    &mut R
);
resource_argument!(
    /// The argument of `Option<&R>`, a resource.
    OptionReadResource, Option<&'h R>, Read, true,
    // SAFETY: `at` is the address of an `R`, and no other event writes it for `'h`: the contract of `give`.
    |at, _| Ok(at.map(|at| unsafe { at.as_ref() })),
    Option<&R>
);
resource_argument!(
    /// The argument of `Option<&mut R>`, a resource.
    OptionWriteResource, Option<&'h mut R>, Write, true,
    // SAFETY: `at` is the address of an `R`, and no other event uses it for `'h`: the contract of `give`.
    |at, _| Ok(at.map(|mut at| unsafe { at.as_mut() })),
    Option<&mut R>
);
