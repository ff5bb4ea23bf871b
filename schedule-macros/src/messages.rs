//! The texts of all errors of the macros, and texts in the generated code.
//!
//! Each message states the error and the fix. A text with values is a function. The test `messages` of the workspace lists all texts, and
//! fails if a text is elsewhere in this crate.

mod policies;

use core::fmt::Display;

use crate::clauses::clause_words;

pub(crate) use self::policies::*;

// ---- Functions: `#[system]` and `#[handler]` ----

pub(crate) fn not_a_function(noun: impl Display, item: impl Display) -> String {
    format!("`#[{noun}]` applies only to functions, but this is {item}")
}

pub(crate) const A_STRUCT: &str = "a struct";
pub(crate) const AN_ENUM: &str = "an enum";
pub(crate) const A_MODULE: &str = "a module";
pub(crate) const AN_IMPL: &str = "an `impl` block";
pub(crate) const A_TRAIT: &str = "a trait";
pub(crate) const A_TYPE_ALIAS: &str = "a type alias";
pub(crate) const A_USE: &str = "a `use`";
pub(crate) const A_STATIC: &str = "a static";
pub(crate) const A_CONSTANT: &str = "a constant";
pub(crate) const ANOTHER_ITEM: &str = "another kind of item";

pub(crate) fn two_kinds(noun: impl Display, other: impl Display) -> String {
    format!("a {noun} cannot also be a {other}: write a second function that calls this one")
}

pub(crate) fn takes_self(noun: impl Display) -> String {
    format!(
        "a {noun} cannot take `self`: it must be a free function that takes all of its data as parameters"
    )
}

pub(crate) fn is_async(noun: impl Display) -> String {
    format!("a {noun} cannot be `async`, because it runs to completion in one call: remove `async`")
}

pub(crate) fn is_unsafe(noun: impl Display, caller: impl Display) -> String {
    format!(
        "a {noun} cannot be `unsafe`: the {caller} that calls it cannot uphold its safety conditions; use an `unsafe` \
         block inside it"
    )
}

pub(crate) fn is_variadic(noun: impl Display) -> String {
    format!("a {noun} cannot be variadic: replace `...` by a fixed list of parameters")
}

pub(crate) fn bound_with_lifetime(
    noun: impl Display,
    lifetime: impl Display,
    call: impl Display,
) -> String {
    format!(
        "a bound of a {noun} cannot use the lifetime `'{lifetime}`, because it differs in each {call}: remove it from the bound"
    )
}

pub(crate) fn takes_impl_trait(noun: impl Display) -> String {
    format!(
        "a parameter of a {noun} cannot be `impl Trait`: use a type parameter, as in `fn {noun}<T: Trait>`"
    )
}

pub(crate) const REFERENCE_TO_REFERENCE: &str =
    "a resource is taken by one reference: remove this `&`";

pub(crate) fn static_reference(noun: impl Display, call: impl Display) -> String {
    format!(
        "a reference in a {noun} cannot be `'static`: it is valid for one {call}; remove `'static`"
    )
}

pub(crate) const UNSIZED: &str = "a resource must have a size known at compile time: put this in a `Vec` or a `Box`, as a field of your struct";

pub(crate) fn never_returns(
    noun: impl Display,
    call: impl Display,
    expected: impl Display,
) -> String {
    format!(
        "a {noun} cannot have the return type `!`, because the {call} would never end: {expected}"
    )
}

pub(crate) fn returns_impl_trait(noun: impl Display, expected: impl Display) -> String {
    format!("a {noun} cannot return `impl Trait`: {expected}")
}

pub(crate) fn returns_reference(noun: impl Display, expected: impl Display) -> String {
    format!("a {noun} cannot return a reference: {expected}")
}

pub(crate) fn returns_borrow(noun: impl Display, expected: impl Display) -> String {
    format!("a {noun} cannot return a borrow of its parameters: {expected}")
}

