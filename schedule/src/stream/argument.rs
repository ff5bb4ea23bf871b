//! What a handler may take, and how that is got from what its event has claimed.
//!
//! A type that is no resource and no entity breaks one rule, and is told of once: arguments that are resources have no
//! bounds, and those that are entities are found by way of the index, which nothing else has.
//!
//! Invariant: that of [`claim`](super::claim). [`Argument::give`] follows claims that [`Argument`]s of the same types have
//! made, in the same order, and gives out no more than was claimed.
#![expect(
    unsafe_code,
    reason = "turns claims into the references that a signature asks for"
)]

use core::marker::PhantomData;
use core::ptr::NonNull;

use super::claim::{Claims, Granted, Use};
use super::entities::{Absent, Entities};
use super::entity::Entity;
use super::places::Place;
use super::several::{Several, SeveralMut};
use super::slot::Slot;
use super::stores::Want;
use crate::access::Access;
use crate::identity::Name;
use crate::resource::Resource;

/// Where the values of an argument are: a resource, or entities of one type; `None` if that is missing.
pub(super) type Store = Option<NonNull<()>>;

/// What was asked for is not there.
#[derive(Clone, Copy, Debug)]
pub struct NotThere {
    /// Which argument of the handler.
    pub(super) argument: u16,
}

/// A parameter of a handler that is no reference to an entity: `&R`, `&mut R`, `Option<&R>` or `Option<&mut R>` of a
/// resource.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a parameter of a handler",
    label = "not a parameter",
    note = "a resource `R` is taken as `&R` or `&mut R`, an entity with `#[key(…)]` before it, a set of entities with `#[keys(…)]`"
)]
pub trait Shared {
    /// What a handler keeps of it.
    type Argument: Argument<Key = NoKey>;

    /// What it touches.
    const ASKS: Asks<Self::Argument>;
}

/// A parameter of a handler after `#[key(…)]`: `&T`, `&mut T`, `Option<&T>`, `Option<&mut T>` or [`Slot<T>`](Slot) of an
/// [`Entity`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a parameter with a key",
    label = "not an entity",
    note = "an entity `T` is taken as `&T`, `&mut T`, `Option<&T>`, `Option<&mut T>` or `Slot<T>`"
)]
pub trait Keyed {
    /// What a handler keeps of it.
    type Argument: Argument;

    /// What it touches.
    const ASKS: Asks<Self::Argument>;
}

/// A parameter of a handler after `#[keys(…)]`: [`Several<T>`](Several) or [`SeveralMut<T>`](SeveralMut) of an [`Entity`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a parameter with several keys",
    label = "not a set of entities",
    note = "several entities `T` are taken as `Several<T>` or `SeveralMut<T>`"
)]
pub trait KeyedSet {
    /// What a handler keeps of it.
    type Argument: Argument;

    /// What it touches.
    const ASKS: Asks<Self::Argument>;
}

/// What a parameter touches, and the type of its argument.
#[derive(Debug)]
pub struct Asks<A> {
    pub(super) access: Access,
    /// What it is called.
    pub(super) of: Name,
    pub(super) is_optional: bool,
    pub(super) want: Want,
    argument: PhantomData<fn() -> A>,
}

impl<A> Clone for Asks<A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for Asks<A> {}

impl<A> Asks<A> {
    /// What it touches.
    pub const fn access(&self) -> Access {
        self.access
    }

    /// Single entities.
    const fn entities<T: Entity>(is_write: bool) -> Self {
        Self::new(Want::entities::<T>(is_write), T::NAME)
    }

    /// All of a resource.
    const fn resource<R: Resource>(is_write: bool) -> Self {
        Self::new(Want::resource::<R>(is_write), R::NAME)
    }

    const fn new(want: Want, of: Name) -> Self {
        let access = match want.is_write {
            true => Access::Write(want.resource),
            false => Access::Read(want.resource),
        };
        Self {
            access,
            of,
            is_optional: false,
            want,
            argument: PhantomData,
        }
    }

    const fn optional(mut self) -> Self {
        self.is_optional = true;
        self.want = self.want.optional();
        self
    }
}

/// The key of what has none.
#[derive(Clone, Copy, Debug)]
pub enum NoKey {}

