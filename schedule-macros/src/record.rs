//! `#[derive(Record)]`.

#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};
use syn::{Data, DeriveInput, Expr, ExprLit, ExprUnary, Lit, Path, Type, UnOp, parse_quote};

use crate::errors::Errors;
use crate::generics::ImplGenerics;
use crate::messages;
use crate::spans::{ends, quote};
use crate::{fallback, identity};

pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let result = syn::parse2(item).and_then(|input: DeriveInput| {
        let record = analyse(&input)?;
        Ok(implement(&input, &record))
    });
    result.unwrap_or_else(|error| fallback::errors(&error))
}

/// A record that fulfils all rules.
struct Record {
    krate: Path,
    key: Type,
    /// Whether the key is a small number that is also the index of the record.
    is_dense: bool,
    /// The largest id, if it was given.
    max_id: Option<Expr>,
}

fn analyse(input: &DeriveInput) -> syn::Result<Record> {
    let mut errors = Errors::new();
    let known: [&[&str]; 3] = [&[], &["key", "id"], &["max_id"]];
    let krate = parse_quote!(::schedule_stream);
    let options = identity::parse_all(input, "record", known, krate, &mut errors);
    if let Data::Union(data) = &input.data {
        errors.at(
            data.union_token,
            messages::union_cannot(messages::BE_A_RECORD),
        );
    }
    for lifetime in input.generics.lifetimes() {
        errors.at(lifetime, messages::borrow_cannot(messages::BE_A_RECORD));
    }
    match options.types.as_slice() {
        [] if errors.n_found() == 0 => errors.at(&input.ident, messages::RECORD_WITHOUT_KEY),
        [(one, _), (other, _), ..] if one != other => {
            errors.at(other, messages::RECORD_WITH_KEY_AND_ID)
        }
        [(option, _), ..] if option == "key" && errors.n_found() == 0 => {
            if let Some((max_id, _)) = options.values.first() {
                errors.at(max_id, messages::MAX_ID_WITHOUT_ID);
            }
        }
        _ => {}
    }
    for (_, max_id) in &options.values {
        check_max_id(max_id, &mut errors);
    }
    errors.finish()?;
    let mut types = options.types.into_iter();
    let (option, key) = types.next().expect("without one there is an error");
    Ok(Record {
        krate: options.krate,
        key,
        is_dense: option == "id",
        max_id: options.values.into_iter().next().map(|(_, value)| value),
    })
}

/// Rejects literals that are not a `u32`. The compiler checks other expressions.
fn check_max_id(max_id: &Expr, errors: &mut Errors) {
    let is_u32 = match max_id {
        Expr::Lit(ExprLit {
            lit: Lit::Int(lit), ..
        }) => ["", "u32"].contains(&lit.suffix()) && lit.base10_parse::<u32>().is_ok(),
        Expr::Lit(_)
        | Expr::Unary(ExprUnary {
            op: UnOp::Neg(_), ..
        }) => false,
        _ => true,
    };
    if !is_u32 {
        errors.at(max_id, messages::WRONG_MAX_ID);
    }
}

fn implement(input: &DeriveInput, record: &Record) -> TokenStream {
    let ident = &input.ident;
    let Record { krate, key, .. } = record;
    let identity = identity::implement(input);
    let bound = quote!(__schedule::Identity);
    let ImplGenerics { declared, used, .. } = ImplGenerics::new(&input.generics, Some(&bound));
    let where_clause = identity::shared_where(input);
    // For a type that cannot be a key, the error in the index has the same place.
    let (first, last) = ends(&key.to_token_stream());
    let index = if record.is_dense {
        quote_spanned!(first=> __schedule::Dense)
    } else {
        let open = quote_spanned!(first=> __schedule::Hashed<);
        let close = quote_spanned!(last=> >);
        quote!(#open #key #close)
    };
    let max_id = record.max_id.as_ref().map(|max_id| {
        let of_type = quote_spanned!(ends(&max_id.to_token_stream()).0=> ::core::primitive::u32);
        quote!(const MAX_ID: #of_type = #max_id;)
    });
    quote! {
        #[allow(deprecated, reason = "that is said where the type is used")]
        const _: () = {
            use #krate::__private as __schedule;
            #identity

            #[automatically_derived]
            impl #declared __schedule::Record for #ident #used #where_clause {
                type Key = #key;
                type Index = #index;
                #max_id
            }
        };
    }
}
