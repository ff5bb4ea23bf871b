//! What the host lends: a clock, and a place for messages.
#![expect(unsafe_code, reason = "imports functions of the host")]

use core::time::Duration;
use std::panic;

#[link(wasm_import_module = "host")]
unsafe extern "C" {
    /// Milliseconds; one more at each call.
    safe fn now() -> f64;
    /// Shows a text to the person who runs the test. It reads `len` bytes from `start`.
    fn show(start: *const u8, len: usize);
}

/// The time of the host.
pub(crate) fn time() -> Duration {
    Duration::from_secs_f64(now() / 1000.0)
}

/// Shows what a panic says, before it ends the instance.
pub(crate) fn show_panics() {
    panic::set_hook(Box::new(|info| {
        let text = info.to_string();
        // SAFETY: the text has that many bytes, and is not dropped before the host has read them.
        unsafe { show(text.as_ptr(), text.len()) };
    }));
}
