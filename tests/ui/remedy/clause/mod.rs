mod after_a_resource;
mod behind_a_comma;
mod empty_brackets;
mod no_colon;
mod none;
mod nothing_named;
mod unknown;
