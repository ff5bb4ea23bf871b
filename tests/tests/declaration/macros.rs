//! Systems, resources and parameters from `macro_rules`, whose fragments are groups without delimiters.
#![allow(unused_parens, reason = "the brackets are what is tried")]

use schedule::Identity;
use schedule::prelude::*;

use crate::{Health, after_one};

macro_rules! same_place {
    ($module:ident) => {
        mod $module {
            use crate::Health;
            use schedule::prelude::*;

            #[derive(Default, Resource)]
            pub(crate) struct Made;

            #[system]
            pub(crate) fn hurt(health: &mut Health) {
                health.0 -= 1;
            }
        }
    };
}

same_place!(one);
same_place!(two);

macro_rules! every_fragment {
    (
        $(#[$meta:meta])* $vis:vis $name:ident $hidden:ident
        ($($param:ident: $type:ty),*) ($pattern:pat_param, $of_pattern:ty) -> $output:ty
        [$after:path, $before:ty, $text:literal, $amount:expr, $lifetime:lifetime, $body:block]
    ) => {
        #[system(after = $after, before = $before, name = $text, type = $hidden)]
        $(#[$meta])*
        $vis fn $name<$lifetime>(
            $($param: $type,)*
            $pattern: $of_pattern,
            spare: &$lifetime mut Health,
        ) -> $output {
            spare.0 -= $amount;
            $body
        }
    };
}

every_fragment! {
    /// All kinds of fragments.
    #[allow(unused_variables, reason = "only their types are tried")]
    pub(crate) fragments Fragments
    (age: Local<i32>, other: Option<&mut one::Made>) ((_, _), (Local<u8>, Option<&two::Made>)) -> Result<bool, String>
    [one::hurt, two::hurt, "from pieces", 1, 'r, { Ok(true) }]
}

macro_rules! references {
    ($name:ident, $type:ty) => {
        #[system]
        fn $name(health: &mut $type, _: Option<&mut one::Made>, _: Local<Option<$type>>) {
            health.0 -= 1;
        }
    };
}

references!(of_a_type, Health);

macro_rules! whole_parameter {
    ($name:ident, $type:ty) => {
        #[system]
        fn $name(health: $type) {
            health.0 -= 1;
        }
    };
}

whole_parameter!(a_reference, &mut Health);
whole_parameter!(a_reference_in_brackets, (&mut Health));

macro_rules! item {
    ($($item:item)*) => { $(#[system] $item)* };
}

item! {
    fn an_item(health: &mut Health) {
        health.0 -= 1;
    }

    pub(crate) const fn another_item(health: &mut Health) {
        health.0 -= 1;
    }
}

macro_rules! resource {
    ($name:ident, $type:ty, $($param:ident)?) => {
        #[derive(Resource)]
        #[resource(transparent)]
        struct $name$(<$param>)?($type);
    };
}

resource!(Number, i32,);
resource!(List, Vec<T>, T);

macro_rules! params {
    ($name:ident, $lifetime:lifetime, $($field:ident: $type:ty),*) => {
        #[derive(Params)]
        struct $name<$lifetime> { $($field: $type),* }
    };
}

params!(Body, 'r, health: &'r mut Health, age: Local<'r, i32>);

#[system]
fn of_params(body: Body) {
    body.health.0 -= 1 + *body.age;
}

macro_rules! health {
    (mut) => { &mut Health };
    () => { Health };
    ($($tokens:tt)*) => { $($tokens)* };
}

#[system]
fn of_a_macro_in_type_position(_: Option<&health!()>, _: Local<health!(Vec<u8>)>) {}

#[system]
fn of_a_macro_as_parameter(health: health!(mut)) {
    health.0 -= 1;
}

#[test]
fn two_uses_of_a_macro_make_two_systems() {
    assert_ne!(one::hurt::ID, two::hurt::ID);
    assert_ne!(one::Made::ID, two::Made::ID);
    let mut builder = Schedule::builder();
    builder.chain::<(one::hurt, two::hurt)>();
    assert!(builder.build().is_ok());
}

macro_rules! in_one_module {
    ($($name:ident)*) => {
        $(
            #[system]
            fn $name(health: &mut Health) {
                health.0 -= 1;
            }
        )*
    };
}

in_one_module!(first second);

#[test]
fn two_repetitions_in_a_macro_make_two_systems() {
    assert_ne!(first::ID, second::ID);
    assert_eq!(after_one::<first>(), 9);
}

#[test]
fn a_system_may_be_made_of_fragments() {
    assert_eq!(after_one::<Fragments>(), 9);
    assert_eq!(Fragments::NAME.to_string(), "from pieces");
    assert_eq!(after_one::<of_a_type>(), 9);
    assert_eq!(after_one::<a_reference>(), 9);
    assert_eq!(after_one::<a_reference_in_brackets>(), 9);
    assert_eq!(after_one::<an_item>(), 9);
    assert_eq!(after_one::<another_item>(), 9);
    assert_eq!(after_one::<of_params>(), 9);
    assert_eq!(after_one::<of_a_macro_as_parameter>(), 9);
    assert_eq!(*Number(3) + List(vec![3u8]).len() as i32, 4);
    of_a_macro_in_type_position(None, Local::new(&mut Vec::new()));
}
