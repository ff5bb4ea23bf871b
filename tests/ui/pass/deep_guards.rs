//! Guards of 300 conditions: beside each other, and in brackets 300 deep.

use schedule::prelude::*;

#[derive(Resource)]
struct Weather {
    is_day: bool,
    is_dry: bool,
}

#[derive(Default, Resource)]
struct Ran([u32; 6]);

#[system]
fn is_day(weather: &Weather) -> bool {
    weather.is_day
}

#[system]
fn is_dry(weather: &Weather) -> bool {
    weather.is_dry
}

#[system]
fn is_wet(weather: &Weather) -> bool {
    !weather.is_dry
}

#[system(
    if = and(
        is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day,
        is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry,
        is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day,
        is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry,
        is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day,
        is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry,
        is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day,
        is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry,
        is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day,
        is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry,
        is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day,
        is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry,
        is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day,
        is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry,
        is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day,
        is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry,
        is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day,
        is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry,
        is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day,
        is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry,
        is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day,
        is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry,
        is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day,
        is_dry,
    )
)]
fn harvest(ran: &mut Ran) {
    ran.0[0] += 1;
}

#[system(
    after = harvest,
    if = and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, is_dry
        ))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
        ))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
        ))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
)]
fn thresh(ran: &mut Ran) {
    ran.0[1] += 1;
}

#[system]
fn sow(ran: &mut Ran) {
    ran.0[2] += 1;
}

#[system]
fn mow(ran: &mut Ran) {
    ran.0[3] += 1;
}

#[system]
fn dig(ran: &mut Ran) {
    ran.0[4] += 1;
}

/// Nothing orders this and the others: what they need excludes it.
#[system(if = not(is_day))]
fn rest(ran: &mut Ran) {
    ran.0[5] += 1;
}

schedule! {
    Farm {
        rest,
        harvest,
        thresh,
        sow: after thresh if and(
        is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day,
        is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry,
        is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day,
        is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry,
        is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day,
        is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry,
        is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day,
        is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry,
        is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day,
        is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry,
        is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day,
        is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry,
        is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day,
        is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry,
        is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day,
        is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry,
        is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day,
        is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry,
        is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day,
        is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry,
        is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day,
        is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry,
        is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day, is_dry, is_day,
        is_dry,
        ),
        mow: after sow if
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day, and(is_day,
        and(is_day, and(is_day, and(is_day, is_dry
        ))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
        ))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
        )))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))),
        dig: after mow if
        not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day,
        not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day,
        not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day,
        not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day,
        not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day,
        not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day,
        not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day,
        not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day,
        not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day,
        not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day,
        not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day,
        not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day,
        not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day,
        not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day,
        not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day,
        not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day,
        not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day,
        not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day,
        not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day,
        not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day,
        not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day,
        not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day,
        not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day,
        not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day,
        not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day, not(or(is_wet, not(and(is_day, is_dry
        ))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
        ))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
        )))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))),
    }
}

fn main() {
    let mut farm = Farm::new();
    let mut resources = Resources::new();
    resources.insert(Ran::default());
    for (is_day, is_dry) in [(true, true), (true, false), (false, true), (false, false)] {
        resources.insert(Weather { is_day, is_dry });
        farm.run(&mut resources).unwrap();
        let n_worked = u32::from(is_day && is_dry);
        let mut expected = [n_worked; 6];
        expected[5] = u32::from(!is_day);
        assert_eq!(resources.get::<Ran>().unwrap().0, expected);
        resources.insert(Ran::default());
    }
}
