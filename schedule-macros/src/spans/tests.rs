//! Generated code has spans of the user's code, so that an edit does not make the compiler analyse all of it again.

use proc_macro2::{Span, TokenStream, TokenTree};

/// Asserts that no token has the span of the expansion, except for those in which it prevents messages of the compiler.
fn assert_no_span_of_the_expansion(expansion: TokenStream) {
    let call_site = Span::call_site().byte_range();
    for tree in expansion {
        let is_of_expansion = tree.span().byte_range() == call_site;
        let is_exception = match &tree {
            TokenTree::Ident(word) => word == "impl",
            TokenTree::Group(group) => group.to_string().contains(FUNCTIONS),
            _ => false,
        };
        if is_exception {
            continue;
        }
        assert!(!is_of_expansion, "{tree}");
        if let TokenTree::Group(group) = tree {
            assert_no_span_of_the_expansion(group.stream());
        }
    }
}

/// The start of the functions of a schedule.
const FUNCTIONS: &str = "{ # [doc = r\" Returns the [`Schedule`]";

fn parsed(text: &str) -> TokenStream {
    text.parse().expect("the tokens are correct")
}

#[test]
fn systems_have_spans_of_the_user() {
    for (options, item) in [
        (
            "",
            "pub fn poison(counter: &Counter, (health,): &mut Health) {}",
        ),
        (
            "name = \"venom\", always, after = (a::spawn, b), in = Combat, main_thread, \
             if = not(or(is_on, is(gait, Gait::Run), and(x, y)))",
            "fn poison() -> Result<(), Lost> { Ok(()) }",
        ),
        (
            "",
            "fn spawn<T: Component, const N: usize>(all: &mut Assets<T>, #[cfg(log)] log: Commands) {}",
        ),
        (
            "spanning",
            "fn plan(map: &Map, #[cfg(log)] log: &mut Log, path: Option<&mut Path>) -> Result<(), Lost> { Ok(()) }",
        ),
        ("spanning", "fn plan<T: Component>(map: &Map<T>) {}"),
        (
            "spanning = planning::Planning",
            "fn plan(map: &Map, path: &mut Path);",
        ),
        (
            "for_each, with = Alive, without = (Frozen, Hidden), sweep = false",
            "fn integrate(position: &mut Position, #[cfg(wind)] wind: Option<&Wind>, #[resource] step: &Step) {}",
        ),
    ] {
        assert_no_span_of_the_expansion(crate::system::expand(parsed(options), parsed(item)));
    }
}

#[test]
fn handlers_have_spans_of_the_user() {
    for (options, item) in [
        (
            "name = \"pay\", alias = skip, atomic",
            "fn transfer(event: &Transfer, #[key(event.from + 1)] from: &mut Account, fee: &Fee) {}",
        ),
        (
            "",
            "fn split<T: Coin, const N: usize>(Split { by }: &Split<T>, #[keys(by)] all: RecordSetMut<Purse<T>>, \
             #[cfg(log)] log: &mut Log) {}",
        ),
    ] {
        assert_no_span_of_the_expansion(crate::handler::expand(parsed(options), parsed(item)));
    }
}

#[test]
fn schedules_have_spans_of_the_user() {
    let listing = "
        pub Frame {
            on failure carry on,
            on missing skip,
            executor auto,
            spawn<Villager> as first: before_if_present heal if not(or(is(gait, Gait::Run), visible)),
            read -> (parse, scan as second) -> judge,
            checkpoint InputRead,
            include weather::Weather: after InputRead if visible,
            |health: &Health| { drop(health) } as closure,
            group Physics: in Outer {
                repeat while step_pending at most 100: after first on failure stop {
                    step: main_thread always on missing skip,
                    apply_commands Loaded: after step,
                }
            }
            on enter Phase::Night { sleep: in Day }
            policy insertion order,
            policy optimize for component Position,
            policy accepted \"both only aim\" for deferred Target in World<Ships>,
            policy accepted \"it commutes\" for (heal, first),
        }";
    let expansion = crate::schedule::expand(parsed(listing));
    assert!(
        !expansion.to_string().contains("compile_error"),
        "{expansion}"
    );
    assert_no_span_of_the_expansion(expansion);
}

#[test]
fn panic_of_an_expansion_leaves_no_spans() {
    let result = std::panic::catch_unwind(|| super::for_call(&parsed("a"), || panic!("expected")));
    result.unwrap_err();
    assert!(super::GENERATED.get().is_none());
}
