//! What a test says of itself: above all, what it could not check here.

use std::io::{Write, stderr};

/// Past the test harness, which shows what is printed only when a test fails.
pub(crate) fn say(text: &str) {
    writeln!(stderr(), "{text}").expect("stderr is open");
}
