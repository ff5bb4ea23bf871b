//! The rows.

use super::{Bearers, Choices, ClauseRow, Form, Mark, SettingRow, SettingValue, Value};

/// The failure policies.
pub(crate) const FAILURE_POLICIES: Choices = Choices {
    ty: "FailurePolicy",
    noun: "failure policy",
    values: &[
        ("skip dependents", "SkipDependents"),
        ("carry on", "CarryOn"),
        ("stop", "Stop"),
    ],
};

/// The clauses, in the order of the tables and of the lists in messages.
pub(crate) const CLAUSES: &[ClauseRow] = &[
    order(
        "after",
        "runs after this system, group, plugin, checkpoint, or loop (named by its condition)",
        (
            "`after = other`, `after = (one, other)`",
            "runs after these systems, groups or checkpoints",
        ),
    ),
    order(
        "before",
        "runs before it",
        ("`before = …`", "runs before these"),
    ),
    order(
        "after_if_present",
        "runs after it, if it is in the schedule",
        (
            "`after_if_present = …`",
            "runs after those of them that are in the schedule",
        ),
    ),
    order(
        "before_if_present",
        "runs before it, if it is in the schedule",
        (
            "`before_if_present = …`",
            "runs before those of them that are in the schedule",
        ),
    ),
    order(
        "after_if_conflicting",
        "runs after it, if the two conflict",
        (
            "`after_if_conflicting = …`",
            "runs after those of them that the system conflicts with",
        ),
    ),
    order(
        "before_if_conflicting",
        "runs before it, if the two conflict",
        (
            "`before_if_conflicting = …`",
            "runs before those of them that the system conflicts with",
        ),
    ),
    order(
        "after_without_commands",
        "runs after it, but need not find what its commands change",
        (
            "`after_without_commands = …`",
            "runs after these, but need not find what their commands change",
        ),
    ),
    order(
        "before_without_commands",
        "runs before it, but it need not find what the commands of this entry change",
        (
            "`before_without_commands = …`",
            "runs before these, but they need not find what its commands change",
        ),
    ),
    ClauseRow {
        option: Some(Form {
            words: "in",
            examples: "`in = Group`, `in = (One, Other)`",
            meaning: "is a member of these groups",
        }),
        listed: Some(Form {
            words: "in",
            examples: "`in Group`",
            meaning: "is a member of this group",
        }),
        bearers: Bearers::All,
        value: Value::Groups,
    },
    ClauseRow {
        option: Some(Form {
            words: "if",
            examples: "`if = condition`, `if = (one, other)`",
            meaning: "runs only if all of these are true, see below",
        }),
        listed: Some(Form {
            words: "if",
            examples: "`if condition`",
            meaning: "runs only if the condition is true; [`macro@system`] has a table of conditions",
        }),
        bearers: Bearers::All,
        value: Value::Conditions,
    },
    ClauseRow {
        option: None,
        listed: Some(Form {
            words: "at most",
            examples: "`at most 100`",
            meaning: "for a loop: the maximum number of iterations; if the condition is true once more, the loop fails. Also allowed before the `:`",
        }),
        bearers: Bearers::Loops,
        value: Value::Limit,
    },
    ClauseRow {
        option: Some(Form {
            words: "main_thread",
            examples: "`main_thread`",
            meaning: "runs only on the thread that calls `run`, see below",
        }),
        listed: Some(Form {
            words: "main_thread",
            examples: "`main_thread`",
            meaning: "for a system, or the condition of a loop: runs only on the thread that calls `run`; see [`macro@system`]",
        }),
        bearers: Bearers::SystemsAndLoops,
        value: Value::Mark(Mark {
            constant: "MAIN_THREAD",
            only: None,
        }),
    },
    ClauseRow {
        option: Some(Form {
            words: "always",
            examples: "`always`",
            meaning: "runs whatever failed before it, and keeps its orders; see `Builder::always`",
        }),
        listed: Some(Form {
            words: "always",
            examples: "`always`",
            meaning: "for a system, a loop or a group: failures of other systems do not skip it, as `Builder::always` does",
        }),
        bearers: Bearers::SystemsLoopsAndGroups,
        value: Value::Mark(Mark {
            constant: "ALWAYS",
            only: None,
        }),
    },
    ClauseRow {
        option: Some(Form {
            words: "sweep",
            examples: "`sweep = false`",
            meaning: "with `for_each`: does not run together with other systems, chunk by chunk, see below",
        }),
        listed: Some(Form {
            words: "sweep",
            examples: "`sweep false`",
            meaning: "for a `for_each` system: keeps it out of sweeps; see [`macro@system`]",
        }),
        bearers: Bearers::ForEachSystems,
        value: Value::Mark(Mark {
            constant: "NO_SWEEP",
            only: Some(("false", "`for_each` systems may share sweeps")),
        }),
    },
    ClauseRow {
        option: None,
        listed: Some(Form {
            words: "on failure",
            examples: "`on failure carry on`",
            meaning: "the failure policy of a system or a loop; for a group, that of all members without their own",
        }),
        bearers: Bearers::SystemsLoopsAndGroups,
        value: Value::OnFailure,
    },
    ClauseRow {
        option: None,
        listed: Some(Form {
            words: "on missing",
            examples: "`on missing skip`",
            meaning: "for a system, a loop or a group: if it misses a resource, it is skipped, and the run is not refused; as `Builder::skip_if_missing`",
        }),
        bearers: Bearers::SystemsLoopsAndGroups,
        value: Value::Mark(Mark {
            constant: "SKIP_IF_MISSING",
            only: Some((
                "skip",
                "the setting of the schedule applies, such as `on missing refuse` before all entries",
            )),
        }),
    },
    ClauseRow {
        option: None,
        listed: Some(Form {
            words: "on missed commands",
            examples: "`on missed commands fail`",
            meaning: "for a system, a loop or a group: the system fails if its commands have no effect; as `Builder::fail_if_missed`",
        }),
        bearers: Bearers::SystemsLoopsAndGroups,
        value: Value::Mark(Mark {
            constant: "FAIL_IF_MISSED",
            only: Some((
                "fail",
                "the setting of the schedule applies; `on missed commands warn` is such a setting, an entry of its own",
            )),
        }),
    },
    state(
        "on enter",
        true,
        "`on enter Phase::Night`",
        "runs only when this state is entered, after `transition<Phase>`, which must be listed; like `Builder::on_enter`",
    ),
    state(
        "on exit",
        false,
        "`on exit Phase::Night`",
        "runs only when this state is left, before `transition<Phase>`, which must be listed; like `Builder::on_exit`",
    ),
    option(
        "spanning",
        "`spanning`, `spanning = Schedule`",
        "the function runs on copies, beside the schedule, and its results appear in a later run; with a `schedule!`, its systems do so instead of a function, and the signature ends with `;`; see the module `spanning` of `schedule`",
        false,
    ),
    option(
        "for_each",
        "`for_each`, `for_each = Store`",
        "runs for each entity of a store, see below",
        false,
    ),
    option(
        "with",
        "`with = C`, `with = (C, D)`",
        "with `for_each`: only for entities that have these components",
        true,
    ),
    option(
        "without",
        "`without = C`, `without = (C, D)`",
        "with `for_each`: only for entities that have none of these components",
        true,
    ),
    option(
        "changed",
        "`changed = C`, `changed = (C, D)`",
        "with `for_each`: only for entities of which each of these components was written or added since the system last ran; see `Changed` in the module `entity` of `schedule`",
        true,
    ),
    option(
        "added",
        "`added = C`, `added = (C, D)`",
        "with `for_each`: only for entities that got each of these components since the system last ran; see `Added` there",
        true,
    ),
    option(
        "proves",
        "`proves = Resource`",
        "if the system answers `true`, this resource exists, so systems that it guards may require it",
        false,
    ),
    option(
        "schedule",
        "`schedule = Frame`, `schedule = (One, Other)`",
        "is collected by these open schedules, see [`schedule!`](macro@schedule)",
        true,
    ),
    option(
        "name",
        "`name = \"…\"`",
        "the name in reports; the default is the name of the function",
        false,
    ),
    option(
        "type",
        "`type = Name`",
        "the name of the hidden type, for the case that a module or a type has the function's name, see below",
        false,
    ),
    option(
        "crate",
        "`crate = path`",
        "the path of `schedule`, if it is renamed",
        false,
    ),
];

