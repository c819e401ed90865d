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
const WORDS: [(&str, FirstWord); 13] = [
    ("threads compute", word("global memory", "large, outside the chip")),
    ("arp", word("warp", "32 threads that execute in step")),
    ("lane ", word("lane", "a thread's number in its warp")),
    (
        "starts a copy",
        word("cp.async", "a copy that no thread carries; nobody knows when it arrives"),
    ),
    ("sector", word("sector", "8 words side by side, fetched together")),
    ("load the same", word("request", "what a warp asks memory for at once")),
    ("into shared memory", word(SHARED_MEMORY, "on the chip")),
    ("pass", word("bank, pass", "Nsight calls a pass a wavefront")),
    ("same for", word("tile", "the part of A or B in use")),
    ("waits", word("barrier", "opens when all warps have come")),
    ("the barrier", word("barrier", "opens when all warps have come")),
    ("one product each", word("register", "a thread's own word")),
    ("loads", word("global memory", "large, outside the chip")),
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
        assert_eq!(first("Warp 0 loads its 32 words of A."), Some("warp"));
        assert_eq!(first("Lane 18 (tx 2, ty 1) loads row 1, column 2 of this part."), Some("lane"));
        assert_eq!(first("The load fetches 4 sectors, all used."), Some("sector"));
        assert_eq!(first("One pass: each of 32 banks takes a word."), Some("bank, pass"));
        assert_eq!(first("The same for B."), Some("tile"));
        assert_eq!(first("Tile 2: the same again."), None);
    }
}
