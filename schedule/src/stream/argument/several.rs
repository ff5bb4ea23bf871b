//! Several entities as a parameter.
//!
//! Invariant: that of [`found`](super::super::found), as [`argument`](super) says.
#![expect(
    unsafe_code,
    reason = "turns what was found into the references that a signature asks for"
)]

use core::marker::PhantomData;
use core::ptr::NonNull;

use super::entity::{PlaceOf, entities};
use super::{Argument, ArgumentsOf, Asks, KeyedSet, Store};
use crate::stream::claim::{Claims, Use};
use crate::stream::entity::Entity;
use crate::stream::found::{Found, NotThere};
use crate::stream::places::Place;
use crate::stream::several::{Several, SeveralMut};

/// Finds one of a set, if it may be there.
///
/// # Safety
///
/// As for [`Argument::find_key`] of an argument of such entities.
unsafe fn find_key<T: Entity, A>(
    store: Store,
    key: &T::Key,
    nth: u16,
) -> Result<Found<A>, NotThere> {
    // SAFETY: said by the caller.
    let store = unsafe { entities::<T>(store) }.ok_or(NotThere::new(nth))?;
    Ok(Found::new(store.find(key).map(NonNull::cast), nth))
}

/// Those of a set that are there, by what `value` finds in a place.
///
/// # Safety
///
/// As for [`Argument::give`] of an argument of such entities.
unsafe fn give<'h, T: Entity, A, V, C: FromIterator<(&'h T::Key, V)>>(
    found: Found<A>,
    claims: &Claims,
    value: impl Fn(NonNull<PlaceOf<T>>) -> Option<V>,
) -> C {
    let of = |place: NonNull<PlaceOf<T>>| {
        // SAFETY: said by the caller.
        let key = unsafe { Place::key(place) }?;
        Some((key, value(place)?))
    };
    let all = found.first..found.first + found.n;
    let places = all.filter_map(|nth| claims.get(nth as usize).address);
    places.filter_map(|place| of(place.cast())).collect()
}

/// Of [`Several<T>`](Several).
#[derive(Debug)]
pub struct ReadSeveral<T>(PhantomData<fn() -> T>);

impl<T: Entity> Argument for ReadSeveral<T> {
    type Item<'h> = Several<'h, T>;
    type Key = T::Key;
    const USE: Use = Use::Read;
    const IS_SET: bool = true;

    unsafe fn find_key(store: Store, key: &T::Key, nth: u16) -> Result<Found<Self>, NotThere> {
        // SAFETY: said by the caller.
        unsafe { find_key::<T, _>(store, key, nth) }
    }

    unsafe fn give<'h>(found: Found<Self>, claims: &Claims) -> Result<Several<'h, T>, NotThere> {
        // SAFETY: said by the caller.
        let value = |place| unsafe { Place::value(place) }.as_ref();
        // SAFETY: said by the caller.
        let all = unsafe { give::<T, _, _, _>(found, claims, value) };
        Ok(Several::new(all))
    }
}

impl<T: Entity> KeyedSet for Several<'_, T> {
    type Argument = <T::Index as ArgumentsOf<T>>::Several;
    const ASKS: Asks<Self::Argument> = Asks::entities::<T>(false).optional();
}

/// Of [`SeveralMut<T>`](SeveralMut).
#[derive(Debug)]
pub struct WriteSeveral<T>(PhantomData<fn() -> T>);

impl<T: Entity> Argument for WriteSeveral<T> {
    type Item<'h> = SeveralMut<'h, T>;
    type Key = T::Key;
    const USE: Use = Use::Write;
    const IS_SET: bool = true;

    unsafe fn find_key(store: Store, key: &T::Key, nth: u16) -> Result<Found<Self>, NotThere> {
        // SAFETY: said by the caller.
        unsafe { find_key::<T, _>(store, key, nth) }
    }

    unsafe fn give<'h>(found: Found<Self>, claims: &Claims) -> Result<SeveralMut<'h, T>, NotThere> {
        // SAFETY: said by the caller; each is claimed once.
        let value = |place| unsafe { Place::value_mut(place) }.as_mut();
        // SAFETY: said by the caller.
        let all = unsafe { give::<T, _, _, _>(found, claims, value) };
        Ok(SeveralMut::new(all))
    }
}

impl<T: Entity> KeyedSet for SeveralMut<'_, T> {
    type Argument = <T::Index as ArgumentsOf<T>>::SeveralMut;
    const ASKS: Asks<Self::Argument> = Asks::entities::<T>(true).optional();
}
