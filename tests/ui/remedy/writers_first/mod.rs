mod against_an_order;
mod each_writes_what_the_other_reads;
mod of_a_pair;
mod of_a_resource;
mod parts_of_two_loops;
mod three_in_a_circle;
mod two_that_run_alone;
mod two_writers;
