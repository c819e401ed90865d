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

/// `; did you mean `tiled`?`, if a word is near to one of `known`. A number of one or two digits is
/// near to too many.
pub fn meant<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    let near = nearest(word, known).filter(|near| *near != word && word.len() > 2);
    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_met_with_the_name_and_another_word_with_nothing() {
        assert_eq!(meant("tild", ["naive", "tiled"]), "; did you mean `tiled`?");
        assert_eq!(meant("tiled", ["naive", "tiled"]), "");
        assert_eq!(meant("bandwidth", ["naive", "tiled"]), "");
    }

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
