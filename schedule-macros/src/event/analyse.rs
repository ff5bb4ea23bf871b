//! Checks all rules that need only tokens. The compiler checks rules that need types when it compiles the expansion.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Data, DataEnum, DeriveInput, Fields, Ident, Member, Path, Type, TypePath, Variant};

use super::parse::EventOptions;
use crate::errors::Errors;
use crate::messages;

/// An event that fulfils all rules.
pub(super) struct Event {
    pub(super) ident: Ident,
    pub(super) cases: Vec<Case>,
    pub(super) answer: TokenStream,
    pub(super) error: TokenStream,
    pub(super) krate: Path,
}

/// One kind of event.
pub(super) struct Case {
    pub(super) handler: TypePath,
    /// `None` if the case is the whole event.
    pub(super) variant: Option<OfVariant>,
}

/// A variant of an enum, and its only field.
pub(super) struct OfVariant {
    pub(super) ident: Ident,
    pub(super) member: Member,
    pub(super) ty: Type,
    /// Whether no other variant contains this type.
    pub(super) is_only: bool,
}

/// # Errors
///
/// Fails with all broken rules and `errors`.
pub(super) fn analyse(
    input: &DeriveInput,
    options: &EventOptions,
    mut errors: Errors,
) -> syn::Result<Event> {
    if !input.generics.params.is_empty() {
        errors.at(&input.generics, messages::GENERIC_EVENT);
    }
    let cases = match (&input.data, &options.handler) {
        (Data::Union(data), _) => {
            errors.at(data.union_token, messages::EVENT_OF_UNION);
            Vec::new()
        }
        (data, Some(handler)) => {
            if let Data::Enum(data) = data {
                refuse_variants(data, &mut errors);
            }
            vec![Case {
                handler: handler.clone(),
                variant: None,
            }]
        }
        (Data::Enum(data), None) => variants(input, data, &mut errors),
        (Data::Struct(_), None) => {
            if errors.n_found() == 0 {
                errors.at(&input.ident, messages::EVENT_WITHOUT_HANDLER);
            }
            Vec::new()
        }
    };
    errors.finish()?;
    let [answer, error] = options.types();
    Ok(Event {
        ident: input.ident.clone(),
        cases,
        answer,
        error,
        krate: options.krate(),
    })
}

/// Rejects handlers of variants, because the enum already has a handler.
fn refuse_variants(data: &DataEnum, errors: &mut Errors) {
    for variant in &data.variants {
        let options = EventOptions::parse(&variant.attrs, errors);
        if let Some(attribute) = options.attribute {
            errors.at(attribute, messages::HANDLERS_OF_ENUM_AND_VARIANT);
        }
    }
}

fn variants(input: &DeriveInput, data: &DataEnum, errors: &mut Errors) -> Vec<Case> {
    if data.variants.is_empty() {
        errors.at(&input.ident, messages::EVENT_WITHOUT_VARIANT);
    }
    let types = data.variants.iter().filter_map(|one| only_field(one));
    let types: Vec<_> = types
        .map(|(_, ty)| ty.to_token_stream().to_string())
        .collect();
    let mut cases = Vec::new();
    for variant in &data.variants {
        let n_found = errors.n_found();
        let options = EventOptions::parse(&variant.attrs, errors);
        for option in &options.named {
            errors.at(option, messages::option_of_enum(option));
        }
        let field = only_field(variant);
        if field.is_none() {
            let remedy = messages::FIELDS_OF_VARIANT;
            match &variant.fields {
                Fields::Unit => errors.at(&variant.ident, remedy),
                fields => errors.at(fields, remedy),
            }
        }
        let Some(handler) = options.handler else {
            if errors.n_found() == n_found {
                errors.at(&variant.ident, messages::VARIANT_WITHOUT_HANDLER);
            }
            continue;
        };
        let Some((member, ty)) = field else { continue };
        let text = ty.to_token_stream().to_string();
        cases.push(Case {
            handler,
            variant: Some(OfVariant {
                ident: variant.ident.clone(),
                member,
                ty: ty.clone(),
                is_only: types.iter().filter(|other| **other == text).count() == 1,
            }),
        });
    }
    cases
}

fn only_field(variant: &Variant) -> Option<(Member, &Type)> {
    let mut members = variant.fields.members().zip(&variant.fields);
    match (members.next(), members.next()) {
        (Some((member, field)), None) => Some((member, &field.ty)),
        _ => None,
    }
}
