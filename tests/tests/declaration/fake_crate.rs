//! `crate = path` may name a module with other items. They do not get into unsafe implementations.

#![forbid(unsafe_code)]

use schedule::columns::Columns;
use schedule::entity::Component;
use schedule::prelude::*;
use schedule_stream::prelude::*;

mod fake {
    pub(super) mod __private {
        pub(crate) use schedule::__private::*;
        pub(crate) use schedule_stream::__private::*;

        // These take precedence over those of the lists above.

        /// A column of several stores.
        #[expect(dead_code, reason = "no expansion uses it")]
        pub(crate) type OwnedColumn<C> = &'static schedule::__private::OwnedColumn<C>;

        /// A case that handles another event.
        #[expect(dead_code, reason = "no expansion uses it")]
        pub(crate) struct EventCase;
    }
}

#[derive(Component)]
struct Wool(u32);

#[derive(Columns)]
#[columns(crate = fake)]
struct Lamb {
    wool: Wool,
}

#[derive(Record)]
#[record(id = u32)]
struct Pen(u32);

struct Fill(u32);

#[handler]
fn fill(event: &Fill, #[key(event.0)] pen: &mut Pen) -> u32 {
    pen.0 += 1;
    pen.0
}

#[derive(Event)]
#[event(answer = u32, crate = fake)]
enum Visit {
    #[event(fill)]
    Fill(Fill),
}

#[test]
fn columns_under_another_path_own_their_memory() {
    let stores = [1, 2].map(|wool| {
        let mut lambs = Columns::new();
        lambs.spawn(Lamb { wool: Wool(wool) });
        lambs
    });
    let wool = stores.map(|mut lambs| lambs.column::<Wool>()[0].0);
    assert_eq!(wool, [1, 2]);
}

#[test]
fn events_under_another_path_are_handled_by_their_own_handlers() {
    let mut resources = Resources::new();
    resources.insert(Records::from_iter([(3, Pen(1))]));
    let mut answers = Vec::new();
    let done = Stream::new().process(&mut resources, [Visit::Fill(Fill(3))], |outcome| {
        answers.push(outcome.result.unwrap());
    });
    done.unwrap();
    assert_eq!(answers, [2]);
}
