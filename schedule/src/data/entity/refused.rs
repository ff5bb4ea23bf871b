//! Parameters that `for_each` systems cannot take, with messages that name the way out.
#![expect(unsafe_code, reason = "implements `EachFetch` without items")]

use core::fmt;
use core::marker::PhantomData;

use super::each::{without_records, without_source};
use super::{
    Component, ComponentTerms, Each, EachFetch, EachParam, EntityTables, ForEachSeed, component,
};
use crate::base::text::Text;
use crate::data::access::{Access, RefusedReference, ResourceType};
#[cfg(feature = "snapshot")]
use crate::data::param::SavedLocal;
use crate::data::param::{
    Commands, Failures, Fold, Local, NextRun, NonSend, NonSendMut, Param, Part, Ref, Seed,
};
use crate::data::resource::Resources;

/// The state of a parameter that other systems can take, but not `for_each` systems. [`accept`] rejects it with a message that
/// names the parameter.
#[doc(hidden)]
pub struct RefusedParam<P>(PhantomData<fn() -> P>);

impl<P> RefusedParam<P> {
    /// The only value.
    pub const NEW: Self = Self(PhantomData);
}

impl<P> fmt::Debug for RefusedParam<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RefusedParam")
    }
}

/// Implements [`EachFetch`] for a parameter that [`accept`] rejects.
macro_rules! refused {
    ($item:ty, $access:expr) => {
        type Terms = ();
        type Columns = ();
        type Item<'q> = $item;
        const REFUSED: Option<Access> = Some($access);

        without_source!();
        without_records!();

        fn matches(_: S::Table<'_>) -> bool {
            false
        }

        fn columns(_: S::Table<'_>) {}

        unsafe fn item<'q, 's: 'q>(
            _: S::Table<'s>,
            (): (),
            (): (),
            (): &'q mut (),
            _: usize,
        ) -> Self::Item<'q> {
            unreachable!("no table matches")
        }
    };
}

// SAFETY: there are no items.
unsafe impl<S: EntityTables, P: Param + 'static> EachFetch<S> for RefusedParam<P> {
    refused!(Part<'q, P>, P::SEED.access());
}

macro_rules! refuse_by_value {
    ($($param:ty, $with_static:ty;)*) => {
        $(
            #[diagnostic::do_not_recommend]
            impl<S: EntityTables, T: 'static> EachParam<S> for $param
            where
                $with_static: Param,
            {
                type State = RefusedParam<$with_static>;
                const EACH: Self::State = RefusedParam::NEW;
            }
        )*
    };
}

#[diagnostic::do_not_recommend]
impl<S: EntityTables> EachParam<S> for Failures<'_> {
    type State = RefusedParam<Failures<'static>>;
    const EACH: Self::State = RefusedParam::NEW;
}

#[diagnostic::do_not_recommend]
impl<S: EntityTables> EachParam<S> for NextRun<'_> {
    type State = RefusedParam<NextRun<'static>>;
    const EACH: Self::State = RefusedParam::NEW;
}

#[cfg(feature = "snapshot")]
refuse_by_value! {
    SavedLocal<'_, T>, SavedLocal<'static, T>;
}

refuse_by_value! {
    Local<'_, T>, Local<'static, T>;
    Ref<'_, T>, Ref<'static, T>;
    Option<Ref<'_, T>>, Option<Ref<'static, T>>;
    NonSend<'_, T>, NonSend<'static, T>;
    NonSendMut<'_, T>, NonSendMut<'static, T>;
    Option<NonSend<'_, T>>, Option<NonSend<'static, T>>;
    Option<NonSendMut<'_, T>>, Option<NonSendMut<'static, T>>;
}

/// These have the state of a component. If the type of a component is unknown because it has an error, the compiler cannot select
/// one of the two implementations, and so reports no further error.
macro_rules! refuse_references {
    ($([$($generic:ident)*] $param:ty, $with_static:ty, $item:ty, $access:expr;)*) => {
        $(
            #[diagnostic::do_not_recommend]
            impl<S: EntityTables, $($generic: 'static),*> EachParam<S> for $param {
                type State = Each<$with_static>;
                const EACH: Self::State = Each::NEW;
            }

            // SAFETY: there are no items.
            unsafe impl<S: EntityTables, $($generic: 'static),*> EachFetch<S> for Each<$with_static> {
                refused!($item, $access);
            }
        )*
    };
}

