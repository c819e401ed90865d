//! The words that somebody meets for the first time on a stage, in a few words each.

/// A word, and what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstWord {
    pub word: &'static str,
    pub means: &'static str,
}

/// What a sentence says where a word belongs to it, and the word; the first is the most special.
const WORDS: [(&str, FirstWord); 14] = [
    ("threads compute", word("block", "threads that run together and share one memory")),
    ("bring theirs", word("lane", "a thread's number in its warp, from 0 to 31")),
    (
        "starts a copy",
        word("cp.async", "a copy that no thread carries; nobody knows when it arrives"),
    ),
    ("sector", word("sector", "8 words side by side, the least that memory brings")),
    ("load the same", word("request", "what a warp asks memory for at once")),
    ("asks for", word("request", "what a warp asks memory for at once")),
    ("into shared memory", word("shared memory", "on the chip, one for each block, fast")),
    ("pass", word("bank, pass", "32 counters side by side; in a pass each serves one word")),
    ("waits", word("barrier", "a door that opens when all warps of the block are there")),
    ("door", word("barrier", "a door that opens when all warps of the block are there")),
    ("adds one product", word("multiply-add", "sum = sum + a x b, one instruction for a warp")),
    ("column", word("register", "a thread's own word: a comes from the left, b from above")),
    ("arp", word("warp", "32 threads that execute each instruction together")),
    ("loads", word("global memory", "large, far away, for all blocks")),
];

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
    fn a_sentence_leads_to_its_own_word_before_the_general_ones() {
        let first = |sentence: &str| first_words(sentence).map(|word| word.word).next();
        assert_eq!(first("Warp 0 loads its 32 words of A."), Some("warp"));
        assert_eq!(first("They came in 4 sectors, and every byte is used."), Some("sector"));
        assert_eq!(first("One pass: each of the 32 banks takes one word."), Some("bank, pass"));
        assert_eq!(first("Tile 2: the same again."), None);
    }
}
