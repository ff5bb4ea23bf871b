//! Runs schedules and streams on `wasm32-unknown-unknown`: `run.mjs` calls each exported case in an instance of its own.

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod cases;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod host;
