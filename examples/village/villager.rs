//! What a villager is: element `i` of every column.
//!
//! A structure of arrays. The system that moves villagers reads velocities and writes positions; health and hunger
//! stay out of its cache, and out of its signature: systems that touch other columns have nothing to wait for.

use schedule::prelude::*;

use crate::clock::Hour;
use crate::life::{conceive, die};

/// One property of all villagers.
///
/// `column[i]` belongs to villager `i`. All columns are equally long, but while the burials and the births of a frame
/// go through them one by one.
#[derive(Resource)]
#[resource(transparent)]
pub(crate) struct Column<T>(Vec<T>);

/// What a column may hold.
pub(crate) trait Property: Copy + Send + Sync + 'static {
    /// Of a villager who is there from the start.
    fn of_founder(villager_idx: usize) -> Self;

    /// Of a newborn.
    fn of_child(parent: Self) -> Self;

    /// All of it as a number, for the digest.
    fn bits(self) -> u64;
}

impl<T: Property> Column<T> {
    pub(crate) fn of_founders(n_founders: usize) -> Self {
        Self((0..n_founders).map(T::of_founder).collect())
    }
}

/// Who dies in this hour, ascending.
#[derive(Resource, Default)]
#[resource(transparent)]
pub(crate) struct Dead(Vec<usize>);

/// Who has a child tonight, by their places after the burials.
#[derive(Resource, Default)]
#[resource(transparent)]
pub(crate) struct Parents(Vec<usize>);

/// The dead leave every column.
#[derive(Group)]
pub(crate) struct Burials;

/// The newborn enter every column, at nightfall.
#[derive(Group)]
pub(crate) struct Arrivals;

/// Takes the dead out of a column; the last villagers move to their places.
///
/// From the back, so that whoever moves is alive and a place is free before anything else moves there.
#[system(in = Hour, after = die)]
pub(crate) fn bury<T: Property>(dead: &Dead, column: &mut Column<T>) {
    for &villager_idx in dead.iter().rev() {
        column.swap_remove(villager_idx);
    }
}

/// Puts the newborns at the end of a column.
#[system(after = conceive)]
pub(crate) fn bear<T: Property>(parents: &Parents, column: &mut Column<T>) {
    for &parent_idx in parents.iter() {
        let child = T::of_child(column[parent_idx]);
        column.push(child);
    }
}
