//! `#[derive(Params)]`.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::{Data, DataStruct as Struct, DeriveInput, Ident, Lifetime, Member, Path};

use crate::errors::Errors;
use crate::generics::{ImplGenerics, plain, replace_lifetimes};
use crate::messages;
use crate::parameters::{distinct, nest, param_seed, parameters};
use crate::spans::{local, quote};
use crate::{fallback, identity};

pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let result = syn::parse2(item).and_then(|input: DeriveInput| {
        let (krate, lifetime) = analyse(&input)?;
        Ok(implement(&input, &krate, &lifetime))
    });
    result.unwrap_or_else(|error| fallback::errors(&error))
}

fn analyse(input: &DeriveInput) -> syn::Result<(Path, Lifetime)> {
    let mut errors = Errors::new();
    let krate = identity::parse_options(input, "params", &[], &mut errors).krate;
    match &input.data {
        Data::Struct(data) if data.fields.is_empty() => {
            errors.at(&input.ident, messages::PARAMS_WITHOUT_FIELD);
            // Other errors would be about the missing fields.
            errors.finish()?;
            unreachable!("there is an error");
        }
        Data::Struct(_) => {}
        Data::Enum(data) => errors.at(data.enum_token, messages::PARAMS_OF_ENUM),
        Data::Union(data) => errors.at(data.union_token, messages::PARAMS_OF_UNION),
    }
    let lifetimes: Vec<_> = input.generics.lifetimes().collect();
    let lifetime = match lifetimes.as_slice() {
        [only] => Some(only.lifetime.clone()),
        [] => {
            errors.at(&input.ident, messages::PARAMS_WITHOUT_LIFETIME);
            None
        }
        [_, other, ..] => {
            errors.at(other, messages::PARAMS_WITH_LIFETIMES);
            None
        }
    };
    errors.finish()?;
    let lifetime = lifetime.expect("without a lifetime there is an error");
    Ok((krate, lifetime))
}

fn implement(input: &DeriveInput, krate: &Path, lifetime: &Lifetime) -> TokenStream {
    let ident = &input.ident;
    let bound = quote!(__schedule::Identity + 'static);
    let ImplGenerics {
        declared, params, ..
    } = ImplGenerics::new(&input.generics, Some(&bound));
    let where_clause = &input.generics.where_clause;
    let arguments: Vec<_> = params.iter().map(|param| &param.ident).collect();

    let Data::Struct(Struct { fields, .. }) = &input.data else {
        unreachable!("analysed to be a struct");
    };
    let types: Vec<TokenStream> = fields
        .iter()
        .map(|field| replace_lifetimes(field.ty.to_token_stream(), &[lifetime], "static"))
        .collect();
    let locals: Vec<_> = (0..types.len())
        .map(|i| local(&format!("field_{i}")))
        .collect();
    let seeds: Vec<_> = types.iter().map(param_seed).collect();
    let nested_seeds = nest(&seeds);
    let pattern = nest(&locals);
    let members: Vec<_> = fields.members().collect();
    // A conflict that depends on a type parameter is reported at the systems that use the struct.
    let checks = params.is_empty().then(|| {
        let texts = members.iter().map(|member| match member {
            Member::Named(name) => plain(name),
            Member::Unnamed(index) => index.index.to_string(),
        });
        let fields = parameters("field", texts, &seeds);
        let distinct = distinct(&types, &quote!(FIELDS));
        quote! {
            const _: () = {
                const FIELDS: __schedule::Parameters = #fields;
                #distinct
            };
        }
    });
    let name = plain(ident);
    // Without these implementations, an error about a reference to the struct would say that the type is not a resource.
    let by_reference = [
        (quote!(&), "SharedRefState"),
        (quote!(&mut), "ExclusiveRefState"),
    ].map(|(reference, state)| {
        let state = Ident::new(state, Span::call_site());
        quote! {
            #[automatically_derived]
            impl #declared __schedule::Param for #reference #ident<'_ #(, #arguments)*> #where_clause {
                type State = __schedule::#state<__schedule::StructState<#ident<'static #(, #arguments)*>>>;
                const SEED: __schedule::Seed<Self::State> = __schedule::#state::seed(#name);
            }
        }
    });
    let by_reference = quote!(#(#by_reference)*);
    quote! {
        #[allow(deprecated, reason = "that is said where the type is used")]
        const _: () = {
            use #krate::__private as __schedule;

            #[automatically_derived]
            impl #declared __schedule::StructParam for #ident<'static #(, #arguments)*> #where_clause {
                type Item<#lifetime> = #ident<#lifetime #(, #arguments)*>;
            }

            #[automatically_derived]
            impl #declared __schedule::Param for #ident<'_ #(, #arguments)*> #where_clause {
                type State = __schedule::StructState<#ident<'static #(, #arguments)*>>;
                const SEED: __schedule::Seed<Self::State> = __schedule::StructState::seed(
                    &[#(__schedule::Seed::access(&#seeds)),*],
                    || __schedule::StructState::new(
                        #nested_seeds,
                        |_, #pattern| #ident { #(#members: #locals),* },
                    ),
                );
            }

            #by_reference
            #checks
        };
    }
}
