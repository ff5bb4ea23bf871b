mod clauses;
mod clauses_in_a_link;
mod empty_link;
mod group_in_it;
mod missing_system;
mod no_end;
mod one_link;
mod resource;
