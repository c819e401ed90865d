//! The known word that somebody probably meant.

/// The most letters that may be wrong.
const MOST: usize = 3;

/// The word of `known` that is nearest to a word, if one is near.
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let most = MOST.min(word.chars().count() / 2);
    let near = known.into_iter().map(|other| (distance(word, other), other));
    near.filter(|(far, _)| *far <= most).min_by_key(|(far, _)| *far).map(|(_, other)| other)
}

/// How many letters must be put in, taken out or changed to make one word of another.
fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.chars().count()).collect();
    for (index, letter) in one.chars().enumerate() {
        let mut before = row[0];
        row[0] = index + 1;
        for (column, with) in other.chars().enumerate() {
            let changed = before + usize::from(letter != with);
            before = row[column + 1];
            row[column + 1] = changed.min(before + 1).min(row[column] + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_mended_and_another_word_is_not() {
        let known = ["sectors", "passes", "requests"];
        assert_eq!(nearest("sector", known), Some("sectors"));
        assert_eq!(nearest("pases", known), Some("passes"));
        assert_eq!(nearest("x", known), None);
        assert_eq!(nearest("bandwidth", known), None);
    }
}