refuse_references! {
    [] &Resources, &'static Resources, &'q Resources, Access::ReadAll;
    [] &mut Resources, &'static mut Resources, &'q mut Resources, Access::Exclusive;
    [] Option<&Resources>, Option<&'static Resources>, Option<&'q Resources>, Access::ReadAll;
    [] Option<&mut Resources>, Option<&'static mut Resources>, Option<&'q mut Resources>, Access::Exclusive;
    [R P] &Fold<'_, R, P>, &'static Fold<'static, R, P>, &'q Fold<'q, R, P>, by_value("Fold<R>", false);
    [R P] &mut Fold<'_, R, P>, &'static mut Fold<'static, R, P>, &'q mut Fold<'q, R, P>, by_value("Fold<R>", true);
    [D] &Commands<'_, D>, &'static Commands<'static, D>, &'q Commands<'q, D>, by_value("Commands", false);
    [] &NextRun<'_>, &'static NextRun<'static>, &'q NextRun<'q>, by_value("NextRun", false);
    [] &mut NextRun<'_>, &'static mut NextRun<'static>, &'q mut NextRun<'q>, by_value("NextRun", true);
    [D] &mut Commands<'_, D>, &'static mut Commands<'static, D>, &'q mut Commands<'q, D>, by_value("Commands", true);
}

/// The access of a reference to a parameter that must be taken by value.
const fn by_value(instead: &'static str, is_mut: bool) -> Access {
    Access::ByReference(RefusedReference::ByValue { instead, is_mut })
}

/// Rejects a parameter that a `for_each` system cannot take.
///
/// # Panics
///
/// Panics with a message that names the parameter.
#[doc(hidden)]
#[track_caller]
pub const fn accept<S: EntityTables, P: EachFetch<S>>(name: &str, _: &P) {
    if let Some(access) = &P::REFUSED {
        panic!("{}", refuse(name, access).as_str());
    }
    if let Some(component) = first_write(&<P::Source as Param>::SEED.access()) {
        panic!("{}", refuse_write(name, component).as_str());
    }
    if let Some(component) = first_unknown::<S>(&<P::Terms as ComponentTerms<S>>::ACCESS) {
        let text = Text::new()
            .str("parameter `")
            .str(name)
            .str("` takes the component `");
        let advice = "add a field of this type to the entities, or name another store";
        panic!("{}", refuse_unknown::<S>(text, component, advice).as_str());
    }
}

/// Rejects a component in `with` or `without` that no entity of the store can have.
///
/// # Panics
///
/// Panics with a message that names the component.
#[doc(hidden)]
#[track_caller]
pub const fn accept_filter<S: EntityTables, C: Component>() {
    let component = component::<S, C>();
    if let Some(component) = first_unknown::<S>(&Access::Read(component)) {
        let text = Text::new().str("the filter names the component `");
        let advice = "remove it from `without`; for `with`, add a field of this type to the entities, or name another store";
        panic!("{}", refuse_unknown::<S>(text, component, advice).as_str());
    }
}

/// Rejects a component in `changed` or `added` that no entity of the store can have, or that the system writes.
///
/// # Panics
///
/// Panics with a message that names the component.
#[doc(hidden)]
#[track_caller]
pub const fn accept_change<S, C, F, P>(option: &str, _: &ForEachSeed<S, F, P>)
where
    S: EntityTables,
    C: Component,
    P: EachFetch<S>,
{
    let component = component::<S, C>();
    if let Some(component) = first_unknown::<S>(&Access::Read(component)) {
        let text = Text::new()
            .str("`")
            .str(option)
            .str("` names the component `");
        let advice = "add a field of this type to the entities, or name another store";
        panic!("{}", refuse_unknown::<S>(text, component, advice).as_str());
    }
    let name = component.name.without_store();
    if !S::HAS_MARKS {
        let text = Text::new()
            .str("`")
            .str(option)
            .str("` needs a store that notes changes, and `")
            .name(S::NAME)
            .str("` does not; remove it");
        panic!("{}", text.as_str());
    }
    if has_write(&<P::Terms as ComponentTerms<S>>::ACCESS, component.id) {
        let text = Text::new()
            .str("`")
            .str(option)
            .str("` tests `")
            .name(name)
            .str("`, which the system also writes; remove it, or read `&")
            .name(name)
            .str("` here and write it in another system, after this one");
        panic!("{}", text.as_str());
    }
}

/// Whether an access writes the component with this id.
const fn has_write(access: &Access, component: u128) -> bool {
    match access {
        Access::Write(resource) => resource.id == component,
        Access::Optional(access) | Access::Filtered(access, _) => has_write(access, component),
        Access::Each(parts) => {
            let mut i = 0;
            while i < parts.len() {
                if has_write(&parts[i], component) {
                    return true;
                }
                i += 1;
            }
            false
        }
        _ => false,
    }
}

