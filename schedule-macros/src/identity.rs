//! `#[derive(Identity)]`, and the derives that only add marker traits to it.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::meta::ParseNestedMeta;
use syn::{Data, DeriveInput, Expr, Ident, Path, Type, parse_quote};

use crate::errors::Errors;
use crate::fallback;
use crate::generics::{ImplGenerics, plain};
use crate::messages;
use crate::spans::quote;

/// `markers`: traits without items that are also implemented.
pub(crate) fn expand(item: TokenStream, attribute: &str, markers: &[&str]) -> TokenStream {
    let result = syn::parse2(item).and_then(|input: DeriveInput| {
        let mut errors = Errors::new();
        let krate = parse_options(&input, attribute, &[], &mut errors).krate;
        let what = if markers.is_empty() {
            messages::HAVE_IDENTITY.to_string()
        } else {
            messages::be_a(attribute)
        };
        analyse(&input, &what, &mut errors);
        if !markers.is_empty() && !input.generics.params.is_empty() {
            errors.at(&input.generics, messages::generic_name(attribute));
        }
        errors.finish()?;
        let identity = implement(&input);
        let ident = &input.ident;
        let markers = markers
            .iter()
            .map(|marker| syn::Ident::new(marker, ident.span()));
        Ok(quote! {
            #[allow(deprecated, reason = "that is said where the type is used")]
            const _: () = {
                use #krate::__private as __schedule;
                #identity
                #(impl __schedule::#markers for #ident {})*
            };
        })
    });
    result.unwrap_or_else(|error| fallback::errors(&error))
}

/// The options of a derive.
pub(crate) struct DeriveOptions {
    /// The known flags that were given.
    pub(crate) flags: Vec<Ident>,
    /// The options that were given with a type.
    pub(crate) types: Vec<(Ident, Type)>,
    /// The options that were given with a value.
    pub(crate) values: Vec<(Ident, Expr)>,
    /// The path of the crate that the expansion uses.
    pub(crate) krate: Path,
}

/// Reads the attribute of this name: flags, and `crate = path`.
pub(crate) fn parse_options(
    input: &DeriveInput,
    attribute: &str,
    flags: &[&str],
    errors: &mut Errors,
) -> DeriveOptions {
    let krate = parse_quote!(::schedule);
    parse_all(input, attribute, [flags, &[], &[]], krate, errors)
}

/// Like [`parse_options`], but also reads options `name = Type` and `name = value`, in this order. `krate` is the default of
/// `crate = path`.
pub(crate) fn parse_all(
    input: &DeriveInput,
    attribute: &str,
    [flags, types, values]: [&[&str]; 3],
    krate: Path,
    errors: &mut Errors,
) -> DeriveOptions {
    let known = [flags, types, values].concat();
    let mut options = DeriveOptions {
        flags: Vec::new(),
        types: Vec::new(),
        values: Vec::new(),
        krate,
    };
    let mut has_crate = false;
    let mut parse = |meta: ParseNestedMeta<'_>| {
        let Some(option) = meta.path.get_ident() else {
            return Err(unknown(&meta.path, &known));
        };
        let twice = if option == "crate" {
            options.krate = meta.value()?.call(Path::parse_mod_style)?;
            core::mem::replace(&mut has_crate, true)
        } else if types.iter().any(|known| option == known) {
            let is_twice = options.types.iter().any(|(other, _)| other == option);
            options.types.push((option.clone(), meta.value()?.parse()?));
            is_twice
        } else if values.iter().any(|known| option == known) {
            let is_twice = options.values.iter().any(|(other, _)| other == option);
            options
                .values
                .push((option.clone(), meta.value()?.parse()?));
            is_twice
        } else if flags.iter().any(|known| option == known) {
            let is_twice = options.flags.contains(option);
            options.flags.push(option.clone());
            is_twice
        } else {
            return Err(unknown(&meta.path, &known));
        };
        if twice {
            let message = messages::given_twice(option);
            return Err(syn::Error::new_spanned(option, message));
        }
        Ok(())
    };
    for attr in &input.attrs {
        if attr.path().is_ident(attribute)
            && let Err(error) = attr.parse_nested_meta(&mut parse)
        {
            errors.push(error);
        }
    }
    options
}

fn unknown(path: &Path, known: &[&str]) -> syn::Error {
    let option = path.get_ident().map(Ident::to_string);
    let message = match &option {
        Some(option) if known.is_empty() => messages::only_option_is_crate(option),
        _ => {
            let known = known.iter().chain(&["crate"]);
            let known: Vec<_> = known.map(|known| format!("`{known}`")).collect();
            messages::unknown_option(option.as_deref(), known.join(" or "))
        }
    };
    syn::Error::new_spanned(path, message)
}

/// Rejects types that have no unique identity.
pub(crate) fn analyse(input: &DeriveInput, what: &str, errors: &mut Errors) {
    if let Data::Union(data) = &input.data {
        errors.at(data.union_token, messages::union_cannot(what));
    }
    for lifetime in input.generics.lifetimes() {
        errors.at(lifetime, messages::borrow_cannot(what));
    }
}

/// Returns the `Identity` implementation. The surrounding block must define `__schedule`.
pub(crate) fn implement(input: &DeriveInput) -> TokenStream {
    let ident = &input.ident;
    let bound = quote!(__schedule::Identity);
    let generics = ImplGenerics::new(&input.generics, Some(&bound));
    let ImplGenerics { declared, used, .. } = &generics;
    let where_clause = &input.generics.where_clause;
    let body = generics.identity(ident, &plain(ident));
    quote! {
        #[automatically_derived]
        impl #declared __schedule::Identity for #ident #used #where_clause {
            #body
        }
    }
}

/// Returns the `where` clause for a type that threads share.
pub(crate) fn shared_where(input: &DeriveInput) -> TokenStream {
    let ident = &input.ident;
    let ImplGenerics { used, params, .. } = ImplGenerics::new(&input.generics, None);
    let predicates = input.generics.where_clause.iter().flat_map(|clause| {
        let predicates = &clause.predicates;
        predicates.iter()
    });
    // For a type without parameters, the compiler would check this bound here. Then the error would not be shown where the bound is
    // missing.
    let bounds = (!params.is_empty()).then(|| {
        let target = quote_spanned!(ident.span()=> #ident #used);
        quote!(#target: ::core::marker::Send + ::core::marker::Sync + 'static)
    });
    quote!(where #(#predicates,)* #bounds)
}
