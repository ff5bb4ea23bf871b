//! `#[derive(Component)]`.

use proc_macro2::TokenStream;
use syn::{Data, DeriveInput, Path};

use crate::errors::Errors;
use crate::generics::ImplGenerics;
use crate::messages;
use crate::spans::quote;
use crate::{fallback, identity};

pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let result = syn::parse2(item).and_then(|input: DeriveInput| {
        let krate = analyse(&input)?;
        Ok(implement(&input, &krate))
    });
    result.unwrap_or_else(|error| fallback::errors(&error))
}

fn analyse(input: &DeriveInput) -> syn::Result<Path> {
    let mut errors = Errors::new();
    let options = identity::parse_options(input, "component", &[], &mut errors);
    if let Data::Union(data) = &input.data {
        errors.at(
            data.union_token,
            messages::union_cannot(messages::BE_A_COMPONENT),
        );
    }
    for lifetime in input.generics.lifetimes() {
        errors.at(lifetime, messages::borrow_cannot(messages::BE_A_COMPONENT));
    }
    errors.finish()?;
    Ok(options.krate)
}

fn implement(input: &DeriveInput, krate: &Path) -> TokenStream {
    let ident = &input.ident;
    let identity = identity::implement(input);
    let bound = quote!(__schedule::Identity);
    let ImplGenerics { declared, used, .. } = ImplGenerics::new(&input.generics, Some(&bound));
    let where_clause = identity::shared_where(input);
    quote! {
        #[allow(deprecated, reason = "a use of the type is reported where it is used")]
        const _: () = {
            use #krate::__private as __schedule;
            #identity

            #[automatically_derived]
            impl #declared __schedule::ComponentType for #ident #used #where_clause {
                type Itself = Self;
            }

            #[automatically_derived]
            impl #declared __schedule::Component for #ident #used #where_clause {}
        };
    }
}
