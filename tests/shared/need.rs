//! A test that needs something which not every machine has: without it, the test passes and says so,
//! or fails, where `MATVIZ_REQUIRE` names it.

use crate::stderr::say;

/// What `MATVIZ_REQUIRE` can name, with commas between: a GPU, the pinned NVRTC with CUDA's headers,
/// a checkout of Git, a SIGHUP that is not ignored.
const KNOWN: [&str; 4] = ["gpu", "nvrtc", "git", "sighup"];

/// Says that something is not tested for want of `need`.
///
/// # Panics
/// `MATVIZ_REQUIRE` names it, or something unknown.
pub(crate) fn not_tested(need: &str, what: &str) {
    assert!(KNOWN.contains(&need), "`{need}` is nothing that MATVIZ_REQUIRE can name");
    assert!(!required().iter().any(|word| word == need), "MATVIZ_REQUIRE names {need}: {what}");
    say(&format!("NOT TESTED for want of {need}: {what}"));
}

/// What must be here.
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
