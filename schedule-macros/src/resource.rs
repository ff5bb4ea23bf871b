//! `#[derive(Resource)]`.

use proc_macro2::TokenStream;
use syn::{Data, DeriveInput, Field, Member, Path};

use crate::errors::Errors;
use crate::generics::ImplGenerics;
use crate::messages;
use crate::spans::quote;
use crate::{fallback, identity};

pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let result = syn::parse2(item).and_then(|input: DeriveInput| {
        let resource = analyse(&input)?;
        Ok(implement(&input, &resource))
    });
    result.unwrap_or_else(|error| fallback::errors(&error))
}

/// A resource that fulfils all rules.
struct Resource {
    krate: Path,
    /// The target of `Deref`.
    transparent: Option<(Member, Field)>,
}

fn analyse(input: &DeriveInput) -> syn::Result<Resource> {
    let mut errors = Errors::new();
    let options = identity::parse_options(input, "resource", &["transparent"], &mut errors);
    if let Data::Union(data) = &input.data {
        errors.at(
            data.union_token,
            messages::union_cannot(messages::BE_A_RESOURCE),
        );
    }
    for lifetime in input.generics.lifetimes() {
        errors.at(lifetime, messages::borrow_cannot(messages::BE_A_RESOURCE));
    }
    let transparent = options.flags.first().and_then(|option| {
        let field = only_field(input);
        if field.is_none() {
            errors.at(option, messages::NOT_TRANSPARENT);
        }
        field
    });
    errors.finish()?;
    Ok(Resource {
        krate: options.krate,
        transparent,
    })
}

fn only_field(input: &DeriveInput) -> Option<(Member, Field)> {
    let Data::Struct(data) = &input.data else {
        return None;
    };
    let member = data.fields.members().next()?;
    let field = data.fields.iter().next()?;
    (data.fields.len() == 1).then(|| (member, field.clone()))
}

fn implement(input: &DeriveInput, resource: &Resource) -> TokenStream {
    let ident = &input.ident;
    let krate = &resource.krate;
    let identity = identity::implement(input);
    let bound = quote!(__schedule::Identity);
    let ImplGenerics { declared, used, .. } = ImplGenerics::new(&input.generics, Some(&bound));
    let where_clause = identity::shared_where(input);
    let transparent = resource.transparent.as_ref().map(|(member, field)| {
        let ImplGenerics { declared, used, .. } = ImplGenerics::new(&input.generics, None);
        let where_clause = &input.generics.where_clause;
        let ty = &field.ty;
        quote! {
            #[automatically_derived]
            impl #declared ::core::ops::Deref for #ident #used #where_clause {
                type Target = #ty;

                fn deref(&self) -> &#ty {
                    &self.#member
                }
            }

            #[automatically_derived]
            impl #declared ::core::ops::DerefMut for #ident #used #where_clause {
                fn deref_mut(&mut self) -> &mut #ty {
                    &mut self.#member
                }
            }

            #[automatically_derived]
            impl #declared ::core::convert::From<#ty> for #ident #used #where_clause {
                fn from(value: #ty) -> Self {
                    Self { #member: value }
                }
            }
        }
    });
    quote! {
        #[allow(deprecated, reason = "that is said where the type is used")]
        const _: () = {
            use #krate::__private as __schedule;
            #identity

            #[automatically_derived]
            impl #declared __schedule::Resource for #ident #used #where_clause {}

            #transparent
        };
    }
}
