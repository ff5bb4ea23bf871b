//! `Mut` writes the resource, also if the system only reads through it.

use schedule::prelude::*;

#[derive(Resource, PartialEq)]
struct Map(u32);

#[system]
fn dig(old: &Map, mut new: Option<Mut<Map>>) {
    if let Some(new) = &mut new {
        new.set_if_neq(Map(old.0 + 1));
    }
}

fn main() {}

//~ remedy
//~ - fn dig(old: &Map, mut new: Option<Mut<Map>>) {
//~ -     if let Some(new) = &mut new {
//~ -         new.set_if_neq(Map(old.0 + 1));
//~ + fn dig(mut new: Option<Mut<Map>>) {
//~ +     if let Some(new) = &mut new {
//~ +         new.set_if_neq(Map(new.0 + 1));