/// The settings, in the order of the table and of the lists in messages.
pub(crate) const SETTINGS: &[SettingRow] = &[
    SettingRow {
        words: "on failure",
        function: "on_failure",
        value: SettingValue::OneOf(&FAILURE_POLICIES),
        arguments: None,
        clause: Some("load: on failure stop"),
        is_before_entries: true,
        examples: "`on failure stop`",
        meaning: "the failure policy: `skip dependents`, `carry on` or `stop`; must be before all other entries",
    },
    SettingRow {
        words: "on missing",
        function: "on_missing",
        value: SettingValue::OneOf(&Choices {
            ty: "MissingPolicy",
            noun: "effect of a missing resource",
            values: &[("skip", "Skip"), ("refuse", "Refuse")],
        }),
        arguments: None,
        clause: Some("film: on missing skip"),
        is_before_entries: true,
        examples: "`on missing skip`",
        meaning: "the effect of a missing resource: `skip` the systems that require it, or `refuse` the run; must be before all other entries",
    },
    SettingRow {
        words: "on missed commands",
        function: "on_missed_commands",
        value: SettingValue::OneOf(&Choices {
            ty: "MissedCommandPolicy",
            noun: "effect of missed commands",
            values: &[("warn", "Warn"), ("fail", "Fail")],
        }),
        arguments: None,
        clause: Some("bury: on missed commands fail"),
        is_before_entries: true,
        examples: "`on missed commands fail`",
        meaning: "the effect of commands that have no effect: `warn`, the default, or `fail` the system; must be before all other entries",
    },
    SettingRow {
        words: "sweep",
        function: "sweep",
        value: SettingValue::False("`for_each` systems may share sweeps"),
        arguments: None,
        clause: Some("starve: sweep false"),
        is_before_entries: true,
        examples: "`sweep false`",
        meaning: "keeps all `for_each` systems out of sweeps, as `Builder::sweep` does; must be before all other entries",
    },
    SettingRow {
        words: "executor",
        function: "executor",
        value: SettingValue::OneOf(&Choices {
            ty: "Executor",
            noun: "executor",
            values: &[
                ("serial", "Serial"),
                ("parallel", "Parallel"),
                ("auto", "Auto"),
            ],
        }),
        arguments: Some("the pool of `Schedule::set_pool` determines the number of threads"),
        clause: None,
        is_before_entries: false,
        examples: "`executor serial`",
        meaning: "the executor: `serial`, `parallel` or `auto`, the default, as `Builder::executor` sets it",
    },
];

/// An order. `option`: the columns of the table of options.
const fn order(
    words: &'static str,
    meaning: &'static str,
    option: (&'static str, &'static str),
) -> ClauseRow {
    ClauseRow {
        option: Some(Form {
            words,
            examples: option.0,
            meaning: option.1,
        }),
        listed: Some(Form {
            words,
            examples: "",
            meaning,
        }),
        bearers: Bearers::All,
        value: Value::Order,
    }
}

/// A change of a state.
const fn state(
    words: &'static str,
    is_enter: bool,
    examples: &'static str,
    meaning: &'static str,
) -> ClauseRow {
    ClauseRow {
        option: None,
        listed: Some(Form {
            words,
            examples,
            meaning,
        }),
        bearers: Bearers::All,
        value: Value::State { is_enter },
    }
}

/// An option that is not a clause, so it has no bearers.
const fn option(
    words: &'static str,
    examples: &'static str,
    meaning: &'static str,
    is_list: bool,
) -> ClauseRow {
    ClauseRow {
        option: Some(Form {
            words,
            examples,
            meaning,
        }),
        listed: None,
        bearers: Bearers::ForEachSystems,
        value: Value::Own { is_list },
    }
}
