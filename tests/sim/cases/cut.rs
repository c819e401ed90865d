//! Cases split into words: reassembled they are unchanged, and shuffled they do no harm.

use super::case::Case;
use super::{files, problems};
use matviz::sim::Order;
use proptest::prelude::*;

#[test]
fn a_case_survives_being_taken_apart() {
    for (name, text) in files().iter().filter(|(_, text)| !text.contains("// error:")) {
        let (head, tokens) = tokens(text);
        assert_eq!(problems(&(head + &tokens.join(" "))), Vec::<String>::new(), "{name}");
    }
}

proptest! {
    /// For any text, the result is an outcome, a fault or an error with its place.
    #[test]
    fn no_text_makes_the_simulator_panic(
        file in any::<prop::sample::Index>(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..4),
    ) {
        let files = files();
        let text = &file.get(&files).1;
        let case = Case::read(text).expect("a case can be read");
        let (head, mut tokens) = tokens(text);
        for (to, from) in cuts {
            let token = from.get(&tokens).clone();
            let place = to.index(tokens.len());
            tokens[place] = token;
        }
        let text = head + &tokens.join(" ");
        let _ = case.attempt(&text, &Order::RoundRobin, 2000);
    }
}

/// Sequences that form one word with what stands next to them (`.L1::no_allocate`, `1E+3`), or with
/// each other, and their substitutes meanwhile.
const UNCUT: [(&str, &str); 3] = [("::", "\0"), ("||", "\u{1}"), ("E+", "\u{2}")];

/// The comments of a case, and the rest of its text in pieces.
fn tokens(text: &str) -> (String, Vec<String>) {
    let body = text.find("\n\n").expect("an empty line ends the comments");
    let mut tokens = Vec::new();
    let code = text[body..].lines().map(|line| line.split("//").next().unwrap_or(line));
    let text_of_body = code.collect::<Vec<_>>().join("\n");
    let hidden = |text: String, (one, by): &(&str, &str)| text.replace(one, by);
    let text_of_body = UNCUT.iter().fold(text_of_body, hidden);
    for word in text_of_body.split_whitespace() {
        let mut rest = word;
        while let Some(at) = rest.find(|c: char| "[](){},;:+|!@".contains(c)) {
            tokens.extend([&rest[..at], &rest[at..=at]].map(str::to_owned));
            rest = &rest[at + 1..];
        }
        tokens.push(rest.to_owned());
    }
    tokens.retain(|token| !token.is_empty());
    let shown = |token: String, (one, by): &(&str, &str)| token.replace(by, one);
    let tokens = tokens.into_iter().map(|token| UNCUT.iter().fold(token, shown)).collect();
    (text[..body].to_owned() + "\n", tokens)
}
