//! The known word that somebody probably meant.

/// Longer words than this are compared with nothing.
const LONGEST: usize = 40;

/// Advice that names the known word nearest to `word`, if one is near.
pub(super) fn meant<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    if word.len() > LONGEST {
        return None;
    }
    let known = known.into_iter().map(|known| (distance(word, known), known)).min()?;
    let (away, known) = known;
    (away * 3 <= known.len().max(3)).then(|| format!("did you mean `{known}`?"))
}

/// Such words in a sentence: `a, b or c`.
pub(super) fn one_of<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<_> = words.into_iter().map(|word| format!("`{word}`")).collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.concat(),
    }
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
        let known = ["kernel", "tile", "size"];
        assert_eq!(meant("kernle", known).as_deref(), Some("did you mean `kernel`?"));
        assert_eq!(meant("tiel", known).as_deref(), Some("did you mean `tile`?"));
        assert_eq!(meant("tiles", known).as_deref(), Some("did you mean `tile`?"));
        assert_eq!(meant("colour", known), None);
        assert_eq!(meant(&"k".repeat(1 << 20), known), None);
        assert_eq!(one_of(known), "`kernel`, `tile` or `size`");
    }
}