pub(crate) const SYSTEM_OUTPUT: &str = "a system returns `()`, `bool`, an enum with `#[derive(Branch)]`, or a `Result` of one of these";
pub(crate) const HANDLER_OUTPUT: &str = "a handler returns `()`, a type that implements `Answer`, `FollowUps<Event, …>`, or a `Result` of one of these";
pub(crate) const COLLECTED_GENERIC: &str = "a generic system cannot have the option `schedule`, because each instance must be named: remove the option, and add each instance as an entry of the schedule";

pub(crate) fn own_condition(system: impl Display) -> String {
    format!("`{system}` cannot be its own run condition: use another condition")
}

// ---- `#[system(for_each)]` ----

pub(crate) const FOR_EACH_OUTPUT: &str = "a `for_each` system returns `()` or `Result<(), E>`";
pub(crate) const RESOURCE_WITHOUT_FOR_EACH: &str = "`#[resource]` applies only to parameters of `#[system(for_each)]`: remove it, because a reference in another system is a resource";

/// `option` is `with`, `without`, `changed` or `added`.
pub(crate) fn filter_without_for_each(option: impl Display) -> String {
    format!(
        "`{option}` applies only to `for_each` systems: add `for_each`, or filter a query, as in `Query<&C, With<D>>`"
    )
}

pub(crate) const SWEEP_WITHOUT_FOR_EACH: &str = "`sweep` applies only to `for_each` systems: remove it, because other systems never share a sweep";

/// A clause with its value.
pub(crate) fn with_value(words: impl Display, value: impl Display) -> String {
    format!("{words} {value}")
}

/// An option with its value.
pub(crate) fn option_with_value(option: impl Display, value: impl Display) -> String {
    format!("{option} = {value}")
}

/// `default` is the effect without the clause.
pub(crate) fn only_value(
    example: impl Display,
    words: impl Display,
    value: impl Display,
    default: impl Display,
) -> String {
    format!("`{words}` has only the value `{value}`: write `{example}`; without it, {default}")
}

pub(crate) const RESOURCE_WITH_VALUE: &str = "`#[resource]` takes no value: write `#[resource]`; an optional resource has the type `Option<&R>`";
pub(crate) const FOR_EACH_ON_MAIN_THREAD: &str = "a `for_each` system cannot have `main_thread`: write a system with `main_thread`, a query and a loop";
pub(crate) const SPANNING_FOR_EACH: &str = "a `for_each` system cannot have `spanning`, since entities are not copied: copy what the function needs into a resource";
pub(crate) const SPANNING_GROUP_WITH_BODY: &str =
    "the systems of the schedule run instead of a function: end the signature with `;`";
pub(crate) const SPANNING_GROUP_WITH_OUTPUT: &str =
    "a spanning group returns nothing: its error is that of its systems";
pub(crate) const SPANNING_ON_MAIN_THREAD: &str =
    "a system with `spanning` cannot have `main_thread`: its function runs on a thread of its own";
pub(crate) const FOR_EACH_WITHOUT_ENTITY: &str = "a `for_each` system needs a parameter that is not a resource: take a component, or the id of the entity; or remove `for_each`";

// ---- Options of attributes ----

/// `option` is `None` if it is not a single word.
pub(crate) fn unknown_option(option: Option<&str>, expected: impl Display) -> String {
    match option {
        Some(option) => format!("unknown option `{option}`; expected {expected}"),
        None => format!("unknown option; expected {expected}"),
    }
}

pub(crate) fn only_option_is_crate(option: impl Display) -> String {
    format!("unknown option `{option}`: remove it; the only option is `crate = …`")
}

pub(crate) const HANDLER_OPTIONS: &str = "`alias`, `atomic`, `name`, `type` or `crate`";
pub(crate) const EVENT_OPTIONS: &str = "a handler, or `answer`, `error` or `crate`";

pub(crate) fn given_twice(option: impl Display) -> String {
    format!("`{option}` is given twice: remove one of them")
}

pub(crate) fn list_given_twice(option: impl Display) -> String {
    format!("`{option}` is given twice: join the lists, as in `{option} = (one, other)`")
}

pub(crate) fn needs_value(option: impl Display) -> String {
    format!("`{option}` needs a value: write `{option} = …`")
}

pub(crate) fn takes_no_value(option: impl Display) -> String {
    format!("`{option}` takes no value: remove it")
}

