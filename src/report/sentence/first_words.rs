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
const WORDS: [(&str, FirstWord); 16] = [
    ("threads compute", word("block", "threads that run together and share one memory")),
    ("arp", word("warp", "32 threads that execute each instruction together")),
    ("lane ", word("lane", "the number of a thread in its warp, from 0 to 31")),
    (
        "starts a copy",
        word("cp.async", "a copy that no thread carries; nobody knows when it arrives"),
    ),
    ("sector", word("sector", "8 words side by side: a load costs every sector that it touches")),
    ("load the same", word("request", "what a warp asks memory for at once")),
    ("into shared memory", word(SHARED_MEMORY, "on the chip, for all threads of the block")),
    ("pass", word("bank, pass", "the words lie on 32 banks; in a pass each serves one")),
    ("same for", word("tile", "the part of A, and of B, that the block works on at a time")),
    ("bring", word("global memory", "large, outside the chip; all blocks use it")),
    ("waits", word("barrier", "a door that opens when all warps of the block are there")),
    ("door", word("barrier", "a door that opens when all warps of the block are there")),
    (
        "one product each",
        word("register", "a thread's own word: one for a, one for b, one for its sum"),
    ),
    ("column", word("multiply-add", "sum + a x b, one instruction for all threads of a warp")),
    ("loads", word("global memory", "large, outside the chip; all blocks use it")),
    ("products", word("product", "an element of A times an element of B")),
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
        assert_eq!(first("Lane 18 (x 2, y 1) loads row 1, column 2."), Some("lane"));
        assert_eq!(first("They came in 4 sectors, all used."), Some("sector"));
        assert_eq!(first("One pass: each of 32 banks takes a word."), Some("bank, pass"));
        assert_eq!(first("The same for B."), Some("tile"));
        assert_eq!(first("Tile 2: the same again."), None);
    }
}
