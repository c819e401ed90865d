//! Messages of a test about itself: above all, about what it could not check here.

use std::io::{Write, stderr};

/// Prints directly to stderr: the test harness shows captured output only when a test fails.
pub(crate) fn say(text: &str) {
    writeln!(stderr(), "{text}").expect("stderr is open");
}
