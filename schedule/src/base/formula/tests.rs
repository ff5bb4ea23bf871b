use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::{Formula, Token, is_postfix};
use crate::base::program::Answer;
use crate::base::program::Programs;

/// The number of conditions, and the number of answers of each.
const N_CONDITIONS: u32 = 4;
const N_ANSWERS: u32 = 3;

/// A formula as a tree, so that each of its properties is a recursive function.
#[derive(Clone, Debug)]
enum Tree {
    /// A leaf: the condition, and the required answer.
    Is(u32, u32),
    Not(Box<Tree>),
    All(Vec<Tree>),
    Any(Vec<Tree>),
}

impl Tree {
    fn tokens(&self, tokens: &mut Vec<Token<(u32, u32)>>) {
        let token = match self {
            Tree::Is(condition, answer) => Token::Is((*condition, *answer)),
            Tree::Not(one) => {
                one.tokens(tokens);
                Token::Not
            }
            Tree::All(trees) | Tree::Any(trees) => {
                trees.iter().for_each(|one| one.tokens(tokens));
                match self {
                    Tree::All(_) => Token::All(trees.len() as u32),
                    _ => Token::Any(trees.len() as u32),
                }
            }
        };
        tokens.push(token);
    }

    /// Creates the formula from single tokens, so that no operands are joined.
    fn formula(&self) -> Formula<(u32, u32)> {
        let mut tokens = Vec::new();
        self.tokens(&mut tokens);
        Formula::of_tokens(tokens)
    }

    /// Creates the formula by operators, which join operands. `None` if an operator has no operands.
    fn operated(&self) -> Option<Formula<(u32, u32)>> {
        Some(match self {
            Tree::Is(condition, answer) => Formula::leaf((*condition, *answer)),
            Tree::Not(one) => !one.operated()?,
            Tree::All(trees) | Tree::Any(trees) => {
                let mut operands = trees.iter().map(Self::operated);
                let first = operands.next()??;
                operands.try_fold(first, |all, one| {
                    Some(match self {
                        Tree::All(_) => all.and(one?),
                        _ => all.or(one?),
                    })
                })?
            }
        })
    }

    /// `answers[c]`: the answer of condition c, if it has one.
    fn holds(&self, answers: &[Option<u32>]) -> bool {
        match self {
            Tree::Is(condition, answer) => answers[*condition as usize] == Some(*answer),
            Tree::Not(one) => !one.holds(answers),
            Tree::All(trees) => trees.iter().all(|one| one.holds(answers)),
            Tree::Any(trees) => trees.iter().any(|one| one.holds(answers)),
        }
    }

    fn conditions(&self) -> BTreeSet<u32> {
        match self {
            Tree::Is(condition, _) => BTreeSet::from([*condition]),
            Tree::Not(one) => one.conditions(),
            Tree::All(trees) | Tree::Any(trees) => {
                trees.iter().flat_map(Self::conditions).collect()
            }
        }
    }

    fn text(&self) -> String {
        let join = |trees: &[Self], word: &str, none: &str| match trees {
            [] => none.to_string(),
            [only] => only.text(),
            trees => {
                let texts = trees.iter().map(|one| match one {
                    Tree::Is(..) | Tree::Not(_) => one.text(),
                    Tree::All(_) | Tree::Any(_) => format!("({})", one.text()),
                });
                texts.collect::<Vec<_>>().join(word)
            }
        };
        match self {
            Tree::Is(condition, answer) => format!("{condition} is {answer}"),
            Tree::Not(one) if matches!(**one, Tree::Is(..)) => format!("not {}", one.text()),
            Tree::Not(one) => format!("not ({})", one.text()),
            Tree::All(trees) => join(trees, " and ", "always"),
            Tree::Any(trees) => join(trees, " or ", "never"),
        }
    }

    fn debug(&self) -> String {
        let join = |trees: &[Self]| trees.iter().map(Self::debug).collect::<Vec<_>>().join(", ");
        match self {
            Tree::Is(condition, answer) => format!("Is({condition} is {answer})"),
            Tree::Not(one) => format!("Not({})", one.debug()),
            Tree::All(trees) => format!("All([{}])", join(trees)),
            Tree::Any(trees) => format!("Any([{}])", join(trees)),
        }
    }
}

fn leaf_text(leaf: &(u32, u32)) -> Text {
    Text(format!("{} is {}", leaf.0, leaf.1))
}

struct Text(String);

