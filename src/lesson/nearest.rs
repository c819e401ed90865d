//! The known word nearest to a misspelt one.

use strsim::osa_distance;

/// Longer words than this are compared with nothing.
const LONGEST: usize = 40;

/// The word of `known` that is nearest to a word, if one is near.
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    if word.len() > LONGEST {
        return None;
    }
    let (away, known) = known.into_iter().map(|known| (osa_distance(word, known), known)).min()?;
    (away * 3 <= known.len().max(3)).then_some(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_another_word_is_not() {
        let known = ["sectors", "passes", "requests", "kernel", "tile"];
        for (word, meant) in [
            ("sector", Some("sectors")),
            ("pases", Some("passes")),
            ("kernle", Some("kernel")),
            ("tiel", Some("tile")),
            ("tiles", Some("tile")),
            ("x", None),
            ("bandwidth", None),
            ("colour", None),
        ] {
            assert_eq!(nearest(word, known), meant, "{word}");
        }
        assert_eq!(nearest(&"k".repeat(1 << 20), known), None);
    }
}
