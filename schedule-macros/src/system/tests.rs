//! The expansion, formatted as readable code. Run with `BLESS=1` to accept a changed expansion.

use proc_macro2::TokenStream;
use quote::quote;

use super::expand;
use crate::messages;

/// Compares an expansion with the snapshot in `file`.
fn assert_expands(options: TokenStream, item: TokenStream, file: &str) {
    let expansion = expand(options, item);
    let syntax: syn::File =
        syn::parse2(expansion.clone()).unwrap_or_else(|error| panic!("{error}: {expansion}"));
    let text = prettyplease::unparse(&syntax);
    let path = format!("{}/src/system/tests/{file}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &text).expect("the snapshot can be written");
    }
    let expected = std::fs::read_to_string(&path).expect("there is a snapshot");
    assert_eq!(text, expected, "{file}; with BLESS=1 this is accepted");
}

#[test]
fn expansion_of_a_system_is_readable() {
    assert_expands(
        quote!(after = spawn, name = "venom"),
        quote! {
            /// Bites.
            pub fn poison(counter: &PoisonCounter, health: &mut Health) {
                health.0 -= counter.0;
            }
        },
        "plain.rs",
    );
}

#[test]
fn guard_is_a_list_of_required_conditions() {
    assert_expands(
        quote!(
            if = (is_awake, not(or(is_blind, is_dark::<Cave>)), and(is(gait, Gait::Run), has_air)),
            in = Sight
        ),
        quote! {
            fn look() {}
        },
        "guarded.rs",
    );
}

#[test]
fn a_generic_system_keeps_its_parameters() {
    assert_expands(
        quote!(),
        quote! {
            fn spawn<'r, T: Component, const N: usize>(
                assets: &'r mut Assets<T>,
                #[cfg(feature = "log")] mut log: Commands,
            ) -> Result<bool, Error>
            where
                T: Default,
            {
                assets.fill(N)
            }
        },
        "generic.rs",
    );
}

#[test]
fn a_system_for_each_entity_loops_over_its_parameters() {
    assert_expands(
        quote!(for_each, with = Alive, without = (Frozen, Hidden<T>), if = is_running),
        quote! {
            fn integrate<T: Axis>(
                position: &mut Position<T>,
                #[cfg(feature = "wind")] wind: Option<&Wind>,
                #[resource] step: &Step,
            ) -> Result<(), Lost> {
                position.0 += step.0;
                Ok(())
            }
        },
        "for_each.rs",
    );
}

#[test]
fn a_system_for_each_entity_of_another_store_names_it() {
    let expansion = expand(
        quote!(for_each = World<Ships>),
        quote!(
            fn sail(_: &mut Position) {}
        ),
    );
    let text = expansion.to_string();
    let store = "EachParam < < World < Ships > as __schedule :: EntityTables > :: Itself >";
    assert!(text.contains(store), "{text}");
    assert!(!text.contains("schedule_hecs"), "{text}");
}

#[test]
fn a_system_that_always_runs_says_so() {
    let item = quote!(
        fn watch() {}
    );
    let text = expand(quote!(always), item.clone()).to_string();
    let constant = "const MARKS : __schedule :: Marks = __schedule :: Marks :: ALWAYS";
    assert!(text.contains(constant), "{text}");
    assert!(!expand(quote!(), item).to_string().contains("MARKS"));
}

#[test]
fn a_system_for_each_entity_can_be_kept_out_of_sweeps() {
    let item = quote!(
        fn starve(_: &mut Health) {}
    );
    let text = expand(quote!(for_each, sweep = false), item.clone()).to_string();
    assert!(
        text.contains("const MARKS : __schedule :: Marks = __schedule :: Marks :: NO_SWEEP"),
        "{text}"
    );
    let text = expand(quote!(for_each), item).to_string();
    assert!(!text.contains("MARKS"), "{text}");
}

#[test]
fn each_wrong_use_of_for_each_is_reported() {
    for (options, item, message) in [
        (
            quote!(),
            quote!(
                fn f(#[resource] r: &R) {}
            ),
            messages::RESOURCE_WITHOUT_FOR_EACH,
        ),
        (
            quote!(for_each),
            quote!(
                fn f(#[resource] r: &R) {}
            ),
            messages::FOR_EACH_WITHOUT_ENTITY,
        ),
        (
            quote!(for_each),
            quote!(
                fn f() {}
            ),
            messages::FOR_EACH_WITHOUT_ENTITY,
        ),
        (
            quote!(for_each, main_thread),
            quote!(
                fn f(c: &C) {}
            ),
            messages::FOR_EACH_ON_MAIN_THREAD,
        ),
        (
            quote!(with = A),
            quote!(
                fn f() {}
            ),
            &messages::filter_without_for_each("with"),
        ),
        (
            quote!(sweep = false),
            quote!(
                fn f() {}
            ),
            messages::SWEEP_WITHOUT_FOR_EACH,
        ),
        (
            quote!(for_each, sweep = true),
            quote!(
                fn f(c: &C) {}
            ),
            &messages::only_value(
                "sweep = false",
                "sweep",
                "false",
                "`for_each` systems may share sweeps",
            ),
        ),
        (
            quote!(for_each, sweep),
            quote!(
                fn f(c: &C) {}
            ),
            &messages::only_value(
                "sweep = false",
                "sweep",
                "false",
                "`for_each` systems may share sweeps",
            ),
        ),
        (
            quote!(for_each, sweep = false, sweep = false),
            quote!(
                fn f(c: &C) {}
            ),
            &messages::given_twice("sweep"),
        ),
        (
            quote!(for_each, for_each),
            quote!(
                fn f(c: &C) {}
            ),
            &messages::given_twice("for_each"),
        ),
        (
            quote!(for_each, with = A, with = B),
            quote!(
                fn f(c: &C) {}
            ),
            &messages::list_given_twice("with"),
        ),
        (
            quote!(for_each),
            quote!(
                fn f(
                    c: &C,
                    #[resource]
                    #[resource]
                    r: &R,
                ) {
                }
            ),
            &messages::given_twice("#[resource]"),
        ),
        (
            quote!(for_each),
            quote!(
                fn f(c: &C, #[resource(optional)] r: &R) {}
            ),
            messages::RESOURCE_WITH_VALUE,
        ),
    ] {
        let text = expand(options, item).to_string();
        assert_eq!(text.matches("compile_error").count(), 1, "{text}");
        assert!(text.contains(&format!("{message:?}")), "{message}: {text}");
        assert!(!text.contains("# [resource"), "{text}");
    }
}

#[test]
fn rejected_system_expands_to_an_inert_system_of_its_name() {
    assert_expands(
        quote!(),
        quote! {
            async fn poison(health: &mut Health) {}
        },
        "rejected.rs",
    );
}

#[test]
fn a_rejected_system_has_no_guard() {
    let expansion = expand(
        quote!(if = is_dark, after = 3),
        quote!(
            fn sleep() {}
        ),
    );
    assert!(!expansion.to_string().contains("is_dark"));
}

#[test]
fn all_broken_rules_are_reported_together() {
    let expansion = expand(
        quote!(speed = 3),
        quote! {
            async unsafe fn poison(&self, health: impl Trait, time: &'static Time) -> ! {}
        },
    );
    let n_errors = expansion.to_string().matches("compile_error").count();
    assert_eq!(n_errors, 7);
}
