//! Checks all rules that need only tokens. The compiler checks rules that need types when it compiles the expansion.

use proc_macro2::{Ident, TokenStream};
use syn::{Attribute, FnArg, GenericParam, Generics, Path, TypePath, Visibility};

use super::KIND;
use super::parse::{ORDERS, Options};
use crate::errors::Errors;
use crate::function::{Item, Parameter, output, refuse_receiver};
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
    /// The `#[deprecated]` attribute, which applies to the system as well as to the function.
    pub(super) deprecated: Option<Attribute>,
    /// The return type of the function, which is `()` by default.
    pub(super) output: TokenStream,
    pub(super) orders: Vec<Order>,
    pub(super) groups: Vec<TypePath>,
    pub(super) guards: Vec<Guard>,
    /// The resource that exists if the system answers `true`.
    pub(super) proves: Option<TypePath>,
    /// Whether only the thread that calls `run` may run the system.
    pub(super) is_main_thread: bool,
    /// The resource to which the outcome of the system is reported at the end of each run.
    pub(super) observer: Option<TypePath>,
    /// The open schedules that collect the system.
    pub(super) schedules: Vec<TypePath>,
    pub(super) krate: Path,
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
pub(super) fn analyse(item: &Item, options: &Options, mut errors: Errors) -> syn::Result<System> {
    let signature = &item.signature;
    item.analyse(KIND, &mut errors);
    let lifetimes = item.lifetimes();
    let output = output(
        KIND,
        messages::SYSTEM_OUTPUT,
        &signature.output,
        &lifetimes,
        &mut errors,
    );
    let mut parameters = Vec::new();
    for (idx, input) in signature.inputs.iter().enumerate() {
        match input {
            FnArg::Receiver(receiver) => refuse_receiver(KIND, receiver, &mut errors),
            FnArg::Typed(typed) => {
                let parameter = Parameter::analyse(KIND, typed, idx, &lifetimes, &mut errors);
                parameters.push(parameter);
            }
        }
    }
    refuse_own_guard(item, options, &mut errors);
    refuse_to_collect_generic(&signature.generics, options, &mut errors);
    errors.finish()?;

    let function = signature.ident.clone();
    let orders = ORDERS
        .iter()
        .zip(&options.orders)
        .flat_map(|(kind, others)| {
            let others = others.iter().flatten().cloned();
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
        is_main_thread: options.is_main_thread,
        observer: options.observer.clone(),
        schedules: options.schedules.clone().unwrap_or_default(),
        krate: options.krate(),
    })
}

/// Rejects collected generic systems, because their instances are unknown.
fn refuse_to_collect_generic(generics: &Generics, options: &Options, errors: &mut Errors) {
    let is_generic = |param: &GenericParam| !matches!(param, GenericParam::Lifetime(_));
    if let Some(first) = options.schedules.iter().flatten().next()
        && generics.params.iter().any(is_generic)
    {
        errors.at(first, messages::COLLECTED_GENERIC);
    }
}

/// Rejects a system that guards itself, because its constants would depend on each other.
fn refuse_own_guard(item: &Item, options: &Options, errors: &mut Errors) {
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