// ---- `#[cfg]` in `schedule!` ----

pub(crate) const CFG_ATTR: &str = "`cfg_attr` cannot be used here: write `#[cfg(…)]`";
pub(crate) const ATTRIBUTE_OF_ENTRY: &str = "an entry cannot have an attribute other than `#[cfg(…)]`: move it to the schedule or to the system itself";
pub(crate) const ATTRIBUTE_OF_ELEMENT: &str =
    "an element of a list cannot have an attribute other than `#[cfg(…)]`: remove it";
pub(crate) const CFG_OF_LINK: &str = "`#[cfg(…)]` cannot be before an entry of a chain: put the attribute and the entry in parentheses, as in `a -> (#[cfg(…)] b) -> c`";
pub(crate) const CFG_INSIDE: &str = "`#[cfg(…)]` must be before a whole entry, or before an element of a list in parentheses: move it there";
pub(crate) const CFG_WITHOUT_ENTRY: &str = "expected an entry after this attribute";
pub(crate) const CFG_WITHOUT_ELEMENT: &str = "expected an element of the list after this attribute";
pub(crate) const EXPECTED_PREDICATE: &str =
    "expected a predicate, as in `#[cfg(feature = \"sound\")]`";
pub(crate) const EXPECTED_INNER_PREDICATE: &str =
    "expected a predicate, as in `feature = \"sound\"`";
pub(crate) const SEVERAL_PREDICATES: &str =
    "`cfg` takes exactly one predicate: join several with `all(…)` or `any(…)`";
pub(crate) const NOT_TAKES_ONE_PREDICATE: &str =
    "`not` takes exactly one predicate: join several with `all(…)` or `any(…)`";

pub(crate) fn unknown_predicate(name: impl Display) -> String {
    format!("unknown predicate `{name}`; expected `all`, `any` or `not`")
}

// ---- Derives of names: `Identity`, `Group`, `Checkpoint`, `Branch` ----

/// Values of `what`.
pub(crate) const BE_A_RESOURCE: &str = "be a resource";
pub(crate) const BE_A_RECORD: &str = "be a record";
pub(crate) const BE_A_COMPONENT: &str = "be a component";
pub(crate) const BE_A_MESSAGE: &str = "be a message";
pub(crate) const BE_AN_EVENT: &str = "be an event";
pub(crate) const BE_IN_A_SNAPSHOT: &str = "be in a snapshot";
pub(crate) const HAVE_IDENTITY: &str = "derive `Identity`";

pub(crate) fn be_a(noun: impl Display) -> String {
    format!("be a {noun}")
}

pub(crate) fn union_cannot(what: impl Display) -> String {
    format!("a union cannot {what}: use a struct or an enum")
}

pub(crate) fn borrow_cannot(what: impl Display) -> String {
    format!("a type with a lifetime cannot {what}: own the value, or share it in an `Arc`")
}

pub(crate) fn generic_name(noun: impl Display) -> String {
    format!("a {noun} cannot be generic: remove the generic parameters")
}

pub(crate) const GENERIC_BRANCHES: &str =
    "a type with `#[derive(Branch)]` cannot be generic: remove the generic parameters";

pub(crate) fn no_branches(item: impl Display) -> String {
    format!("a {item} cannot have branches: use an enum without fields")
}

pub(crate) const BRANCHES_WITHOUT_VARIANT: &str =
    "an enum with `#[derive(Branch)]` needs a variant: add one";
pub(crate) const BRANCH_WITH_FIELDS: &str =
    "a branch cannot have fields: remove them, and put the data into a resource";

pub(crate) fn branch_with_number(number: impl Display) -> String {
    format!(
        "a branch cannot have an explicit number, because branches are numbered from 0: remove `= {number}`"
    )
}

// ---- Derives of resources and parameters: `Resource`, `Params` ----

pub(crate) const NOT_TRANSPARENT: &str =
    "`transparent` applies only to a struct with exactly one field: remove it";
