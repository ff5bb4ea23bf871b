//! `#[cfg(…)]` keeps or removes a closure and a chain with a block as a whole, and is left to the compiler in a body.

use schedule::prelude::*;

#[derive(Resource, Default)]
struct Log(Vec<&'static str>);

#[derive(Resource)]
struct N(usize);

#[derive(Group)]
struct Physics;

#[system]
fn a(log: &mut Log) {
    log.0.push("a");
}

#[system]
fn b(log: &mut Log) {
    log.0.push("b");
}

#[system]
fn c(log: &mut Log) {
    log.0.push("c");
}

#[system]
fn pending(n: &mut N) -> bool {
    n.0 += 1;
    n.0 == 1
}

#[system]
fn cure<const M: usize, T: Identity>(log: &mut Log) {
    assert_eq!(M, 4);
    log.0.push("cure");
}

use schedule::Identity;

#[derive(Identity)]
struct Human;

// Without a predicate outside of the body.
schedule! {
    Bodies {
        |log: &mut Log, #[cfg(any())] missing: &Missing, #[cfg(all())] n: &N| {
            #[cfg(any())]
            log.0.push("off");
            #[cfg(all())]
            log.0.push("on");
            #[allow(unused_variables)]
            let unused = 3;
            let all = ["x", "y"];
            log.0.push(all[n.0]);
            {
                #[cfg(any())]
                log.0.clear();
                log.0.push("block");
            }
            match n.0 {
                #[cfg(any())]
                0 => missing(),
                #[cfg(all())]
                0 => log.0.push("arm"),
                _ => {}
            }
            log.0.push("last");
        } as draw,
    }
}

// The predicates inside and outside are the same, and are not.
schedule! {
    Mixed {
        a,
        #[cfg(any())] |log: &mut Log| { log.0.push("off"); } as first: after missing,
        #[cfg(any())] |log: &mut Log, n: &N| { missing(log, n) } as second,
        #[cfg(all())] |log: &mut Log, _: &N| {
            #[cfg(any())]
            log.0.clear();
            #[cfg(all())]
            log.0.push("third");
            let all = ["x", "y"];
            log.0.push(all[1]);
        } as third: after a,
        b: after (third, #[cfg(any())] second),
    }
}

schedule! {
    Chains {
        policy insertion order,
        a as start,
        #[cfg(any())] group Missing { missing } -> missing: after missing,
        #[cfg(all())] group Physics { b } -> c: after start,
        (a as first) -> (#[cfg(any())] |_: &mut Log, _: &N| { missing() } as d -> b as e, c as f) -> a as g,
        (a as h) -> (#[cfg(all())] |log: &mut Log, _: &N| { log.0.push("d"); } as d -> b as i, #[cfg(any())] c) -> a as j,
        #[cfg(any())] repeat while missing { missing } -> missing,
        #[cfg(all())] repeat while pending { b as looped } -> c as k,
        #[cfg(any())] cure<4, Missing>: after missing,
        #[cfg(all())] cure<4, Human>: after start,
        a as l: after (#[cfg(any())] missing) -> b as m,
    }
}

fn main() {
    let run = |mut schedule: Schedule| {
        let mut resources = Resources::new();
        resources.insert_default::<Log>();
        resources.insert(N(0));
        schedule.run(&mut resources).unwrap();
        resources.remove::<Log>().unwrap().0
    };
    assert_eq!(run(Bodies::new()), ["on", "x", "block", "arm", "last"]);
    assert_eq!(run(Mixed::new()), ["a", "third", "y", "b"]);
    assert_eq!(
        run(Chains::new()),
        ["a", "b", "c", "a", "c", "a", "a", "d", "b", "a", "b", "c", "cure", "a", "b"]
    );
}
