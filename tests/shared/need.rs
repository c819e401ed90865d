//! Tests that need something which not every machine has: without it, a test passes with a message,
//! or fails if `MATVIZ_REQUIRE` names it.

use crate::stderr::say;

/// The words allowed in `MATVIZ_REQUIRE`, separated by commas: a GPU, the pinned NVRTC with CUDA's
/// headers, a Git checkout, a SIGHUP that is not ignored, a compiler of the host's C++, the pinned Numba,
/// the page for a browser with node, Chromium, Firefox, and axe-core.
const KNOWN: [&str; 10] =
    ["gpu", "nvrtc", "git", "sighup", "c++", "numba", "web", "chromium", "firefox", "axe"];

/// Reports that something is not tested because `need` is missing.
///
/// # Panics
/// `MATVIZ_REQUIRE` names it, or something unknown.
pub(crate) fn not_tested(need: &str, what: &str) {
    assert!(KNOWN.contains(&need), "`{need}` is nothing that MATVIZ_REQUIRE can name");
    assert!(!required().iter().any(|word| word == need), "MATVIZ_REQUIRE names {need}: {what}");
    say(&format!("NOT TESTED for want of {need}: {what}"));
}

/// The words in `MATVIZ_REQUIRE`.
///
/// # Panics
/// `MATVIZ_REQUIRE` names something unknown.
pub(crate) fn required() -> Vec<String> {
    let words = std::env::var("MATVIZ_REQUIRE").unwrap_or_default();
    let words: Vec<_> =
        words.split(',').filter(|word| !word.is_empty()).map(str::to_owned).collect();
    for word in &words {
        let known = KNOWN.contains(&word.as_str());
        assert!(known, "MATVIZ_REQUIRE: `{word}` is none of {}", KNOWN.join(", "));
    }
    words
}