/// Returns the first component that no entity of the store can have.
const fn first_unknown<S: EntityTables>(access: &Access) -> Option<ResourceType> {
    match (access, S::COMPONENTS) {
        (Access::Read(component) | Access::Write(component), Some(all)) => {
            let mut i = 0;
            while i < all.len() {
                if all[i].resource_type().id == component.id {
                    return None;
                }
                i += 1;
            }
            Some(*component)
        }
        (Access::Optional(access) | Access::Filtered(access, _), _) => first_unknown::<S>(access),
        (Access::Each(parts), Some(_)) => {
            let mut i = 0;
            while i < parts.len() {
                let found = first_unknown::<S>(&parts[i]);
                if found.is_some() {
                    return found;
                }
                i += 1;
            }
            None
        }
        _ => None,
    }
}

/// Adds the store and an advice for a component that no entity of the store can have.
const fn refuse_unknown<S: EntityTables>(
    text: Text,
    component: ResourceType,
    advice: &str,
) -> Text {
    text.name(component.name.without_store())
        .str("`, which no entity in `")
        .name(S::NAME)
        .str("` has; ")
        .str(advice)
}

/// Returns the message about a parameter that writes components of other entities.
const fn refuse_write(name: &str, component: ResourceType) -> Text {
    let text = Text::new()
        .str("parameter `")
        .str(name)
        .str("` writes `")
        .name(component.name)
        .str("`, but a `for_each` system only reads other entities; ")
        .str("for a component of the entity itself, take `&mut ");
    let text = text.name(component.name.without_store());
    text.str("`; otherwise write a system without `for_each`, with a loop")
}

/// Rejects a resource that a `for_each` system cannot take.
///
/// # Panics
///
/// Panics with a message that names the parameter.
#[doc(hidden)]
#[track_caller]
pub const fn accept_resource<T>(name: &str, seed: &Seed<T>) {
    let text = match &seed.access() {
        access @ (Access::ReadAll | Access::Exclusive) => refuse(name, access),
        Access::Fold(resource) => Text::new()
            .str("parameter `")
            .str(name)
            .str("` folds into `")
            .name(resource.name)
            .str("`; remove `#[resource]`, which is only for resources that the system reads"),
        access => match first_write(access) {
            None => return,
            Some(resource) => Text::new()
                .str("parameter `")
                .str(name)
                .str("` writes `")
                .name(resource.name)
                .str("`, but a `for_each` system only reads resources; to combine values of all entities, implement `Foldable` for `")
                .name(resource.name)
                .str("`, for a large field with `Accumulators::per_thread`, and take `Fold<")
                .name(resource.name)
                .str(">` without `#[resource]`; otherwise write a system with a query and a loop, or record the change with `Commands`"),
        },
    };
    panic!("{}", text.as_str());
}

/// Returns the message about a parameter with this access, which a `for_each` system cannot take.
const fn refuse(name: &str, access: &Access) -> Text {
    if let Access::ByReference(refused) = access {
        return refused.explain("parameter", name, true);
    }
    if let Access::Each(_) = access
        && let Some(component) = first_write(access)
    {
        return refuse_write(name, component);
    }
    if let Access::Read(resource) | Access::Optional(Access::Read(resource)) = access
        && !resource.is_main_thread()
    {
        let (before, after) = if matches!(access, Access::Read(_)) {
            ("Ref<", ">`")
        } else {
            ("Option<Ref<", ">>`")
        };
        return Text::new()
            .str("parameter `")
            .str(name)
            .str("` reads the resource `")
            .name(resource.name)
            .str("`; write `#[resource] ")
            .str(name)
            .str(": ")
            .str(before)
            .name(resource.name)
            .str(after);
    }
    let text = Text::new()
        .str("parameter `")
        .str(name)
        .str("` cannot be in a `for_each` system; ");
    match access {
        Access::ReadAll => text
            .str("take each resource as `#[resource] &R`, or write a system without `for_each` that takes all resources ")
            .str("and loops over a query"),
        Access::Exclusive => text
            .str("record changes with `Commands`, or write a system without `for_each` that takes only `&mut Resources` ")
            .str("and loops over a query of its `World`"),
        // The store of entities.
        Access::Write(resource) if !resource.is_main_thread() => text
            .str("record changes with `Commands`, or write a system without `for_each` that takes only `&mut ")
            .name(resource.name)
            .str("` and loops over `")
            .str(name)
            .str(".query()`"),
        _ => text.str("take it in a system without `for_each` that loops over a query"),
    }
}

/// Returns the first resource that an access writes.
const fn first_write(access: &Access) -> Option<ResourceType> {
    match access {
        Access::Write(resource) => Some(*resource),
        Access::Optional(access) | Access::Filtered(access, _) => first_write(access),
        Access::Each(parts) => {
            let mut i = 0;
            while i < parts.len() {
                let found = first_write(&parts[i]);
                if found.is_some() {
                    return found;
                }
                i += 1;
            }
            None
        }
        _ => None,
    }
}
