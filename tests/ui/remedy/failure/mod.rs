mod behind_a_comma;
mod half;
mod in_a_block;
mod of_a_checkpoint;
mod of_a_group;
mod two_for_a_system;
mod two_for_the_schedule;
mod unknown;
