//! The words that somebody meets for the first time on a stage, in a few words each.

/// A few words beside a sentence: what one of its words means, or what follows from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aside {
    pub label: String,
    pub text: String,
}

/// A word, and what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstWord {
    pub word: &'static str,
    pub means: &'static str,
}

impl From<FirstWord> for Aside {
    fn from(FirstWord { word, means }: FirstWord) -> Self {
        Self { label: word.to_owned(), text: means.to_owned() }
    }
}

/// What a sentence says where a word belongs to it, and the word. Of several, that which the sentence
/// cannot be understood without comes first.
const WORDS: &[(&str, FirstWord)] = &[
    ("global memory", word("global memory", "outside the chip")),
    ("sector", word("sector", "8 adjacent words, a quarter of a line")),
    ("request", word("request", "a warp's load or store")),
    ("arp", word("warp", "32 threads in step")),
    ("lane ", word("lane", "a thread's number in its warp")),
    (
        "starts a copy",
        word("cp.async", "a copy that no thread carries; nobody knows when it arrives"),
    ),
    ("into shared memory", word(SHARED_MEMORY, "on the chip, nearer than global memory")),
    ("pass", word("bank, pass", "32 banks serve a word each")),
    ("same for", word("tile", "the part in use")),
    ("waits", word("barrier", "opens when all have come")),
    ("the barrier", word("barrier", "opens when all have come")),
    ("one product each", word("register", "a thread's own word")),
];

/// The word that a distance is added to, where distances were measured.
pub const SHARED_MEMORY: &str = "shared memory";

const fn word(word: &'static str, means: &'static str) -> FirstWord {
    FirstWord { word, means }
}

/// The words that belong to a sentence, the most special first.
pub fn first_words(sentence: &str) -> impl Iterator<Item = FirstWord> {
    let plain = sentence.to_lowercase();
    WORDS.iter().filter(move |(said, _)| plain.contains(said)).map(|(_, word)| *word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_leads_to_the_word_that_it_needs_first() {
        let first = |sentence: &str| first_words(sentence).map(|word| word.word).next();
        assert_eq!(first("Warp 0 loads 32 words of A."), Some("warp"));
        assert_eq!(first("Lane 18 loads row 1, column 2."), Some("lane"));
        assert_eq!(first("It fetches 4 sectors, all used."), Some("sector"));
        assert_eq!(first("One pass."), Some("bank, pass"));
        assert_eq!(first("The same for B."), Some("tile"));
        assert_eq!(first("Tile 2: the same again."), None);
    }
}
