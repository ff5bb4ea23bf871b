//! Villagers as a structure of arrays: villager `i` is element `i` of every column.
//!
//! Each column is a resource. So systems that use different columns do not conflict and can run at the same time.

use schedule::prelude::*;

use crate::clock::Hour;
use crate::life::{conceive, die};

/// One property of all villagers.
///
/// `column[i]` belongs to villager `i`. All columns have the same length, except while burials and births of a frame
/// change them one by one.
#[derive(Resource)]
#[resource(transparent)]
pub(crate) struct Column<T>(Vec<T>);

/// A type of the elements of a column.
pub(crate) trait Property: Copy + Send + Sync + 'static {
    /// The value of a villager that exists from the start.
    fn of_founder(villager_idx: usize) -> Self;

    /// The value of a newborn.
    fn of_child(parent: Self) -> Self;

    /// The value as a number, for the digest.
    fn bits(self) -> u64;
}

impl<T: Property> Column<T> {
    pub(crate) fn of_founders(n_founders: usize) -> Self {
        Self((0..n_founders).map(T::of_founder).collect())
    }
}

/// Indices of the villagers that die in this hour, ascending.
#[derive(Resource, Default)]
#[resource(transparent)]
pub(crate) struct Dead(Vec<usize>);

/// Indices of the villagers that have a child tonight, valid after the burials.
#[derive(Resource, Default)]
#[resource(transparent)]
pub(crate) struct Parents(Vec<usize>);

/// The systems that remove the dead from the columns.
#[derive(Group)]
pub(crate) struct Burials;

/// The systems that add the newborns to the columns, when the night begins.
#[derive(Group)]
pub(crate) struct Newborns;

/// Removes the dead from a column. The last villagers move to their places.
///
/// Works from the end of the column, so each villager that moves is alive.
#[system(in = Hour, after = die)]
pub(crate) fn bury<T: Property>(dead: &Dead, column: &mut Column<T>) {
    for &villager_idx in dead.iter().rev() {
        column.swap_remove(villager_idx);
    }
}

/// Adds the newborns at the end of a column.
#[system(after = conceive)]
pub(crate) fn add_newborns<T: Property>(parents: &Parents, column: &mut Column<T>) {
    for &parent_idx in parents.iter() {
        let child = T::of_child(column[parent_idx]);
        column.push(child);
    }
}
