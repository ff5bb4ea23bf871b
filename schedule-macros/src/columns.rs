//! `#[derive(Columns)]`.

#[cfg(test)]
mod tests;

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;
use syn::{Data, DeriveInput, Fields, Path, parse_quote};

use crate::errors::Errors;
use crate::messages;
use crate::snapshot::{self, Saved};
use crate::spans::{ends, quote};
use crate::{fallback, identity};

pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let result = syn::parse2(item).and_then(|input: DeriveInput| {
        let kind = analyse(&input)?;
        Ok(implement(&input, &kind))
    });
    result.unwrap_or_else(|error| fallback::errors(&error))
}

/// A kind of entity that fulfils all rules.
struct EntityKind {
    krate: Path,
    components: Vec<ColumnField>,
    /// The saved name and the versions of the store, if they are given. If they are wrong, the kind still exists, without a saved name.
    saved: Option<syn::Result<Saved>>,
}

struct ColumnField {
    field: Ident,
    ty: TokenStream,
}

fn analyse(input: &DeriveInput) -> syn::Result<EntityKind> {
    let mut errors = Errors::new();
    let known: [&[&str]; 3] = [&[], &[], &snapshot::OPTIONS];
    let krate = parse_quote!(::schedule);
    let options = identity::parse_all(input, "columns", known, krate, &mut errors);
    if !input.generics.params.is_empty() {
        errors.at(&input.generics, messages::GENERIC_COLUMNS);
    }
    let mut components: Vec<ColumnField> = Vec::new();
    match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) if !fields.named.is_empty() => {
                for field in &fields.named {
                    let ident = field.ident.clone().expect("the field is named");
                    let ty = without_self(field.ty.to_token_stream(), &input.ident);
                    let text = ty.to_string();
                    let first = components.iter().find(|one| one.ty.to_string() == text);
                    if let Some(first) = first {
                        let message = messages::same_component(&first.field);
                        errors.at(&field.ty, message);
                    }
                    components.push(ColumnField { field: ident, ty });
                }
            }
            Fields::Named(_) => errors.at(&input.ident, messages::COLUMNS_WITHOUT_FIELD),
            Fields::Unnamed(fields) => errors.at(fields, messages::COLUMNS_WITHOUT_NAMES),
            Fields::Unit => errors.at(&input.ident, messages::COLUMNS_WITHOUT_FIELD),
        },
        Data::Enum(data) => errors.at(data.enum_token, messages::COLUMNS_OF_ENUM),
        Data::Union(data) => errors.at(data.union_token, messages::COLUMNS_OF_UNION),
    }
    errors.finish()?;
    let missing = messages::COLUMNS_WITHOUT_SAVED_NAME;
    let is_saved = !options.values.is_empty();
    let saved = is_saved.then(|| snapshot::saved_options(&input.ident, options.values, missing));
    Ok(EntityKind {
        krate: options.krate,
        components,
        saved,
    })
}

/// Returns the type of a field with `Self` replaced, because the type is also written outside of the struct.
fn without_self(ty: TokenStream, ident: &Ident) -> TokenStream {
    let replaced = ty.into_iter().map(|tree| match tree {
        TokenTree::Ident(word) if word == "Self" => {
            // A clone, because the name may be raw.
            let mut replaced = ident.clone();
            replaced.set_span(word.span());
            TokenTree::Ident(replaced)
        }
        TokenTree::Group(group) => {
            let mut replaced = Group::new(group.delimiter(), without_self(group.stream(), ident));
            replaced.set_span(group.span());
            TokenTree::Group(replaced)
        }
        other => other,
    });
    replaced.collect()
}

fn implement(input: &DeriveInput, kind: &EntityKind) -> TokenStream {
    let DeriveInput { ident, vis, .. } = input;
    let EntityKind {
        krate, components, ..
    } = kind;
    let identity = identity::implement(input);
    let fields: Vec<_> = components.iter().map(|one| &one.field).collect();
    let types: Vec<_> = components.iter().map(|one| &one.ty).collect();
    let names = fields.iter().map(|field| field.unraw().to_string());
    // With the place of the type, because two fields may have one component by an alias.
    let has_columns = types.iter().map(|ty| {
        let (first, last) = ends(ty);
        let open = quote_spanned!(first=> impl __schedule::HasColumn<);
        let close = quote_spanned!(last=> > for #ident {});
        quote! {
            #[automatically_derived]
            #open #ty #close
        }
    });
    let saved = kind.saved.as_ref().map(|saved| {
        let saved = match saved {
            Ok(saved) => saved,
            Err(error) => return fallback::errors(error),
        };
        // At the field, so that each component that cannot be saved is reported there.
        let checks = types.iter().map(|ty| {
            let (first, last) = ends(ty);
            let open = quote_spanned!(first=> __schedule::saved_component::<);
            let close = quote_spanned!(last=> >(););
            quote!(#open #ty #close)
        });
        let (name, version) = (&saved.name, saved.version());
        let migrate = match &saved.migrate {
            None => quote!(::core::option::Option::None),
            Some(migrate) => {
                // For a function with another signature, the error has the same place.
                let (first, _) = ends(&migrate.to_token_stream());
                quote_spanned!(first=> ::core::option::Option::Some(#migrate))
            }
        };
        quote! {
            #[automatically_derived]
            impl __schedule::SavedKind for #ident {
                const SAVED_NAME: &'static ::core::primitive::str = #name;
                const SAVED_VERSION: ::core::primitive::u32 = #version;
                const MIGRATE: ::core::option::Option<
                    __schedule::Migration<__schedule::Columns<Self>>,
                > = #migrate;
            }

            const _: () = { #(#checks)* };
        }
    });
    quote! {
        #[allow(deprecated, reason = "a use of the type is reported where it is used")]
        const _: () = {
            use #krate::__private as __schedule;
            #identity

            #[automatically_derived]
            impl __schedule::EntityKind for #ident {
                type Columns = __Columns;
                const COMPONENTS: &'static [__schedule::ComponentId<__schedule::Columns<Self>>] =
                    &[#(__schedule::ComponentId::of::<#types>()),*];
            }

            #(#has_columns)*

            #saved

            __schedule::column_set! {
                #vis struct __Columns of #ident {
                    #(#fields #names: #types,)*
                }
            }
        };
    }
}
