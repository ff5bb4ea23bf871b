//! The expansion, formatted as readable code. Run with `BLESS=1` to accept a changed expansion.

use proc_macro2::TokenStream;
use quote::quote;

use super::expand;

/// Compares an expansion with the snapshot in `file`.
fn assert_expands(tokens: TokenStream, file: &str) {
    let expansion = expand(tokens);
    let syntax: syn::File =
        syn::parse2(expansion.clone()).unwrap_or_else(|error| panic!("{error}: {expansion}"));
    let text = prettyplease::unparse(&syntax);
    let path = format!("{}/src/schedule/tests/{file}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &text).expect("the snapshot can be written");
    }
    let expected = std::fs::read_to_string(&path).expect("there is a snapshot");
    assert_eq!(text, expected, "{file}; with BLESS=1 this is accepted");
}

/// Returns the texts of the errors in an expansion.
fn errors(tokens: TokenStream) -> Vec<String> {
    let text = expand(tokens).to_string();
    let errors = text
        .split("compile_error ! { \"")
        .skip(1)
        .map(|rest| rest.split("\" }").next().expect("there is one"));
    errors.map(str::to_string).collect()
}

#[test]
fn expansion_of_a_schedule_is_readable() {
    assert_expands(
        quote! {
            /// One frame.
            pub Frame {
                poison,
                game_over: after poison if visible,
            }
        },
        "plain.rs",
    );
}

#[test]
fn every_element_becomes_a_constant() {
    assert_expands(
        quote! {
            #[schedule(crate = crate::renamed)]
            open Frame {
                on failure carry on,
                on missing skip,
                on missed commands fail,
                sweep false,
                executor serial,
                spawn<Villager> as first: before_if_present heal if not(or(is(gait, Gait::Run), visible)),
                read -> (parse, scan as second) -> judge,
                checkpoint InputRead,
                include weather::Weather: after InputRead if visible,
                group Physics: in Outer {
                    repeat while step_pending at most 100: after first on failure stop {
                        step,
                        apply_commands Loaded: after step,
                    }
                }
                walk: sweep false -> (group Late: always on missing skip { run: main_thread always on missing skip }, |health: &Health| { mend(health) } as mend),
                on enter Phase::Night { sleep: on exit Phase::Day }
                policy insertion order,
                policy writers first for Score,
                policy optimize for Pace,
                policy optimize for component Position,
                policy accepted "both only aim" for deferred Target in World<Ships>,
                policy accepted "their order does not matter" for (heal, second),
            }
        },
        "every.rs",
    );
}

#[test]
fn expansion_of_a_rejected_schedule_names_its_valid_entries() {
    assert_expands(
        quote! {
            Frame {
                poison as first: after (heal, second) if is(gait, Gait::Run),
                heal as second unless poison,
                walk: after first at most 3,
            }
        },
        "rejected.rs",
    );
}

#[test]
fn all_errors_are_reported_together() {
    let errors = errors(quote! {
        Frame {
            phase Physics { poison },
            poison: unless visible, heal walk: on failure retry, 3,
            policy accepted,
            checkpoint Ready as first: on failure stop,
            (poison),
        }
    });
    assert_eq!(errors.len(), 9, "{errors:#?}");
}

#[test]
fn comma_in_angle_brackets_does_not_end_an_entry() {
    let errors = errors(quote! { Frame { poison: unless spawn<A, B>, heal } });
    assert_eq!(errors.len(), 1, "{errors:#?}");
}

#[test]
fn one_mistake_is_one_error() {
    for entries in [
        quote!(a => b, c),
        quote!(a => group G { b } c),
        quote!(a -> (b => c, d), e),
        quote!(|a: &mut A, n, b: &B| { f() } as draw: after c, d),
        quote!(|a, n: &N| f(a, n), d),
        quote!(group 3 { b } ::c::d: after e),
    ] {
        let errors = errors(quote! { Frame { #entries } });
        assert_eq!(errors.len(), 1, "{entries}: {errors:#?}");
    }
}

#[test]
fn error_suggests_only_items_that_are_allowed_at_its_place() {
    let message = |entries: TokenStream| errors(quote! { Frame { #entries } }).remove(0);
    for entries in [quote!(3), quote!(group G { 3 })] {
        let message = message(entries);
        assert!(message.contains("a closure"), "{message}");
        assert!(
            message.contains(
                "`policy`, `executor`, `on enter`, `on exit` or, before all entries, `on failure`"
            ),
            "{message}"
        );
    }
    for entries in [
        quote!(a -> 3),
        quote!(a -> (3)),
        quote!((3) -> a),
        quote!(a -> x y {}),
    ] {
        let message = message(entries);
        assert!(message.contains("a closure"), "{message}");
        assert!(
            !message.contains("policy")
                && !message.contains("executor")
                && !message.contains("`on "),
            "{message}"
        );
    }
}

/// Tries every prefix of a long schedule, and every omission of a single token. The macro must always return an expansion with the type.
#[test]
fn incomplete_schedule_still_declares_its_type() {
    let tokens = quote! {
        pub Frame {
            on failure carry on,
            sweep false,
            spawn<Villager> as first: before_if_present heal if not(or(is(gait, Gait::Run), visible)),
            read -> (parse, scan as second: if visible) -> group Late: after first { judge: sweep false },
            walk -> |log: &Log| -> bool { note(log) } as note: main_thread,
            on enter Phase::Night { sleep }
            group Physics: in Outer { repeat while pending at most 100: after first on failure stop { step } }
            policy accepted "why" for (heal, second),
        }
    };
    let without = |tokens: &TokenStream| -> Vec<TokenStream> {
        let n_tokens = tokens.clone().into_iter().count();
        let left_out = (0..n_tokens).map(|out| {
            let kept = tokens.clone().into_iter().enumerate();
            kept.filter(|(idx, _)| *idx != out)
                .map(|(_, tree)| tree)
                .collect()
        });
        left_out.collect()
    };
    let trees: Vec<_> = tokens.into_iter().collect();
    let Some(proc_macro2::TokenTree::Group(block)) = trees.last() else {
        panic!("it ends in a block");
    };
    let shorter = (0..block.stream().into_iter().count())
        .map(|n| block.stream().into_iter().take(n).collect::<TokenStream>());
    for listed in without(&block.stream()).into_iter().chain(shorter) {
        let expansion = expand(quote!(pub Frame { #listed }));
        assert!(
            syn::parse2::<syn::File>(expansion.clone()).is_ok(),
            "{listed}"
        );
        assert!(
            expansion.to_string().contains("pub enum Frame { }"),
            "{listed}"
        );
        let n_errors = expansion.to_string().matches("compile_error").count();
        assert!(n_errors <= 2, "{listed}: {n_errors} errors");
    }
}