impl core::fmt::Display for Text {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::fmt::Debug for Text {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.0)
    }
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = (0..N_CONDITIONS, 0..N_ANSWERS).prop_map(|(one, answer)| Tree::Is(one, answer));
    leaf.prop_recursive(6, 40, 4, |inner| {
        let trees = || prop::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            inner.clone().prop_map(|one| Tree::Not(Box::new(one))),
            trees().prop_map(Tree::All),
            trees().prop_map(Tree::Any),
        ]
    })
}

/// All combinations in which each condition has one of its answers or none.
fn all_answers() -> impl Iterator<Item = Vec<Option<u32>>> {
    let n_outcomes = N_ANSWERS + 1;
    (0..n_outcomes.pow(N_CONDITIONS)).map(move |number| {
        let outcome = |condition| number / n_outcomes.pow(condition) % n_outcomes;
        let answers = (0..N_CONDITIONS).map(outcome);
        answers
            .map(|one| (one < N_ANSWERS).then_some(one))
            .collect()
    })
}

fn program_of(formula: &Formula<(u32, u32)>) -> Programs {
    let formula = formula.map(|&(rank, index)| Answer { rank, index });
    Programs::new([Some(&formula)].into_iter())
}

/// Whether the branch program of a formula holds. Asserts that it asks for each leaf at most once.
fn runs(programs: &Programs, formula: &Formula<(u32, u32)>, answers: &[Option<u32>]) -> bool {
    let mut n_left = BTreeMap::new();
    for leaf in formula.leaves() {
        *n_left.entry(leaf.0).or_insert(0) += 1;
    }
    let n_left = RefCell::new(n_left);
    let program = programs.of(0);
    program.is_none_or(|program| {
        program.holds(|condition| {
            let mut n_left = n_left.borrow_mut();
            let n_left = n_left.get_mut(&condition).expect("it is a leaf");
            assert!(
                *n_left > 0,
                "{condition} is asked more often than it is named"
            );
            *n_left -= 1;
            answers[condition as usize]
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 4 } else { 1000 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn program_is_true_if_all_conditions_ran_and_the_formula_is_true(tree in tree()) {
        let all = [Some(tree.formula()), tree.operated()];
        for formula in all.into_iter().flatten() {
            let programs = program_of(&formula);
            for answers in all_answers() {
                let is_asked = |condition: &u32| answers[*condition as usize].is_some();
                let expected = tree.conditions().iter().all(is_asked) && tree.holds(&answers);
                prop_assert_eq!(runs(&programs, &formula, &answers), expected, "{:?}", answers);
            }
        }
    }

    #[test]
    fn text_of_the_program_equals_the_text_of_the_formula(tree in tree()) {
        let formula = tree.formula().map(leaf_text);
        prop_assert_eq!(formula.to_string(), tree.text());
        prop_assert_eq!(format!("{formula:?}"), tree.debug());
    }

    #[test]
    fn tokens_are_postfix_if_they_evaluate_to_one_result(tokens in prop::collection::vec(token(), 0..8)) {
        let mut results = Vec::new();
        let mut is_read = true;
        for token in &tokens {
            let n_operands = token.n_operands() as usize;
            is_read &= n_operands <= results.len();
            results.truncate(results.len().saturating_sub(n_operands));
            results.push(());
        }
        prop_assert_eq!(is_postfix(&tokens), is_read && results.len() == 1);
    }
}

fn token() -> impl Strategy<Value = Token<()>> {
    prop_oneof![
        3 => Just(Token::Is(())),
        1 => Just(Token::Not),
        2 => (0..4_u32).prop_map(Token::All),
        2 => (0..4_u32).prop_map(Token::Any),
    ]
}

fn named(name: &'static str) -> Formula<&'static str> {
    Formula::leaf(name)
}

#[test]
fn nested_operators_of_one_kind_are_flattened() {
    let [a, b, c, d] = ["a", "b", "c", "d"].map(named);
    let abc = a.clone().and(b.clone()).and(c.clone());
    assert_eq!(format!("{abc:?}"), r#"All([Is("a"), Is("b"), Is("c")])"#);
    let right = a.clone().and(b.clone().and(c.clone()));
    assert_eq!(format!("{right:?}"), r#"All([Is("a"), Is("b"), Is("c")])"#);
    let both = a.clone().or(b.clone()).or(c.clone().or(d.clone()));
    assert_eq!(
        format!("{both:?}"),
        r#"Any([Is("a"), Is("b"), Is("c"), Is("d")])"#
    );
    let mixed = a.or(b).and(!c.and(d));
    assert_eq!(mixed.to_string(), "(a or b) and not (c and d)");
}

#[test]
fn two_negations_cancel() {
    let not = !named("a");
    assert_eq!(format!("{not:?}"), r#"Not(Is("a"))"#);
    assert_eq!(format!("{:?}", !not), r#"Is("a")"#);
}