pub(crate) const PARAMS_WITHOUT_FIELD: &str = "a struct of parameters needs a field: add one";
pub(crate) const PARAMS_OF_ENUM: &str = "an enum cannot derive `Params`: use a struct";
pub(crate) const PARAMS_OF_UNION: &str = "a union cannot derive `Params`: use a struct";
pub(crate) const PARAMS_WITHOUT_LIFETIME: &str =
    "a struct of parameters needs a lifetime, as in `struct Params<'r> { time: &'r Time }`";
pub(crate) const PARAMS_WITH_LIFETIMES: &str = "a struct of parameters must have exactly one lifetime: use the first one for all fields, and remove this one";

// ---- Derive of kinds of entity: `Columns` ----

pub(crate) const COLUMNS_OF_ENUM: &str = "an enum cannot derive `Columns`: use a struct";
pub(crate) const COLUMNS_OF_UNION: &str = "a union cannot derive `Columns`: use a struct";
pub(crate) const COLUMNS_WITHOUT_SAVED_NAME: &str = "a kind that is saved needs a name that stays the same if the type is renamed or moved: add `name = \"…\"` to `#[columns(…)]`";
pub(crate) const COLUMNS_WITHOUT_FIELD: &str =
    "a struct with `#[derive(Columns)]` needs a field for each component: add one, in `{ … }`";
pub(crate) const COLUMNS_WITHOUT_NAMES: &str =
    "the fields of a struct with `#[derive(Columns)]` need names: write `{ name: Type, … }`";
pub(crate) const GENERIC_COLUMNS: &str =
    "a struct with `#[derive(Columns)]` cannot be generic: remove the generic parameters";

pub(crate) fn same_component(field: impl Display) -> String {
    format!(
        "this component is also that of field `{field}`: an entity has each component once; put one of them into a new type"
    )
}

// ---- Derive of saved types: `Snapshot` ----

pub(crate) const SNAPSHOT_WITHOUT_NAME: &str = "a type in a snapshot needs a name that stays the same if the type is renamed or moved: add `#[snapshot(name = \"…\")]`";
pub(crate) const WRONG_SNAPSHOT_NAME: &str =
    "`name` must be a string of 1 to 100 bytes, as in `name = \"account\"`";
pub(crate) const WRONG_SNAPSHOT_VERSION: &str =
    "`version` must be a number from 1 to 4_294_967_295, as in `version = 2`";
pub(crate) const WRONG_MIGRATION: &str =
    "`migrate` must be the path of a function without quotation marks, as in `migrate = from_v1`";
pub(crate) const MIGRATION_OF_FIRST_VERSION: &str =
    "version 1 has no older versions to migrate from: raise `version`, or remove `migrate`";
pub(crate) const GENERIC_SNAPSHOT: &str = "a generic type cannot derive `Snapshot`, because its name depends on its parameters: implement `Snapshot` by hand, \
     and compose the name with `ComposedName`";
pub(crate) const GENERIC_SAVED_COMPONENT: &str = "a generic type is not one component: remove this derive, and write \
     `schedule_hecs::saved_component!(Type<Argument>);` for each type that entities have";

// ---- Derives of streams: `Record`, `Event` ----

pub(crate) const RECORD_WITHOUT_KEY: &str = "a record needs a key type: add `#[record(key = Type)]`, or `#[record(id = u32)]` if its keys are small numbers";
pub(crate) const RECORD_WITH_KEY_AND_ID: &str = "a record cannot have both `key`, for hashed keys, and `id`, for small numbers: remove one of them";
pub(crate) const MAX_ID_WITHOUT_ID: &str =
    "`max_id` needs `id`, because hashed keys have no maximum: remove it";
pub(crate) const WRONG_MAX_ID: &str =
    "`max_id` must be a `u32`: use a number from 0 to 4_294_967_295, or a constant";
pub(crate) const GENERIC_EVENT: &str = "an event cannot be generic: remove the generic parameters";
pub(crate) const EVENT_OF_UNION: &str = "a union cannot be an event: use a struct or an enum";
pub(crate) const EVENT_WITHOUT_HANDLER: &str =
    "an event needs a handler: add `#[event(handler)]` with the name of its function";
pub(crate) const VARIANT_WITHOUT_HANDLER: &str =
    "a variant needs a handler: add `#[event(handler)]` with the name of its function";
