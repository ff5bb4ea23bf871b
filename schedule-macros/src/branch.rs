//! `#[derive(Branch)]`.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Data, DataEnum, DeriveInput, Fields, Path};

use crate::errors::Errors;
use crate::generics::plain;
use crate::messages;
use crate::spans::quote;
use crate::{fallback, identity};

pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(item) {
        Ok(input) => input,
        Err(error) => return fallback::errors(&error),
    };
    let mut errors = Errors::new();
    let krate = identity::parse_options(&input, "branch", &[], &mut errors).krate;
    match analyse(&input, errors) {
        Ok(names) => implement(&input, &krate, &names),
        Err(error) => fallback::branch(&input, &krate, &error),
    }
}

/// Returns the names of the branches in order of their indices.
///
/// # Errors
///
/// Fails with all broken rules and `errors`.
fn analyse(input: &DeriveInput, mut errors: Errors) -> syn::Result<Vec<String>> {
    let names = match &input.data {
        Data::Enum(data) => {
            refuse_variants(input, data, &mut errors);
            let idents = data.variants.iter().map(|variant| &variant.ident);
            idents.map(plain).collect()
        }
        Data::Struct(data) => {
            refuse_item(data.struct_token, "struct", &mut errors);
            Vec::new()
        }
        Data::Union(data) => {
            refuse_item(data.union_token, "union", &mut errors);
            Vec::new()
        }
    };
    if !input.generics.params.is_empty() {
        errors.at(&input.generics, messages::GENERIC_BRANCHES);
    }
    errors.finish()?;
    Ok(names)
}

fn refuse_item(token: impl ToTokens, what: &str, errors: &mut Errors) {
    errors.at(token, messages::no_branches(what));
}

fn refuse_variants(input: &DeriveInput, data: &DataEnum, errors: &mut Errors) {
    if data.variants.is_empty() {
        errors.at(&input.ident, messages::BRANCHES_WITHOUT_VARIANT);
    }
    for variant in &data.variants {
        match &variant.fields {
            Fields::Unit => {}
            fields => errors.at(fields, messages::BRANCH_WITH_FIELDS),
        }
        if let Some((equal, number)) = &variant.discriminant {
            errors.at(
                quote!(#equal #number),
                messages::branch_with_number(number.to_token_stream()),
            );
        }
    }
}

fn implement(input: &DeriveInput, krate: &Path, names: &[String]) -> TokenStream {
    let ident = &input.ident;
    let name = plain(ident);
    quote! {
        #[allow(deprecated, reason = "that is said where the type is used")]
        const _: () = {
            use #krate::__private as __schedule;

            #[automatically_derived]
            impl __schedule::Branch for #ident {
                const NAMES: &'static [&'static ::core::primitive::str] = &[#(#names),*];
                const DECLARED: ::core::option::Option<&'static __schedule::BranchType> =
                    ::core::option::Option::Some(&__schedule::BranchType {
                        id: __schedule::declared_here(::core::module_path!(), #name),
                        name: #name,
                    });

                fn index(self) -> ::core::primitive::u32 {
                    self as ::core::primitive::u32
                }
            }
        };
    }
}