/// What a handler takes, without lifetimes.
pub trait Argument: 'static {
    /// The parameter.
    type Item<'h>;
    /// The key of the entity, or of each.
    type Key;

    /// Claims what does not depend on the event.
    #[doc(hidden)]
    fn claim(store: Store, claims: &mut Claims, nth: u16) -> Result<(), NotThere> {
        let _ = (store, claims, nth);
        Ok(())
    }

    /// Claims the entity of this key.
    ///
    /// # Safety
    ///
    /// `store` is of the type that it asks for, and only this thread has it.
    #[doc(hidden)]
    unsafe fn claim_key(
        store: Store,
        key: &Self::Key,
        claims: &mut Claims,
        nth: u16,
    ) -> Result<(), NotThere>;

    /// Whether [`give`](Self::give) will find what it needs. Changes nothing.
    ///
    /// # Safety
    ///
    /// An argument of this type made the next claim.
    #[doc(hidden)]
    unsafe fn look(granted: &mut Granted<'_>) -> Result<(), NotThere> {
        granted.next();
        Ok(())
    }

    /// The parameter.
    ///
    /// # Safety
    ///
    /// An argument of this type made the next claim.
    #[doc(hidden)]
    unsafe fn give<'h>(granted: &mut Granted<'h>) -> Result<Self::Item<'h>, NotThere>;
}

/// # Safety
///
/// There are `Entities<T>` at `store`, which only this thread has.
#[inline(always)]
unsafe fn entities<'s, T: Entity>(store: Store) -> Option<&'s mut Entities<T>> {
    // SAFETY: said by the caller.
    store.map(|store| unsafe { store.cast().as_mut() })
}

/// The arguments that are entities of one type. Of all indices.
pub trait ArgumentsOf<T> {
    /// Of `&T`.
    type Read;
    /// Of `Option<&T>`.
    type OptionRead;
    /// Of `&mut T`.
    type Write;
    /// Of `Option<&mut T>`.
    type OptionWrite;
    /// Of `Slot<T>`.
    type Slot;
    /// Of `Several<T>`.
    type Several;
    /// Of `SeveralMut<T>`.
    type SeveralMut;
}

impl<I, T> ArgumentsOf<T> for I {
    type Read = ReadEntity<T>;
    type OptionRead = OptionReadEntity<T>;
    type Write = WriteEntity<T>;
    type OptionWrite = OptionWriteEntity<T>;
    type Slot = SlotOfEntity<T>;
    type Several = ReadSeveral<T>;
    type SeveralMut = WriteSeveral<T>;
}

type PlaceOf<T> = Place<<T as Entity>::Key, T>;

/// Whether there is an entity, or something that takes its place.
///
/// # Safety
///
/// This event has claimed to read or to write an entity of this type, and that is its next claim.
unsafe fn look<T: Entity>(granted: &mut Granted<'_>) -> Result<(), NotThere> {
    let (claim, absent) = granted.next_or();
    let place = claim.address.map(NonNull::cast::<PlaceOf<T>>);
    // SAFETY: said by the caller.
    let value = place.and_then(|place| unsafe { Place::value(place) }.as_ref());
    match value.is_some() || absent.is_some() {
        true => Ok(()),
        false => Err(NotThere {
            argument: claim.argument,
        }),
    }
}

/// Of `&T`, an entity.
#[derive(Debug)]
pub struct ReadEntity<T>(PhantomData<fn() -> T>);

impl<T: Entity> Argument for ReadEntity<T> {
    type Item<'h> = &'h T;
    type Key = T::Key;

    #[inline(always)]
    unsafe fn claim_key(
        store: Store,
        key: &T::Key,
        claims: &mut Claims,
        nth: u16,
    ) -> Result<(), NotThere> {
        // SAFETY: said by the caller.
        let store = unsafe { entities::<T>(store) }.ok_or(NotThere { argument: nth })?;
        let place = store.find(key);
        let absent = store.absent().map(NonNull::cast);
        if place.is_none() && absent.is_none() {
            return Err(NotThere { argument: nth });
        }
        claims.push_or(place.map(NonNull::cast), Use::Read, nth, absent);
        Ok(())
    }

    unsafe fn look(granted: &mut Granted<'_>) -> Result<(), NotThere> {
        // SAFETY: said by the caller.
        unsafe { look::<T>(granted) }
    }

