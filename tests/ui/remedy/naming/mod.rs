mod behind_the_clauses;
mod of_a_checkpoint;
mod of_a_flush;
mod of_a_group;
mod of_another_entry;
mod of_two_entries;
mod two_of_one_entry;
