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

const N_CONDITIONS: u32 = 6;

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
    let needed = declarations
        .lower(n, |lowered, _| lowered.needs().of(n as u32).to_vec())
        .unwrap()
        .into_iter()
        .map(|one| one.condition);
    assert!(needed.eq(0..n as u32), "sorted, each once");
}

/// The last two conditions are selectors with three answers.
const N_ANSWERS: [u32; 8] = [2, 2, 2, 2, 2, 2, 3, 3];

/// A guard whose leaves are a condition and an answer.
#[derive(Clone, Debug)]
struct Formula {
    tree: Tree,
    leaves: Vec<(u32, u32)>,
}

impl Formula {
    /// Whether the guard is true after these answers.
    fn holds(&self, given: &[u32]) -> bool {
        let is_given = |(leaf, &(condition, answer)): (usize, &(u32, u32))| {
            u32::from(given[condition as usize] == answer) << leaf
        };
        self.tree
            .holds(self.leaves.iter().enumerate().map(is_given).sum())
    }

    /// The leaves that occur in the tree.
    fn leaves(&self) -> Vec<(u32, u32)> {
        let mut tokens = Vec::new();
        self.tree.tokens(&mut tokens);
        let mut leaves: Vec<_> = tokens
            .into_iter()
            .flatten()
            .map(|leaf| self.leaves[leaf as usize])
            .collect();
        leaves.sort_unstable();
        leaves.dedup();
        leaves
    }

    fn guard(&self, declarations: &mut Declarations, system: u32) {
        let mut tokens = Vec::new();
        self.tree.tokens(&mut tokens);
        let first_leaf = declarations.leaves.len();
        let template = declarations.template(&tokens);
        for leaf in &mut declarations.leaves[first_leaf..] {
            let (condition, answer) = self.leaves[leaf.condition as usize];
            leaf.condition = condition;
            leaf.answer = answer;
            leaf.n_answers = N_ANSWERS[condition as usize];
        }
        declarations.guards.push((node(system), template));
    }
}

/// Leaves that formulas share.
fn leaves(n: usize) -> impl Strategy<Value = Vec<(u32, u32)>> {
    let leaf = (0..N_ANSWERS.len(), 0..3_u32).prop_map(|(condition, answer)| {
        let n_answers = N_ANSWERS[condition];
        (condition as u32, if n_answers == 2 { 1 } else { answer })
    });
    prop::collection::vec(leaf, n)
}

fn formulas() -> impl Strategy<Value = [Vec<Formula>; 2]> {
    let guards = || prop::collection::vec(trees(), 0..3);
    (leaves(N_CONDITIONS as usize), [guards(), guards()]).prop_map(|(leaves, guards)| {
        guards.map(|trees| {
            let of_tree = |tree| Formula {
                tree,
                leaves: leaves.clone(),
            };
            trees.into_iter().map(of_tree).collect()
        })
    })
}

/// Whether two systems with these guards never both run, by needs or tables.
fn never_both_run(guards: &[Vec<Formula>; 2]) -> bool {
    let n_conditions = N_ANSWERS.len() as u32;
    let mut declarations = Declarations::systems(N_ANSWERS.len() + 2);
    for idx in 0..n_conditions {
        declarations.condition(&[idx]);
    }
    for (system, guards) in (n_conditions..).zip(guards) {
        guards
            .iter()
            .for_each(|guard| guard.guard(&mut declarations, system));
    }
    declarations
        .lower(64, |lowered, _| {
            let needs = lowered.needs();
            let is_found = needs.never_both_run(n_conditions, n_conditions + 1);
            assert_eq!(
                is_found,
                needs.never_both_run(n_conditions + 1, n_conditions)
            );
            let excluding = needs.excluding(n_conditions, n_conditions + 1);
            assert!(is_found || excluding.is_none());
            is_found
        })
        .unwrap()
}

/// Whether no answers make all guards true.
fn are_exclusive(guards: &[Vec<Formula>; 2]) -> bool {
    let n_combinations = N_ANSWERS.iter().product();
    (0..n_combinations).all(|combination: u32| {
        let mut rest = combination;
        let given = N_ANSWERS.map(|n_answers| {
            let answer = rest % n_answers;
            rest /= n_answers;
            answer
        });
        !guards.iter().flatten().all(|guard| guard.holds(&given))
    })
}

fn n_leaves<'f>(guards: impl IntoIterator<Item = &'f Formula>) -> usize {
    let leaves: std::collections::BTreeSet<_> =
        guards.into_iter().flat_map(Formula::leaves).collect();
    leaves.len()
}

proptest! {
    #[test]
    fn guards_with_six_leaves_are_exclusive_if_no_answers_make_both_true(guards in formulas()) {
        prop_assert!(n_leaves(guards.iter().flatten()) <= 6);
        prop_assert_eq!(never_both_run(&guards), are_exclusive(&guards));
    }

    #[test]
    fn guards_with_more_leaves_are_exclusive_only_if_no_answers_make_both_true(
        guards in formulas(),
        wider in trees(),
    ) {
        let mut guards = guards;
        let leaves = (0..6).map(|condition| (condition, 1)).collect();
        guards[0].push(Formula { tree: wider, leaves });
        if never_both_run(&guards) {
            prop_assert!(are_exclusive(&guards));
        }
        let are_small = guards.iter().all(|guards| n_leaves(guards) <= 6);
        if are_small && n_leaves(guards.iter().flatten()) <= 6 {
            prop_assert_eq!(never_both_run(&guards), are_exclusive(&guards));
        }
    }
}

/// Each of six leaves counts, also with private leaves of each guard beside them.
#[test]
fn twelve_leaves_are_decided_if_few_are_common() {
    let and = |leaves: &[u32]| Tree::All(leaves.iter().copied().map(Tree::Leaf).collect());
    let of_tree = |tree| Formula {
        tree,
        leaves: (0..6)
            .map(|condition| (condition, 1))
            .chain([(6, 0), (6, 1), (7, 2)])
            .collect(),
    };
    let neither = Tree::Not(Box::new(Tree::Any(vec![and(&[0, 1]), Tree::Leaf(6)])));
    let one = Tree::All(vec![and(&[0, 1, 2, 3]), Tree::Leaf(7)]);
    let guards = [vec![of_tree(one)], vec![of_tree(neither)]];
    assert_eq!(n_leaves(guards.iter().flatten()), 6);
    assert!(never_both_run(&guards));
    let xor = |leaves: [u32; 2]| {
        let [a, b] = leaves.map(Tree::Leaf);
        let both = Tree::All(vec![a.clone(), b.clone()]);
        Tree::All(vec![Tree::Any(vec![a, b]), Tree::Not(Box::new(both))])
    };
    let same = |leaves| Tree::Not(Box::new(xor(leaves)));
    let wide = Tree::All(vec![
        xor([0, 1]),
        Tree::Leaf(2),
        Tree::Leaf(3),
        Tree::Leaf(6),
        Tree::Leaf(7),
    ]);
    let guards = [
        vec![of_tree(wide)],
        vec![
            of_tree(same([0, 1])),
            of_tree(Tree::Leaf(4)),
            of_tree(Tree::Leaf(5)),
        ],
    ];
    assert_eq!(n_leaves(guards.iter().flatten()), 8);
    assert!(never_both_run(&guards));
}