    #[inline(always)]
    unsafe fn give<'h>(granted: &mut Granted<'h>) -> Result<&'h T, NotThere> {
        let (claim, absent) = granted.next_or();
        let place = claim.address.map(NonNull::cast::<PlaceOf<T>>);
        // SAFETY: this event has claimed to read it.
        let value = place.and_then(|place| unsafe { Place::value(place) }.as_ref());
        let absent = absent.map(NonNull::cast::<Absent<T>>);
        // SAFETY: it stays as long as the store, and nobody writes it while events run.
        let value = value.or_else(|| absent.map(|absent| &unsafe { absent.as_ref() }.one));
        value.ok_or(NotThere {
            argument: claim.argument,
        })
    }
}

impl<T: Entity> Keyed for &T {
    type Argument = <T::Index as ArgumentsOf<T>>::Read;
    const ASKS: Asks<Self::Argument> = Asks::entities::<T>(false);
}

/// Of `Option<&T>`, an entity.
#[derive(Debug)]
pub struct OptionReadEntity<T>(PhantomData<fn() -> T>);

impl<T: Entity> Argument for OptionReadEntity<T> {
    type Item<'h> = Option<&'h T>;
    type Key = T::Key;

    #[inline(always)]
    unsafe fn claim_key(
        store: Store,
        key: &T::Key,
        claims: &mut Claims,
        nth: u16,
    ) -> Result<(), NotThere> {
        // SAFETY: said by the caller.
        let place = unsafe { entities::<T>(store) }.and_then(|store| store.find(key));
        claims.push(place.map(NonNull::cast), Use::Read, nth);
        Ok(())
    }

    #[inline(always)]
    unsafe fn give<'h>(granted: &mut Granted<'h>) -> Result<Option<&'h T>, NotThere> {
        let place = granted.next().address.map(NonNull::cast::<PlaceOf<T>>);
        // SAFETY: this event has claimed to read it.
        Ok(place.and_then(|place| unsafe { Place::value(place) }.as_ref()))
    }
}

impl<T: Entity> Keyed for Option<&T> {
    type Argument = <T::Index as ArgumentsOf<T>>::OptionRead;
    const ASKS: Asks<Self::Argument> = Asks::entities::<T>(false).optional();
}

/// Of `&mut T`, an entity.
#[derive(Debug)]
pub struct WriteEntity<T>(PhantomData<fn() -> T>);

impl<T: Entity> Argument for WriteEntity<T> {
    type Item<'h> = &'h mut T;
    type Key = T::Key;

    #[inline(always)]
    unsafe fn claim_key(
        store: Store,
        key: &T::Key,
        claims: &mut Claims,
        nth: u16,
    ) -> Result<(), NotThere> {
        // SAFETY: said by the caller.
        let store = unsafe { entities::<T>(store) }.ok_or(NotThere { argument: nth })?;
        let place = match store.absent() {
            None => store.find(key).ok_or(NotThere { argument: nth })?,
            Some(_) => store.find_or_make(key),
        };
        claims.n_doubts += u32::from(store.absent().is_some());
        let absent = store.absent().map(NonNull::cast);
        claims.push_or(Some(place.cast()), Use::Write, nth, absent);
        Ok(())
    }

    unsafe fn look(granted: &mut Granted<'_>) -> Result<(), NotThere> {
        // SAFETY: said by the caller.
        unsafe { look::<T>(granted) }
    }

    #[inline(always)]
    unsafe fn give<'h>(granted: &mut Granted<'h>) -> Result<&'h mut T, NotThere> {
        let (claim, absent) = granted.next_or();
        let not_there = NotThere {
            argument: claim.argument,
        };
        let place = claim.address.ok_or(not_there)?.cast::<PlaceOf<T>>();
        // SAFETY: this event has claimed to write it, and no other argument has.
        let value = unsafe { Place::value_mut(place) };
        match (value, absent) {
            (Some(value), _) => Ok(value),
            (None, None) => Err(not_there),
            (value, Some(absent)) => {
                // SAFETY: it stays as long as the store, and nobody writes it while events run.
                let absent = unsafe { absent.cast::<Absent<T>>().as_ref() };
                Ok(value.get_or_insert_with(absent.new))
            }
        }
    }
}