pub(crate) const HANDLERS_OF_ENUM_AND_VARIANT: &str = "the enum already has a handler for all variants: remove that handler or the one of this variant";
pub(crate) const EVENT_WITHOUT_VARIANT: &str =
    "an event needs a variant: add one, with `#[event(handler)]` before it";

pub(crate) fn option_of_enum(option: impl Display) -> String {
    format!("`{option}` applies to all variants: move it to the enum")
}

pub(crate) const FIELDS_OF_VARIANT: &str = "a variant of an event must have exactly one field, which its handler takes: put several values into a struct";
pub(crate) const QUOTED_HANDLER: &str =
    "a handler is named by its path: remove the quotation marks";
pub(crate) const TWO_HANDLERS: &str = "an event cannot have two handlers: remove one of them";

// ---- Parameters of handlers ----

pub(crate) const HANDLER_WITHOUT_EVENT: &str =
    "the first parameter of a handler must be its event, by reference, as in `event: &Event`";
pub(crate) const KEY_OF_EVENT: &str =
    "the event of a handler cannot have a key: move the attribute to a parameter after the event";
pub(crate) const CFG_OF_EVENT: &str = "the event of a handler cannot have `#[cfg(…)]`: remove the attribute, or move it to the function";
pub(crate) const MUTABLE_EVENT: &str = "a handler cannot change its event, because the outcome contains the original event: remove `mut`";

pub(crate) fn by_reference(
    bound: impl Display,
    parameter: impl Display,
    ty: impl Display,
) -> String {
    format!(
        "parameter `{parameter}` must be taken by value, not by reference: write `{bound}{parameter}: {ty}<…>`"
    )
}

pub(crate) fn key_given_twice(attribute: impl Display) -> String {
    format!("`#[{attribute}]` is given twice: remove one of them, or use `#[keys(…)]` for a set")
}

pub(crate) const KEY_AND_KEYS: &str = "a parameter cannot have both `#[key(…)]`, for one record, and `#[keys(…)]`, for a set: remove one of them";
pub(crate) const KEY_WITHOUT_VALUE: &str =
    "`#[key]` needs the key of the record, as in `#[key(event.id)]`";
pub(crate) const KEYS_WITHOUT_VALUE: &str =
    "`#[keys]` needs the keys of the records, as in `#[keys(&event.ids)]`";
pub(crate) const EXPECTED_ALIAS: &str = "expected `reject`, `skip` or `first`";

// ---- Run conditions ----

pub(crate) const NOT_OPERATOR: &str = "expected a condition: write `not(…)`";
pub(crate) const NOT_TAKES_ONE_CONDITION: &str =
    "`not` takes exactly one condition: for several, write `not(and(…))` or `not(or(…))`";

pub(crate) fn needs_condition(operator: impl Display) -> String {
    format!("`{operator}` needs at least one condition, as in `{operator}(one, other)`")
}

pub(crate) const IS_WITHOUT_BRANCH: &str =
    "`is` takes a selector and a branch, as in `is(gait, Gait::Run)`";
pub(crate) const EXPECTED_BRANCH: &str = "expected a branch, as in `Gait::Run`";
pub(crate) const IS_WITH_BRANCHES: &str =
    "`is` takes exactly one branch: for several, write `or(is(…), is(…))`";

pub(crate) fn not_an_operator(name: impl Display) -> String {
    format!("`{name}` cannot have arguments: only `not`, `and`, `or` and `is` take them")
}

pub(crate) fn operator_of_rust(remedy: impl Display) -> String {
    format!("this operator cannot be used in a condition: write `{remedy}`")
}

pub(crate) const WRITE_AND: &str = "and(one, other)";
pub(crate) const WRITE_OR: &str = "or(one, other)";
pub(crate) const WRITE_IS: &str = "is(selector, branch)";
pub(crate) const WRITE_IS_NOT: &str = "not(is(selector, branch))";

// ---- `schedule!`: the schedule ----

pub(crate) fn with_keyword(keyword: impl Display) -> String {
    format!("remove `{keyword}`: a schedule is written as `Name {{ … }}`")
}

pub(crate) fn unknown_word_before_name(word: impl Display) -> String {
    format!("unknown word `{word}`; expected `open` or the name of the schedule")
}

