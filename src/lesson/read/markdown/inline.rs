//! The pieces of a paragraph while it is read: words, keys, queries.

use super::super::super::document::Piece;
use super::super::super::expr::Query;
use std::mem;
use std::ops::Range;

/// What may stand between two keys of one sentence: Press `j` or `k`.
const BETWEEN_KEYS: &[&str] =
    &[" or ", " and ", ", ", ", or ", ", and ", " then ", ", then ", " and then ", ", and then "];

/// A paragraph that is being read.
#[derive(Debug, Default)]
pub(super) struct Inline {
    pieces: Vec<Piece>,
    /// Where its words stand.
    prose: Vec<Range<usize>>,
    /// Where the words of the list or quote around it stand.
    kept: Vec<Range<usize>>,
    /// How many emphases are open.
    stressed: usize,
    /// The targets of the open links, and how many pieces there were before each.
    links: Vec<String>,
    /// Whether its words may tell an answer.
    known: bool,
}

impl Inline {
    pub(super) fn words(&mut self, text: &str, place: Range<usize>) {
        if !place.is_empty() {
            self.prose.push(place);
        }
        match (self.pieces.last_mut(), self.stressed > 0) {
            (Some(Piece::Plain(last)), false) | (Some(Piece::Strong(last)), true) => {
                last.push_str(text);
            }
            (_, true) => self.pieces.push(Piece::Strong(text.to_owned())),
            (_, false) => self.pieces.push(Piece::Plain(text.to_owned())),
        }
    }

    /// A code span: a key after the word Press, or code.
    pub(super) fn code(&mut self, text: &str) {
        let piece = match text.strip_prefix("Press ") {
            Some(key) => {
                self.words("Press ", 0..0);
                Piece::Key(key.trim().to_owned())
            }
            None if self.is_key() => Piece::Key(text.to_owned()),
            None => Piece::Code(text.to_owned()),
        };
        self.pieces.push(piece);
    }

    /// Whether the words before are `Press`, or join this to a key.
    fn is_key(&self) -> bool {
        match self.pieces.as_slice() {
            [.., Piece::Key(_), Piece::Plain(between)] if BETWEEN_KEYS.contains(&&**between) => {
                true
            }
            [.., Piece::Plain(words)] => {
                let word = words.trim_end().rsplit(|c: char| !c.is_alphanumeric()).next();
                words.ends_with(' ') && word.is_some_and(|word| word.eq_ignore_ascii_case("press"))
            }
            _ => false,
        }
    }

    pub(super) fn query(&mut self, text: &str, place: Range<usize>) {
        self.pieces.push(Piece::Query(Query::query(text, place)));
    }

    pub(super) const fn stress(&mut self) {
        self.stressed += 1;
    }

    pub(super) const fn calm(&mut self) {
        self.stressed = self.stressed.saturating_sub(1);
    }

    pub(super) fn link(&mut self, target: &str) {
        self.links.push(target.to_owned());
    }

    /// Shows the target of a link that leads out of the course.
    pub(super) fn end_link(&mut self) {
        let Some(target) = self.links.pop() else { return };
        let shown =
            matches!(self.pieces.last(), Some(Piece::Plain(last)) if last.ends_with(&target));
        if target.contains("://") && !shown {
            self.words(&format!(" ({target})"), 0..0);
        }
    }

    /// Its words may tell an answer.
    pub(super) const fn known(&mut self) {
        self.known = true;
    }

    /// The paragraph, and where its words stand.
    pub(super) fn take(&mut self) -> (Vec<Piece>, Vec<Range<usize>>) {
        let prose = mem::take(&mut self.prose);
        let prose = if mem::take(&mut self.known) { Vec::new() } else { prose };
        (trimmed(mem::take(&mut self.pieces)), prose)
    }

    /// Keeps the places of words until what is around them ends.
    pub(super) fn keep(&mut self, prose: Vec<Range<usize>>) {
        self.kept.extend(prose);
    }

    /// All places that were kept, and these.
    pub(super) fn all(&mut self, prose: Vec<Range<usize>>) -> Vec<Range<usize>> {
        let mut all = mem::take(&mut self.kept);
        all.extend(prose);
        all
    }
}

/// The pieces without blanks at the end, where a comment may have stood.
fn trimmed(mut pieces: Vec<Piece>) -> Vec<Piece> {
    while let Some(Piece::Plain(last)) = pieces.last_mut() {
        last.truncate(last.trim_end().len());
        if !last.is_empty() {
            break;
        }
        pieces.pop();
    }
    pieces
}