impl<T: Entity> Keyed for &mut T {
    type Argument = <T::Index as ArgumentsOf<T>>::Write;
    const ASKS: Asks<Self::Argument> = Asks::entities::<T>(true);
}

/// Of `Option<&mut T>`, an entity.
#[derive(Debug)]
pub struct OptionWriteEntity<T>(PhantomData<fn() -> T>);

impl<T: Entity> Argument for OptionWriteEntity<T> {
    type Item<'h> = Option<&'h mut T>;
    type Key = T::Key;

    #[inline(always)]
    unsafe fn claim_key(
        store: Store,
        key: &T::Key,
        claims: &mut Claims,
        nth: u16,
    ) -> Result<(), NotThere> {
        // SAFETY: said by the caller.
        let place = unsafe { entities::<T>(store) }.and_then(|store| store.find(key));
        claims.push(place.map(NonNull::cast), Use::Write, nth);
        Ok(())
    }

    #[inline(always)]
    unsafe fn give<'h>(granted: &mut Granted<'h>) -> Result<Option<&'h mut T>, NotThere> {
        let place = granted.next().address.map(NonNull::cast::<PlaceOf<T>>);
        // SAFETY: this event has claimed to write it, and no other argument has.
        Ok(place.and_then(|place| unsafe { Place::value_mut(place) }.as_mut()))
    }
}

impl<T: Entity> Keyed for Option<&mut T> {
    type Argument = <T::Index as ArgumentsOf<T>>::OptionWrite;
    const ASKS: Asks<Self::Argument> = Asks::entities::<T>(true).optional();
}

/// Of [`Slot<T>`](Slot).
#[derive(Debug)]
pub struct SlotOfEntity<T>(PhantomData<fn() -> T>);

impl<T: Entity> Argument for SlotOfEntity<T> {
    type Item<'h> = Slot<'h, T>;
    type Key = T::Key;

    #[inline(always)]
    unsafe fn claim_key(
        store: Store,
        key: &T::Key,
        claims: &mut Claims,
        nth: u16,
    ) -> Result<(), NotThere> {
        // SAFETY: said by the caller.
        let store = unsafe { entities::<T>(store) }.ok_or(NotThere { argument: nth })?;
        claims.n_doubts += 1;
        claims.push(Some(store.find_or_make(key).cast()), Use::Write, nth);
        Ok(())
    }

    #[inline(always)]
    unsafe fn give<'h>(granted: &mut Granted<'h>) -> Result<Slot<'h, T>, NotThere> {
        let claim = granted.next();
        let not_there = NotThere {
            argument: claim.argument,
        };
        let place = claim.address.ok_or(not_there)?.cast::<PlaceOf<T>>();
        // SAFETY: this event has claimed to write it, and no other argument has.
        Ok(Slot::new(unsafe { Place::value_mut(place) }))
    }
}

impl<T: Entity> Keyed for Slot<'_, T> {
    type Argument = <T::Index as ArgumentsOf<T>>::Slot;
    const ASKS: Asks<Self::Argument> = Asks::entities::<T>(true);
}

/// Of [`Several<T>`](Several).
#[derive(Debug)]
pub struct ReadSeveral<T>(PhantomData<fn() -> T>);

impl<T: Entity> Argument for ReadSeveral<T> {
    type Item<'h> = Several<'h, T>;
    type Key = T::Key;

    unsafe fn claim_key(
        store: Store,
        key: &T::Key,
        claims: &mut Claims,
        nth: u16,
    ) -> Result<(), NotThere> {
        // SAFETY: said by the caller.
        let store = unsafe { entities::<T>(store) }.ok_or(NotThere { argument: nth })?;
        if let Some(place) = store.find(key) {
            claims.push(Some(place.cast()), Use::Read, nth);
        }
        Ok(())
    }

    unsafe fn look(granted: &mut Granted<'_>) -> Result<(), NotThere> {
        let _ = granted.next_set();
        Ok(())
    }