pub(crate) const EXPECTED_NAME_OF_SCHEDULE: &str =
    "expected the name of the schedule, as in `schedule! { Frame { … } }`";
pub(crate) const GENERIC_SCHEDULE: &str =
    "a schedule cannot be generic: remove the generic parameters";
pub(crate) const EXPECTED_BODY_OF_SCHEDULE: &str =
    "expected the entries of the schedule, in `{ … }`";
pub(crate) const EXPECTED_END: &str =
    "expected the end of `schedule!`: write each schedule in a separate `schedule!`";

// ---- `schedule!`: entries ----

/// Values of `noun`.
pub(crate) const A_SYSTEM: &str = "a system";
pub(crate) const A_LOOP: &str = "a loop";
pub(crate) const A_CHECKPOINT: &str = "a checkpoint";
pub(crate) const A_SYNC_POINT: &str = "a sync point";
pub(crate) const A_GROUP: &str = "a group";
pub(crate) const A_PLUGIN: &str = "a plugin";

pub(crate) const ENTRIES: &str = "a system, a closure, `group`, `repeat while`, `include`, `checkpoint`, `apply_commands`, `policy`, `executor`, `on enter`, `on exit` or, \
     before all entries, `on failure`, `on missing`, `on missed commands` or `sweep false`";
pub(crate) const LINKS: &str =
    "a system, a closure, `group`, `repeat while`, `include`, `checkpoint` or `apply_commands`";

pub(crate) fn expected(what: impl Display) -> String {
    format!("expected {what}")
}

pub(crate) fn unknown_word(word: impl Display, expected: impl Display) -> String {
    format!("unknown word `{word}`; expected {expected}")
}

pub(crate) fn unknown_word_after_entry(word: impl Display) -> String {
    let clauses = clauses();
    format!("unknown word `{word}`; expected `,`, or `:` and a clause, which starts with {clauses}")
}

pub(crate) const EXPECTED_COMMA: &str = "expected `,`";
pub(crate) const EXPECTED_COMMA_BEFORE: &str = "expected `,` before this";

/// About a word after a clause: an entry without a comma, or a misspelled clause.
pub(crate) fn expected_comma_before(word: impl Display) -> String {
    let clauses = clauses();
    format!("expected `,` before the entry `{word}`, or a clause, which starts with {clauses}")
}

pub(crate) const SEMICOLON: &str = "expected `,`: entries are separated by commas";
pub(crate) const CLAUSE_AFTER_COMMA: &str =
    "a clause cannot follow `,`: remove the comma after the entry that the clause belongs to";

pub(crate) fn expected_name_of(noun: impl Display) -> String {
    format!("expected the name of {noun}")
}

pub(crate) const EXPECTED_NAME: &str = "expected a name";
pub(crate) const NAME_AFTER_COLON: &str =
    "a name must be before `:`, as in `poison as first: after heal`";

pub(crate) fn named(noun: impl Display) -> String {
    format!("`as` applies only to systems and loops, but this is {noun}: remove the name")
}

pub(crate) fn name_of_two(name: impl Display) -> String {
    format!("`{name}` is the name of two entries: rename one of them")
}

pub(crate) fn name_of_another(name: impl Display) -> String {
    format!("`{name}` is also the name of another entry: rename one of them")
}

pub(crate) fn with_block(noun: impl Display) -> String {
    format!("{noun} cannot have a block: remove the block, or use `group` or `repeat while`")
}

pub(crate) const PLUGIN_WITH_BLOCK: &str = "a plugin cannot have a block, because its entries are in another `schedule!`: remove the block, or use `group`";
pub(crate) const PLUGIN_TWICE: &str = "this plugin is already in the schedule: remove this entry";
pub(crate) const TYPE_OF_PARAMETER: &str =
    "a parameter of a closure needs a type, as in `|health: &mut Health| { … }`";
pub(crate) const CLOSURE_WITHOUT_BODY: &str =
    "a closure needs a body in `{ … }` and a name after it, as in `|| { … } as draw`";
pub(crate) const CLOSURE_WITHOUT_NAME: &str =
    "a closure needs a name: write `as name` after its body";
