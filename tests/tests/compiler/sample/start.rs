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

#[derive(Clone, Copy, Branch)]
enum Gait {
    Crawl,
    Walk,
    Run,
}

