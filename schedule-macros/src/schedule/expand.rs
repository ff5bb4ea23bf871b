//! Expands a schedule to the constants that list it. Cannot fail.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Error, Generics, TypePath};

use super::analyse::{
    CheckedClause, CheckedEntry, CheckedSetting, Choice, Names, Rule, Schedule, single,
};
use super::mentioned::Mentioned;
use super::syntax::{Closure, Component, Declared, StateChange};
use crate::clauses::Kind;
use crate::generics::{ImplGenerics, plain};
use crate::guard::{self, Guard};
use crate::spans::{
    constant, constant_at, constant_of, ends, generated, marks, number, order, quote, text, written,
};

pub(super) fn expand(declared: &Declared, schedule: &Schedule<'_>) -> TokenStream {
    let Schedule {
        entries,
        rules,
        settings,
        names,
        closures,
    } = schedule;
    let name = text(&plain(&declared.name));
    let listed = entries.iter().map(|one| entry(one, names));
    let ruled = rules.iter().map(|one| rule(one, names));
    let answer_checks = answer_checks(entries);
    let for_each_checks = for_each_checks(entries);
    let has_plugins = entries.iter().any(|one| one.kind == Kind::Plugin);
    let (whole, listing) = if has_plugins {
        (Some(whole()), quote!(&__WHOLE))
    } else {
        (None, quote!(&__LISTING))
    };
    let verdict = (!declared.is_open).then(|| verdict(entries, rules, &listing));
    let methods = methods(declared, &listing, verdict.is_some());
    // References and a static, because the compiler would check a value again at each of its uses, and the target of a reference again in
    // each constant with it. One constant, because an error in a type is reported once for each constant. No inline constants, because the
    // compiler hashes the types of the whole constant again for each of them.
    let closures = closures
        .iter()
        .map(|(closure, name)| self::closure(declared, closure, name));
    let listed = constant_of(
        &Ident::new("__Listed", generated()),
        &quote!((&'static [__schedule::Entry], &'static [__schedule::Rule])),
        &quote!((&[#(#listed),*], &[#(#ruled),*])),
    );
    let settings = self::settings(settings);
    let listing = quote! {
        #(#closures)*
        #listed
        static __LISTING: __schedule::Listing =
            __schedule::Listing::new(#name, __Listed::ALL.0, __Listed::ALL.1, #settings);
        #whole
        #(#answer_checks)*
        #(#for_each_checks)*
        #verdict
        #methods
    };
    with_type(declared, &listing)
}

/// Returns a system of this name that is made from a closure.
fn closure(declared: &Declared, closure: &Closure, name: &str) -> TokenStream {
    let Closure {
        ident,
        parameters,
        rest,
    } = closure;
    let krate = &declared.krate;
    crate::system::expand(
        quote!(name = #name, crate = #krate),
        quote!(fn #ident(#parameters) #rest),
    )
}

/// Returns the replacement after an error: an empty schedule that uses all names that could be read.
pub(super) fn stand_in(declared: &Declared, error: &Error) -> TokenStream {
    let name = text(&plain(&declared.name));
    let mut mentioned = Mentioned::default();
    mentioned.items(&declared.items);
    let is_name = |path: &TypePath| {
        single(path).is_some_and(|ident| {
            let ident = plain(ident);
            mentioned.names.contains(&ident) || declared.skipped_names.contains(&ident)
        })
    };
    let others = mentioned.others.iter().filter(|path| !is_name(path));
    let paths = mentioned.entries.iter().chain(others);
    let branches = &mentioned.branches;
    let methods = methods(declared, &quote!(&__LISTING), false);
    let listing = quote! {
        static __LISTING: __schedule::Listing = __schedule::Listing::rejected(#name);
        const _: () = {
            #(let _ = __schedule::core::marker::PhantomData::<#paths>;)*
            #(let _ = #branches;)*
        };
        #methods
    };
    let errors = error.to_compile_error();
    let schedule = with_type(declared, &listing);
    quote!(#errors #schedule)
}

/// Returns the type, followed by these items.
fn with_type(declared: &Declared, listing: &TokenStream) -> TokenStream {
    let Declared {
        attrs,
        krate,
        vis,
        name,
        ..
    } = declared;
    // All tokens have the span of the name, so that the compiler still reports an unused schedule.
    let definition = quote_spanned!(name.span()=> enum #name {});
    let cfgs = attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    quote! {
        #[allow(
            missing_debug_implementations,
            missing_copy_implementations,
            clippy::exhaustive_enums,
            reason = "there is no value of it"
        )]
        #(#attrs)*
        #vis #definition

        #(#cfgs)*
        #[allow(
            unused_qualifications,
            clippy::all,
            clippy::nursery,
            clippy::pedantic,
            clippy::restriction,
            reason = "this is generated code with spans of the listing"
        )]
        const _: () = {
            use #krate::__private as __schedule;

            #listing
        };
    }
}

/// Returns the functions of the type. They have spans of the expansion. Otherwise unused functions would be reported.
fn methods(declared: &Declared, listing: &TokenStream, is_verified: bool) -> TokenStream {
    let Declared {
        vis, name, krate, ..
    } = declared;
    let krate = krate.to_token_stream().to_string().replace(' ', "");
    let link = |name: &str, path: &str| text(&format!("[`{name}`]: {krate}::{path}"));
    let schedule = link("Schedule", "Schedule");
    let builder = link("Builder", "Builder");
    let build = link("build", "Builder::build");
    let constructor = if declared.is_open {
        let build_error = link("BuildError", "BuildError");
        ::quote::quote! {
            /// Builds the [`Schedule`] of all listed and collected items.
            ///
            /// # Errors
            ///
            /// Fails with a [`BuildError`] that contains all problems.
            ///
            #[doc = #schedule]
            #[doc = #build_error]
            #[allow(clippy::new_ret_no_self, reason = "the type stands for the schedule")]
            #vis fn new() -> __schedule::core::result::Result<__schedule::Schedule, __schedule::BuildError> {
                Self::builder().build()
            }
        }
    } else {
        ::quote::quote! {
            /// Returns the [`Schedule`]. It was verified at compile time, so this cannot fail.
            ///
            #[doc = #schedule]
            #[allow(clippy::new_ret_no_self, reason = "the type stands for the schedule")]
            #vis fn new() -> __schedule::Schedule {
                __schedule::Builder::verified(#listing)
            }
        }
    };
    let (made, found) = if declared.is_open {
        (quote!(collected::<Self>), open(name))
    } else {
        (quote!(listed), plugin(listing, name, is_verified))
    };
    let identity = ImplGenerics::new(&Generics::default(), None).identity(name, &plain(name));
    let functions = ::quote::quote! {
        #[allow(deprecated, reason = "that is said where the schedule is named")]
        impl #name {
            #constructor

            /// Returns a [`Builder`] with the same contents, for additions that are known only at run time. [`build`] verifies the
            /// result.
            ///
            #[doc = #builder]
            #[doc = #build]
            #vis fn builder() -> __schedule::Builder {
                __schedule::Builder::#made(#listing)
            }
        }
    };
    quote! {
        #functions

        #[allow(deprecated, reason = "that is said where the schedule is named")]
        const _: () = {
            #[automatically_derived]
            impl __schedule::Identity for #name {
                #identity
            }

            #found
        };
    }
}

/// Returns the implementations through which systems and tests find an open schedule.
fn open(ident: &Ident) -> TokenStream {
    let name = text(&plain(ident));
    quote! {
        impl __schedule::Open for #ident {}

        __schedule::submit! { __schedule::Opened::new(#name, #ident::new) }
    }
}

/// Returns the implementations through which another schedule includes and names this one.
fn plugin(listing: &TokenStream, ident: &Ident, is_verified: bool) -> TokenStream {
    let listing = if is_verified {
        quote!(&__VERDICT.with_reported(#listing))
    } else {
        listing.clone()
    };
    quote! {
        impl __schedule::Anchor for #ident {}

        impl __schedule::Lists for #ident {
            const LISTED: &'static __schedule::Listing = #listing;
        }
    }
}

/// Returns the listing combined with its plugins.
fn whole() -> TokenStream {
    // One for each parameter of `Whole`, in the same order.
    let counts = ["n_entries", "n_rules", "n_plugins", "n_numbers"]
        .map(|count| Ident::new(count, generated()));
    quote! {
        static __PARTS: __schedule::Whole<#({ __LISTING.#counts() }),*> = __schedule::Whole::of(&__LISTING);
        static __WHOLE: __schedule::Listing = __PARTS.listing();
    }
}

/// Maximum number of tokens with constants of their own.
const MAX_REPORTS: usize = 256;

/// Returns the verdict, and constants that report the faults: one for each token at which there may be faults. In a long schedule, one for
/// each entry, because the compiler needs more time for each constant than for its contents. Then the later faults of an entry are reported
/// when its first one is fixed.
fn verdict(entries: &[CheckedEntry<'_>], rules: &[Rule<'_>], listing: &TokenStream) -> TokenStream {
    // One for each parameter of `verify`, in the same order.
    let sizes = [
        "words", "blocks", "edges", "uses", "needed", "nodes", "clauses",
    ]
    .map(|size| Ident::new(size, generated()));
    let mut reports = Vec::new();
    for (idx, entry) in (0_u32..).zip(entries) {
        let mut of_entry = vec![report(ends(&entry.path.to_token_stream()), idx, 0, 0)];
        for (number, clause) in (1_u32..).zip(&entry.clauses) {
            let places = (0_u32..).zip(clause.places());
            of_entry.extend(places.map(|(leaf, place)| report(place, idx, number, leaf)));
        }
        reports.push(of_entry);
    }
    for (idx, rule) in (entries.len() as u32..).zip(rules) {
        reports.push(vec![report(rule.place(), idx, 0, 0)]);
    }
    if reports.iter().map(Vec::len).sum::<usize>() <= MAX_REPORTS {
        reports = reports.into_iter().flatten().map(|one| vec![one]).collect();
    }
    quote! {
        #[allow(long_running_const_eval, reason = "there is an end to it")]
        const __SIZES: __schedule::Sizes = __schedule::Sizes::of(#listing);
        #[allow(long_running_const_eval, reason = "there is an end to it")]
        const __VERDICT: &__schedule::Verdict =
            &__schedule::verify::<#({ __SIZES.#sizes }),*>(#listing, __SIZES);
        #(const _: () = { #(#reports)* };)*
    }
}

/// Returns a statement that reports the faults at this place.
fn report((first, last): (Span, Span), entry: u32, clause: u32, leaf: u32) -> TokenStream {
    let [entry, clause, leaf] = [entry, clause, leaf].map(number);
    let verdict = quote_spanned!(first=> __VERDICT);
    let report = quote_spanned!(last=> .report(#entry, #clause, #leaf));
    quote!(#verdict #report;)
}

/// Returns one constant for each condition and selector. It rejects systems that cannot give the required answer.
fn answer_checks(entries: &[CheckedEntry<'_>]) -> Vec<TokenStream> {
    let mut checks = Vec::new();
    for (idx, entry) in (0_u32..).zip(entries) {
        if entry.kind == Kind::Loop {
            checks.push(check_answer(ends(&entry.path.to_token_stream()), idx, 0, 0));
        }
        for (number, clause) in (1_u32..).zip(&entry.clauses) {
            // The guard of a state change always gives its answer.
            let CheckedClause::If(guard) = clause else {
                continue;
            };
            for (token, leaf) in guard.leaves() {
                checks.push(check_answer(leaf.ends(), idx, number, token));
            }
        }
    }
    checks
}

fn check_answer((first, last): (Span, Span), entry: u32, clause: u32, token: u32) -> TokenStream {
    let [entry, clause, token] = [entry, clause, token].map(number);
    let listing = quote_spanned!(first=> __LISTING);
    let check = quote_spanned!(last=> .check_answer(#entry, #clause, #token));
    quote!(const _: () = #listing #check;)
}

/// Returns one constant for each entry with a clause that applies only to `for_each` systems. It rejects other systems.
fn for_each_checks(entries: &[CheckedEntry<'_>]) -> impl Iterator<Item = TokenStream> {
    let checked = (0_u32..)
        .zip(entries)
        .filter_map(|(idx, entry)| Some((idx, entry.for_each_only?)));
    checked.map(|(idx, word)| {
        let idx = number(idx);
        let check = quote_spanned!(word.span()=> __LISTING.check_for_each(#idx));
        quote!(const _: () = #check;)
    })
}

fn entry(entry: &CheckedEntry<'_>, names: &Names<'_>) -> TokenStream {
    let function = match entry.kind {
        Kind::System => "system",
        Kind::Loop => "repeat",
        Kind::Checkpoint => "checkpoint",
        Kind::ApplyCommands => "apply_commands",
        Kind::Group => "group",
        Kind::Plugin => "include",
    };
    let made = constant("Entry", function, entry.path);
    let around = entry.around.map(|around| {
        let around = number(around);
        quote!(.inside(#around))
    });
    let name = entry.name.map(|name| {
        let name = text(&plain(name));
        quote!(.named(#name))
    });
    // A system may have a different name, but remedies need the path as written.
    let path = match (entry.is_closure, entry.name) {
        (true, Some(name)) => plain(name),
        _ => written(entry.path),
    };
    let path = text(&path);
    let marks = marks(&entry.marks).map(|marks| quote!(.marked(#marks)));
    let made = quote!(#made.written(#path) #marks #around #name);
    if entry.clauses.is_empty() {
        return made;
    }
    let clauses = entry.clauses.iter().map(|one| clause(one, names));
    // In a struct literal, the list lives as long as the constant.
    quote!(__schedule::Entry { clauses: &[#(#clauses),*], ..#made })
}

fn clause(clause: &CheckedClause<'_>, names: &Names<'_>) -> TokenStream {
    match clause {
        CheckedClause::Order(kind, other) => {
            let order = match names.find(other) {
                Some(_) => named("Order", kind, other, names),
                None => order(kind, other),
            };
            quote!(__schedule::Clause::Order(#order))
        }
        CheckedClause::Chained(idx, before, place) => {
            let order = constant_at(*place, "Order", "after", before);
            let idx = number(*idx);
            quote!(__schedule::Clause::Order(#order.at(#idx)))
        }
        CheckedClause::In(group) => {
            let membership = constant("Membership", "of", group);
            quote!(__schedule::Clause::In(#membership))
        }
        CheckedClause::If(guard) => {
            let guard = self::guard(guard, names);
            quote!(__schedule::Clause::If(#guard))
        }
        CheckedClause::AtMost(n) => quote!(__schedule::Clause::AtMost(#n)),
        CheckedClause::OnFailure(variant) => {
            let policy = variant_of("FailurePolicy", variant);
            quote!(__schedule::Clause::OnFailure(#policy))
        }
        CheckedClause::Transition(state) => {
            let change = state_change(state);
            quote!(__schedule::Clause::Order(#change.order))
        }
        CheckedClause::IfState(state) => {
            let guard = if_state(state);
            quote!(__schedule::Clause::If(#guard))
        }
    }
}

/// Returns the state change of `on enter` or `on exit`. All uses have the same tokens and spans, so the compiler shows an error in them
/// only once.
fn state_change(change: &StateChange) -> TokenStream {
    let StateChange {
        is_enter,
        state,
        ty,
    } = change;
    let (first, last) = ends(&state.to_token_stream());
    let function = Ident::new(if *is_enter { "enter" } else { "exit" }, first);
    let open = quote_spanned!(first=> __schedule::StateChange::#function::<);
    let arguments = quote_spanned!(last=> >(#state, #state as __schedule::core::primitive::u32));
    quote!(#open #ty #arguments)
}

/// Returns the guard of `on enter` or `on exit`.
fn if_state(change: &StateChange) -> TokenStream {
    let made = state_change(change);
    let path = |system: &str| text(&format!("{system}<{}>", written(&change.ty)));
    let changes = path("changes");
    let is_state = path(if change.is_enter { "enters" } else { "leaves" });
    quote! {
        __schedule::Guard {
            tokens: &[
                __schedule::Token::Is(#made.changes.written(#changes)),
                __schedule::Token::Is(#made.is_state.written(#is_state)),
                __schedule::Token::All(2u32)
            ]
        }
    }
}

/// Returns `ty::function` for the item that the path names: an entry or a type.
fn named(ty: &str, function: &str, path: &TypePath, names: &Names<'_>) -> TokenStream {
    match names.find(path) {
        None => constant(ty, function, path),
        Some((idx, of)) => {
            let made = constant_at(ends(&path.to_token_stream()), ty, function, of);
            let idx = number(idx);
            quote!(#made.at(#idx))
        }
    }
}

/// Returns the constant of a guard, without a check of the answers.
fn guard(guard: &Guard, names: &Names<'_>) -> TokenStream {
    guard::guard(guard, |leaf| {
        let path = leaf.path();
        let found = names.find(path);
        let at = match found {
            Some((idx, _)) => {
                let idx = number(idx);
                quote!(.at(#idx))
            }
            None => {
                let path = text(&written(path));
                quote!(.written(#path))
            }
        };
        let made = guard::unchecked(leaf, |path| found.map_or(path, |(_, of)| of));
        quote!(#made #at)
    })
}

fn rule(rule: &Rule<'_>, names: &Names<'_>) -> TokenStream {
    match rule {
        Rule::Resource(resource, choice) => {
            let (first, last) = ends(&resource.to_token_stream());
            let choice = self::choice(choice);
            let open = quote_spanned!(first=> __schedule::Rule::resource::<);
            let close = quote_spanned!(last=> >(#choice));
            quote!(#open #resource #close)
        }
        Rule::Component(of, choice) => {
            let Component {
                word, component, ..
            } = of;
            let (first, last) = ends(&component.to_token_stream());
            let store = store(of);
            let choice = self::choice(choice);
            let function = Ident::new(&word.to_string(), first);
            let open = quote_spanned!(first=> __schedule::Rule::#function::<);
            let close = quote_spanned!(last=> >(#choice));
            quote!(#open #component, #store #close)
        }
        Rule::Pair(one, other, choice) => {
            let (first, last) = rule.place();
            let one = named("RuleTarget", "of", one, names);
            let other = named("RuleTarget", "of", other, names);
            let choice = self::choice(choice);
            let open = quote_spanned!(first=> __schedule::Rule::pair);
            let arguments = quote_spanned!(last=> (#one, #other, #choice));
            quote!(#open #arguments)
        }
    }
}

impl Rule<'_> {
    /// Returns the place of the names in a rule.
    fn place(&self) -> (Span, Span) {
        match self {
            Self::Resource(resource, _) => ends(&resource.to_token_stream()),
            Self::Component(of, _) => ends(&of.component.to_token_stream()),
            Self::Pair(one, other, _) => ends(&quote!(#one #other)),
        }
    }
}

/// Returns the constant of the settings.
fn settings(settings: &[CheckedSetting]) -> TokenStream {
    let calls = settings.iter().map(|setting| {
        let function = Ident::new(setting.function, generated());
        let value = match setting.value {
            Some((ty, variant)) => variant_of(ty, variant),
            None => quote!(false),
        };
        quote!(.#function(#value))
    });
    quote!(__schedule::Settings::NONE #(#calls)*)
}

/// Returns the type that stores the component.
fn store(component: &Component) -> TokenStream {
    match &component.store {
        Some(store) => store.to_token_stream(),
        // An error about a missing crate is shown at the word.
        None => quote_spanned!(component.word.span()=> ::schedule_hecs::World),
    }
}

fn choice(choice: &Choice<'_>) -> TokenStream {
    match choice.reason {
        Some(reason) => quote!(__schedule::ListedPolicy::accepted(#reason)),
        None => {
            let policy = variant_of("Policy", choice.variant);
            quote!(__schedule::ListedPolicy::of(#policy))
        }
    }
}

fn variant_of(ty: &str, variant: &str) -> TokenStream {
    let ty = Ident::new(ty, generated());
    let variant = Ident::new(variant, generated());
    quote!(__schedule::#ty::#variant)
}
