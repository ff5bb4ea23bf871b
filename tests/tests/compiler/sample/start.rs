#![allow(dead_code, unused, reason = "nothing here runs")]

use schedule::prelude::*;

#[derive(Resource)]
struct A(u8);
#[derive(Resource)]
struct B(u8);
#[derive(Resource)]
struct C(u8);
#[derive(Resource)]
struct D(u8);
#[derive(Resource)]
struct E(u8);

macro_rules! foldable {
    ($($resource:ident)*) => {
        $(
            impl Foldable for $resource {
                type Partial = u8;

                fn join(&mut self, partial: u8) {
                    self.0 += partial;
                }
            }
        )*
    };
}

foldable!(A B C D E);

#[derive(Clone, Copy, Branch)]
enum Gait {
    Crawl,
    Walk,
    Run,
}

