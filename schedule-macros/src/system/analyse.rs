//! Checks all rules that need only tokens. The compiler checks rules that need types when it compiles the expansion.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::{
    Attribute, FnArg, GenericParam, Generics, PatType, Path, ReturnType, TypePath, Visibility,
    parse_quote_spanned,
};

use super::KIND;
use super::parse::{Filters, SystemOptions, is_resource};
use crate::clauses;
use crate::errors::Errors;
use crate::function::{FunctionItem, Parameter, output, refuse_receiver};
use crate::generics::plain;
use crate::guard::Guard;
use crate::messages;

/// A system that fulfils all rules.
pub(super) struct System {
    pub(super) vis: Visibility,
    pub(super) function: Ident,
    pub(super) hidden_type: Ident,
    pub(super) name: String,
    pub(super) generics: Generics,
    pub(super) parameters: Vec<Parameter>,
    /// `None` for a system that is not a per-entity system.
    pub(super) for_each: Option<ForEach>,
    /// The `#[deprecated]` attribute, which applies to the system as well as to the function.
    pub(super) deprecated: Option<Attribute>,
    /// The return type of the function, which is `()` by default.
    pub(super) output: TokenStream,
    pub(super) orders: Vec<Order>,
    pub(super) groups: Vec<TypePath>,
    pub(super) guards: Vec<Guard>,
    /// The resource that exists if the system answers `true`.
    pub(super) proves: Option<TypePath>,
    /// The constants of `Marks`.
    pub(super) marks: Vec<&'static str>,
    /// `None` if the function does not run beside the schedule.
    pub(super) spanning: Option<Spanning>,
    /// The resource to which the outcome of the system is reported at the end of each run.
    pub(super) observer: Option<TypePath>,
    /// The open schedules that collect the system.
    pub(super) schedules: Vec<TypePath>,
    pub(super) krate: Path,
}

/// The data of a system that runs for each entity.
pub(super) struct ForEach {
    /// The type of the store.
    pub(super) store: TypePath,
    pub(super) with: Vec<TypePath>,
    pub(super) without: Vec<TypePath>,
    pub(super) changed: Vec<TypePath>,
    pub(super) added: Vec<TypePath>,
    /// `is_resource[i]`: whether parameter i has `#[resource]`.
    pub(super) is_resource: Vec<bool>,
}

/// The data of a system that spans runs.
pub(super) struct Spanning {
    /// The schedule that runs instead of the function.
    pub(super) group: Option<TypePath>,
}

/// An order in the attribute.
pub(super) struct Order {
    /// A function of `Order`.
    pub(super) kind: &'static str,
    pub(super) other: TypePath,
}

/// # Errors
///
/// Fails with all broken rules and `errors`.
pub(super) fn analyse(
    item: &FunctionItem,
    options: &SystemOptions,
    mut errors: Errors,
) -> syn::Result<System> {
    let signature = &item.signature;
    item.analyse(KIND, &mut errors);
    let lifetimes = item.lifetimes();
    let expected = match options.for_each {
        None => messages::SYSTEM_OUTPUT,
        Some(_) => messages::FOR_EACH_OUTPUT,
    };
    let output = output(KIND, expected, &signature.output, &lifetimes, &mut errors);
    let mut parameters = Vec::new();
    let mut resources = Vec::new();
    for (idx, input) in signature.inputs.iter().enumerate() {
        match input {
            FnArg::Receiver(receiver) => refuse_receiver(KIND, receiver, &mut errors),
            FnArg::Typed(typed) => {
                let parameter = Parameter::analyse(KIND, typed, idx, &lifetimes, &mut errors);
                parameters.push(parameter);
                resources.push(has_resource(typed, options, &mut errors));
            }
        }
    }
    refuse_own_guard(item, options, &mut errors);
    refuse_wrong_for_each(item, options, &resources, &mut errors);
    refuse_wrong_spanning(item, options, &mut errors);
    refuse_to_collect_generic(&signature.generics, options, &mut errors);
    errors.finish()?;

    let function = signature.ident.clone();
    // In the order of the table, as all options.
    let orders = clauses::orders().flat_map(|kind| {
        let of_kind = options
            .orders
            .iter()
            .filter(move |(other, _)| *other == kind);
        let others = of_kind.flat_map(|(_, others)| others.iter().cloned());
        others.map(move |other| Order { kind, other })
    });
    Ok(System {
        deprecated: item.deprecated(),
        vis: item.vis.clone(),
        hidden_type: options.hidden_type.clone().unwrap_or(function.clone()),
        function,
        name: item.name(options.name.as_ref()),
        generics: signature.generics.clone(),
        parameters,
        output,
        orders: orders.collect(),
        groups: options.groups.clone().unwrap_or_default(),
        guards: options.guards.clone().unwrap_or_default(),
        proves: options.proves.clone(),
        marks: options
            .marks
            .iter()
            .map(|(mark, _)| mark.constant)
            .collect(),
        spanning: options.spanning.as_ref().map(|spanning| Spanning {
            group: spanning.group.clone(),
        }),
        for_each: for_each(options, resources),
        observer: options.observer.clone(),
        schedules: options.schedules.clone().unwrap_or_default(),
        krate: options.krate(),
    })
}

