//! Entities: components as resources, queries, and the store.

mod access;
mod changes;
mod commands;
mod dynamic;
mod folds;
mod for_each;
mod missed;
mod other_store;
mod policies;
mod queries;
mod random;
mod random_commands;
mod saved;
mod schedules;
mod several;
mod sweeps;
mod writes;
