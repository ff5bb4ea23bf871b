use proptest::prelude::*;

use super::*;
use crate::exclusion::Needed;

/// A guard as a tree.
#[derive(Clone, Debug)]
enum Tree {
    Leaf(u32),
    Not(Box<Self>),
    All(Vec<Self>),
    Any(Vec<Self>),
}

impl Tree {
    fn tokens(&self, tokens: &mut Vec<Result<u32, Token>>) {
        match self {
            Self::Leaf(condition) => tokens.push(Ok(*condition)),
            Self::Not(tree) => {
                tree.tokens(tokens);
                tokens.push(Err(Token::Not));
            }
            Self::All(trees) | Self::Any(trees) => {
                trees.iter().for_each(|tree| tree.tokens(tokens));
                let n = trees.len() as u32;
                let is_all = matches!(self, Self::All(_));
                tokens.push(Err(if is_all { Token::All(n) } else { Token::Any(n) }));
            }
        }
    }

    /// Whether the guard is true, if bit c of `answers` is the answer of condition c.
    fn holds(&self, answers: u32) -> bool {
        match self {
            Self::Leaf(condition) => answers >> condition & 1 == 1,
            Self::Not(tree) => !tree.holds(answers),
            Self::All(trees) => trees.iter().all(|tree| tree.holds(answers)),
            Self::Any(trees) => trees.iter().any(|tree| tree.holds(answers)),
        }
    }

    /// The needs for the guard to have the value `wanted`, computed from the tree: the answers of each needed condition.
    fn needs(&self, wanted: bool) -> Vec<Option<u64>> {
        match self {
            Self::Leaf(condition) => {
                let mut needs = vec![None; N_CONDITIONS as usize];
                needs[*condition as usize] = Some(if wanted { 0b10 } else { 0b01 });
                needs
            }
            Self::Not(tree) => tree.needs(!wanted),
            Self::All(trees) | Self::Any(trees) => {
                let every = matches!(self, Self::All(_)) == wanted;
                let trees = trees.iter().map(|tree| tree.needs(wanted));
                let join = |a: Vec<Option<u64>>, b: Vec<Option<u64>>| {
                    let pairs = a.into_iter().zip(b);
                    let both = pairs.map(|pair| match pair {
                        (Some(a), Some(b)) => Some(if every { a & b } else { a | b }),
                        (a, b) if every => a.or(b),
                        _ => None,
                    });
                    both.collect()
                };
                let none = vec![None; N_CONDITIONS as usize];
                trees.reduce(join).unwrap_or(none)
            }
        }
    }
}

const N_CONDITIONS: u32 = 5;

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = (0..N_CONDITIONS).prop_map(Tree::Leaf);
    leaf.prop_recursive(5, 40, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|tree| Tree::Not(Box::new(tree))),
            prop::collection::vec(inner.clone(), 0..4).prop_map(Tree::All),
            prop::collection::vec(inner, 0..4).prop_map(Tree::Any),
        ]
    })
}

/// The needs of a system with this guard. The first systems are the conditions.
fn needed(tree: &Tree) -> Vec<Needed> {
    let mut declarations = Declarations::systems(N_CONDITIONS as usize + 1);
    for idx in 0..N_CONDITIONS {
        declarations.condition(&[idx]);
    }
    let mut tokens = Vec::new();
    tree.tokens(&mut tokens);
    let template = declarations.template(&tokens);
    declarations.guards.push((node(N_CONDITIONS), template));
    declarations
        .lower(64, |lowered, _| lowered.needs().of(N_CONDITIONS).to_vec())
        .unwrap()
}

proptest! {
    #[test]
    fn needs_of_a_guard_are_those_of_its_formula(tree in trees()) {
        let wanted = tree.needs(true);
        let wanted = (0..).zip(&wanted).filter_map(|(condition, answers)| {
            answers.map(|answers| Needed { condition, answers })
        });
        prop_assert_eq!(needed(&tree), wanted.collect::<Vec<_>>());
    }

    #[test]
    fn all_needs_of_a_true_guard_are_met(tree in trees(), answers in 0..1_u32 << N_CONDITIONS) {
        if tree.holds(answers) {
            for one in needed(&tree) {
                let answer = answers >> one.condition & 1;
                prop_assert!(one.answers >> answer & 1 == 1, "{:?} of {:?}", one, tree);
            }
        }
    }
}

#[test]
fn long_guard_needs_each_of_its_conditions() {
    let n = 20_000;
    let mut declarations = Declarations::systems(n + 1);
    let mut tokens = Vec::new();
    for idx in (0..n as u32).rev() {
        tokens.push(Ok(declarations.condition(&[idx])));
    }
    tokens.push(Err(Token::All(n as u32)));
    let template = declarations.template(&tokens);
    declarations.guards.push((node(n as u32), template));
    let needed = declarations.lower(n, |lowered, _| lowered.needs().of(n as u32).to_vec());
    let needed = needed.unwrap().into_iter().map(|one| one.condition);
    assert!(needed.eq(0..n as u32), "sorted, each once");
}