/// Returns whether a parameter has `#[resource]`.
fn has_resource(typed: &PatType, options: &SystemOptions, errors: &mut Errors) -> bool {
    let mut found = typed.attrs.iter().filter(|attr| is_resource(attr));
    let Some(first) = found.next() else {
        return false;
    };
    if options.for_each.is_none() {
        errors.at(first, messages::RESOURCE_WITHOUT_FOR_EACH);
    } else if first.meta.require_path_only().is_err() {
        errors.at(first, messages::RESOURCE_WITH_VALUE);
    } else if let Some(second) = found.next() {
        errors.at(second, messages::given_twice("#[resource]"));
    }
    true
}

fn for_each(options: &SystemOptions, is_resource: Vec<bool>) -> Option<ForEach> {
    let option = options.for_each.as_ref()?;
    // An error about a missing crate is shown at the option.
    let default = || parse_quote_spanned!(option.option.span()=> ::schedule_hecs::World);
    let components = |filters: &Option<Filters>| {
        let components = filters.iter().flat_map(|filters| &filters.components);
        components.cloned().collect()
    };
    Some(ForEach {
        store: option.store.clone().unwrap_or_else(default),
        with: components(&options.with),
        without: components(&options.without),
        changed: components(&options.changed),
        added: components(&options.added),
        is_resource,
    })
}

/// Rejects options that only `for_each` systems have, or that they cannot have. Rejects a `for_each` system that takes nothing of
/// the entity.
fn refuse_wrong_for_each(
    item: &FunctionItem,
    options: &SystemOptions,
    is_resource: &[bool],
    errors: &mut Errors,
) {
    if options.for_each.is_none() {
        for Filters { option, .. } in options.filters() {
            errors.at(option, messages::filter_without_for_each(option));
        }
        if let Some(sweep) = options.mark("NO_SWEEP") {
            errors.at(sweep, messages::SWEEP_WITHOUT_FOR_EACH);
        }
        return;
    }
    if let Some(main_thread) = options.mark("MAIN_THREAD") {
        errors.at(main_thread, messages::FOR_EACH_ON_MAIN_THREAD);
    }
    if is_resource.iter().all(|is_resource| *is_resource) {
        errors.at(&item.signature.ident, messages::FOR_EACH_WITHOUT_ENTITY);
    }
}

/// Rejects options that a spanning system cannot have, and a spanning group with a function body.
fn refuse_wrong_spanning(item: &FunctionItem, options: &SystemOptions, errors: &mut Errors) {
    let Some(spanning) = &options.spanning else {
        return;
    };
    if options.is_group() && !has_no_body(item) {
        errors.at(&spanning.option, messages::SPANNING_GROUP_WITH_BODY);
    }
    if options.is_group() && !matches!(item.signature.output, ReturnType::Default) {
        errors.at(&item.signature.output, messages::SPANNING_GROUP_WITH_OUTPUT);
    }
    if let Some(for_each) = &options.for_each {
        errors.at(&for_each.option, messages::SPANNING_FOR_EACH);
    }
    if let Some(main_thread) = options.mark("MAIN_THREAD") {
        errors.at(main_thread, messages::SPANNING_ON_MAIN_THREAD);
    }
}

/// Whether a semicolon ends the signature.
pub(super) fn has_no_body(item: &FunctionItem) -> bool {
    let mut body = item.body.clone().into_iter();
    matches!(body.next(), Some(TokenTree::Punct(end)) if end.as_char() == ';')
}

/// Rejects collected generic systems, because their instances are unknown.
fn refuse_to_collect_generic(generics: &Generics, options: &SystemOptions, errors: &mut Errors) {
    let is_generic = |param: &GenericParam| !matches!(param, GenericParam::Lifetime(_));
    if let Some(first) = options.schedules.iter().flatten().next()
        && generics.params.iter().any(is_generic)
    {
        errors.at(first, messages::COLLECTED_GENERIC);
    }
}

/// Rejects a system that guards itself, because its constants would depend on each other.
fn refuse_own_guard(item: &FunctionItem, options: &SystemOptions, errors: &mut Errors) {
    let hidden_type = options.hidden_type.as_ref();
    let own = hidden_type.unwrap_or(&item.signature.ident);
    for guard in options.guards.iter().flatten() {
        for (_, leaf) in guard.leaves() {
            let path = leaf.path();
            if path.qself.is_none() && path.path.is_ident(own) {
                let own = plain(own);
                let message = messages::own_condition(own);
                errors.at(path, message);
            }
        }
    }
}