pub(crate) const LOOP_WITHOUT_CONDITION: &str =
    "a loop needs a condition: write `repeat while condition { … }`";
pub(crate) const EXPECTED_CONDITION_OF_LOOP: &str =
    "expected the condition of the loop: a system that returns `bool`";
pub(crate) const CONDITIONS_OF_LOOP: &str = "a loop takes one system as its condition: to combine conditions, write a system that returns the result";
pub(crate) const EXPECTED_BODY_OF_LOOP: &str = "expected the body of the loop, in `{ … }`";
pub(crate) const EXPECTED_ENTRIES_OF_STATE: &str = "expected entries in `{ … }`: for a single entry use a clause, as in `sleep: on enter Phase::Night`";

// ---- `schedule!`: chains ----

pub(crate) const BACKWARDS: &str = "expected `->`: a chain runs from left to right";
pub(crate) const ARROW_WITHOUT_ENTRY: &str = "expected an entry before `->`";
pub(crate) const EXPECTED_LINK: &str = "expected an entry, or several in parentheses";
pub(crate) const EMPTY_LINK: &str = "expected at least one entry in the parentheses";
pub(crate) const CLAUSES_OF_LINK: &str =
    "clauses cannot follow parentheses: write the clause after an entry inside them";
pub(crate) const POLICY_IN_CHAIN: &str =
    "a policy cannot be in a chain: write it as a separate entry";
pub(crate) const STATE_IN_CHAIN: &str =
    "`on enter { … }` and `on exit { … }` cannot be in a chain: write each as a separate entry";
pub(crate) const CHAIN_OF_ONE: &str =
    "a chain needs an entry after the parentheses: add `-> next`, or remove the parentheses";

// ---- `schedule!`: clauses ----

/// Lists the clauses.
pub(crate) fn clauses() -> String {
    one_of(clause_words())
}

/// Lists words of which one is expected.
pub(crate) fn one_of(words: impl Iterator<Item: Display>) -> String {
    let mut words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
    let last = words.pop().unwrap_or_default();
    if words.is_empty() {
        last
    } else {
        format!("{} or {last}", words.join(", "))
    }
}

pub(crate) const POLICIES: &str =
    "`reject`, `writers first`, `insertion order`, `optimize` or `accepted`";
pub(crate) const EXPECTED_COLON: &str = "expected `:` before this clause";

pub(crate) fn expected_comma_or_clause() -> String {
    format!("expected `,` or {}", clauses())
}

pub(crate) const EXPECTED_CONDITION: &str = "expected at least one condition";
pub(crate) const EXPECTED_NUMBER: &str = "expected a number";
pub(crate) const EXPECTED_NAMES: &str = "expected a name, or several in parentheses";
pub(crate) const EXPECTED_ONE_NAME: &str = "expected at least one name";

pub(crate) fn state_without_type(word: impl Display) -> String {
    format!("a state must be written with its type, as in `on {word} Phase::Night`")
}

/// Values of `bearers`.
pub(crate) const ENTRIES_OF_ALL_KINDS: &str = "entries";
pub(crate) const LOOPS: &str = "loops";
pub(crate) const SYSTEMS_AND_LOOPS: &str = "systems and loops";
pub(crate) const SYSTEMS_LOOPS_AND_GROUPS: &str = "systems, loops and groups";
pub(crate) const FOR_EACH_SYSTEMS: &str = "`for_each` systems";

pub(crate) fn wrong_bearer(
    clause: impl Display,
    bearers: impl Display,
    noun: impl Display,
) -> String {
    format!("the clause `{clause}` applies only to {bearers}, but this is {noun}")
}

// ---- Reasons of generated `#[allow]`s ----

pub(crate) fn stands_in(noun: impl Display) -> String {
    format!("replaces a rejected {noun}")
}

pub(crate) fn takes_parameters(noun: impl Display) -> String {
    format!("the signature of a {noun} lists the data that it uses")
}

pub(crate) const NAMES_HANDLER: &str = "this type has the name of the function of its handler";
pub(crate) const NAMES_SYSTEM: &str = "this type has the name of the function of its system";
