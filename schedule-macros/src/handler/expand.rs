//! Expands a handler to the code that declares it. Cannot fail.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Expr, Pat};

use super::analyse::{Argument, Handler};
use super::parse::{Alias, Naming};
use crate::function::allow_signature;
use crate::generics::{self, ImplGenerics};
use crate::messages;
use crate::parameters::distinct_call;
use crate::spans::{ends, item, item_of, local, position, quote, text};

/// `item`: the function without the keys of its parameters.
pub(super) fn expand(item: &TokenStream, handler: &Handler) -> TokenStream {
    let Handler {
        hidden_type,
        krate,
        event,
        output,
        deprecated,
        ..
    } = handler;
    let bound = quote!(__schedule::Identity + 'static);
    let impl_generics = ImplGenerics::new(&handler.generics, Some(&bound));
    let ImplGenerics { declared, used, .. } = &impl_generics;
    let where_clause = &handler.generics.where_clause;
    let identity = impl_generics.identity(hidden_type, &handler.name);
    let definition = generics::hidden_type(
        krate,
        &handler.vis,
        hidden_type,
        &ImplGenerics::new(&handler.generics, None),
        where_clause.as_ref(),
        messages::NAMES_HANDLER,
    );
    let all: Vec<_> = handler.arguments.iter().map(|one| &one.parameter).collect();
    let lints = allow_signature("handler", 6, &all);
    let alias = alias(handler.alias);
    let arguments = handler.arguments.iter().map(declaration);
    let arguments = quote!(__schedule::Arguments::new(&[#(#arguments),*]));
    // Conflicts that depend on a type parameter are known only where the handler is named. Its arguments are evaluated there.
    let is_generic = !impl_generics.params.is_empty();
    let (arguments, check) = if is_generic {
        let distinct = distinct(handler, &quote!(arguments));
        let arguments = quote!({ let arguments = #arguments; #distinct arguments });
        (arguments, quote!())
    } else {
        // The check does not name the hidden type, because the type and its function would then count as used.
        let distinct = distinct(handler, &quote!(__ARGUMENTS));
        let arguments = item!(const __ARGUMENTS: __schedule::Arguments = #arguments;);
        let check = item!(const _: () = { #distinct };);
        (quote!(__ARGUMENTS), quote!(#arguments #check))
    };
    let accesses = handler.arguments.iter().map(|one| {
        let (cfg, asks) = (one.parameter.cfg(), asks(one));
        quote!(#cfg __schedule::Asks::access(&#asks))
    });
    let has_alias = !matches!(handler.alias, Alias::Reject);
    let alias = has_alias.then(|| {
        item!(
            const ALIAS: __schedule::Alias = #alias;
        )
    });
    let recipe = recipe(handler);

    let private = item!(use #krate::__private as __schedule;);
    let identity = item! {
        impl #declared __schedule::Identity for #hidden_type #used #where_clause {
            #identity
        }
    };
    let event = item!(type Event = #event;);
    let output = item!(type Output = #output;);
    let arguments = item!(const ARGUMENTS: __schedule::Arguments = #arguments;);
    let access = item! {
        const ACCESS: __schedule::Access = __schedule::Access::Each(&[#(#accesses),*]);
    };
    let recipe = item! {
        fn recipe() -> impl __schedule::EventRecipe<Self::Event, Output = Self::Output> {
            #recipe
        }
    };
    let declaration = item! {
        impl #declared __schedule::Handler for #hidden_type #used #where_clause {
            #event
            #output
            #arguments
            #access
            #alias

            #recipe
        }
    };
    let block = item! {
        const _: () = {
            #private

            #[automatically_derived]
            #identity

            #[automatically_derived]
            #declaration

            #check
        };
    };
    let implementations = quote! {
        #[allow(
            deprecated,
            irrefutable_let_patterns,
            unused_mut,
            unused_qualifications,
            unused_variables,
            clippy::arbitrary_source_item_ordering,
            clippy::missing_inline_in_public_items,
            clippy::question_mark_used,
            clippy::shadow_reuse,
            clippy::trait_duplication_in_bounds,
            reason = "the function itself is checked; this is generated code with its spans"
        )]
        #block
    };
    let hidden_type = generics::with_implementations(krate, &definition, &implementations);
    quote! {
        #lints
        #item
        #deprecated
        #hidden_type
    }
}

fn alias(alias: Alias) -> TokenStream {
    match alias {
        Alias::Reject => quote!(__schedule::Alias::Reject),
        Alias::Skip => quote!(__schedule::Alias::Skip),
        Alias::First => quote!(__schedule::Alias::First),
    }
}

/// Returns the request that a parameter makes.
fn asks(argument: &Argument) -> TokenStream {
    let of_trait = match argument.naming {
        Naming::Unkeyed => "Unkeyed",
        Naming::Key(_) => "Keyed",
        Naming::Keys(_) => "KeyedSet",
    };
    item_of(&argument.parameter.ty, of_trait, "ASKS")
}

/// Returns the declaration of a parameter for the argument list.
fn declaration(argument: &Argument) -> TokenStream {
    let cfg = argument.parameter.cfg();
    let (name, asks) = (text(&argument.parameter.name), asks(argument));
    let kind = match argument.naming {
        Naming::Unkeyed => quote!(unkeyed),
        Naming::Key(_) | Naming::Keys(_) => quote!(keyed),
    };
    quote!(#cfg __schedule::ArgumentDeclaration::#kind(#name, #asks))
}

/// Returns statements that reject conflicts in the argument list `of`. Each error is shown at the type of the later argument.
fn distinct(handler: &Handler, of: &TokenStream) -> TokenStream {
    let alias = alias(handler.alias);
    let has_cfg = handler
        .arguments
        .iter()
        .any(|one| one.parameter.cfg.is_some());
    let calls = handler.arguments.iter().enumerate().map(|(idx, one)| {
        if has_cfg {
            // Only the compiler knows how many of the previous arguments are enabled.
            let cfg = one.parameter.cfg();
            let call = distinct_call(&one.parameter.ty, "Arguments", &quote!(&#of, nth, #alias));
            quote!(#cfg #call; #cfg let nth = nth + 1;)
        } else {
            let idx = position(idx);
            let call = distinct_call(&one.parameter.ty, "Arguments", &quote!(&#of, #idx, #alias));
            quote!(#call;)
        }
    });
    let nth = has_cfg.then(|| quote!(let nth = 0;));
    quote!(#nth #(#calls)*)
}

/// Returns the code that calls the handler. It consists of a nested list of requests with the first outermost, and two closures. One
/// closure names the records, from the first to the last. The other takes the found values from a list that has the last outermost. For
/// an atomic handler, a list with the last outermost has the copiers of the parameters.
fn recipe(handler: &Handler) -> TokenStream {
    let Handler {
        function,
        pattern,
        event,
        ..
    } = handler;
    let [list, naming, items, of, copiers] =
        ["list", "naming", "items", "event", "copiers"].map(local);
    let all = &handler.arguments;
    let asked = all.iter().rev().map(|one| {
        let (cfg, asks) = (one.parameter.cfg(), asks(one));
        quote!(#cfg let #list = (#asks, #list);)
    });
    let named = all.iter().map(|one| {
        let cfg = one.parameter.cfg();
        let named = named(one, &naming);
        quote!(#cfg let #naming = #named;)
    });
    let taken = all.iter().rev().map(|Argument { parameter, .. }| {
        let (cfg, ident) = (parameter.cfg(), &parameter.ident);
        quote!(#cfg let (#items, #ident) = #items;)
    });
    let arguments = all.iter().map(|Argument { parameter, .. }| {
        let (cfg, ident) = (parameter.cfg(), &parameter.ident);
        quote!(#cfg #ident)
    });
    // A refutable pattern is reported once, at the function.
    let (pattern, apart) = match pattern {
        Pat::Ident(_) | Pat::Wild(_) => (quote!(#pattern), None),
        _ => {
            let apart = quote!(let #pattern = #of else { __schedule::core::unreachable!() };);
            (quote!(#of), Some(apart))
        }
    };
    let ImplGenerics { used, .. } = ImplGenerics::new(&handler.generics, None);
    let turbofish = (!used.is_empty()).then(|| quote!(::#used));
    let atomic = handler.is_atomic.then(|| {
        let copied = all.iter().map(|Argument { parameter, .. }| {
            let cfg = parameter.cfg();
            let copier = item_of(&parameter.ty, "AtomicParameter", "COPIER");
            quote!(#cfg let #copiers = (#copiers, #copier);)
        });
        quote!(.atomic({
            let #copiers = ();
            #(#copied)*
            #copiers
        }))
    });
    quote! {
        let #list = ();
        #(#asked)*
        __schedule::Handling::new(
            #list,
            #[inline(always)]
            |#pattern: &#event, #naming| {
                #apart
                #(#named)*
                __schedule::core::result::Result::Ok(#naming)
            },
            #[inline(always)]
            |#of: &#event, #items| {
                #(#taken)*
                #function #turbofish (#of, #(#arguments),*)
            },
        )
        #atomic
    }
}

/// Returns the code that names the record. An error about a key is shown at its expression.
fn named(argument: &Argument, naming: &Ident) -> TokenStream {
    match &argument.naming {
        Naming::Unkeyed => quote!(__schedule::KeyLookup::unkeyed(#naming)?),
        Naming::Key(expr) => {
            // The key may be a part of the event, so it is borrowed.
            let (_, last) = ends(&expr.to_token_stream());
            let value = if binds_closely(expr) {
                expr.to_token_stream()
            } else {
                quote_spanned!(last=> (#expr))
            };
            let of = local("of");
            let key = key_of(expr, &of, &value);
            quote!({
                let #of = __schedule::KeyLookup::key_type(&#naming);
                __schedule::KeyLookup::key(#naming, #key)?
            })
        }
        Naming::Keys(expr) => {
            let (_, last) = ends(&expr.to_token_stream());
            let set = local("set");
            let of = local("of");
            // Has the span of the user's expression, so that errors are shown there. The expression cannot refer to this name.
            let key = Ident::new("__key", last);
            let one = key_of(expr, &of, &quote!(#key));
            quote!({
                let #of = __schedule::KeyLookup::key_type(&#naming);
                let mut #set = __schedule::KeyLookup::keys(#naming);
                #[allow(
                    for_loops_over_fallibles,
                    clippy::all,
                    clippy::nursery,
                    clippy::pedantic,
                    clippy::restriction,
                    reason = "any set of keys is valid, also an `Option` or an array of one"
                )]
                for #key in #expr {
                    __schedule::SetLookup::key(&mut #set, #one)?;
                }
                __schedule::SetLookup::end(#set)
            })
        }
    }
}

/// Returns whether the expression needs no parentheses after a `&`.
fn binds_closely(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Array(_)
            | Expr::Call(_)
            | Expr::Field(_)
            | Expr::Index(_)
            | Expr::Lit(_)
            | Expr::Macro(_)
            | Expr::MethodCall(_)
            | Expr::Paren(_)
            | Expr::Path(_)
            | Expr::Tuple(_)
    )
}

/// Converts a value to a key of the same type as `of`. Has the span of the key's expression.
fn key_of(expr: &Expr, of: &Ident, value: &TokenStream) -> TokenStream {
    let (first, last) = ends(&expr.to_token_stream());
    let call = quote_spanned!(first=> __schedule::AsKey::key_of);
    let borrow = quote_spanned!(first=> &);
    let arguments = quote_spanned!(last=> (#of, #borrow #value));
    quote!(#call #arguments)
}
