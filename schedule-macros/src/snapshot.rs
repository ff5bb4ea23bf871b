//! `#[derive(Snapshot)]`.

#[cfg(test)]
mod tests;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Data, DeriveInput, Expr, ExprLit, ExprPath, Lit, LitInt, LitStr, Path, parse_quote};

use crate::errors::Errors;
use crate::identity::DeriveOptions;
use crate::messages;
use crate::spans::{ends, quote};
use crate::{fallback, identity};

/// The maximum length of a name, in bytes. Names of generic types are composed of these, and have at most 255 bytes.
const MAX_NAME_LEN: usize = 100;

pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(item) {
        Ok(input) => input,
        Err(error) => return fallback::errors(&error),
    };
    let mut errors = Errors::new();
    let known: [&[&str]; 3] = [&[], &[], &OPTIONS];
    let krate = parse_quote!(::schedule);
    let options = identity::parse_all(&input, "snapshot", known, krate, &mut errors);
    let krate = options.krate.clone();
    match analyse(&input, options, errors) {
        Ok(saved) => implement(&input, &krate, &saved),
        Err(error) => fallback::snapshot(&input, &krate, &error),
    }
}

/// The options of a saved type.
pub(crate) const OPTIONS: [&str; 3] = ["name", "version", "migrate"];

/// Returns the options of a saved type.
///
/// # Errors
///
/// Fails if an option has a wrong value, or with the text `missing` if the name is not given.
pub(crate) fn saved_options(
    ident: &Ident,
    values: Vec<(Ident, Expr)>,
    missing: &str,
) -> syn::Result<Saved> {
    let mut errors = Errors::new();
    let saved = checked_options(ident, values, missing, &mut errors);
    errors.finish()?;
    Ok(saved.expect("without a name there is an error"))
}

/// The saved name of a type, and its versions.
pub(crate) struct Saved {
    pub(crate) name: LitStr,
    /// `None`: version 1.
    version: Option<LitInt>,
    /// The function that reads older versions.
    pub(crate) migrate: Option<ExprPath>,
}

impl Saved {
    pub(crate) fn version(&self) -> TokenStream {
        match &self.version {
            Some(version) => version.to_token_stream(),
            None => quote!(1),
        }
    }
}

fn analyse(input: &DeriveInput, options: DeriveOptions, mut errors: Errors) -> syn::Result<Saved> {
    if let Data::Union(data) = &input.data {
        errors.at(
            data.union_token,
            messages::union_cannot(messages::BE_IN_A_SNAPSHOT),
        );
    }
    let generics = &input.generics;
    for lifetime in generics.lifetimes() {
        errors.at(
            lifetime,
            messages::borrow_cannot(messages::BE_IN_A_SNAPSHOT),
        );
    }
    if generics.lifetimes().count() < generics.params.len() {
        errors.at(generics, messages::GENERIC_SNAPSHOT);
    }
    let missing = messages::SNAPSHOT_WITHOUT_NAME;
    let saved = checked_options(&input.ident, options.values, missing, &mut errors);
    errors.finish()?;
    Ok(saved.expect("without a name there is an error"))
}

/// Checks the options. Returns `None` if the name is missing or wrong. There is then an error.
fn checked_options(
    ident: &Ident,
    values: Vec<(Ident, Expr)>,
    missing: &str,
    errors: &mut Errors,
) -> Option<Saved> {
    let is_parsed = errors.n_found() == 0;
    let [mut name, mut version, mut migrate] = [None, None, None];
    for (option, value) in values {
        // Each option is given once: otherwise `parse_all` has added an error.
        let slot = match option {
            option if option == "name" => &mut name,
            option if option == "version" => &mut version,
            _ => &mut migrate,
        };
        *slot = Some(value);
    }
    if name.is_none() && is_parsed {
        errors.at(ident, missing);
    }
    let name = name.and_then(|value| checked_name(value, errors));
    let version = version.and_then(|value| checked_version(value, errors));
    let is_first = version.as_ref().is_none_or(|version| {
        version
            .base10_parse()
            .is_ok_and(|version: u32| version == 1)
    });
    let migrate = migrate.and_then(|value| checked_migration(value, is_first, errors));
    Some(Saved {
        name: name?,
        version,
        migrate,
    })
}

fn checked_name(value: Expr, errors: &mut Errors) -> Option<LitStr> {
    match value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(name),
            ..
        }) if (1..=MAX_NAME_LEN).contains(&name.value().len()) => Some(name),
        value => {
            errors.at(value, messages::WRONG_SNAPSHOT_NAME);
            None
        }
    }
}

fn checked_version(value: Expr, errors: &mut Errors) -> Option<LitInt> {
    match value {
        Expr::Lit(ExprLit {
            lit: Lit::Int(version),
            ..
        }) if ["", "u32"].contains(&version.suffix())
            && version
                .base10_parse::<u32>()
                .is_ok_and(|version| version > 0) =>
        {
            Some(version)
        }
        value => {
            errors.at(value, messages::WRONG_SNAPSHOT_VERSION);
            None
        }
    }
}

fn checked_migration(value: Expr, is_first: bool, errors: &mut Errors) -> Option<ExprPath> {
    match value {
        Expr::Path(path) => {
            if is_first && errors.n_found() == 0 {
                errors.at(&path, messages::MIGRATION_OF_FIRST_VERSION);
            }
            Some(path)
        }
        value => {
            errors.at(value, messages::WRONG_MIGRATION);
            None
        }
    }
}

fn implement(input: &DeriveInput, krate: &Path, saved: &Saved) -> TokenStream {
    let ident = &input.ident;
    let (name, version) = (&saved.name, saved.version());
    // The one place that requires the traits of `serde`, so that their absence is one error.
    let methods = quote_spanned!(ident.span()=> __schedule::serde_methods::<#ident>());
    let migrate = saved.migrate.as_ref().map(|migrate| {
        // For a function with another signature, the error has the same place.
        let (first, _) = ends(&migrate.to_token_stream());
        let signature = quote_spanned!(first=> __schedule::Migration<Self>);
        quote! {
            fn migrate(
                version: ::core::primitive::u32,
                from: &mut __schedule::Decoder<'_>,
            ) -> ::core::result::Result<Self, __schedule::SnapshotError> {
                let migrate: #signature = #migrate;
                migrate(version, from)
            }
        }
    });
    quote! {
        #[allow(deprecated, reason = "a use of the type is reported where it is used")]
        const _: () = {
            use #krate::__private as __schedule;

            const __METHODS: __schedule::SerdeMethods<#ident> = #methods;

            #[automatically_derived]
            impl __schedule::Snapshot for #ident {
                const NAME: &'static ::core::primitive::str = #name;
                const VERSION: ::core::primitive::u32 = #version;

                fn save(
                    &self,
                    to: &mut __schedule::Encoder,
                ) -> ::core::result::Result<(), __schedule::SnapshotError> {
                    (__METHODS.save)(self, to)
                }

                fn restore(
                    from: &mut __schedule::Decoder<'_>,
                ) -> ::core::result::Result<Self, __schedule::SnapshotError> {
                    (__METHODS.restore)(from)
                }

                fn schema() -> __schedule::Schema {
                    (__METHODS.schema)()
                }

                #migrate
            }
        };
    }
}
