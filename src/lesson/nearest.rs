//! The known word that somebody probably meant.

/// Longer words than this are compared with nothing.
const LONGEST: usize = 40;

/// The word of `known` that is nearest to a word, if one is near.
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    if word.len() > LONGEST {
        return None;
    }
    let (away, known) = known.into_iter().map(|known| (distance(word, known), known)).min()?;
    (away * 3 <= known.len().max(3)).then_some(known)
}

/// How many letters must change, be added, be left out or change places with the next.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut next = vec![i + 1];
        for j in 0..b.len() {
            let swapped = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
            let changed = row[j] + usize::from(a[i] != b[j]);
            let least = changed.min(row[j + 1] + 1).min(next[j] + 1);
            next.push(if swapped { least.min(before[j - 1] + 1) } else { least });
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or(0)
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