    unsafe fn give<'h>(granted: &mut Granted<'h>) -> Result<Several<'h, T>, NotThere> {
        let of = |place: NonNull<PlaceOf<T>>| {
            // SAFETY: this event has claimed it.
            let key = unsafe { Place::key(place) }?;
            // SAFETY: this event has claimed to read it.
            Some((key, unsafe { Place::value(place) }.as_ref()?))
        };
        let places = granted.next_set();
        let places = places.filter_map(|claim| of(claim.address?.cast()));
        Ok(Several::new(places.collect()))
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

    unsafe fn claim_key(
        store: Store,
        key: &T::Key,
        claims: &mut Claims,
        nth: u16,
    ) -> Result<(), NotThere> {
        // SAFETY: said by the caller.
        let store = unsafe { entities::<T>(store) }.ok_or(NotThere { argument: nth })?;
        if let Some(place) = store.find(key) {
            claims.push(Some(place.cast()), Use::Write, nth);
        }
        Ok(())
    }

    unsafe fn look(granted: &mut Granted<'_>) -> Result<(), NotThere> {
        let _ = granted.next_set();
        Ok(())
    }

    unsafe fn give<'h>(granted: &mut Granted<'h>) -> Result<SeveralMut<'h, T>, NotThere> {
        let of = |place: NonNull<PlaceOf<T>>| {
            // SAFETY: this event has claimed it.
            let key = unsafe { Place::key(place) }?;
            // SAFETY: this event has claimed to write it, once.
            Some((key, unsafe { Place::value_mut(place) }.as_mut()?))
        };
        let places = granted.next_set();
        let places = places.filter_map(|claim| of(claim.address?.cast()));
        Ok(SeveralMut::new(places.collect()))
    }
}

impl<T: Entity> KeyedSet for SeveralMut<'_, T> {
    type Argument = <T::Index as ArgumentsOf<T>>::SeveralMut;
    const ASKS: Asks<Self::Argument> = Asks::entities::<T>(true).optional();
}

macro_rules! resource_argument {
    ($(#[$doc:meta])* $name:ident, $item:ty, $use:ident, $is_optional:literal, $get:expr, $param:ty) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<R>(PhantomData<fn() -> R>);

        impl<R: 'static> Argument for $name<R> {
            type Item<'h> = $item;
            type Key = NoKey;

            #[inline]
            fn claim(store: Store, claims: &mut Claims, nth: u16) -> Result<(), NotThere> {
                if store.is_none() && !$is_optional {
                    return Err(NotThere { argument: nth });
                }
                claims.push(store, Use::$use, nth);
                Ok(())
            }

            unsafe fn claim_key(
                _: Store,
                key: &NoKey,
                _: &mut Claims,
                _: u16,
            ) -> Result<(), NotThere> {
                match *key {}
            }

            #[inline]
            unsafe fn give<'h>(granted: &mut Granted<'h>) -> Result<Self::Item<'h>, NotThere> {
                let claim = granted.next();
                let get: fn(Option<NonNull<R>>, NotThere) -> Result<Self::Item<'h>, NotThere> = $get;
                get(claim.address.map(NonNull::cast), NotThere { argument: claim.argument })
            }
        }

        impl<R: Resource> Shared for $param {
            type Argument = $name<R>;
            const ASKS: Asks<$name<R>> = match $is_optional {
                true => Asks::resource::<R>(matches!(Use::$use, Use::Write)).optional(),
                false => Asks::resource::<R>(matches!(Use::$use, Use::Write)),
            };
        }
    };
}

resource_argument!(
    /// Of `&R`, a resource.
    ReadResource, &'h R, Read, false,
    // SAFETY: this event has claimed to read it.
    |at, not_there| at.map(|at| unsafe { at.as_ref() }).ok_or(not_there),
    &R
);
resource_argument!(
    /// Of `&mut R`, a resource.
    WriteResource, &'h mut R, Write, false,
    // SAFETY: this event has claimed to write it, and no other argument has.
    |at, not_there| at.map(|mut at| unsafe { at.as_mut() }).ok_or(not_there),
    &mut R
);
resource_argument!(
    /// Of `Option<&R>`, a resource.
    OptionReadResource, Option<&'h R>, Read, true,
    // SAFETY: this event has claimed to read it.
    |at, _| Ok(at.map(|at| unsafe { at.as_ref() })),
    Option<&R>
);
resource_argument!(
    /// Of `Option<&mut R>`, a resource.
    OptionWriteResource, Option<&'h mut R>, Write, true,
    // SAFETY: this event has claimed to write it, and no other argument has.
    |at, _| Ok(at.map(|mut at| unsafe { at.as_mut() })),
    Option<&mut R>
);
