//! `#[derive(Record)]`.

#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::{Data, DeriveInput, Expr, ExprLit, ExprUnary, Lit, Path, Type, UnOp, parse_quote};

use crate::errors::Errors;
use crate::generics::ImplGenerics;
use crate::spans::ends;
use crate::{fallback, identity};

pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let result = syn::parse2(item).and_then(|input: DeriveInput| {
        let record = analyse(&input)?;
        Ok(implement(&input, &record))
    });
    result.unwrap_or_else(|error| fallback::errors(&error))
}

/// A record whose rules all hold.
struct Record {
    krate: Path,
    key: Type,
    /// Whether the key is a small number, and the place itself.
    is_dense: bool,
    /// The largest id, if that is given.
    max_id: Option<Expr>,
}

fn analyse(input: &DeriveInput) -> syn::Result<Record> {
    const NEEDS_KEY: &str = "a record needs the type of its keys: add `#[record(key = Type)]`, or \
                             `#[record(id = u32)]` if they are small numbers";
    let mut errors = Errors::new();
    let known: [&[&str]; 3] = [&[], &["key", "id"], &["max_id"]];
    let krate = parse_quote!(::schedule_stream);
    let options = identity::parse_all(input, "record", known, krate, &mut errors);
    if let Data::Union(data) = &input.data {
        errors.at(
            data.union_token,
            "a union cannot be a record: use a struct or an enum",
        );
    }
    for lifetime in input.generics.lifetimes() {
        errors.at(
            lifetime,
            "a record cannot borrow: it lives longer than any event; own the value, or share it in an `Arc`",
        );
    }
    match options.types.as_slice() {
        [] if errors.n_found() == 0 => errors.at(&input.ident, NEEDS_KEY),
        [(one, _), (other, _), ..] if one != other => errors.at(
            other,
            "a record is found either by `key`, which is hashed, or by `id`, a small number: remove one",
        ),
        [(option, _), ..] if option == "key" && errors.n_found() == 0 => {
            if let Some((max_id, _)) = options.values.first() {
                errors.at(
                    max_id,
                    "`max_id` needs `id`: keys that are hashed have no maximum; remove it",
                );
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

/// Refuses literals that are not a `u32`. Other expressions are left to the compiler.
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
        errors.at(
            max_id,
            "`max_id` is the largest id, a `u32`: use a number from 0 to 4_294_967_295, or a constant",
        );
    }
}

fn implement(input: &DeriveInput, record: &Record) -> TokenStream {
    let ident = &input.ident;
    let Record { krate, key, .. } = record;
    let identity = identity::implement(input);
    let bound = quote!(__schedule::Identity);
    let ImplGenerics { declared, used, .. } = ImplGenerics::new(&input.generics, Some(&bound));
    let where_clause = identity::shared_where(input);
    // An index of what is no key is an error at the same place.
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
