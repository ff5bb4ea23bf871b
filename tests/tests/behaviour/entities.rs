//! Entities: components as resources, queries, and the store.

mod access;
mod queries;
mod schedules;
